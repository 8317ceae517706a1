"""Errors before and after continuing the training of an encoder, in all languages."""

import csv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from app.engine.demo import sample_files
from app.engine.text.line_files import describe_texts
from app.engine.training.development import METRIC, OTHERS_METRIC
from app.languages import primary_language
from app.number_format import format_percent
from app.plurals import count_text
from app.results.training import ErrorChange

PIVOT = "en"  # the samples of the other languages are paired with the English ones
# Reported rise of the error of one language (with 60 sentences, three of the 120
# queries are one standard error at an error of 5 %), and of the mean.
WORSE, WORSE_MEAN = 0.05, 0.01
N_NAMED = 4


def pair_samples(trained: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """Pair the sample sentences with English, by language.

    Args:
        trained: codes of languages to exclude, because they are trained on.

    Raises:
        ResourceError: the samples are missing.
    """
    left_out = {primary_language(code) for code in trained} | {PIVOT}
    gold = {file.stem: _read_gold(file) for file in sample_files()}
    return {
        language: [(gold[PIVOT][key], texts[key]) for key in sorted(texts)]
        for language, texts in gold.items()
        if language not in left_out
    }


def list_changes(
    before: Mapping[str, float], after: Mapping[str, float]
) -> tuple[ErrorChange, ...]:
    """List errors before and after: trained languages, then others, by name.

    Args:
        before: errors before the first step (see `DevelopmentSet.measure`).
        after: errors of the saved weights.
    """
    return tuple(
        ErrorChange(
            language=name.removeprefix(f"{metric}."),
            is_other=metric == OTHERS_METRIC,
            before=before[name],
            after=after[name],
        )
        for metric in (METRIC, OTHERS_METRIC)
        for name in sorted(before)
        if name.startswith(f"{metric}.") and name in after
    )


def describe_worse(changes: Sequence[ErrorChange]) -> str:
    """Return a warning if other languages got worse, or else an empty string."""
    others = [change for change in changes if change.is_other]
    worse = [one for one in others if one.after - one.before >= WORSE]
    rise = sum(one.after - one.before for one in others) / max(len(others), 1)
    if not worse and rise < WORSE_MEAN:
        return ""
    before, after = (
        sum(getattr(one, side) for one in others) / len(others)
        for side in ("before", "after")
    )
    n_languages = count_text(len(others), "language")
    words = (
        f"Other languages got worse: the mean error of {n_languages} on the sample "
        f"sentences changed from {100 * before:.1f} to {format_percent(after, 1)}"
    )
    worst = sorted(worse, key=lambda one: one.before - one.after)[:N_NAMED]
    if worst:
        words += " (" + ", ".join(map(_describe, worst)) + ")"
    return f"{words}. Use fewer steps or a lower learning rate."


def _describe(change: ErrorChange) -> str:
    after = format_percent(change.after, 1)
    return f"{describe_texts(change.language)} {100 * change.before:.1f} to {after}"


def _read_gold(file: Path) -> dict[str, str]:
    """Read the sentences that are translated in all samples, by key."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["gold"]: row["text"] for row in rows if row["gold"]}
