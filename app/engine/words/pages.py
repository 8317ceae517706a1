"""Pages of frequencies, collocates and keywords for tasks and queries."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

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
from app.languages import language_name
from app.params.words import Layer, SortCollocates
from app.plurals import count_text
from app.protocol.answers.words import CollocateRow, FrequencyRow, KeywordRow

MILLION = 1_000_000
MAX_BYTES = 60_000  # for the rows of one answer; a message has at most 256 KB
MAX_ITEM = 200  # characters of an item in an answer
ListOrder = Literal["n", "item", "n_documents", "dispersion"]


R = TypeVar("R", FrequencyRow, CollocateRow, KeywordRow)


def truncate_rows(rows: Sequence[R]) -> list[R]:
    """Return as many rows as one answer can contain, with long items shortened."""
    kept: list[R] = []
    size = 0
    for row in rows:
        if len(row.item) > MAX_ITEM:
            row = msgspec.structs.replace(row, item=row.item[: MAX_ITEM - 1] + "…")
        size += len(msgspec.json.encode(row)) + 1
        if size > MAX_BYTES:
            break
        kept.append(row)
    return kept


class RowSelection(NamedTuple):
    """Selection and order of the rows of a list."""

    find: str = ""
    min_count: int = 1
    order_by: ListOrder = "n"
    descending: bool = True


def select_rows(found: FrequencyList, options: RowSelection) -> IntArray:
    """Return the selected rows of a list in the requested order: int64 (m,).

    Raises:
        UserError: the filter is invalid.
    """
    rows = matching_rows(found, options.find)
    if options.min_count > 1:
        counts, most = found.rows["n"], -options.min_count
        n_kept = bisect_right(range(len(counts)), most, key=lambda i: -int(counts[i]))
        rows = rows[rows < n_kept]
    if options.order_by == "n":
        return rows if options.descending else rows[::-1]
    column = "place" if options.order_by == "item" else options.order_by
    values = np.asarray(found.rows[column])[rows]
    # ties, and rows without a value at the end, remain in the order of frequency
    return rows[np.argsort(-values if options.descending else values, kind="stable")]


def frequency_rows(
    found: FrequencyList, indices: IntArray, n_tokens: int | None
) -> list[FrequencyRow]:
    """Return the rows at some places of a list.

    Args:
        indices: int64 (m,), indices of the rows.
        n_tokens: number of counted words; None: words of several languages.
    """
    columns = found.rows[indices]
    numbers = zip(
        found.items(indices),
        indices.tolist(),
        columns["n"].tolist(),
        columns["n_documents"].tolist(),
        columns["dispersion"].tolist(),
        strict=True,
    )
    rows = []
    for item, index, n, n_documents, spread in numbers:
        rate = low = high = None
        if n_tokens is not None:
            share = wilson_interval(n, n_tokens)
            rate, low, high = (round(MILLION * part, 3) for part in share)
        dispersion = None if np.isnan(spread) else round(spread, 4)
        rows.append(
            FrequencyRow(item, index + 1, n, rate, low, high, n_documents, dispersion)
        )
    return rows


def collocate_rows(
    near: CooccurrenceCounts,
    scores: CollocateScores,
    lexicon: Lexicon,
    order: tuple[SortCollocates, int, int],
) -> list[CollocateRow]:
    """Return the rows of the words near a word.

    Args:
        lexicon: the items of the ids.
        order: score to rank by, minimum frequency, and maximum number of rows.
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
) -> list[KeywordRow]:
    """Return the rows of keywords.

    Args:
        keys: keyness scores.
        sizes: number of tokens of each side.
        chosen: indices of the keywords, and their items.
    """
    ids, items = chosen
    rows = []
    for index, item in zip(ids, items, strict=True):
        n, n_against = counted.counts[index].tolist()
        shares = (n / max(1, sizes[0]), n_against / max(1, sizes[1]))
        here, there = (round(MILLION * share, 3) for share in shares)
        values = (round(float(column[index]), 4) for column in keys)
        rows.append(KeywordRow(item, n, here, n_against, there, *values))
    return rows


ONE_DOCUMENT = (
    "Dispersion needs more than one document. Documents are imported from folders, "
    "TEI, CoNLL-U or a column with their names."
)


ONE_PER_CORPUS = "A corpus without documents counts as one document."


SEVERAL_LANGUAGES = (
    "The texts are in several languages, so there are no frequencies per million "
    "words. Select one language to see them."
)


MIXED_COLLOCATES = (
    "The texts are in several languages, so words of the other languages count as "
    "well. Select one language to compare only its words."
)


MIXED_KEYNESS = (
    "The texts are in several languages. Select one language to compare only its words."
)


class FrequencyPage(NamedTuple):
    """Some rows of a frequency list.

    Attributes:
        n_items: number of rows of the complete list.
        n_tokens, n_documents: numbers of counted tokens and documents.
        notes: sentences for the user.
    """

    rows: list[FrequencyRow]
    n_items: int
    n_tokens: int
    n_documents: int
    notes: tuple[str, ...]


class CollocatePage(NamedTuple):
    """The collocates of a word with n_hits among n_tokens."""

    rows: list[CollocateRow]
    n_hits: int
    n_tokens: int


class KeynessPage(NamedTuple):
    """The keywords of n_tokens tokens against n_tokens_against reference tokens.

    Attributes:
        notes: warnings, such as that the texts are part of the reference texts.
    """

    rows: list[KeywordRow]
    n_items: int
    n_tokens: int
    n_tokens_against: int
    notes: tuple[str, ...] = ()


