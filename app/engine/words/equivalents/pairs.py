"""Read translated sentence pairs from links and from pair sets."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.arrays import IntArray
from app.engine.store.corpora import CorpusRow
from app.engine.store.pairs.sets import (
    PairSetRow,
    first_pair_id,
    list_pair_sets,
    read_all_current_judgements,
)

LINKS = "SELECT 0, source_id, 1, target_id, 1 FROM link"
PAIRS = (
    "SELECT id, source_id, n_source, target_id, n_target FROM pair "
    "WHERE id >= ? AND id < ? ORDER BY id"
)
_COLUMNS = np.dtype([(name, np.int64) for name in ("id", "s", "n_s", "t", "n_t")])


class PairIds(NamedTuple):
    """Pairs of runs of consecutive sentences, each within one corpus.

    Attributes:
        sources, targets: int64 (p,), ids of the first sentences of each run.
        n_sources, n_targets: int64 (p,), number of sentences of each run.
    """

    sources: IntArray
    n_sources: IntArray
    targets: IntArray
    n_targets: IntArray

    @property
    def n(self) -> int:
        """Count the pairs."""
        return len(self.sources)

    def some(self, chosen: NDArray[Any]) -> "PairIds":
        """Return some of the pairs, selected by a mask bool (p,) or by indices."""
        return PairIds(*(column[chosen] for column in self))

    def turned(self) -> "PairIds":
        """Return the pairs with source and target exchanged."""
        return PairIds(self.targets, self.n_targets, self.sources, self.n_sources)


class Eligible(NamedTuple):
    """Sentences that may be a side of a pair.

    Attributes:
        corpus: corpus of the sentences.
        mask: bool (n,), by position; None: all.
    """

    corpus: CorpusRow
    mask: NDArray[np.bool_] | None = None


def read_linked(store: Engine) -> PairIds:
    """Read the pairs from links and from document alignments, except rejected pairs."""
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        _, linked = _columns(np.fromiter(raw.execute(LINKS), _COLUMNS))
    aligned = [row for row in list_pair_sets(store) if row.kind == "aligned"]
    return join_pairs([linked, *(read_set(store, row) for row in aligned)])


def read_set(store: Engine, row: PairSetRow, *, accepted: bool = False) -> PairIds:
    """Read the pairs of a set, without rejected pairs, or only accepted pairs.

    If another translation was swapped in, the judged pair is returned.
    """
    first = first_pair_id(row.id)
    # the ids of an alignment grow with the positions of both sides
    is_aligned = row.kind == "aligned"
    end = first_pair_id(row.id + 1) if is_aligned else first + row.n_pairs
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows = raw.execute(PAIRS, (first, end))
        ids, pairs = _columns(np.fromiter(rows, _COLUMNS))
    verdicts = np.zeros(pairs.n, np.int8)
    for judgement in read_all_current_judgements(store, row.id):
        index = int(np.searchsorted(ids, judgement.pair_id))
        if index < pairs.n and ids[index] == judgement.pair_id:
            pairs.sources[index] = judgement.source_id
            pairs.targets[index] = judgement.target_id
            verdicts[index] = {"accept": 1, "reject": -1}.get(judgement.verdict, 0)
    is_wanted = verdicts > 0 if accepted else verdicts >= 0
    # beads with an empty side are not pairs
    return pairs.some(is_wanted & (pairs.n_sources > 0) & (pairs.n_targets > 0))


def join_pairs(parts: Sequence[PairIds]) -> PairIds:
    """Concatenate pairs, and remove duplicates."""
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.lexsort(columns[::-1])
    rows = np.stack([column[order] for column in columns])  # (4, p)
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (rows[:, 1:] != rows[:, :-1]).any(axis=0)  # (4, p) -> (p,)
    return PairIds(*rows[:, is_new])


def turn_pairs(
    pairs: PairIds, sources: Sequence[Eligible], targets: Sequence[Eligible]
) -> PairIds:
    """Orient pairs so that one side is eligible as source and the other as target."""
    ways = []
    for way in (pairs, pairs.turned()):
        is_wanted = are_eligible(way.sources, sources)
        ways.append(way.some(is_wanted & are_eligible(way.targets, targets)))
    return join_pairs(ways)


def are_eligible(ids: IntArray, allowed: Sequence[Eligible]) -> NDArray[np.bool_]:
    """Return which sentences may be a side: bool (p,)."""
    corpora, positions = ids >> 32, ids & 0xFFFFFFFF
    found = np.zeros(len(ids), np.bool_)
    for one in allowed:
        is_its = (corpora == one.corpus.id) & (positions < one.corpus.n_sentences)
        if one.mask is None:
            found |= is_its
        else:
            found[is_its] = one.mask[positions[is_its]]
    return found


def _columns(rows: NDArray[Any]) -> tuple[IntArray, PairIds]:
    """Return the ids of pairs, int64 (p,), and their sentences."""
    table = rows.view(np.int64).reshape(-1, 5)  # (p, 5)
    ids, *columns = (np.ascontiguousarray(table[:, index]) for index in range(5))
    return ids, PairIds(*columns)
