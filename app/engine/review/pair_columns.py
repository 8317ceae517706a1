"""The pairs of a mining run as columns, cached between queue queries."""

from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.arrays import IdArray
from app.engine.store.pairs.judgements import VERDICTS, read_judgements_since
from app.engine.store.pairs.sets import (
    PairIntegerColumn,
    PairSetRow,
    first_pair_id,
    read_pair_integers,
    read_scores,
)

Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = ("source", "target")
ACCEPTED, REJECTED = VERDICTS.index("accept"), VERDICTS.index("reject")
_FIRSTS: dict[Side, PairIntegerColumn] = {"source": "source_id", "target": "target_id"}
_COUNTS: dict[Side, PairIntegerColumn] = {"source": "n_source", "target": "n_target"}


class Verdicts(NamedTuple):
    """The current verdicts of the pairs of a mining, in the order of id.

    Attributes:
        codes: int8 (p,), indices into `VERDICTS`; 0: not judged.
        is_swapped: bool (p,), whether a runner-up is swapped in.
        as_range: bool (p,), whether the verdict was set for a range of scores.
    """

    codes: NDArray[np.int8]
    is_swapped: NDArray[np.bool_]
    as_range: NDArray[np.bool_]

    @property
    def is_decided(self) -> NDArray[np.bool_]:
        """Whether a pair was read and judged right or wrong: bool (p,)."""
        return np.isin(self.codes, (ACCEPTED, REJECTED)) & ~self.as_range

    @property
    def is_decided_as_range(self) -> NDArray[np.bool_]:
        """Whether a pair was judged right or wrong as part of a range: bool (p,)."""
        return np.isin(self.codes, (ACCEPTED, REJECTED)) & self.as_range

    @property
    def is_right(self) -> NDArray[np.bool_]:
        """Whether a pair is right as mined: bool (p,)."""
        is_right: NDArray[np.bool_] = (self.codes == ACCEPTED) & ~self.is_swapped
        return is_right & self.is_decided


class PairColumns:
    """The pairs of a mining in the order of id; columns are read on first use.

    Attributes:
        mining: the pair set.
    """

    def __init__(self, store: Engine, mining: PairSetRow):
        self.mining = mining
        self._store = store
        self._verdicts: Verdicts | None = None
        self._newest_id = 0
        self._spans: dict[Side, tuple[IdArray, IdArray]] = {}

    @cached_property
    def ids(self) -> IdArray:
        """Ids: int64 (p,), ascending."""
        return read_pair_integers(self._store, self.mining.id, "id")

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Scores: float64 (p,)."""
        return read_scores(self._store, self.mining.id)

    @cached_property
    def is_taken(self) -> NDArray[np.bool_]:
        """Whether a pair has two sides and was selected: bool (p,)."""
        if self.mining.kind == "aligned":
            spans = [self.spans(side) for side in SIDES]
            return (spans[0][0] < spans[0][1]) & (spans[1][0] < spans[1][1])
        if not self.mining.n_candidates:
            return np.ones(len(self.ids), np.bool_)
        end = first_pair_id(self.mining.id) + self.mining.n_pairs
        is_taken: NDArray[np.bool_] = self.ids < end
        return is_taken

    def spans(self, side: Side) -> tuple[IdArray, IdArray]:
        """Return the first sentence of a side, and the last + 1: int64 (p,) each."""
        if side not in self._spans:
            firsts = read_pair_integers(self._store, self.mining.id, _FIRSTS[side])
            counts = read_pair_integers(self._store, self.mining.id, _COUNTS[side])
            self._spans[side] = firsts, firsts + counts
        return self._spans[side]

    def verdicts(self) -> Verdicts:
        """Return the current state of each pair; only new judgements are read."""
        said = read_judgements_since(self._store, self.mining.id, self._newest_id)
        if self._verdicts is None:
            nothing = np.zeros(len(self.ids), np.int8)
            self._verdicts = Verdicts(
                nothing, nothing.astype(np.bool_), nothing.astype(np.bool_)
            )
        indices = np.searchsorted(self.ids, said.pair_ids)
        self._verdicts.codes[indices] = said.verdicts  # the last one applies
        self._verdicts.is_swapped[indices] = said.is_swapped
        self._verdicts.as_range[indices] = said.as_range
        self._newest_id = said.newest_id
        return self._verdicts

    def has(self, wanted: IdArray) -> NDArray[np.bool_]:
        """Return which pairs are among some ids (ascending): bool (p,)."""
        found = np.zeros(len(self.ids), np.bool_)
        indices = np.searchsorted(self.ids, wanted)
        indices = indices[indices < len(self.ids)]
        found[indices[np.isin(self.ids[indices], wanted)]] = True
        return found


class PairColumnCache:
    """Caches the columns of the most recent mining."""

    def __init__(self) -> None:
        self._kept: PairColumns | None = None

    def get(self, store: Engine, mining: PairSetRow) -> PairColumns:
        """Return the columns of a mining; alignments are read each time."""
        kept = self._kept
        if (
            kept is None
            or mining.kind == "aligned"
            or _key(kept.mining) != _key(mining)
        ):
            kept = self._kept = PairColumns(store, mining)
        return kept


def _key(mining: PairSetRow) -> tuple[int, int, int]:
    return mining.id, mining.n_pairs, mining.n_candidates
