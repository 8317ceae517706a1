"""The review queue: which pairs to judge next, and in what order."""

import unicodedata
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.arrays import BoolArray, IdArray
from app.engine.review.pair_columns import SIDES, PairColumns
from app.engine.review.threshold import order_by_value, read_judged
from app.engine.search.sentence_orders import find_sentences
from app.engine.store.corpora import list_corpora
from app.engine.store.pairs.judgements import (
    VERDICTS,
    read_changed_sides,
    read_conflicting_pairs,
    read_flagged_by_others,
    read_tagged_pairs,
)
from app.protocol.queries.pairs import QueueQuery

WANTED_PRECISION = 0.95  # target precision of the threshold


class OrderedPairs(NamedTuple):
    """Pairs in the order of judging.

    Attributes:
        ids: int64 (p,).
        n_by_verdict: number of pairs by verdict that match all other filters.
        n_in_set: number of pairs by verdict without filters.
    """

    ids: IdArray
    n_by_verdict: dict[str, int]
    n_in_set: dict[str, int]


def order_pairs(store: Engine, columns: PairColumns, query: QueueQuery) -> OrderedPairs:
    """Return the pairs of a mining that match a query, in its order."""
    mining = columns.mining
    is_kept = _in_range(columns, query)
    if query.tag:
        is_kept &= columns.has(read_tagged_pairs(store, mining.id, query.tag))
    if query.find:
        is_kept &= _found(store, columns, query.find)
    codes = columns.verdicts().codes
    by_verdict = _count(codes[is_kept])
    in_set = _count(codes if query.with_candidates else codes[columns.is_taken])
    is_kept &= _so_judged(store, columns, query, codes)
    if query.order == "value":
        indices = _by_value(columns, query, is_kept)
    else:
        (kept,) = np.nonzero(is_kept)
        indices = kept[_order(columns, query, kept)]
    return OrderedPairs(columns.ids[indices], by_verdict, in_set)


def _count(codes: NDArray[np.int8]) -> dict[str, int]:
    """Count the pairs of each verdict."""
    counts = np.bincount(codes, minlength=len(VERDICTS))
    return dict(zip(VERDICTS, counts.tolist(), strict=True))


def _in_range(columns: PairColumns, query: QueueQuery) -> BoolArray:
    """Keep selected pairs with a score in the range."""
    is_kept = np.ones(len(columns.ids), np.bool_)
    if not query.with_candidates:
        is_kept &= columns.is_taken
    if query.lowest is not None:
        is_kept &= columns.scores >= query.lowest
    if query.highest is not None:
        is_kept &= columns.scores <= query.highest
    return is_kept


def _so_judged(
    store: Engine, columns: PairColumns, query: QueueQuery, codes: NDArray[np.int8]
) -> BoolArray:
    is_so: BoolArray = np.ones(len(codes), np.bool_)
    match query.which:
        case "all":
            pass
        case "unjudged":
            is_so = codes == 0
        case "judged":
            is_so = codes > 0
        case "conflict":
            is_so = columns.has(read_conflicting_pairs(store, columns.mining.id))
        case "flag":
            by_others = read_flagged_by_others(store, columns.mining.id)
            is_so = (codes == VERDICTS.index("flag")) | columns.has(by_others)
        case verdict:
            is_so = codes == VERDICTS.index(verdict)
    return is_so


def _order(columns: PairColumns, query: QueueQuery, kept: IdArray) -> IdArray:
    """Return the indices of kept pairs in the requested order; ties by id."""
    scores = columns.scores[kept]
    if query.order == "shuffled":
        # Order the complete set, so that a judged pair does not move the others.
        indices = np.random.default_rng(query.seed).permutation(len(columns.ids))
        return np.argsort(indices[kept])
    if query.order == "source":
        firsts, _ = columns.spans("source")
        return np.lexsort((-scores, firsts[kept]))
    return np.argsort(-scores if query.descending else scores, kind="stable")


def _by_value(columns: PairColumns, query: QueueQuery, is_kept: BoolArray) -> IdArray:
    """Order the selected pairs by the value of a judgement; candidates come last."""
    judged = read_judged(columns)
    valued = judged.places[order_by_value(judged, WANTED_PRECISION, query.seed)]
    (beside,) = np.nonzero(is_kept & ~columns.is_taken)
    return np.concatenate([valued[is_kept[valued]], beside])


def _found(store: Engine, columns: PairColumns, wanted: str) -> BoolArray:
    """Keep pairs whose current texts contain a text, ignoring case."""
    ids, mining = columns.ids, columns.mining
    corpora = {row.id: row for row in list_corpora(store, states=("ready", "deleted"))}
    changed = read_changed_sides(store, mining.id)
    folded = unicodedata.normalize("NFC", wanted).casefold()
    is_found: BoolArray = np.zeros(len(ids), np.bool_)
    for side in SIDES:
        corpus = corpora.get(getattr(mining, f"{side}_corpus_id"))
        found = np.empty(0, np.int64)
        if corpus is not None:
            found = find_sentences(store, corpus, wanted)
        firsts, ends = (column.copy() for column in columns.spans(side))
        for row in changed:
            index = int(np.searchsorted(ids, row.pair_id))
            text, first = getattr(row, f"{side}_text"), getattr(row, f"{side}_id")
            if text is not None:
                is_found[index] |= folded in text.casefold()
                ends[index] = firsts[index]  # its sentences are ignored
            elif first != firsts[index]:
                firsts[index], ends[index] = first, first + 1
        # a found sentence is at or after the first, and before the end
        is_found |= np.searchsorted(found, firsts) < np.searchsorted(found, ends)
    return is_found
