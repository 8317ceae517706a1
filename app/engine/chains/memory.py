"""What the chains that were counted last left, step by step: for the next edit."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.engine.store.rows import CorpusRow

if TYPE_CHECKING:
    pass

from collections import OrderedDict

from numpy.typing import NDArray

from app.engine.store.commits import CommitWatch
from app.engine.store.rows import first_id

MAX_BYTES = 2**27  # 16 steps that leave a million sentences

IdArray = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Left(NamedTuple):
    """What is left of one corpus: its positions, int64 (m,), rising."""

    corpus: CorpusRow
    positions: IdArray

    @property
    def ids(self) -> IdArray:
        """Ids of the sentences: int64 (m,)."""
        return self.positions + first_id(self.corpus.id)

    def some(self, mask: Mask) -> "Left":
        """Give some of them."""
        return Left(self.corpus, self.positions[mask])


class After(NamedTuple):
    """What stands after a step.

    Attributes:
        left: of each corpus; nobody changes these arrays.
        problem: why the step was left out; empty: it was not.
        not_indexed: ids of corpora whose words the step would need.
        not_encoded: ids of corpora whose vectors the step would need.
    """

    left: list[Left]
    problem: str = ""
    not_indexed: tuple[int, ...] = ()
    not_encoded: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        """Count the sentences that are left."""
        return sum(len(part.positions) for part in self.left)


class ChainMemory:
    """Keeps what steps left for as long as nothing is committed to the project."""

    def __init__(self, watch: CommitWatch):
        """Remember nothing yet; `watch`: on the project's store."""
        self._watch = watch
        self._state = watch.state()
        self._kept: OrderedDict[Hashable, After] = OrderedDict()

    def forget_old(self) -> None:
        """Forget all of it if something was committed; called before a chain begins."""
        state = self._watch.state()
        if state != self._state:
            self._state = state
            self._kept.clear()

    def find(self, key: Hashable) -> After | None:
        """Give what was left after the steps of a key."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: Hashable, after: After) -> None:
        """Keep it; what was not asked for the longest goes."""
        self._kept[key] = after
        while len(self._kept) > 1 and self._n_bytes > MAX_BYTES:
            self._kept.popitem(last=False)

    @property
    def _n_bytes(self) -> int:
        return sum(
            part.positions.nbytes
            for after in self._kept.values()
            for part in after.left
        )
