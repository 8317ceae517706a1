"""Find hits in one corpus, with the words to the left and right of each hit."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import IntArray
from app.engine.project.active_sentences import active_positions
from app.engine.runtime.report import Report
from app.engine.search.languages import matches_language
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.engine.store.sentences import iterate_texts
from app.engine.words.cache import WordCache
from app.engine.words.expressions import MatchSpans, ScanLimits, find_spans
from app.engine.words.index import WordIndex
from app.engine.words.lexicon import sort_items
from app.engine.words.patterns import WordPattern, find_places
from app.engine.words.tokenizer import (
    ICU,
    NOTE,
    fold_word,
    tokenize_texts,
    unspaced_segmenter,
)
from app.languages import elides

Items = Callable[[IntArray], list[str]]
# Offsets of the words of a line, in the order of its file: L3, L2, L1, R1, R2, R3.
OFFSETS = (-3, -2, -1, 1, 2, 3)
NO_TOKEN = -1


class TokenTable(NamedTuple):
    """The words of the sentences of a corpus, or of its sentences with hits.

    Attributes:
        starts: int64 (n+1,), the first token of each row.
        begins, ends: int32 (t,), code points of the text.
        ids: int32 (t,), ids of the case-folded words, in the order of the words.
        items: returns the words of some ids.
        notes: sentences on the tokenization.
    """

    starts: NDArray[np.int64]
    begins: NDArray[np.int32]
    ends: NDArray[np.int32]
    ids: NDArray[np.int32]
    items: Items
    notes: tuple[str, ...] = ()


class HitWordColumn(NamedTuple):
    """The word at one offset of each line of a corpus.

    Attributes:
        ids: int64 (m,), in the order of the words; -1: the line has no such word.
        items: returns the words of some ids.
    """

    ids: IntArray
    items: Items


class PlacedHits(NamedTuple):
    """Hits among the tokens of a table.

    Attributes:
        rows: int64 (m,), of the table.
        first, last: int64 (m,), first and last token of each hit; also for a part of a
            word, last + 1 is the first token after the hit.
    """

    rows: IntArray
    first: IntArray
    last: IntArray


def locate_spans(
    table: TokenTable,
    rows: IntArray,
    begins: NDArray[np.int32],
    ends: NDArray[np.int32],
) -> PlacedHits:
    """Locate text spans among tokens.

    Args:
        rows: int64 (m,).
        begins: int32 (m,), start of each span in code points.
        ends: int32 (m,), end of each span.
    """
    low, high = table.starts[rows], table.starts[rows + 1]
    # tokens before a span end at its start or earlier
    first = _count_below(table.ends, low, high, begins + 1)
    behind = _count_below(table.begins, low, high, ends)
    return PlacedHits(rows, first, np.maximum(behind, first) - 1)


def tokens_at_offset(table: TokenTable, hits: PlacedHits, offset: int) -> IntArray:
    """Return the token at an offset from each hit: int64 (m,), -1: none.

    Args:
        hits: m hits.
        offset: -1 is the word to the left of the hit, 1 the word to its right.
    """
    places = (hits.first if offset < 0 else hits.last) + offset
    is_there = (places >= table.starts[hits.rows]) & (
        places < table.starts[hits.rows + 1]
    )
    return np.where(is_there, places, NO_TOKEN)


def words_at(table: TokenTable, indices: IntArray) -> HitWordColumn:
    """Return the word of each token; `indices`: int64 (m,), -1: none."""
    ids = np.full(len(indices), NO_TOKEN, np.int64)
    is_there = indices >= 0
    ids[is_there] = table.ids[indices[is_there]]
    return HitWordColumn(ids, table.items)


def context_spans(table: TokenTable, hits: PlacedHits) -> NDArray[np.int32]:
    """Return start and end of the six words around each hit: int32 (m, 12), or -1."""
    spans = np.full((len(hits.rows), 2 * len(OFFSETS)), NO_TOKEN, np.int32)
    for column, offset in enumerate(OFFSETS):
        indices = tokens_at_offset(table, hits, offset)
        is_there = indices >= 0
        spans[is_there, 2 * column] = table.begins[indices[is_there]]
        spans[is_there, 2 * column + 1] = table.ends[indices[is_there]]
    return spans


def build_token_table(texts: Sequence[str], eliding: NDArray[np.bool_]) -> TokenTable:
    """Build the token table of some texts, one row per text.

    Args:
        texts: n sentences.
        eliding: bool (n,), whether an apostrophe ends a word; or (1,) for all texts.
    """
    if not texts:
        empty = np.empty(0, np.int32)
        return TokenTable(np.zeros(1, np.int64), empty, empty, empty, lambda _: [])
    cuts = tokenize_texts(texts, eliding)
    rows = np.searchsorted(cuts.offsets, cuts.begins, "right") - 1
    counts = np.bincount(rows, minlength=len(texts))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    begins, ends = (
        (places - cuts.offsets[rows]).astype(np.int32)
        for places in (cuts.begins, cuts.ends)
    )
    ids, items = number_words(cuts.words())
    is_by_character = cuts.has_unspaced and unspaced_segmenter() != ICU
    notes = (NOTE,) if is_by_character else ()
    return TokenTable(starts, begins, ends, ids.astype(np.int32), items, notes)


def number_words(words: Sequence[str]) -> HitWordColumn:
    """Number words by the order of their case-folded form."""
    folded = [fold_word(word) for word in words]
    names, ids = sort_items(list(dict.fromkeys(folded)))
    known = dict(zip(dict.fromkeys(folded), ids.tolist(), strict=True))
    numbers = np.fromiter(map(known.__getitem__, folded), np.int64, len(folded))
    return HitWordColumn(numbers, lambda ids: [names[id_] for id_ in ids.tolist()])


def _count_below(
    values: NDArray[np.int32],
    low: IntArray,
    high: IntArray,
    wanted: NDArray[np.int32],
) -> IntArray:
    """Find in each range low … high - 1 of ascending values the first >= wanted.

    A vectorised binary search: as many steps as the longest range needs.
    """
    low, high = low.copy(), high.copy()
    while bool((is_open := low < high).any()):
        middle = (low + high) // 2
        is_less = is_open & (values[np.where(is_open, middle, 0)] < wanted)
        low = np.where(is_less, middle + 1, low)
        high = np.where(is_open & ~is_less, middle, high)
    return low


SCAN_STAGE = "Searching sentences"


class CorpusHits(NamedTuple):
    """The hits in one corpus, in text order.

    Attributes:
        corpus: the corpus.
        positions: int64 (m,), position of each hit's sentence.
        spans: int32 (m, 2), start and end (code points of the text).
        table: the words around the hits, if requested.
        placed: the hits in the table, if there is one.
        hits: the hits as words; None if they are words of the table.
        n_searched: sentences that were searched.
        n_tokens: words in these sentences, if known.
        is_cut: the search timed out.
        n_empty: number of empty matches of an expression.
    """

    corpus: CorpusRow
    positions: IntArray
    spans: NDArray[np.int32]
    table: TokenTable | None
    placed: PlacedHits | None
    hits: HitWordColumn | None
    n_searched: int
    n_tokens: int | None
    is_cut: bool = False
    n_empty: int = 0


class ScanOptions(NamedTuple):
    """Options of a scan with a regular expression.

    Attributes:
        expression: compiled expression.
        with_words: return the words around the hits.
        with_hits: return the hits as words, to sort by them.
        deadline: in seconds of `time.monotonic`; None: no deadline.
    """

    expression: Any
    with_words: bool
    with_hits: bool
    deadline: float | None


def sentence_mask(
    cache: WordCache, corpus: CorpusRow, languages: Sequence[str]
) -> NDArray[np.bool_] | None:
    """Return which sentences are searched: bool (n,); None: all."""
    rows = active_positions(cache.project, corpus)
    mask: NDArray[np.bool_] | None = None
    if rows is not None:
        mask = np.zeros(corpus.n_sentences, bool)
        mask[rows] = True
    if not languages:
        return mask
    known = cache.languages(corpus)
    is_code_wanted = np.array(
        [matches_language(code, languages) for code in known.codes]
    )
    if is_code_wanted.all():
        return mask
    which = 0 if known.which is None else known.which
    by_language = np.broadcast_to(is_code_wanted[which], corpus.n_sentences)
    return by_language if mask is None else mask & by_language


def counted_languages(
    cache: WordCache, corpus: CorpusRow, languages: Sequence[str]
) -> set[str]:
    """Return the requested languages of a corpus's sentences, without regions."""
    codes = cache.languages(corpus).codes
    wanted = [
        code for code in codes if not languages or matches_language(code, languages)
    ]
    return {code.split("-")[0] for code in wanted}


