"""Sidebar with pair sets, their judged shares, and evaluations."""

from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.sets import count_judged_pairs, pair_set_of
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import make_action_button, make_label, make_menu_button
from app.views.widgets.theme import GRID
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

MIN_WIDTH = 30 * GRID  # the heading wraps only at a large text size
MAX_EVALUATIONS = 4  # rows before the list scrolls


class MiningSidebar(QWidget):
    """Lists of pair sets and evaluations.

    Attributes:
        minings: list of pair sets.
        evaluations: list of evaluations.
    """

    def __init__(self, actions: dict[str, QAction], parent: QWidget | None = None):
        """Initialise empty lists; `actions` are the view's actions by name."""
        super().__init__(parent)
        self.minings = TwoLineList(
            self.tr("Pair sets"),
            self.tr("Select the pair set to show."),
            is_newest_first=True,
        )
        self.minings.addAction(actions["delete"])
        self.evaluations = TwoLineList(
            self.tr("Evaluations"),
            self.tr("Select the evaluation to show."),
            is_newest_first=True,
        )
        self._count = make_label("", "secondary")
        mine = make_action_button(actions["mine"], kind="primary")
        mine.setText(self.tr("Mine…"))
        actions["mine"].changed.connect(lambda: mine.setText(self.tr("Mine…")))
        more = make_menu_button(
            self.tr("More"),
            self.tr("Score a parallel text, or evaluate mining."),
            [actions["score"], actions["evaluate"]],
        )
        head = WrappingRow()
        head.addWidget(make_label(self.tr("Pairs"), "heading"))
        head.addWidget(self._count)
        head.add_stretch()
        head.addWidget(more)
        head.addWidget(mine)
        self._title = make_label(self.tr("Evaluations"), "section")
        make_column(head, (self.minings, 1), self._title, self.evaluations, parent=self)

    def minimumSizeHint(self) -> QSize:
        """Return the size of the lists, which depends on the text size."""
        return super().minimumSizeHint().expandedTo(QSize(MIN_WIDTH, 0))

    def show_minings(self, rows: list[TwoLineRow]) -> None:
        """Show the pair sets."""
        self.minings.show_rows(rows)
        self._count.setText(f"{len(rows):,}" if rows else "")

    def show_evaluations(self, rows: list[TwoLineRow]) -> None:
        """Show the evaluations, or hide the list if there are none."""
        self.evaluations.show_rows(rows)
        self.evaluations.fit(MAX_EVALUATIONS)
        self._title.setVisible(bool(rows))
        self.evaluations.setVisible(bool(rows))


COUNT_DELAY_MS = 200  # after a judgement


class JudgedCounter(QObject):
    """Counts of judged pairs by pair set.

    Attributes:
        counts: counts by set id; the last known count if counting would be slow.
    """

    changed = Signal()  # the counts were updated

    def __init__(self, state: AppState, parent: QObject):
        super().__init__(parent)
        self.counts: dict[int, int] = {}
        self._state = state
        self._timer = QTimer(self, singleShot=True, interval=COUNT_DELAY_MS)
        self._timer.timeout.connect(self.count)

    def count(self) -> None:
        """Count now."""
        project = self._state.project
        if project is None:
            return
        counts = count_judged_pairs(project.store)
        if counts is not None:
            self.counts = counts
        self.changed.emit()

    def count_soon(self) -> None:
        """Schedule a count that covers several changes."""
        self._timer.start()

    def follow(self, kind: str, row_id: object) -> None:
        """Schedule a count if a pair of the project changed."""
        if kind not in ("pair", "judgements"):
            return
        mining = pair_set_of(int(str(row_id))) if kind == "pair" else row_id
        project = self._state.project
        if project is not None and mining in [row.id for row in project.minings]:
            self.count_soon()

    def set_count(self, mining: int, n: int) -> None:
        """Set the count of a pair set, computed elsewhere."""
        if self.counts.get(mining, 0) != n:
            self.counts[mining] = n
            self.count_soon()
