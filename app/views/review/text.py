"""Text for judgements, scores and history entries."""

import time
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QLocale

from app.engine.store.pairs.history import MAX_COUNTED, JudgedStep, Merge, MergedStep
from app.engine.store.pairs.sets import JudgementRow, PairRow, PairSetRow
from app.engine.store.pairs.texts import PairTexts
from app.number_format import format_score
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.pair_set_text import margin_name, verdict_name

_tr = partial(QCoreApplication.translate, "review")

MARKS = {"accept": "✓", "reject": "✗", "skip": "→", "flag": "⚑", "": "○"}
EDITED, SWAPPED, NOTED, TAGGED, UNDONE = "✎", "⇄", "¶", "#", "↶"
MERGED = "⇐"
MAX_LINE = 60  # characters of text in the history


class HistoryLine(NamedTuple):
    """Mark and text of a line in the history."""

    mark: str
    text: str


def describe_step(step: JudgedStep, found: PairTexts | None) -> HistoryLine:
    """Describe a step: Accepted “The boat was late.”.

    Args:
        found: the pair of its first judgement; None if it was deleted.
    """
    row = step.row
    source = (found.source.text or found.target.text) if found is not None else ""
    quoted = f"“{shorten_line(source)}”" if source else _tr("a pair")
    is_of_package = bool(row.origin) and not row.verdict and row.undoes is None
    if step.n > 1:
        count = format_count(step.n)
        if step.n >= MAX_COUNTED:
            count = _tr("more than {n}").format(n=format_count(MAX_COUNTED - 1))
        if row.undoes is not None:
            return HistoryLine(UNDONE, _tr("Undone: {n} judgements").format(n=count))
        if is_of_package:
            words = _tr("Texts of the package: {n} pairs")
            return HistoryLine(EDITED, words.format(n=count))
        words = _tr("{verdict}: {n} pairs")
        if step.as_range:
            words = _tr("{verdict} as a range: {n} pairs")
        return HistoryLine(
            MARKS[row.verdict], words.format(n=count, verdict=_verdict_title(row))
        )
    if is_of_package:
        words = _tr("Text of the package: {text}")
        return HistoryLine(EDITED, words.format(text=quoted))
    before = step.before
    mined = found.pair if found is not None else row
    if before is None:  # compare with the mined pair
        before = row._replace(
            source_id=mined.source_id,
            target_id=mined.target_id,
            verdict="",
            source_text=None,
            target_text=None,
            note="",
            tags=[],
        )
    new = row if row.undoes is None else before  # undo: the undone change
    is_restored = _sentences(new) == _sentences(mined) and found is not None
    line = _describe_change(row, before, quoted, is_restored=is_restored)
    if row.undoes is not None:
        return HistoryLine(UNDONE, _tr("Undone: {what}").format(what=line.text))
    return line


def describe_merge(merge: Merge | MergedStep, *, is_undo: bool = False) -> HistoryLine:
    """Describe a merge, or its undo: Merged 9 judgements of Ben, 1 with a …."""
    judgements = pluralize(merge.n, _tr("1 judgement"), _tr("{n} judgements"))
    words = _tr("Merged {judgements} of {who}")
    if merge.n_texts:
        words = _tr("Merged {judgements} of {who}, {texts} with a corrected text")
    texts = format_count(merge.n_texts)
    text = words.format(judgements=judgements, who=merge.who, texts=texts)
    if is_undo:
        return HistoryLine(UNDONE, _tr("Undone: {what}").format(what=text))
    return HistoryLine(MERGED, text)


