"""Classify: label in one language, train, see how it does in the others, use it."""

from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.params.classify import EvaluateTransfer
from app.views.classify_actions import make_actions
from app.views.classify_jobs import ClassifyJobs
from app.views.labelled import labelled_corpora
from app.views.panels.transfer_board import TransferBoard
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.message_bar import MessageBar


class ClassifyView(QWidget):
    """The classify page.

    Attributes:
        board: the third step: tests on languages.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Classify")
        self.state = state
        self.messages = MessageBar()
        self.jobs = ClassifyJobs(self)
        self._todo = make_actions(self)
        self.board = TransferBoard(state, self._todo)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self._lay_out()
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Show what there is now."""
        if self.state.project is not None:
            self.board.refresh()
            self._refresh_actions()

    def show_board(self) -> None:
        """Show the third step."""
        self.tabs.setCurrentWidget(self._steps[self.board])
        self.board.refresh()

    def _refresh_actions(self) -> None:
        project = self.state.project
        can_write = project is not None and not project.is_read_only
        n = len(labelled_corpora(project)) if project is not None else 0
        is_busy = any(
            isinstance(run.params, EvaluateTransfer) for run in self.state.runs
        )
        self._todo["suggested"].setEnabled(can_write and n > 1 and not is_busy)
        self._todo["test"].setEnabled(can_write and n > 0)
        shown = self.board.shown
        self._todo["again"].setEnabled(can_write and shown is not None)
        for name in ("export_board", "copy"):
            self._todo[name].setEnabled(shown is not None)

    def _lay_out(self) -> None:
        self._steps: dict[QWidget, QWidget] = {}
        self._add_step(self.board, self.tr("3  Transfer board"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        layout.addWidget(self.tabs, 1)

    def _add_step(self, widget: QWidget, title: str) -> None:
        page = QWidget()
        box = QVBoxLayout(page)
        box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        box.addWidget(widget)
        self._steps[widget] = page
        self.tabs.addTab(page, title)

    def _connect(self) -> None:
        self.board.shown_changed.connect(self._refresh_actions)
        self.board.place_wanted.connect(self.state.place_wanted)
        self.state.runs_changed.connect(self._on_runs_changed)
        self.state.corpora_changed.connect(self.refresh)

    def _on_runs_changed(self) -> None:
        if self.board.shown is None:
            self.board.refresh()
        self._refresh_actions()

    # --- what the window asks of a view ---

    def actions(self) -> list[QAction]:
        """Give the view's actions."""
        return list(self._todo.values())

    def save_state(self) -> dict[str, Any]:
        """Give what is shown."""
        shown = self.board.shown
        return {
            "tab": self.tabs.currentIndex(),
            "board": self.board.save_state(),
            "summary": shown.name if shown is not None else "",
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show again what was shown."""
        self.board.restore_state(state.get("board", {}))
        if isinstance(state.get("tab"), int):
            self.tabs.setCurrentIndex(state["tab"])

    def focus_first(self) -> None:
        """Put the keyboard where work begins."""
        self.board.focus_first()
