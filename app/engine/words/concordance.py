"""Concordance lines: find them in several corpora, sort, save and reload them."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.arrays import IntArray
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
    list_corpora,
)
from app.engine.store.sentences import read_integers
from app.engine.store.words.hit_lists import (
    NewHitList,
    SavedHits,
    find_hit_list,
    read_saved_hits,
    write_hit_list,
)
from app.engine.words.cache import WordCache
from app.engine.words.expressions import compile_expression
from app.engine.words.hits import (
    NO_TOKEN,
    OFFSETS,
    CorpusHits,
    HitWordColumn,
    PlacedHits,
    ScanOptions,
    context_spans,
    counted_languages,
    find_by_expression,
    find_by_index,
    is_timed_out,
    sentence_mask,
    tokens_at_offset,
    words_at,
)
from app.engine.words.patterns import parse_pattern
from app.errors import UserError
from app.params import params_from_json, params_to_json
from app.params.words import Concordance, MatchMode, SortKey
from app.plurals import count_text

WORD_OFFSETS = {"L1": -1, "L2": -2, "L3": -3, "R1": 1, "R2": 2, "R3": 3}


def rank_words(parts: Sequence[HitWordColumn]) -> IntArray:
    """Rank the words of several corpora together: int64 (sum of m,).

    Words are in code point order, and missing words come first; equal words have equal
    ranks across corpora.
    """
    if len(parts) == 1:
        return parts[0].ids
    used = [np.unique(part.ids[part.ids >= 0]) for part in parts]
    words = [part.items(ids) for part, ids in zip(parts, used, strict=True)]
    known = sorted({word for group in words for word in group})
    ranks = {word: rank for rank, word in enumerate(known)}
    joined = []
    for part, ids, group in zip(parts, used, words, strict=True):
        of_used = np.array([*(ranks[word] for word in group), NO_TOKEN], np.int64)
        indices = np.searchsorted(ids, part.ids)
        joined.append(of_used[np.where(part.ids >= 0, indices, len(ids))])
    return np.concatenate([np.empty(0, np.int64), *joined])


def random_ranks(n: int, seed: int) -> IntArray:
    """Return a random permutation of n ranks: int64 (n,)."""
    return np.random.default_rng(seed).permutation(n).astype(np.int64)


def order_of(keys: Sequence[IntArray], n: int) -> IntArray:
    """Sort n lines by several keys, the first key first; the sort is stable.

    Args:
        keys: sort keys, int64 (n,) each.
        n: number of lines.
    """
    if not keys:
        return np.arange(n, dtype=np.int64)
    return np.lexsort(tuple(reversed(keys)))


LOOK_UP_STAGE = "Looking up words"
SCAN_S = 4.0  # for a query with a regular expression
BUILD_S = 1.0  # for indexing small corpora during a query


class ConcordanceOptions(NamedTuple):
    """A query and the order of its lines.

    Attributes:
        text, mode, case, sort, top, seed: see the params `Concordance`.
        languages: codes; empty means all.
        with_words: return the words around the hits.
        seconds: time limit for a regular expression; None: no limit.
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


