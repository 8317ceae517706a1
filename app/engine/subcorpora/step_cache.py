"""Results of query steps, cached until the next commit."""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import IdArray
from app.engine.search.session import SearchSession
from app.engine.store.connections import CommitWatch
from app.engine.store.corpora import CorpusRow, first_sentence_id
from app.errors import UserError


class NotIndexedError(UserError):
    """The words of corpora are not indexed.

    Attributes:
        corpora: their ids.
    """

    def __init__(self, corpora: Sequence[CorpusRow]):
        names = ", ".join(corpus.name for corpus in corpora)
        super().__init__(f"The words of {names} are not indexed yet.")
        self.corpora = tuple(corpus.id for corpus in corpora)


class NotEncodedError(UserError):
    """Corpora have no vectors by an encoder.

    Attributes:
        corpora: their ids.
    """

    def __init__(self, corpora: Sequence[CorpusRow], encoder: str):
        names = ", ".join(corpus.name for corpus in corpora)
        are = "is" if len(corpora) == 1 else "are"
        super().__init__(f"{names} {are} not encoded by {encoder} yet. Encode first.")
        self.corpora = tuple(corpus.id for corpus in corpora)


MAX_BYTES = 2**27  # 16 steps that leave a million sentences

Mask = NDArray[np.bool_]


class SelectedRows(NamedTuple):
    """The remaining sentences of a corpus: positions, int64 (m,), ascending."""

    corpus: CorpusRow
    positions: IdArray

    @property
    def ids(self) -> IdArray:
        """Ids of the sentences: int64 (m,)."""
        return self.positions + first_sentence_id(self.corpus.id)

    def some(self, mask: Mask) -> "SelectedRows":
        """Return some of them."""
        return SelectedRows(self.corpus, self.positions[mask])


class QueryStepResult(NamedTuple):
    """The result of a query step.

    Attributes:
        left: remaining rows of each corpus; never modified.
        problem: reason why the step was skipped; empty: not skipped.
        not_indexed: ids of corpora whose words the step would need.
        not_encoded: ids of corpora whose vectors the step would need.
    """

    left: list[SelectedRows]
    problem: str = ""
    not_indexed: tuple[int, ...] = ()
    not_encoded: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        """Count the remaining sentences."""
        return sum(len(part.positions) for part in self.left)


class StepCache:
    """Caches results of steps until the next commit to the project."""

    def __init__(self, watch: CommitWatch):
        """Initialise an empty cache; `watch`: commit watch of the project's store."""
        self._watch = watch
        self._state = watch.state()
        self._kept: OrderedDict[Hashable, QueryStepResult] = OrderedDict()

    def forget_old(self) -> None:
        """Clear the cache after a commit; called before the first step."""
        state = self._watch.state()
        if state != self._state:
            self._state = state
            self._kept.clear()

    def find(self, key: Hashable) -> QueryStepResult | None:
        """Return the cached result for a key."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: Hashable, after: QueryStepResult) -> None:
        """Cache a result; remove the least recently used results."""
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


def cached_steps(session: SearchSession) -> StepCache:
    """Return the results of the query steps that a session has run."""
    return session.cache(
        StepCache, lambda: StepCache(CommitWatch(session.project.store))
    )
