"""What was done to pairs, in words: the answer to a change."""

from collections import Counter
from collections.abc import Sequence

from app.engine.store.held import Held

VERDICT_WORDS = {
    "accept": "accepted",
    "reject": "rejected",
    "skip": "skipped",
    "flag": "flagged",
    "": "not judged any more",
}


def describe_step(before: Sequence[Held], after: Sequence[Held]) -> str:
    """Say how pairs differ after a step: what held and holds, in the same order."""
    said: Counter[str] = Counter()
    for old, new in zip(before, after, strict=True):
        said.update(_differences(old, new))
    sentences = [
        part.format(_pairs(n), "are" if n > 1 else "is") for part, n in said.items()
    ]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def _differences(old: Held, new: Held) -> list[str]:
    """Name what differs; {0} stands for the pairs, {1} for is or are."""
    parts = []
    is_other = (old.verdict, old.who) != (new.verdict, new.who)
    if is_other and (old.verdict or new.verdict):
        parts.append(f"{{0}} {{1}} {VERDICT_WORDS[new.verdict]}.")
    for side in ("source", "target"):
        if getattr(old, f"{side}_id") != getattr(new, f"{side}_id"):
            parts.append(f"The {side} of {{0}} is another sentence.")
        was, text = getattr(old, f"{side}_text"), getattr(new, f"{side}_text")
        if was != text:
            how = "as imported again" if text is None else "edited"
            parts.append(f"The {side} of {{0}} is {how}.")
    if old.note != new.note:
        how = "written" if new.note else "taken away"
        parts.append(f"The note on {{0}} is {how}.")
    added, taken = set(new.tags) - set(old.tags), set(old.tags) - set(new.tags)
    parts += [f"{{0}} {{1}} tagged {_escaped(tag)}." for tag in sorted(added)]
    parts += [
        f"{{0}} {{1}} not tagged {_escaped(tag)} any more." for tag in sorted(taken)
    ]
    return parts


def _pairs(n: int) -> str:
    return f"{n:,} pairs" if n > 1 else "the pair"


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
