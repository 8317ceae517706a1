"""Hits in one corpus: by its word index, or by a regular expression over its texts."""

import time
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.report import Report
from app.engine.search.languages import is_wanted
from app.engine.store.bulk import iterate_texts
from app.engine.store.members import members
from app.engine.store.rows import CorpusRow, first_id
from app.engine.words.expressions import ScanLimits, Spans, find_spans
from app.engine.words.index import WordIndex
from app.engine.words.line_words import (
    Placed,
    TokenTable,
    WordColumn,
    cut_table,
    number_words,
    place_spans,
)
from app.engine.words.match import Pattern, places
from app.engine.words.shelf import WordShelf
from app.engine.words.tokens import elides

SCAN_STAGE = "look through sentences"
IntArray = NDArray[np.int64]


class CorpusHits(NamedTuple):
    """The hits in one corpus, in the order of its text.

    Attributes:
        corpus: where.
        positions: int64 (m,), of the sentence of each hit.
        spans: int32 (m, 2), begin and end in code points of the text.
        table: the words beside them; None: nobody asked for them.
        placed: the hits in it; of no use without.
        hits: the hits themselves as words; None: they are words of the table.
        n_searched: sentences that were looked at.
        n_tokens: words in them; None: they are not known.
        is_cut: the time was over before the last sentence.
        n_empty: places where an expression was found without a character.
    """

    corpus: CorpusRow
    positions: IntArray
    spans: NDArray[np.int32]
    table: TokenTable | None
    placed: Placed | None
    hits: WordColumn | None
    n_searched: int
    n_tokens: int | None
    is_cut: bool = False
    n_empty: int = 0


class ScanWish(NamedTuple):
    """What a scan by a regular expression gives.

    Attributes:
        expression: compiled.
        with_words: the words beside the hits are wanted.
        with_hits: the hits themselves are wanted, to be sorted by.
        deadline: of `time.monotonic`; None: there is none.
    """

    expression: Any
    with_words: bool
    with_hits: bool
    deadline: float | None


def chosen_mask(
    shelf: WordShelf, corpus: CorpusRow, languages: Sequence[str]
) -> NDArray[np.bool_] | None:
    """Tell which sentences take part: bool (n,); None: all of them."""
    rows = members(shelf.project, corpus)
    mask: NDArray[np.bool_] | None = None
    if rows is not None:
        mask = np.zeros(corpus.n_sentences, bool)
        mask[rows] = True
    if not languages:
        return mask
    known = shelf.languages(corpus)
    is_code_wanted = np.array([is_wanted(code, languages) for code in known.codes])
    if is_code_wanted.all():
        return mask
    which = 0 if known.which is None else known.which
    by_language = np.broadcast_to(is_code_wanted[which], corpus.n_sentences)
    return by_language if mask is None else mask & by_language


def find_by_index(
    corpus: CorpusRow,
    index: WordIndex,
    pattern: Pattern,
    mask: NDArray[np.bool_] | None,
) -> CorpusHits:
    """Find words in a corpus by its index.

    Args:
        corpus: where.
        index: of the corpus.
        pattern: the words.
        mask: bool (n,), sentences that take part; None: all.

    Raises:
        UserError: the corpus has no lemmas or parts of speech.
    """
    first, last = (tokens.astype(np.int64) for tokens in places(index, pattern))
    positions = index.sentence_of(first)
    n_searched, n_tokens = index.n_sentences, index.n_tokens
    if mask is not None:
        is_kept = mask[positions]
        first, last, positions = first[is_kept], last[is_kept], positions[is_kept]
        n_searched = int(mask.sum())
        n_tokens = int(np.diff(index.starts)[mask].sum())
    spans = np.stack([index.begins[first], index.ends[last]], axis=1)  # (m,) -> (m, 2)
    return CorpusHits(
        corpus,
        positions,
        spans,
        _table_of(index),
        Placed(positions, first, last),
        None,
        n_searched,
        n_tokens,
    )


def find_by_expression(
    shelf: WordShelf,
    corpus: CorpusRow,
    wish: ScanWish,
    mask: NDArray[np.bool_] | None,
    report: Report,
) -> CorpusHits:
    """Find a regular expression in the texts of a corpus; `mask`: (n,), of its texts.

    Raises:
        UserError: the expression explodes.
    """
    index = shelf.index(corpus) if wish.with_words else None
    found = Spans()
    keeps_texts = wish.with_hits or (wish.with_words and index is None)
    limits = ScanLimits(corpus.name, keeps_texts, wish.deadline)
    for page in _pages(shelf, corpus, mask, report):
        find_spans(wish.expression, page, found, limits)
        if found.is_cut:
            break
    positions, begins, ends = found.columns
    table, rows = None, positions
    if index is not None:
        table = _table_of(index)
    elif wish.with_words:
        table, rows = _cut_hits(shelf, corpus, positions, found)
    placed = place_spans(table, rows, begins, ends) if table else None
    hits = number_words(found.words) if wish.with_hits else None
    spans = np.stack([begins, ends], axis=1)  # (m,) -> (m, 2)
    counts = (found.n_read, None, found.is_cut, found.n_empty)
    return CorpusHits(corpus, positions, spans, table, placed, hits, *counts)


def is_over(deadline: float | None) -> bool:
    """Tell whether the time is over."""
    return deadline is not None and time.monotonic() > deadline


def _pages(
    shelf: WordShelf,
    corpus: CorpusRow,
    mask: NDArray[np.bool_] | None,
    report: Report,
) -> Iterator[list[tuple[int, str]]]:
    """Give positions and texts of the sentences that take part, by pages."""
    first = first_id(corpus.id)
    for page in iterate_texts(shelf.project.store, corpus.id):
        placed = [(id_ - first, text) for id_, text in page]
        begin, end = placed[0][0], placed[-1][0] + 1
        report.step(SCAN_STAGE, begin, corpus.n_sentences, corpus.name)
        if mask is not None:
            placed = list(compress(placed, mask[begin:end].tolist()))
        yield placed


def _table_of(index: WordIndex) -> TokenTable:
    layer = index.layer("word")
    items = layer.lexicon.items
    return TokenTable(
        index.starts,
        index.begins,
        index.ends,
        layer.tokens,
        items,
        tuple(index.notes),
    )


def _cut_hits(
    shelf: WordShelf, corpus: CorpusRow, positions: IntArray, found: Spans
) -> tuple[TokenTable, IntArray]:
    """Cut the sentences that hold hits; gives their table and each hit's row."""
    which, rows = np.unique(positions, return_inverse=True)
    texts = [found.texts[position] for position in which.tolist()]
    languages = shelf.languages(corpus)
    eliding = [elides(languages.of(position)) for position in which.tolist()]
    return cut_table(texts, np.array(eliding, bool)), rows.astype(np.int64)


__all__ = [
    "CorpusHits",
    "ScanWish",
    "chosen_mask",
    "find_by_expression",
    "find_by_index",
    "is_over",
]