class ConcordanceLines(NamedTuple):
    """The lines of a concordance.

    Attributes:
        lines: int64 (m, 3), sentence id, start and end (code points of the text).
        words: int32 (m, 12), start and end of L3, L2, L1, R1, R2, R3; -1: no word.
        n: number of all hits.
        n_sentences: sentences with a hit.
        n_searched: sentences that were searched.
        n_tokens: words in them; None for a regular expression or several languages.
        is_cut: the search timed out.
        not_indexed: ids of corpora that were skipped.
        notes: sentences for the user.
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


class _FoundHits(NamedTuple):
    """The hits of each corpus, and the corpora that could not be searched."""

    parts: list[CorpusHits]
    not_indexed: list[int]
    notes: list[str]
    is_cut: bool


def find_lines(
    cache: WordCache,
    corpora: Sequence[CorpusRow],
    options: ConcordanceOptions,
    report: Report,
) -> ConcordanceLines:
    """Find hits in corpora, and sort them.

    Raises:
        UserError: the query is invalid.
    """
    is_expression = options.mode == "regex"
    find = _find_expression if is_expression else _find_words
    found = find(cache, corpora, options, report)
    parts = found.parts
    languages = [
        counted_languages(cache, corpus, options.languages) for corpus in corpora
    ]
    is_mixed = len(set().union(*languages)) > 1
    n = sum(len(part.positions) for part in parts)
    order = order_of(_keys(parts, options, n), n)[: options.top]
    lines, words = _gather(parts, order)
    of_tables = [note for part in parts if part.table for note in part.table.notes]
    return ConcordanceLines(
        lines,
        words,
        n,
        sum(_n_different(part.positions) for part in parts),
        sum(part.n_searched for part in parts),
        None
        if is_expression or is_mixed
        else sum(part.n_tokens or 0 for part in parts),
        found.is_cut,
        found.not_indexed,
        list(dict.fromkeys([*found.notes, *of_tables])),
    )


def _find_words(
    cache: WordCache,
    corpora: Sequence[CorpusRow],
    options: ConcordanceOptions,
    report: Report,
) -> _FoundHits:
    """Look up words; skip corpora without lemmas if other corpora have lemmas."""
    pattern = parse_pattern(options.text, "words", options.case)
    parts, missing, bare = [], [], []
    deadline = time.monotonic() + BUILD_S
    for done, corpus in enumerate(corpora):
        report.step(LOOK_UP_STAGE, done, len(corpora), corpus.name)
        mask = sentence_mask(cache, corpus, options.languages)
        if mask is not None and not mask.any():
            continue
        index = cache.index(corpus, builds=not is_timed_out(deadline))
        if index is None:
            missing.append(corpus.id)
        elif all(map(index.has, pattern.layers)):
            parts.append(find_by_index(corpus, index, pattern, mask))
        else:
            bare.append((corpus, index))
    if bare and not parts and not missing:
        for layer in pattern.layers:
            bare[0][1].layer(layer)  # raises the error that names the layer
    names = ", ".join(corpus.name for corpus, _ in bare)
    note = f"Skipped (no lemmas or parts of speech): {names}."
    return _FoundHits(parts, missing, [note] if bare else [], is_cut=False)


def _find_expression(
    cache: WordCache,
    corpora: Sequence[CorpusRow],
    options: ConcordanceOptions,
    report: Report,
) -> _FoundHits:
    """Scan the corpora one after another until the deadline."""
    seconds = options.seconds
    scan = ScanOptions(
        compile_expression(options.text, case=options.case),
        with_words=options.with_words or bool(WORD_OFFSETS.keys() & set(options.sort)),
        with_hits="N" in options.sort,
        deadline=None if seconds is None else time.monotonic() + seconds,
    )
    parts: list[CorpusHits] = []
    for corpus in corpora:
        if is_timed_out(scan.deadline):
            break
        mask = sentence_mask(cache, corpus, options.languages)
        parts.append(find_by_expression(cache, corpus, scan, mask, report))
    is_cut = len(parts) < len(corpora) or any(part.is_cut for part in parts)
    notes = []
    if is_cut:
        n_read = sum(part.n_searched for part in parts)
        n_all = sum(corpus.n_sentences for corpus in corpora)
        notes.append(
            f"The search timed out after {seconds:.0f}\u00a0s and {n_read:,} of "
            f"{n_all:,} sentences. Choose fewer corpora, or run the "
            "command concordance."
        )
    has_hits = any(len(part.positions) for part in parts)
    if not has_hits and any(part.n_empty for part in parts):
        notes.append(
            "The expression matches only empty text, like ^ or (?=x); a hit has at "
            "least one character. Use a sub-corpus with a regex step instead."
        )
    return _FoundHits(parts, [], notes, is_cut)


def _keys(
    parts: Sequence[CorpusHits], options: ConcordanceOptions, n: int
) -> list[IntArray]:
    """Return the sort keys, the first key first: int64 (n,) each."""
    keys: list[IntArray] = []
    for key in options.sort:
        if key == "position":  # positions are unique, so later keys have no effect
            keys.append(np.arange(n, dtype=np.int64))
        elif key == "random":
            keys.append(random_ranks(n, options.seed))
        elif key == "N":
            keys += _hit_keys(parts)
        else:
            keys.append(_word_key(parts, WORD_OFFSETS[key]))
    return keys


def _word_key(parts: Sequence[CorpusHits], offset: int) -> IntArray:
    columns = []
    for part in parts:
        if part.table is not None and part.placed is not None:
            places = tokens_at_offset(part.table, part.placed, offset)
            columns.append(words_at(part.table, places))
    return rank_words(columns)


def _hit_keys(parts: Sequence[CorpusHits]) -> list[IntArray]:
    """Return a key for each word of the hits; a hit of an expression has one key."""
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
            indices = part.placed.first + nth
            indices = np.where(indices <= part.placed.last, indices, NO_TOKEN)
            columns.append(words_at(part.table, indices))
    return rank_words(columns)


def _gather(
    parts: Sequence[CorpusHits], order: IntArray
) -> tuple[IntArray, NDArray[np.int32]]:
    """Return lines in the given order, int64 (m, 3), and their words, int32 (m, 12)."""
    lines = np.empty((len(order), 3), np.int64)
    words = np.full((len(order), 2 * len(OFFSETS)), NO_TOKEN, np.int32)
    ends = np.cumsum([len(part.positions) for part in parts], dtype=np.int64)
    which = np.searchsorted(ends, order, "right")
    for number, part in enumerate(parts):
        chosen = np.flatnonzero(which == number)
        rows = order[chosen] - (ends[number] - len(part.positions))
        lines[chosen, 0] = part.positions[rows] + first_sentence_id(part.corpus.id)
        lines[chosen, 1:] = part.spans[rows]
        if part.table is not None and part.placed is not None:
            some = PlacedHits(*(column[rows] for column in part.placed))
            words[chosen] = context_spans(part.table, some)
    return lines, words


def _n_different(rising: IntArray) -> int:
    """Count the distinct values of an ascending array."""
    return int(np.count_nonzero(np.diff(rising))) + 1 if len(rising) else 0


SAVE_STAGE = "Saving hits"


def save_hit_list(
    project: Project,
    params: Concordance,
    name: str,
    found: ConcordanceLines,
    report: Report,
) -> int:
    """Save lines as a list with their query; return its id."""
    ids = found.lines[:, 0]
    hashes, numbers = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
    corpora = sorted({corpus_of(id_) for id_ in ids.tolist()})
    for done, corpus_id in enumerate(corpora):
        report.step(SAVE_STAGE, done, len(corpora))
        own = (ids >= first_sentence_id(corpus_id)) & (
            ids < first_sentence_id(corpus_id + 1)
        )
        rows = ids[own] - first_sentence_id(corpus_id)
        hashes[own] = read_integers(project.store, corpus_id, "hash")[rows]
        numbers[own] = read_integers(project.store, corpus_id, "line")[rows]
    query = msgspec.structs.replace(params, out=None, save="", hits="")
    new = NewHitList(name, params_to_json(query), report.run)
    kept = write_hit_list(project.store, new, SavedHits(found.lines, hashes, numbers))
    report.changed("hit_list", kept)
    return kept


def load_hit_list(
    project: Project, params: Concordance
) -> tuple[Concordance, ConcordanceLines]:
    """Return the lines of a saved list whose corpora still exist.

    Returns:
        The params with the query of the list, and the lines.

    Raises:
        UserError: there is no such list, the params also have a text, or no line is
            left.
    """
    if params.text:
        raise UserError("Use either --text or --hits, not both.")
    kept = find_hit_list(project.store, params.hits)
    lines = read_saved_hits(project.store, kept.id).lines
    known = {corpus.id: corpus for corpus in list_corpora(project.store)}
    owners = lines[:, 0] // first_sentence_id(1)
    lines = lines[np.isin(owners, list(known))]
    if not len(lines):
        raise UserError(f"The corpora of the list {kept.name} were deleted.")
    own = [known[id_] for id_ in np.unique(owners).tolist() if id_ in known]
    n_gone = kept.n_hits - len(lines)
    note = f"Skipped (corpus deleted): {count_text(n_gone, 'hit')}."
    found = ConcordanceLines(
        lines[: params.top],
        np.empty((0, 0), np.int32),
        n=len(lines),
        n_sentences=len(np.unique(lines[:, 0])),
        n_searched=sum(corpus.n_sentences for corpus in own),
        n_tokens=None,
        is_cut=False,
        not_indexed=[],
        notes=[note] if n_gone else [],
    )
    asked = params_from_json(kept.query)
    asked = msgspec.structs.replace(
        asked,
        hits=params.hits,
        corpora=tuple(str(corpus.id) for corpus in own),
        top=params.top,
        near=params.near,
        context=params.context,
        out=params.out,
        replace=params.replace,
        save=params.save,
    )
    return asked, found
