"""The queue of pairs to review: ids in the engine's order, and a position."""

from functools import partial
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.engine.store.arrays import map_array
from app.errors import ErrorInfo
from app.params.pairs import JudgementFilter
from app.protocol.answers.pairs import QueueAnswer
from app.protocol.queries.pairs import QueueQuery
from app.views.client.state import AppState
from app.views.widgets.choice_titles import choice_title

_tr = partial(QCoreApplication.translate, "review")
QueueOrder = Literal["score", "value", "shuffled"]
NO_IDS: NDArray[np.int64] = np.empty(0, np.int64)
Goal = tuple[int, int | None, bool]  # row, pair, whether to insert it


class QueueSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Filters and order of the queue of a pair set."""

    order: QueueOrder = "score"
    descending: bool = True
    which: JudgementFilter = "unjudged"
    tag: str = ""
    lowest: float | None = None
    highest: float | None = None
    find: str = ""
    with_candidates: bool = False

    def to_query(self, mining: int) -> QueueQuery:
        """Return the query for the queue of a pair set."""
        values = msgspec.structs.asdict(self)
        return QueueQuery(mining=mining, requester="review", **values)


def describe_filters(settings: QueueSettings) -> str:
    """Describe the filters of a queue that differ from unjudged; may be empty."""
    parts = []
    if settings.which != "unjudged":
        parts.append(choice_title(settings.which, "which"))
    parts += [f"“{settings.find}”"] if settings.find else []
    parts += [f"#{settings.tag}"] if settings.tag else []
    bounds = settings.lowest, settings.highest
    if bounds != (None, None):
        low, high = ("…" if one is None else f"{one:g}" for one in bounds)
        parts.append(f"{_tr('score')} {low} – {high}")
    return " · ".join(parts)


class ReviewQueue(QObject):
    """Ordered ids and the current position; `len` is the position after the last.

    Attributes:
        settings: filters and order.
        mining: id of the pair set, or None.
        ids: int64 (n,).
        place: row of the current pair.
        counts: number of pairs by verdict that match all other filters; empty verdict:
            not judged.
        totals: number of pairs of the set by verdict.
    """

    loaded = Signal()
    moved = Signal()
    failed = Signal(object)  # ErrorInfo

    def __init__(self, state: AppState, parent: QObject | None = None):
        super().__init__(parent)
        self.settings = QueueSettings()
        self.mining: int | None = None
        self.ids = NO_IDS
        self.place = 0
        self.counts: dict[str, int] = {}
        self.totals: dict[str, int] = {}
        self.is_loading = False
        self._state = state
        self._n_requests = 0
        self._goal: Goal = (0, None, False)  # position after the answer

    def __len__(self) -> int:
        """Return the number of pairs in the queue."""
        return len(self.ids)

    @property
    def current(self) -> int | None:
        """The id of the current pair; None after the end of the queue."""
        return int(self.ids[self.place]) if self.place < len(self.ids) else None

    def around(self, n_before: int, n_after: int) -> list[int]:
        """Return the current id with n_before ids before it and n_after after it."""
        start = max(self.place - n_before, 0)
        return [int(id_) for id_ in self.ids[start : self.place + n_after + 1]]

    def clear(self) -> None:
        """Clear the queue."""
        self.mining, self.ids, self.place = None, NO_IDS, 0
        self.counts, self.totals = {}, {}
        self.is_loading = False
        self._n_requests += 1
        self.loaded.emit()

    def load(
        self,
        mining: int,
        settings: QueueSettings,
        *,
        index: int = 0,
        pair: int | None = None,
        is_inserted: bool = False,
        is_new: bool = False,
    ) -> None:
        """Request a queue; `loaded` or `failed` follows.

        Args:
            mining: id of the pair set.
            settings: filters and order.
            pair: the pair to go to, if it is in the queue.
            is_inserted: whether to insert the pair if it is not in the queue.
            is_new: whether to ignore the position in the previous queue.
        """
        if mining != self.mining or is_new:
            self.ids, self.place, self.counts, self.totals = NO_IDS, 0, {}, {}
        self.mining, self.settings, self.is_loading = mining, settings, True
        self._goal = (index, pair, is_inserted)
        self._n_requests += 1
        query = settings.to_query(mining)
        self._state.ask(query, partial(self._on_answer, self._n_requests))

    def reload(self, *, from_start: bool = False) -> None:
        """Request the queue again.

        Args:
            from_start: go to the first pair. Otherwise stay at the current pair or the
                next one left, or keep the goal of a queue that is being loaded.
        """
        if self.mining is None:
            return
        place, pair, is_inserted = self.place, self.current, False
        if from_start:
            place, pair = 0, None
        elif self.is_loading:
            place, pair, is_inserted = self._goal
        self.load(
            self.mining, self.settings, index=place, pair=pair, is_inserted=is_inserted
        )

    def go(self, index: int) -> None:
        """Go to a row; the row after the last is the end of the queue."""
        index = min(max(index, 0), len(self.ids))
        if index != self.place:
            self.place = index
            self._goal = (index, self.current, False)
            self.moved.emit()

    def go_by(self, n: int) -> None:
        """Move by n rows, backward if n is negative."""
        self.go(self.place + n)

    def go_to(self, pair: int) -> bool:
        """Go to a pair, and return whether it is in the queue."""
        rows = np.flatnonzero(self.ids == pair)  # (n,) -> (number of finds,)
        if len(rows):
            self.go(int(rows[0]))
        return bool(len(rows))

    def insert(self, pair: int) -> None:
        """Insert a pair at the current position."""
        self.ids = np.insert(self.ids, self.place, pair)
        self._goal = (self.place, pair, True)
        self.moved.emit()

    def _on_answer(
        self,
        n_requests: int,
        answer: QueueAnswer | ErrorInfo,
    ) -> None:
        project = self._state.project
        if n_requests != self._n_requests or project is None:
            return
        self.is_loading = False
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.failed.emit(answer)
            return
        old, self.ids = self.ids, NO_IDS
        if answer.n:
            # Not memory-mapped, because the engine removes the files of older queues.
            self.ids = np.array(map_array(project.folder / answer.file))
        self.counts = answer.n_by_verdict
        self.totals = answer.n_in_set or answer.n_by_verdict
        place, pair, is_inserted = self._goal
        self.place = _find_position(old, self.ids, place, pair)
        if is_inserted and pair is not None and pair not in self.ids:
            self.ids = np.insert(self.ids, self.place, pair)
        self.loaded.emit()


def read_queue_settings(saved: Any) -> QueueSettings:
    """Return saved settings, or the defaults if another version wrote them."""
    try:
        return msgspec.convert(saved, QueueSettings)
    except msgspec.ValidationError:
        return QueueSettings()


def _find_position(
    old: NDArray[np.int64], new: NDArray[np.int64], index: int, pair: int | None
) -> int:
    """Return the row of a pair, or else of the next remaining pair in the old order.

    Args:
        old: int64 (n,), ids in order.
        new: int64 (m,), ids in order.
        index: row in the old order.
        pair: the pair to find; None keeps the row.
    """
    if pair is None:
        return min(index, len(new))
    rows = np.flatnonzero(new == pair)  # (m,) -> (number of finds,)
    if len(rows):
        return int(rows[0])
    after = old[index + 1 :]
    left = after[np.isin(after, new)]
    if len(left):
        return int(np.flatnonzero(new == left[0])[0])
    return min(index, len(new)) if not len(old) else 0
