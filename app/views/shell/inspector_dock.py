"""Opens the inspector for what is selected in the current view, and closes it."""

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

from app.views.client.state import AppState
from app.views.widgets.theme import GRID

WIDTH, LEAST_WIDTH = 42 * GRID, 28 * GRID
SHARE = 0.24  # of a narrow window
SAVE_AFTER_MS = 500  # without another width


class InspectorController(QObject):
    """Keeps the selection of each view, and shows the dock while there is one.

    Attributes:
        is_wanted: the user has not closed the inspector.
    """

    def __init__(
        self,
        state: AppState,
        dock: QDockWidget,
        guide: QDockWidget,
        make_inspector: Callable[[], QWidget] | None,
        window: QMainWindow,
    ):
        """Control a dock.

        Args:
            guide: of the guided path, as wide as the inspector.
            make_inspector: makes it; None: it is never shown.
            window: around the docks.
        """
        super().__init__(window)
        self.is_wanted = True
        self._guide = guide
        self._window = window
        self._state, self._dock, self._make_inspector = state, dock, make_inspector
        self._view, self._has_sentences = "", False
        self._selections: dict[str, int | None] = {}
        # What is clicked must not move before a second click of a double-click.
        delay = QApplication.doubleClickInterval()
        self._timer = QTimer(self, singleShot=True, interval=delay)
        self._timer.timeout.connect(self._on_selection_changed)
        self._save_timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._save_timer.timeout.connect(self._save_width)
        dock.toggleViewAction().triggered.connect(self._on_toggled)
        dock.installEventFilter(self)
        guide.visibilityChanged.connect(self.fit)
        state.selection_changed.connect(self._on_selection_changed)

    def open_project(self) -> None:
        """Forget the selections of another project; make the inspector once."""
        self._selections.clear()
        self._view = ""
        if self._make_inspector is not None and self._dock.widget() is None:
            inspector = self._make_inspector()
            inspector.setMinimumWidth(LEAST_WIDTH)
            self._dock.setWidget(inspector)

    def show_view(self, name: str, *, has_sentences: bool) -> None:
        """Select what was selected when a view was last shown, or nothing."""
        if name != self._view:
            self._selections[self._view] = self._state.selection
            self._view = name
            self._state.select_sentence(self._selections.get(name))
        self._has_sentences = has_sentences
        self.place()

    def place(self) -> None:
        """Show the dock if something is selected in a view with sentences."""
        self._timer.stop()
        is_empty = self._state.selection is None or self._dock.widget() is None
        is_shown = self._has_sentences and self.is_wanted and not is_empty
        self._dock.setVisible(is_shown)
        self.fit()

    def fit(self) -> None:
        """Set the width that the user chose, or a share of the window."""
        share = round(SHARE * self._window.width())
        width = self._state.settings.inspector_width or min(WIDTH, share)
        for dock in (self._dock, self._guide):
            if dock.isVisible() and dock.width() != width:
                self._window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Remember the width to which the user drags the dock."""
        is_dragged = QApplication.mouseButtons() == Qt.MouseButton.LeftButton
        if isinstance(event, QResizeEvent) and watched is self._dock and is_dragged:
            self._save_timer.start()
        return super().eventFilter(watched, event)

    def _save_width(self) -> None:
        settings, width = self._state.settings, self._dock.width()
        self._state.change_settings(
            msgspec.structs.replace(settings, inspector_width=width)
        )

    def _on_selection_changed(self) -> None:
        if QApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self.place()
        else:
            self._timer.start()

    def _on_toggled(self, is_open: bool) -> None:
        self.is_wanted = is_open
