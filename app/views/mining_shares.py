"""How many pairs of each set are judged: counted again while somebody judges."""

from PySide6.QtCore import QObject, QTimer, Signal

from app.engine.store.pair_counts import count_judged
from app.engine.store.pair_rows import mining_of
from app.views.state import AppState

COUNT_AGAIN_MS = 200  # after a judgement


class JudgedShares(QObject):
    """Counts of judged pairs by set.

    Attributes:
        counts: by id; where too much was judged to count, what was told last.
    """

    changed = Signal()  # they were counted again

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self.counts: dict[int, int] = {}
        self._state = state
        self._timer = QTimer(self, singleShot=True, interval=COUNT_AGAIN_MS)
        self._timer.timeout.connect(self.count)

    def count(self) -> None:
        """Count now."""
        project = self._state.project
        if project is None:
            return
        counts = count_judged(project.store)
        if counts is not None:
            self.counts = counts
        self.changed.emit()

    def count_soon(self) -> None:
        """Count in a moment, once for many changes."""
        self._timer.start()

    def follow(self, kind: str, row_id: object) -> None:
        """Count in a moment if this change was of a pair of a set in the project."""
        if kind not in ("pair", "judgements"):
            return
        mining = mining_of(int(str(row_id))) if kind == "pair" else row_id
        project = self._state.project
        if project is not None and mining in [row.id for row in project.minings]:
            self.count_soon()

    def take(self, mining: int, n: int) -> None:
        """Take over what is known of a set."""
        if self.counts.get(mining, 0) != n:
            self.counts[mining] = n
            self.count_soon()
