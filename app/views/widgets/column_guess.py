"""Which columns of a table hold labels, and which two a labelled pair, by name."""

from collections.abc import Sequence

LABELS = (
    *("label", "gold_label", "labels", "class", "category", "topic", "sentiment"),
    *("polarity", "intent"),
)
SCORES = ("score", "similarity")  # of a pair; beside a single text it is no label
PAIRS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentence_1", "sentence_2"),
    ("sentence_a", "sentence_b"),
    ("text1", "text2"),
    ("text_a", "text_b"),
    ("question1", "question2"),
)


def guess_label(columns: Sequence[str], *, of_pairs: bool = False) -> str:
    """Give the column that is named as labels are; empty: none."""
    wanted = (*LABELS, *SCORES) if of_pairs else LABELS
    return next((c for name in wanted for c in columns if _plain(c) == name), "")


def guess_pair(columns: Sequence[str]) -> tuple[str, ...]:
    """Give the two columns that are named as the texts of pairs are; none: empty."""
    by_name = {_plain(column): column for column in columns}
    for names in PAIRS:
        if all(name in by_name for name in names):
            return tuple(by_name[name] for name in names)
    return ()


def _plain(column: str) -> str:
    return column.strip().casefold()