def find_by_index(
    corpus: CorpusRow,
    index: WordIndex,
    pattern: WordPattern,
    mask: NDArray[np.bool_] | None,
) -> CorpusHits:
    """Find words in a corpus by its index.

    Args:
        corpus: corpus to search.
        mask: bool (n,), sentences to search; None: all.

    Raises:
        UserError: the corpus has no lemmas or parts of speech.
    """
    first, last = (tokens.astype(np.int64) for tokens in find_places(index, pattern))
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
        PlacedHits(positions, first, last),
        None,
        n_searched,
        n_tokens,
    )


def find_by_expression(
    cache: WordCache,
    corpus: CorpusRow,
    options: ScanOptions,
    mask: NDArray[np.bool_] | None,
    report: Report,
) -> CorpusHits:
    """Find a regular expression in the texts of a corpus selected by `mask`, (n,).

    Raises:
        UserError: the expression takes too long.
    """
    index = cache.index(corpus) if options.with_words else None
    found = MatchSpans()
    keeps_texts = options.with_hits or (options.with_words and index is None)
    limits = ScanLimits(corpus.name, keeps_texts, options.deadline)
    for page in _pages(cache, corpus, mask, report):
        find_spans(options.expression, page, found, limits)
        if found.is_cut:
            break
    positions, begins, ends = found.columns
    table, rows = None, positions
    if index is not None:
        table = _table_of(index)
    elif options.with_words:
        table, rows = _cut_hits(cache, corpus, positions, found)
    placed = locate_spans(table, rows, begins, ends) if table else None
    hits = number_words(found.words) if options.with_hits else None
    spans = np.stack([begins, ends], axis=1)  # (m,) -> (m, 2)
    counts = (found.n_read, None, found.is_cut, found.n_empty)
    return CorpusHits(corpus, positions, spans, table, placed, hits, *counts)


def is_timed_out(deadline: float | None) -> bool:
    """Return whether the deadline has passed."""
    return deadline is not None and time.monotonic() > deadline


def _pages(
    cache: WordCache,
    corpus: CorpusRow,
    mask: NDArray[np.bool_] | None,
    report: Report,
) -> Iterator[list[tuple[int, str]]]:
    """Yield positions and texts of the active sentences, page by page."""
    first = first_sentence_id(corpus.id)
    for page in iterate_texts(cache.project.store, corpus.id):
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
    cache: WordCache, corpus: CorpusRow, positions: IntArray, found: MatchSpans
) -> tuple[TokenTable, IntArray]:
    """Tokenize the sentences with hits; return their table and each hit's row."""
    which, rows = np.unique(positions, return_inverse=True)
    texts = [found.texts[position] for position in which.tolist()]
    languages = cache.languages(corpus)
    eliding = [elides(languages.of(position)) for position in which.tolist()]
    return build_token_table(texts, np.array(eliding, bool)), rows.astype(np.int64)
