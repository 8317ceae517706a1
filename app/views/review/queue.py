"""The queue of pairs to review: ids in the engine's order and the position in it."""

from functools import partial
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.engine.store.arrays import map_array
from app.errors import ErrorInfo
from app.params.pairs import JudgementFilter
from app.protocol.queries.pairs import QueueQuery
from app.views.client.state import AppState

QueueOrder = Literal["score", "value", "shuffled"]
NO_IDS: NDArray[np.int64] = np.empty(0, np.int64)


class QueueSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which pairs of a mining are in the queue, and in which order."""

    order: QueueOrder = "score"
    descending: bool = True
    which: JudgementFilter = "unjudged"
    tag: str = ""
    lowest: float | None = None
    highest: float | None = None
    find: str = ""
    with_candidates: bool = False

    def to_query(self, mining: int) -> QueueQuery:
        """Ask for the queue of a mining."""
        values = msgspec.structs.asdict(self)
        return QueueQuery(mining=mining, asker="review", **values)


class ReviewQueue(QObject):
    """Ids in order and the place in them; `len` is the place behind the last.

    Attributes:
        choice: what is in it.
        mining: id of the set of pairs; None: none.
        ids: int64 (n,).
        place: row of the pair under judgement.
        counts: pairs of the mining by verdict; empty: not judged.
    """

    loaded = Signal()
    moved = Signal()
    failed = Signal(object)  # ErrorInfo

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self.choice = QueueSettings()
        self.mining: int | None = None
        self.ids = NO_IDS
        self.place = 0
        self.counts: dict[str, int] = {}
        self.is_loading = False
        self._state = state

    def __len__(self) -> int:
        """Count the pairs of the queue."""
        return len(self.ids)

    @property
    def current(self) -> int | None:
        """Id of the pair under judgement; None before and behind the queue."""
        return self.id_at(self.place)

    def id_at(self, place: int) -> int | None:
        """Return the id of a pair by its row."""
        return int(self.ids[place]) if 0 <= place < len(self.ids) else None

    def around(self, n_before: int, n_after: int) -> list[int]:
        """Return the ids from so many rows before the place to so many after it."""
        start = max(self.place - n_before, 0)
        return [int(id_) for id_ in self.ids[start : self.place + n_after + 1]]

    def empty(self) -> None:
        """Have no queue."""
        self.mining, self.ids, self.place = None, NO_IDS, 0
        self.counts = {}
        self.is_loading = False
        self.loaded.emit()

    def load(
        self,
        mining: int,
        choice: QueueSettings,
        *,
        place: int = 0,
        pair: int | None = None,
    ) -> None:
        """Ask for a queue; `loaded` or `failed` follows.

        Args:
            mining: id of the set of pairs.
            choice: what is wanted of it.
            place: where to go in it.
            pair: the pair to go to, if it is in the queue.
        """
        if mining != self.mining:
            self.ids, self.place, self.counts = NO_IDS, 0, {}
        self.mining, self.choice, self.is_loading = mining, choice, True
        query, goal = choice.to_query(mining), (place, pair)
        self._state.ask(query, partial(self._on_answer, query, goal))

    def reload(self, *, keep: bool = True) -> None:
        """Ask again; the pair under judgement stays so, or what came after it."""
        if self.mining is not None:
            pair = self.current if keep else None
            self.load(self.mining, self.choice, place=self.place, pair=pair)

    def go(self, place: int) -> None:
        """Go to a row; one behind the last is the end."""
        place = min(max(place, 0), len(self.ids))
        if place != self.place:
            self.place = place
            self.moved.emit()

    def go_to(self, pair: int) -> bool:
        """Go to a pair; False where it is not in the queue."""
        rows = np.flatnonzero(self.ids == pair)  # (n,) -> (number of finds,)
        if len(rows):
            self.go(int(rows[0]))
        return bool(len(rows))

    def put_first(self, pair: int) -> None:
        """Put a pair that is not in the queue at the place, and stay there."""
        self.ids = np.insert(self.ids, self.place, pair)
        self.moved.emit()

    def _on_answer(
        self,
        query: QueueQuery,
        goal: tuple[int, int | None],
        answer: dict[str, Any] | ErrorInfo,
    ) -> None:
        project = self._state.project
        if query != self.choice.to_query(self.mining or 0) or project is None:
            return
        self.is_loading = False
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.failed.emit(answer)
            return
        n = int(answer["n"])
        old, self.ids = self.ids, NO_IDS
        if n:
            # Read, not mapped: the engine removes the files of older queues.
            self.ids = np.array(map_array(project.folder / str(answer["file"])))
        self.counts = {str(k): int(v) for k, v in answer["n_by_verdict"].items()}
        self.place = _find_position(old, self.ids, *goal)
        self.loaded.emit()


def read_queue_settings(saved: Any) -> QueueSettings:
    """Take what a former session kept; in another version's form: the usual."""
    try:
        return msgspec.convert(saved, QueueSettings)
    except msgspec.ValidationError:
        return QueueSettings()


def _find_position(
    old: NDArray[np.int64], new: NDArray[np.int64], place: int, pair: int | None
) -> int:
    """Find where to go: to the pair, else to the next of the old order that is left.

    Args:
        old: int64 (n,), ids in order.
        new: int64 (m,), the same.
        place: row in the old order.
        pair: the pair wanted; None: the row.
    """
    if pair is None:
        return min(place, len(new))
    rows = np.flatnonzero(new == pair)  # (m,) -> (number of finds,)
    if len(rows):
        return int(rows[0])
    after = old[place + 1 :]
    left = after[np.isin(after, new)]
    if len(left):
        return int(np.flatnonzero(new == left[0])[0])
    return min(place, len(new)) if not len(old) else 0
