"""What tasks and questions tell of the words of corpora."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from app.engine.patience import wait_for
from app.engine.project import Project
from app.engine.report import Report
from app.engine.words.collocates import Window, count_near, score_near
from app.engine.words.counts import STAGE, Chosen, Part, share_ids
from app.engine.words.keyness import count_sides, score_keys
from app.engine.words.lists import (
    FrequencyList,
    IntArray,
    frequency_list,
    item_at,
)
from app.engine.words.match import Pattern
from app.engine.words.pages import (
    CollocateRow,
    FrequencyRow,
    KeyRow,
    Wish,
    chosen_rows,
    collocate_rows,
    frequency_rows,
    key_rows,
)
from app.engine.words.stream import make_stream
from app.params.words import Layer, SortCollocates

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


class KeyPage(NamedTuple):
    """What marks n_tokens against n_tokens_against."""

    rows: list[KeyRow]
    n_items: int
    n_tokens: int
    n_tokens_against: int


class PageWish(NamedTuple):
    """What is counted, which rows of the list, and which of these."""

    layer: Layer
    n: int
    rows: Wish
    some: slice


class CollocateWish(NamedTuple):
    """What is counted near which words, and how it is ranked."""

    pattern: Pattern
    window: Window
    order_by: SortCollocates
    min_count: int
    top: int


class KeyWish(NamedTuple):
    """Words of an n-gram, rarest of both sides to show, and rows at most."""

    n: int
    min_count: int
    top: int


def page_of_frequencies(
    project: Project,
    chosen: Chosen,
    wish: PageWish,
    report: Report,
    order: Callable[[FrequencyList, Wish], IntArray] = chosen_rows,
) -> FrequencyPage:
    """Give a page of the list of frequencies.

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


def page_of_collocates(
    parts: Sequence[Part], wish: CollocateWish, report: Report
) -> CollocatePage:
    """Give what stands near a word."""
    if not parts:
        return CollocatePage([], 0, 0)
    shared = wait_for(lambda: share_ids(parts), report, STAGE)
    near = count_near(shared, wish.pattern, wish.window, report)
    order = (wish.order_by, wish.min_count, wish.top)
    rows = collocate_rows(near, score_near(near), shared.lexicon, order)
    return CollocatePage(rows, near.n_hits, shared.n_tokens)


def page_of_keys(
    parts: Sequence[Part], against: Sequence[Part], wish: KeyWish, report: Report
) -> KeyPage:
    """Give what marks parts against others, what marks them most first."""
    sizes = (sum(p.n_tokens for p in parts), sum(p.n_tokens for p in against))
    if not (sizes[0] and sizes[1]):
        return KeyPage([], 0, *sizes)
    both = [*parts, *against]
    shared = wait_for(lambda: share_ids(both), report, STAGE)
    stream = make_stream(shared, report)
    counted = count_sides(stream, wish.n, sizes[0], wish.min_count, report)
    keys = score_keys(counted.counts[:, 0], counted.counts[:, 1], *sizes)
    best = np.argsort(-keys.log_likelihood, kind="stable")[: wish.top]
    origins = stream.origins(counted.places[best]).tolist()
    items = [item_at(both, origin, wish.n) for origin in origins]
    rows = key_rows(counted, keys, sizes, (best.tolist(), items))
    return KeyPage(rows, len(counted.places), *sizes)


__all__ = [
    "CollocatePage",
    "CollocateWish",
    "FrequencyPage",
    "KeyPage",
    "KeyWish",
    "PageWish",
    "page_of_collocates",
    "page_of_frequencies",
    "page_of_keys",
]
