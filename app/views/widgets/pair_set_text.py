"""Text for pair sets: sides, origin, size, scores and verdicts."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from app.engine.store.corpora import CorpusRow
from app.engine.store.pairs.history import Authors
from app.engine.store.pairs.sets import PairSetRow
from app.languages import language_name
from app.number_format import NO_BREAK, format_score
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.number_format import format_age, format_count

_tr = partial(QCoreApplication.translate, "mining")

SEPARATOR = " · "
VERDICTS = ("accept", "reject", "flag", "skip")


def describe_pair_set_kind(kind: str) -> str:
    """Describe how a pair set was created."""
    names = {
        "mined": _tr("mined"),
        "scored": _tr("scored parallel text"),
        "aligned": _tr("aligned documents"),
        "package": _tr("package to judge"),
        "by-hand": _tr("manual pairs"),
        "learned": _tr("learned dictionary"),
    }
    return names.get(kind, kind)


def margin_name(margin: str) -> str:
    """Return the name of a margin."""
    names = {
        "ratio": _tr("ratio margin"),
        "distance": _tr("distance margin"),
        "absolute": _tr("cosine alone"),
    }
    return names.get(margin, margin)


def retrieval_name(retrieval: str) -> str:
    """Return the name of a retrieval method; empty: all pairs were given."""
    if not retrieval:
        return ""
    title = choice_title(retrieval, "retrieval")
    return f"{title[:1].lower()}{title[1:]}"


def verdict_name(verdict: str) -> str:
    """Return the name of a verdict; empty: the pair is not judged."""
    names = {
        "accept": _tr("accepted"),
        "reject": _tr("rejected"),
        "flag": _tr("flagged"),
        "skip": _tr("skipped"),
        "": _tr("not judged"),
    }
    return names.get(verdict, verdict)


def name_authors(authors: Authors) -> str:
    """Name the authors of a pair's changes: by Ada, text changed by Ben."""
    verdict, texts = authors.verdict, authors.texts
    if not texts:
        return _tr("by {who}").format(who=verdict) if verdict else ""
    if texts == verdict:
        return _tr("by {who}, with a changed text").format(who=verdict)
    changed = _tr("text changed by {who}").format(who=texts)
    if not verdict:
        return changed
    return _tr("by {who}, {changed}").format(who=verdict, changed=changed)


def describe_pair_set_sides(row: PairSetRow, corpora: Sequence[CorpusRow]) -> str:
    """Name the two sides: Hafenbriefe (German) – Harbour letters (English)."""
    by_id = {corpus.id: corpus for corpus in corpora}
    sides = []
    for corpus_id, language in (
        (row.source_corpus_id, row.source_language),
        (row.target_corpus_id, row.target_language),
    ):
        corpus = by_id.get(corpus_id)
        name = corpus.name if corpus is not None else _tr("a deleted corpus")
        code = language or (corpus.language if corpus is not None else "")
        spoken = language_name(code) if code else ""
        is_known = not spoken or spoken == name
        sides.append(name if is_known else f"{name} ({spoken})")
    return " – ".join(sides)


def name_languages(row: PairSetRow, corpora: Sequence[CorpusRow]) -> tuple[str, str]:
    """Name the languages of the two sides; empty if one is unknown."""
    by_id = {corpus.id: corpus.language for corpus in corpora}
    source = row.source_language or by_id.get(row.source_corpus_id, "")
    target = row.target_language or by_id.get(row.target_corpus_id, "")
    return (
        language_name(source) if source else "",
        language_name(target) if target else "",
    )


def describe_pair_set_origin(row: PairSetRow) -> str:
    """Describe how the pairs were found: mined · isogloss-2 · ratio margin …."""
    parts = [describe_pair_set_kind(row.kind)]
    if row.encoder:
        parts.append(row.encoder)
    if row.k:
        words = _tr("{margin} over {k} neighbours")
        parts.append(words.format(margin=margin_name(row.margin), k=row.k))
    if row.retrieval:
        parts.append(retrieval_name(row.retrieval))
    if row.threshold is not None:
        parts.append(_tr("threshold {n}").format(n=format_score(row.threshold)))
    if row.filters:
        words = _tr("{n} filters") if len(row.filters) > 1 else _tr("1 filter")
        parts.append(words.format(n=len(row.filters)))
    parts.append(format_age(row.created_at))
    return SEPARATOR.join(parts)


def describe_pair_set_size(row: PairSetRow, n_judged: int | None) -> str:
    """Describe the number of pairs and the share of judged pairs."""
    words = _tr("1 pair") if row.n_pairs == 1 else _tr("{n} pairs")
    parts = [words.format(n=format_count(row.n_pairs))]
    if n_judged:
        share = format_exact_share(n_judged, row.n_pairs)
        parts.append(_tr("{share} judged").format(share=share))
    return SEPARATOR.join(parts)


def format_exact_share(n: int, total: int) -> str:
    """Format a share in per cent, as 0 % or 100 % only for exact values."""
    if total <= 0 or n <= 0:
        return f"0{NO_BREAK}%"
    if n >= total:
        return f"100{NO_BREAK}%"
    share = 100 * n / total
    if share < 0.1:
        return f"<{NO_BREAK}0.1{NO_BREAK}%"
    number = f"{share:.1f}" if share < 1 else f"{min(share, 99):.0f}"
    return f"{number}{NO_BREAK}%"
