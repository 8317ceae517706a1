"""Describe the result of a concordance in words."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from app.engine.store.corpora import CorpusRow
from app.number_format import NO_BREAK
from app.results.moved_hits import MovedHit, MoveHitsResult
from app.views.concordance.session import LoadedConcordance
from app.views.widgets.indexing_text import describe_not_indexed
from app.views.widgets.number_format import format_count, pluralize

_tr = partial(QCoreApplication.translate, "concordance")


def describe_result(found: LoadedConcordance, corpora: Sequence[CorpusRow]) -> str:
    """Return the number of hits, and notes about the search."""
    parts = [describe_count(found), *found.notes]
    skipped = [row.name for row in corpora if row.id in found.not_indexed]
    if found.is_outdated:
        parts.append(_tr("from before the last edit"))
    elif skipped:
        parts.append(describe_not_indexed(skipped))
    return " · ".join(parts)


def describe_count(found: LoadedConcordance) -> str:
    """Return the number and frequency of hits, and the search time."""
    words = _tr("{n} hits in {m} of {total}")
    if found.n <= 1:
        words = _tr("1 hit in {total}") if found.n else _tr("No hits in {total}")
    if found.is_cut:
        words = _tr("At least {n} hits (timed out after {total})")
    total = pluralize(found.n_searched, _tr("1 sentence"), _tr("{n} sentences"))
    n, m = format_count(found.n), format_count(found.n_sentences)
    parts = [words.format(n=n, m=m, total=total)]
    if found.n and found.n_tokens:
        rate = 1e6 * found.n / found.n_tokens
        number = f"{rate:,.1f}" if rate < 100 else f"{rate:,.0f}"
        words = _tr("{rate} per million of {n} words")
        parts.append(words.format(rate=number, n=format_count(found.n_tokens)))
    ms = max(round(1000 * found.elapsed_s), 1)
    parts.append(f"{format_count(ms)}{NO_BREAK}ms")
    return " · ".join(parts)


def explain_no_lines(found: LoadedConcordance) -> str:
    """Return advice for a query without hits."""
    settings = found.settings
    if found.not_indexed:
        return _tr("The corpora are being indexed. Results appear automatically.")
    if settings.languages or settings.corpora or settings.subcorpora:
        return _tr("Select more languages or corpora.")
    if settings.case:
        return _tr("Ignore case, or search for part of the word: haus*.")
    return _tr("Search for part of the word: haus*, *ung, *wasser*.")


def describe_move(result: MoveHitsResult) -> str:
    """Describe how many hits of a list were moved, changed and lost, with examples."""
    counts = (
        (_tr("In the same line: {n}"), result.n_stayed),
        (_tr("In another line or document: {n}"), result.n_moved),
        (_tr("In a corrected sentence: {n}"), result.n_changed),
        (_tr("Lost: {n}"), result.n_lost),
        (_tr("In other corpora (unchanged): {n}"), result.n_others),
    )
    lines = [words.format(n=format_count(n)) for words, n in counts]
    templates = {
        "moved": _tr("{old} → {new}: {text}"),
        "changed": _tr("{old} → {new}, corrected: {text}"),
        "lost": _tr("{old}, lost: {text}"),
    }
    named = [
        templates[hit.fate].format(text=hit.text, old=old, new=new)
        for hit in result.named
        if hit.fate in templates
        for old, new in [_describe_places(hit)]
    ]
    return "\n".join([*lines, *([""] if named else []), *named])


def _describe_places(hit: MovedHit) -> tuple[str, str]:
    """Return the old and new locations; repeat the document only if it changed."""

    def place(name: str, line: str) -> str:
        words = _tr("{name}, line {line}") if name else _tr("line {line}")
        return words.format(name=name, line=line)

    new = "" if hit.new_line is None else format_count(hit.new_line)
    if hit.old_document:
        new = place(hit.document, new)
    old = place(hit.old_document or hit.document, format_count(hit.line))
    return old, new