class FrequencyOptions(NamedTuple):
    """Options of a frequency list: items to count, and rows to return."""

    layer: Layer
    n: int
    rows: RowSelection
    some: slice


class CollocateOptions(NamedTuple):
    """Options of collocates: items to count, near which words, and the ranking."""

    pattern: WordPattern
    window: Window
    order_by: SortCollocates
    min_count: int
    top: int


class KeynessOptions(NamedTuple):
    """Options of keywords: n-gram size, minimum total count, maximum number of rows."""

    n: int
    min_count: int
    top: int


def build_frequency_page(
    project: Project,
    chosen: CorpusSelection,
    options: FrequencyOptions,
    report: Report,
    order: Callable[[FrequencyList, RowSelection], IntArray] = select_rows,
) -> FrequencyPage:
    """Return a page of a frequency list.

    Args:
        chosen: selected corpora.
        options: items to count, and rows to return.
        order: returns the rows of the list in the requested order.
    """
    if not chosen.parts:
        return FrequencyPage([], 0, 0, 0, chosen.notes)
    found = frequency_list(project, chosen.parts, options.layer, options.n, report)
    n_tokens = sum(part.n_tokens for part in chosen.parts)
    n_documents = sum(part.n_documents for part in chosen.parts)
    rows = order(found, options.rows)
    notes = chosen.notes if n_documents > 1 else (*chosen.notes, ONE_DOCUMENT)
    is_mixed = len(chosen.languages) > 1
    if is_mixed:
        notes = (*notes, SEVERAL_LANGUAGES)
    if 1 in {part.n_documents for part in chosen.parts} and n_documents > len(
        chosen.parts
    ):
        notes = (*notes, ONE_PER_CORPUS)
    base = None if is_mixed else n_tokens
    page = frequency_rows(found, rows[options.some], base)
    return FrequencyPage(page, len(rows), n_tokens, n_documents, notes)


def build_collocate_page(
    parts: Sequence[CorpusPart], options: CollocateOptions, report: Report
) -> CollocatePage:
    """Return the collocates of a word."""
    if not parts:
        return CollocatePage([], 0, 0)
    shared = run_in_thread(lambda: share_ids(parts), report, STAGE)
    near = count_cooccurrences(shared, options.pattern, options.window, report)
    order = (options.order_by, options.min_count, options.top)
    rows = collocate_rows(near, score_collocates(near), shared.lexicon, order)
    return CollocatePage(rows, near.n_hits, shared.n_tokens)


def build_keyness_page(
    parts: Sequence[CorpusPart],
    against: Sequence[CorpusPart],
    options: KeynessOptions,
    report: Report,
) -> KeynessPage:
    """Return the keywords of parts against reference parts, strongest first."""
    sizes = (sum(p.n_tokens for p in parts), sum(p.n_tokens for p in against))
    if not (sizes[0] and sizes[1]):
        return KeynessPage([], 0, *sizes)
    both = [*parts, *against]
    shared = run_in_thread(lambda: share_ids(both), report, STAGE)
    stream = build_stream(shared, report)
    counted = count_sides(stream, options.n, sizes[0], options.min_count, report)
    keys = score_keyness(counted.counts[:, 0], counted.counts[:, 1], *sizes)
    best = np.argsort(-keys.log_likelihood, kind="stable")[: options.top]
    origins = stream.origins(counted.places[best]).tolist()
    items = [item_at(both, origin, options.n) for origin in origins]
    rows = key_rows(counted, keys, sizes, (best.tolist(), items))
    notes = _describe_overlap(parts, against)
    return KeynessPage(rows, len(counted.places), *sizes, notes)


def describe_languages(
    chosen: CorpusSelection, against: CorpusSelection
) -> tuple[str, ...]:
    """Return warnings about different or several languages of texts and reference."""
    if not (chosen.languages and against.languages):
        return ()
    if not chosen.languages & against.languages:
        names = [
            ", ".join(sorted(map(language_name, side.languages)))
            for side in (chosen, against)
        ]
        return (
            f"These texts are in {names[0]}, the reference texts in {names[1]}, so the "
            "keywords only show that the languages differ. Choose texts in the same "
            "language.",
        )
    is_mixed = len(chosen.languages | against.languages) > 1
    return (MIXED_KEYNESS,) if is_mixed else ()


def _describe_overlap(
    parts: Sequence[CorpusPart], against: Sequence[CorpusPart]
) -> tuple[str, ...]:
    """Return a warning about sentences on both sides, which weaken the keywords."""
    references = {part.words.corpus_id: _active(part) for part in against}
    n, n_shared = 0, 0
    for part in parts:
        active = _active(part)
        n += int(np.count_nonzero(active))
        other = references.get(part.words.corpus_id)
        if other is not None:
            n_shared += int(np.count_nonzero(active & other))
    if not n_shared:
        return ()
    effect = "so keywords look less typical than they are."
    if n_shared == n:
        return (
            f"The reference texts contain all of these texts, {effect} Choose "
            "reference texts without them.",
        )
    are = "is" if n_shared == 1 else "are"
    return (
        f"{n_shared:,} of {count_text(n, 'sentence')} of these texts {are} also in the "
        f"reference texts, {effect} Choose texts that do not overlap.",
    )


def _active(part: CorpusPart) -> NDArray[np.bool_]:
    """Return which sentences of a corpus are active: bool (n,)."""
    return np.ones(part.words.n_sentences, bool) if part.mask is None else part.mask
