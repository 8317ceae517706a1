"""The lines of a concordance: hits of several corpora in one order."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.report import Report
from app.engine.store.rows import CorpusRow, first_id
from app.engine.words.expressions import compile_expression
from app.engine.words.hits import (
    CorpusHits,
    ScanWish,
    chosen_mask,
    find_by_expression,
    find_by_index,
    is_over,
)
from app.engine.words.line_words import (
    NOTHING,
    OFFSETS,
    Placed,
    beside,
    spans_beside,
    words_at,
)
from app.engine.words.match import parse
from app.engine.words.shelf import WordShelf
from app.engine.words.sorting import (
    WORD_OFFSETS,
    order_of,
    random_ranks,
    rank_words,
)
from app.params.concordance import MatchMode, SortKey

LOOK_UP_STAGE = "look up words"
SCAN_S = 4.0  # for a question by a regular expression
BUILD_S = 1.0  # for indexing small corpora within a question
IntArray = NDArray[np.int64]


class LinesWish(NamedTuple):
    """What is looked for, and in which order it is given.

    Attributes:
        text, mode, case, sort, top, seed: as in the params `Concordance`.
        languages: codes; none: all.
        with_words: the words beside the hits are wanted.
        seconds: for a regular expression; None: as long as it takes.
    """

    text: str
    mode: MatchMode = "words"
    case: bool = False
    languages: Sequence[str] = ()
    sort: Sequence[SortKey] = ()
    top: int = 10_000_000
    seed: int = 1
    with_words: bool = True
    seconds: float | None = SCAN_S


class Lines(NamedTuple):
    """The lines of a concordance.

    Attributes:
        lines: int64 (m, 3), sentence id, begin and end in code points of the text.
        words: int32 (m, 12), begin and end of L3, L2, L1, R1, R2, R3; -1: none.
        n: all hits.
        n_sentences: that hold one.
        n_searched: sentences that were looked at.
        n_tokens: words in them; None: a regular expression was looked for.
        is_cut: the time was over before all was read.
        not_indexed: ids of corpora that were left out.
        notes: sentences on what the user should know.
    """

    lines: IntArray
    words: NDArray[np.int32]
    n: int
    n_sentences: int
    n_searched: int
    n_tokens: int | None
    is_cut: bool
    not_indexed: list[int]
    notes: list[str]


class _Found(NamedTuple):
    """The hits of each corpus, and what could not be looked through."""

    parts: list[CorpusHits]
    not_indexed: list[int]
    notes: list[str]
    is_cut: bool


def find_lines(
    shelf: WordShelf, corpora: Sequence[CorpusRow], wish: LinesWish, report: Report
) -> Lines:
    """Find hits in corpora, in their order, and bring them into the order asked.

    Raises:
        UserError: what is typed can't be looked for.
    """
    is_expression = wish.mode == "regex"
    find = _find_expression if is_expression else _find_words
    found = find(shelf, corpora, wish, report)
    parts = found.parts
    n = sum(len(part.positions) for part in parts)
    order = order_of(_keys(parts, wish, n), n)[: wish.top]
    lines, words = _gather(parts, order)
    of_tables = [note for part in parts if part.table for note in part.table.notes]
    return Lines(
        lines,
        words,
        n,
        sum(_n_different(part.positions) for part in parts),
        sum(part.n_searched for part in parts),
        None if is_expression else sum(part.n_tokens or 0 for part in parts),
        found.is_cut,
        found.not_indexed,
        list(dict.fromkeys([*found.notes, *of_tables])),
    )


def _find_words(
    shelf: WordShelf, corpora: Sequence[CorpusRow], wish: LinesWish, report: Report
) -> _Found:
    """Look words up; corpora without lemmas are left out, if others have them."""
    pattern = parse(wish.text, "words", wish.case)
    parts, missing, bare = [], [], []
    deadline = time.monotonic() + BUILD_S
    for done, corpus in enumerate(corpora):
        report.step(LOOK_UP_STAGE, done, len(corpora), corpus.name)
        mask = chosen_mask(shelf, corpus, wish.languages)
        if mask is not None and not mask.any():
            continue
        index = shelf.index(corpus, builds=not is_over(deadline))
        if index is None:
            missing.append(corpus.id)
        elif all(map(index.has, pattern.layers)):
            parts.append(find_by_index(corpus, index, pattern, mask))
        else:
            bare.append((corpus, index))
    if bare and not parts and not missing:
        for layer in pattern.layers:
            bare[0][1].layer(layer)  # says which there is not
    names = ", ".join(corpus.name for corpus, _ in bare)
    note = f"Without lemmas and parts of speech, and so left out: {names}."
    return _Found(parts, missing, [note] if bare else [], is_cut=False)


def _find_expression(
    shelf: WordShelf, corpora: Sequence[CorpusRow], wish: LinesWish, report: Report
) -> _Found:
    """Scan one corpus after another, until the time is over."""
    scan = ScanWish(
        compile_expression(wish.text, case=wish.case),
        with_words=wish.with_words or bool(WORD_OFFSETS.keys() & set(wish.sort)),
        with_hits="N" in wish.sort,
        deadline=None if wish.seconds is None else time.monotonic() + wish.seconds,
    )
    parts: list[CorpusHits] = []
    for corpus in corpora:
        if is_over(scan.deadline):
            break
        mask = chosen_mask(shelf, corpus, wish.languages)
        parts.append(find_by_expression(shelf, corpus, scan, mask, report))
    is_cut = len(parts) < len(corpora) or any(part.is_cut for part in parts)
    notes = []
    if is_cut:
        n_read = sum(part.n_searched for part in parts)
        n_all = sum(corpus.n_sentences for corpus in corpora)
        notes.append(
            f"The time of {wish.seconds:.0f} s was over after {n_read:,} of {n_all:,} "
            "sentences: choose fewer corpora, or run the command concordance."
        )
    has_hits = any(len(part.positions) for part in parts)
    if not has_hits and any(part.n_empty for part in parts):
        notes.append(
            "The expression is found, but without a character, as ^ and (?=x) are: a "
            "hit has one at least. A sub-corpus by a step regex takes such sentences."
        )
    return _Found(parts, [], notes, is_cut)


def _keys(parts: Sequence[CorpusHits], wish: LinesWish, n: int) -> list[IntArray]:
    """Give the keys of the order, the first of them first: int64 (n,) each."""
    keys: list[IntArray] = []
    for key in wish.sort:
        if key == "position":  # nothing can be equal in what is ordered by it
            keys.append(np.arange(n, dtype=np.int64))
        elif key == "random":
            keys.append(random_ranks(n, wish.seed))
        elif key == "N":
            keys += _hit_keys(parts)
        else:
            keys.append(_word_key(parts, WORD_OFFSETS[key]))
    return keys


def _word_key(parts: Sequence[CorpusHits], offset: int) -> IntArray:
    columns = []
    for part in parts:
        if part.table is not None and part.placed is not None:
            places = beside(part.table, part.placed, offset)
            columns.append(words_at(part.table, places))
    return rank_words(columns)


def _hit_keys(parts: Sequence[CorpusHits]) -> list[IntArray]:
    """Give a key for each word of the hits; those of an expression are one each."""
    columns = [part.hits for part in parts if part.hits is not None]
    if columns:
        return [rank_words(columns)]
    lengths = [
        int((part.placed.last - part.placed.first).max(initial=-1)) + 1
        for part in parts
        if part.placed is not None
    ]
    return [_nth_word_key(parts, nth) for nth in range(max(lengths, default=0))]


def _nth_word_key(parts: Sequence[CorpusHits], nth: int) -> IntArray:
    columns = []
    for part in parts:
        if part.table is not None and part.placed is not None:
            places = part.placed.first + nth
            places = np.where(places <= part.placed.last, places, NOTHING)
            columns.append(words_at(part.table, places))
    return rank_words(columns)


def _gather(
    parts: Sequence[CorpusHits], order: IntArray
) -> tuple[IntArray, NDArray[np.int32]]:
    """Give the lines of an order: int64 (m, 3), and their words: int32 (m, 12)."""
    lines = np.empty((len(order), 3), np.int64)
    words = np.full((len(order), 2 * len(OFFSETS)), NOTHING, np.int32)
    ends = np.cumsum([len(part.positions) for part in parts], dtype=np.int64)
    which = np.searchsorted(ends, order, "right")
    for number, part in enumerate(parts):
        chosen = np.flatnonzero(which == number)
        rows = order[chosen] - (ends[number] - len(part.positions))
        lines[chosen, 0] = part.positions[rows] + first_id(part.corpus.id)
        lines[chosen, 1:] = part.spans[rows]
        if part.table is not None and part.placed is not None:
            some = Placed(*(column[rows] for column in part.placed))
            words[chosen] = spans_beside(part.table, some)
    return lines, words


def _n_different(rising: IntArray) -> int:
    """Count the different values of an array that rises."""
    return int(np.count_nonzero(np.diff(rising))) + 1 if len(rising) else 0


__all__ = ["SCAN_S", "Lines", "LinesWish", "find_lines"]
