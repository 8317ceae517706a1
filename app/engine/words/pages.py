"""Pages of frequencies, collocates and keywords for tasks and queries."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from app.arrays import IntArray
from app.engine.project.project import Project
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.statistics import wilson_interval
from app.engine.words.collocates import (
    CollocateScores,
    CooccurrenceCounts,
    Window,
    count_cooccurrences,
    score_collocates,
)
from app.engine.words.frequency_lists import (
    FrequencyList,
    frequency_list,
    item_at,
    matching_rows,
)
from app.engine.words.lexicon import Lexicon
from app.engine.words.ngrams import (
    KeynessScores,
    SideCounts,
    build_stream,
    count_sides,
    score_keyness,
)
from app.engine.words.patterns import WordPattern
from app.engine.words.selection import STAGE, CorpusPart, CorpusSelection, share_ids
from app.params.words import Layer, SortCollocates

MILLION = 1_000_000
MAX_BYTES = 60_000  # of the rows of one answer; a message has 64 KB
MAX_ITEM = 200  # characters that an answer gives of an item
ListOrder = Literal["n", "item", "n_documents", "dispersion"]


class FrequencyRow(msgspec.Struct, frozen=True):
    """A word or n-gram.

    Attributes:
        rank: by frequency, from 1, in the whole list.
        n: occurrences.
        per_million: of all words.
        low, high: 95 % interval of it (Wilson 1927), as if words fell by chance.
        n_documents: that have it.
        dispersion: DP (Gries 2008), 0 even … 1 in few documents; None with one.
    """

    item: str
    rank: int
    n: int
    per_million: float
    low: float
    high: float
    n_documents: int
    dispersion: float | None


class CollocateRow(msgspec.Struct, frozen=True):
    """A word near a word.

    Attributes:
        n: occurrences near a hit; n_left, n_right: to either side of one.
        n_corpus: all occurrences.
        expected: n, as chance would have it.
        log_likelihood: G², below nought where it is rarer than expected.
    """

    item: str
    n: int
    n_left: int
    n_right: int
    n_corpus: int
    expected: float
    log_likelihood: float
    log_dice: float
    t_score: float


class KeyRow(msgspec.Struct, frozen=True):
    """A word or n-gram that marks a corpus.

    Attributes:
        log_likelihood: G², below nought where it is rarer than in the other.
        log_ratio: log2 of how many times as frequent; low, high: 95 % interval.
    """

    item: str
    n: int
    per_million: float
    n_against: int
    per_million_against: float
    log_likelihood: float
    log_ratio: float
    low: float
    high: float


def truncate_rows(rows: Sequence[msgspec.Struct]) -> list[dict[str, Any]]:
    """Return as many rows as one answer holds, long items cut short."""
    told: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        plain = msgspec.to_builtins(row)
        if len(plain["item"]) > MAX_ITEM:
            plain["item"] = plain["item"][: MAX_ITEM - 1] + "…"
        size += len(msgspec.json.encode(plain)) + 1
        if size > MAX_BYTES:
            break
        told.append(plain)
    return told


class RowSelection(NamedTuple):
    """Which rows of a list, in which order."""

    find: str = ""
    min_count: int = 1
    order_by: ListOrder = "n"
    descending: bool = True


def select_rows(found: FrequencyList, wish: RowSelection) -> IntArray:
    """Return the rows of a list in the order wished: int64 (m,).

    Raises:
        UserError: what is looked for can't be read.
    """
    rows = matching_rows(found, wish.find)
    if wish.min_count > 1:
        counts, most = found.rows["n"], -wish.min_count
        n_kept = bisect_right(range(len(counts)), most, key=lambda i: -int(counts[i]))
        rows = rows[rows < n_kept]
    if wish.order_by == "n":
        return rows if wish.descending else rows[::-1]
    column = "place" if wish.order_by == "item" else wish.order_by
    values = np.asarray(found.rows[column])[rows]
    # equal ones and those without a value stay in the order of frequency, at the end
    return rows[np.argsort(-values if wish.descending else values, kind="stable")]


def frequency_rows(
    found: FrequencyList, rows: IntArray, n_tokens: int
) -> list[FrequencyRow]:
    """Return some rows of a list: int64 (m,), their places in it."""
    columns = found.rows[rows]
    numbers = zip(
        found.items(rows),
        rows.tolist(),
        columns["n"].tolist(),
        columns["n_documents"].tolist(),
        columns["dispersion"].tolist(),
        strict=True,
    )
    told = []
    for item, row, n, n_documents, spread in numbers:
        share = wilson_interval(n, n_tokens)
        value, low, high = (round(MILLION * part, 3) for part in share)
        dispersion = None if np.isnan(spread) else round(spread, 4)
        told.append(
            FrequencyRow(item, row + 1, n, value, low, high, n_documents, dispersion)
        )
    return told


def collocate_rows(
    near: CooccurrenceCounts,
    scores: CollocateScores,
    lexicon: Lexicon,
    order: tuple[SortCollocates, int, int],
) -> list[CollocateRow]:
    """Return what stands near a word.

    Args:
        near: what was counted.
        scores: of it.
        lexicon: what the ids stand for.
        order: score that ranks it, rarest to show, rows at most.
    """
    order_by, min_count, top = order
    ids = np.flatnonzero(near.near >= min_count)
    ranked = {
        "log-likelihood": scores.log_likelihood,
        "log-dice": scores.log_dice,
        "t-score": scores.t_score,
        "frequency": near.near,
    }[order_by]
    ids = ids[np.argsort(-ranked[ids], kind="stable")][:top]
    counts = (near.near, near.left, near.right, near.in_corpus)
    values = [column[ids].tolist() for column in (*counts, *scores)]
    return [
        CollocateRow(item, *some[:4], *(round(value, 4) for value in some[4:]))
        for item, *some in zip(lexicon.items(ids), *values, strict=True)
    ]


def key_rows(
    counted: SideCounts,
    keys: KeynessScores,
    sizes: tuple[int, int],
    chosen: tuple[Sequence[int], Sequence[str]],
) -> list[KeyRow]:
    """Return key words.

    Args:
        counted: all that was counted.
        keys: scores of it.
        sizes: tokens of either side.
        chosen: which of them, and what these are.
    """
    ids, items = chosen
    rows = []
    for place, item in zip(ids, items, strict=True):
        n, n_against = counted.counts[place].tolist()
        shares = (n / max(1, sizes[0]), n_against / max(1, sizes[1]))
        here, there = (round(MILLION * share, 3) for share in shares)
        values = (round(float(column[place]), 4) for column in keys)
        rows.append(KeyRow(item, n, here, n_against, there, *values))
    return rows


ONE_DOCUMENT = (
    "All of it is one document: how evenly documents share words can't be told. "
    "Documents come with folders, TEI, CoNLL-U or a column that names them."
)


class FrequencyPage(NamedTuple):
    """Some rows of a list of frequencies.

    Attributes:
        n_items: rows of the whole list that were asked for.
        n_tokens, n_documents: that were counted.
        notes: what there is to know of it.
    """

    rows: list[FrequencyRow]
    n_items: int
    n_tokens: int
    n_documents: int
    notes: tuple[str, ...]


class CollocatePage(NamedTuple):
    """What stands near a word: n_hits of it, among n_tokens."""

    rows: list[CollocateRow]
    n_hits: int
    n_tokens: int


class KeynessPage(NamedTuple):
    """What marks n_tokens against n_tokens_against."""

    rows: list[KeyRow]
    n_items: int
    n_tokens: int
    n_tokens_against: int


class FrequencyOptions(NamedTuple):
    """What is counted, which rows of the list, and which of these."""

    layer: Layer
    n: int
    rows: RowSelection
    some: slice


class CollocateOptions(NamedTuple):
    """What is counted near which words, and how it is ranked."""

    pattern: WordPattern
    window: Window
    order_by: SortCollocates
    min_count: int
    top: int


class KeynessOptions(NamedTuple):
    """Words of an n-gram, rarest of both sides to show, and rows at most."""

    n: int
    min_count: int
    top: int


def build_frequency_page(
    project: Project,
    chosen: CorpusSelection,
    wish: FrequencyOptions,
    report: Report,
    order: Callable[[FrequencyList, RowSelection], IntArray] = select_rows,
) -> FrequencyPage:
    """Return a page of the list of frequencies.

    Args:
        project: whose words.
        chosen: corpora.
        wish: what is counted, and which rows of the list.
        report: of progress.
        order: gives the rows of the list in their order.
    """
    if not chosen.parts:
        return FrequencyPage([], 0, 0, 0, chosen.notes)
    found = frequency_list(project, chosen.parts, wish.layer, wish.n, report)
    n_tokens = sum(part.n_tokens for part in chosen.parts)
    n_documents = sum(part.n_documents for part in chosen.parts)
    rows = order(found, wish.rows)
    notes = chosen.notes if n_documents > 1 else (*chosen.notes, ONE_DOCUMENT)
    page = frequency_rows(found, rows[wish.some], n_tokens)
    return FrequencyPage(page, len(rows), n_tokens, n_documents, notes)


def build_collocate_page(
    parts: Sequence[CorpusPart], wish: CollocateOptions, report: Report
) -> CollocatePage:
    """Return what stands near a word."""
    if not parts:
        return CollocatePage([], 0, 0)
    shared = run_in_thread(lambda: share_ids(parts), report, STAGE)
    near = count_cooccurrences(shared, wish.pattern, wish.window, report)
    order = (wish.order_by, wish.min_count, wish.top)
    rows = collocate_rows(near, score_collocates(near), shared.lexicon, order)
    return CollocatePage(rows, near.n_hits, shared.n_tokens)


def build_keyness_page(
    parts: Sequence[CorpusPart],
    against: Sequence[CorpusPart],
    wish: KeynessOptions,
    report: Report,
) -> KeynessPage:
    """Return what marks parts against others, what marks them most first."""
    sizes = (sum(p.n_tokens for p in parts), sum(p.n_tokens for p in against))
    if not (sizes[0] and sizes[1]):
        return KeynessPage([], 0, *sizes)
    both = [*parts, *against]
    shared = run_in_thread(lambda: share_ids(both), report, STAGE)
    stream = build_stream(shared, report)
    counted = count_sides(stream, wish.n, sizes[0], wish.min_count, report)
    keys = score_keyness(counted.counts[:, 0], counted.counts[:, 1], *sizes)
    best = np.argsort(-keys.log_likelihood, kind="stable")[: wish.top]
    origins = stream.origins(counted.places[best]).tolist()
    items = [item_at(both, origin, wish.n) for origin in origins]
    rows = key_rows(counted, keys, sizes, (best.tolist(), items))
    return KeynessPage(rows, len(counted.places), *sizes)