def _describe_change(
    row: JudgementRow, before: JudgementRow, quoted: str, *, is_restored: bool
) -> HistoryLine:
    """Describe what changed, the verdict first unless a swap removed it.

    Args:
        before: the judgement before it.
        quoted: the text of the pair.
        is_restored: whether the sentences of the mined pair were restored.
    """
    verdict = HistoryLine(MARKS[row.verdict], f"{_verdict_title(row)} {quoted}")
    is_swap = _sentences(row) != _sentences(before)
    is_given = bool(row.verdict) and row.verdict != before.verdict
    if is_swap and (row.undoes is not None or not is_given):
        words = _tr("Runner-up swapped in: {text}")
        if is_restored:
            words = _tr("Original pair restored: {text}")
        return HistoryLine(SWAPPED, words.format(text=quoted))
    if row.verdict != before.verdict:
        return verdict
    for new, old, words in (
        (row.target_text, before.target_text, _tr("Target edited: “{new}”")),
        (row.source_text, before.source_text, _tr("Source edited: “{new}”")),
    ):
        if new != old:
            again = _tr("Text reset: {text}").format(text=quoted)
            return HistoryLine(
                EDITED, words.format(new=shorten_line(new)) if new else again
            )
    if row.note != before.note:
        gone = _tr("Note removed: {text}").format(text=quoted)
        words = _tr("Note “{note}”").format(note=shorten_line(row.note))
        return HistoryLine(NOTED, words if row.note else gone)
    if row.tags != before.tags:
        tags = ", ".join(row.tags) or _tr("none")
        return HistoryLine(
            TAGGED, _tr("Tags {tags}: {text}").format(tags=tags, text=quoted)
        )
    return verdict


def _sentences(row: JudgementRow | PairRow) -> tuple[int, int]:
    return row.source_id, row.target_id


def _verdict_title(row: JudgementRow) -> str:
    """Return the name of a verdict, capitalised."""
    words = verdict_name(row.verdict)
    return words[:1].upper() + words[1:]


def count_decided(counts: Mapping[str, int]) -> int:
    """Return the number of accepted or rejected pairs; `counts` are by verdict."""
    return counts.get("accept", 0) + counts.get("reject", 0)


def list_undecided(counts: Mapping[str, int]) -> list[str]:
    """List the counts of other verdicts: 1 skipped, 2 flagged."""
    return [
        f"{format_count(counts[verdict])} {verdict_name(verdict)}"
        for verdict in ("skip", "flag")
        if counts.get(verdict)
    ]


def format_moment(seconds: float) -> str:
    """Format a time, such as 14:03, with the date if it is not today."""
    then, now = time.localtime(seconds), time.localtime()
    is_today = then[:3] == now[:3]
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", then)


def describe_method(row: PairSetRow) -> str:
    """Return how pairs were scored: isogloss-2 · ratio margin · k = 4."""
    if row.kind == "aligned":
        return " · ".join(part for part in (row.encoder, _tr("aligned")) if part)
    if not row.margin:
        return _tr("package without scores")
    parts = (row.encoder, margin_name(row.margin), f"k = {row.k}" if row.k else "")
    return " · ".join(part for part in parts if part)


def describe_score(row: PairRow, mining: PairSetRow) -> tuple[str, str]:
    """Describe a score and its components: margin 1.093, cosine 0.780 ÷ mean 0.714.

    The mean is over both directions (Artetxe and Schwenk 2019, equations 2 and 3).
    """
    mean = (row.source_mean + row.target_mean) / 2
    score = name_score(row.score, mining)
    if mining.kind == "aligned":
        return score, _tr("cosine {cosine}").format(cosine=format_score(row.cosine))
    if mining.margin == "absolute":
        words = _tr("mean of the neighbours {mean}").format(mean=format_score(mean))
        return score, words
    sign = "÷" if mining.margin == "ratio" else "−"
    parts = _tr("cosine {cosine} {sign} mean of the neighbours {mean}")
    cosine = format_score(row.cosine)
    return score, parts.format(cosine=cosine, sign=sign, mean=format_score(mean))


def name_score(score: float, mining: PairSetRow) -> str:
    """Format a score of a pair set with its name: margin 1.093."""
    words = _tr("margin {score}")
    if mining.kind == "aligned":
        words = _tr("confidence {score}")
    elif mining.margin == "absolute":
        words = _tr("cosine {score}")
    return words.format(score=format_score(score))


def format_ratio(source: str, target: str) -> str:
    """Format the ratio of target length to source length."""
    if not source or not target:
        return "–"
    return QLocale.c().toString(len(target) / len(source), "f", 2)


def shorten_line(text: str, n: int = MAX_LINE) -> str:
    """Shorten a text to one line of n characters."""
    text = " ".join(text.split()).strip('“”„"')
    return text if len(text) <= n else f"{text[: n - 1]}…"
