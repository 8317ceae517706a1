"""The queue: which pairs are judged next, and in what order."""

import unicodedata
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.review.threshold import order_by_value, read_judged
from app.engine.search.orders import find_sentences
from app.engine.store.judgement_rows import (
    VERDICTS,
    read_changed_sides,
    read_conflicts,
    read_held_verdicts,
    read_tagged,
)
from app.engine.store.pair_rows import (
    MiningRow,
    PairIntegerColumn,
    first_pair_id,
    read_pair_integers,
    read_scores,
)
from app.engine.store.rows import list_corpora
from app.pair_questions import QueueQuery

IdArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
SIDES: tuple[Literal["source", "target"], ...] = ("source", "target")
WANTED_PRECISION = 0.95  # of which the threshold is looked for
_FIRSTS: dict[str, PairIntegerColumn] = {"source": "source_id", "target": "target_id"}
_COUNTS: dict[str, PairIntegerColumn] = {"source": "n_source", "target": "n_target"}


class Queue(NamedTuple):
    """Pairs in the order they are judged.

    Attributes:
        ids: int64 (p,).
        n_by_verdict: how many are so judged among those that meet all other filters.
    """

    ids: IdArray
    n_by_verdict: dict[str, int]


def order_pairs(store: Engine, mining: MiningRow, query: QueueQuery) -> Queue:
    """Give the pairs of a mining that a query asks for, in its order."""
    ids = read_pair_integers(store, mining.id, "id")
    scores = read_scores(store, mining.id)
    is_kept = _in_range(mining, query, ids, scores)
    if query.tag:
        is_kept &= np.isin(ids, read_tagged(store, mining.id, query.tag))
    if query.find:
        is_kept &= _found(store, mining, ids, query.find)
    codes = read_held_verdicts(store, mining.id).of(ids)
    counts = np.bincount(codes[is_kept], minlength=len(VERDICTS))
    is_kept &= _so_judged(store, mining, query, ids, codes)
    if query.order == "value":
        kept = _by_value(store, mining, query, ids[is_kept])
    elif query.order == "source":
        sources = read_pair_integers(store, mining.id, "source_id")
        kept = ids[is_kept][np.lexsort((-scores[is_kept], sources[is_kept]))]
    else:
        kept = ids[is_kept][_order(query, scores[is_kept])]
    by_verdict = dict(zip(VERDICTS, counts.tolist(), strict=True))
    return Queue(kept, by_verdict)


def _in_range(
    mining: MiningRow, query: QueueQuery, ids: IdArray, scores: NDArray[np.float64]
) -> BoolArray:
    """Keep those that were taken, with a score in the range."""
    is_kept = np.ones(len(ids), np.bool_)
    if mining.n_candidates and not query.with_candidates:
        is_kept &= ids < first_pair_id(mining.id) + mining.n_pairs
    if query.lowest is not None:
        is_kept &= scores >= query.lowest
    if query.highest is not None:
        is_kept &= scores <= query.highest
    return is_kept


def _so_judged(
    store: Engine,
    mining: MiningRow,
    query: QueueQuery,
    ids: IdArray,
    codes: NDArray[np.int8],
) -> BoolArray:
    is_so: BoolArray = np.ones(len(ids), np.bool_)
    match query.which:
        case "all":
            pass
        case "unjudged":
            is_so = codes == 0
        case "judged":
            is_so = codes > 0
        case "conflict":
            is_so = np.isin(ids, read_conflicts(store, mining.id))
        case verdict:
            is_so = codes == VERDICTS.index(verdict)
    return is_so


def _order(query: QueueQuery, scores: NDArray[np.float64]) -> IdArray:
    """Give places by score, or shuffled; equal scores by id."""
    if query.order == "shuffled":
        return np.random.default_rng(query.seed).permutation(len(scores))
    return np.argsort(-scores if query.descending else scores, kind="stable")


def _by_value(
    store: Engine, mining: MiningRow, query: QueueQuery, ids: IdArray
) -> IdArray:
    """Order pairs by what a judgement of them tells; those beside the taken last."""
    judged = read_judged(store, mining)
    places = order_by_value(judged, WANTED_PRECISION, query.seed)
    valued = judged.ids[places]
    rest = np.setdiff1d(ids, valued, assume_unique=True)
    return np.concatenate([valued[np.isin(valued, ids)], rest])


def _found(store: Engine, mining: MiningRow, ids: IdArray, wanted: str) -> BoolArray:
    """Keep pairs whose texts hold a text as they are now, whatever its case."""
    corpora = {row.id: row for row in list_corpora(store, states=("ready", "deleted"))}
    changed = read_changed_sides(store, mining.id)
    folded = unicodedata.normalize("NFC", wanted).casefold()
    is_found: BoolArray = np.zeros(len(ids), np.bool_)
    for side in SIDES:
        corpus = corpora.get(getattr(mining, f"{side}_corpus_id"))
        found = np.empty(0, np.int64)
        if corpus is not None:
            found = find_sentences(store, corpus, wanted)
        firsts = read_pair_integers(store, mining.id, _FIRSTS[side])
        ends = firsts + read_pair_integers(store, mining.id, _COUNTS[side])
        for row in changed:
            place = int(np.searchsorted(ids, row.pair_id))
            text, first = getattr(row, f"{side}_text"), getattr(row, f"{side}_id")
            if text is not None:
                is_found[place] |= folded in text.casefold()
                ends[place] = firsts[place]  # none of its sentences counts
            elif first != firsts[place]:
                firsts[place], ends[place] = first, first + 1
        # a sentence that was found is at the first or behind it, and before the end
        is_found |= np.searchsorted(found, firsts) < np.searchsorted(found, ends)
    return is_found
