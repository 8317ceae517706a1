"""Opens the inspector next to sentences that can be selected, and closes it."""

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget
from shiboken6 import isValid

from app.views.client.state import AppState
from app.views.widgets.theme import GRID
from app.views.widgets.view_protocol import SelectionPanel

WIDTH, LEAST_WIDTH = 42 * GRID, 28 * GRID
SHARE = 0.24  # of the width of a narrow window
SAVE_AFTER_MS = 500  # after the last change of the width


class InspectorController(QObject):
    """Stores the selection of each view, and shows the dock on pages with sentences.

    The dock stays open on a page whose sentences can be selected, so that a selection
    moves nothing under the pointer. On other pages the dock is hidden.

    Attributes:
        is_wanted: whether the user has left the inspector open.
    """

    def __init__(
        self,
        state: AppState,
        dock: QDockWidget,
        guide: QDockWidget,
        make_inspector: Callable[[], QWidget] | None,
        window: QMainWindow,
    ):
        """Create the controller of a dock.

        Args:
            guide: dock of the guided path, as wide as the inspector.
            make_inspector: creates the inspector; None: show no inspector.
            window: contains the docks.
        """
        super().__init__(window)
        self.is_wanted = True
        self._guide = guide
        self._window = window
        self._state, self._dock, self._make_inspector = state, dock, make_inspector
        self._view: QWidget | None = None
        self._name, self._has_sentences = "", False
        self._pages: list[QWidget] = []  # pages with selectable sentences
        self._selections: dict[str, int | None] = {}
        # The clicked item must not move before the second click of a double-click.
        delay = QApplication.doubleClickInterval()
        self._timer = QTimer(self, singleShot=True, interval=delay)
        self._timer.timeout.connect(self._on_selection_changed)
        self._save_timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._save_timer.timeout.connect(self._save_width)
        dock.toggleViewAction().triggered.connect(self._on_toggled)
        dock.installEventFilter(self)
        guide.visibilityChanged.connect(self.fit)
        state.selection_changed.connect(self._on_selection_changed)
        state.inspectable_made.connect(self._on_page_made)

    def open_project(self) -> None:
        """Clear the selections of the last project; create the inspector once."""
        self._selections.clear()
        self._name, self._view = "", None
        if self._make_inspector is not None and self._dock.widget() is None:
            inspector = self._make_inspector()
            inspector.setMinimumWidth(LEAST_WIDTH)
            self._dock.setWidget(inspector)

    def show_view(self, name: str, view: QWidget, *, has_sentences: bool) -> None:
        """Restore the selection that a view had when it was last shown."""
        if name != self._name:
            panel: object = self._dock.widget()
            if isinstance(panel, SelectionPanel):
                panel.show_beside(view)
            self._selections[self._name] = self._state.selection
            self._name, self._view = name, view
            self._state.select_sentence(self._selections.get(name))
        self._has_sentences = has_sentences
        self.place()

    def place(self) -> None:
        """Show the dock if a sentence is selected or the page has sentences."""
        self._timer.stop()
        is_needed = self._state.selection is not None or self._has_page
        can_show = self._has_sentences and self._dock.widget() is not None
        self._dock.setVisible(can_show and self.is_wanted and is_needed)
        self.fit()

    @property
    def _has_page(self) -> bool:
        """Whether the view shows or will show selectable sentences."""
        view = self._view
        self._pages = [page for page in self._pages if isValid(page)]
        return view is not None and any(
            view.isAncestorOf(page) and page.isVisibleTo(view) for page in self._pages
        )

    def fit(self) -> None:
        """Set the user's width, or a share of the window's width."""
        share = round(SHARE * self._window.width())
        width = self._state.settings.inspector_width or min(WIDTH, share)
        for dock in (self._dock, self._guide):
            if dock.isVisible() and dock.width() != width:
                self._window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Store the width that the user drags the dock to; react to page changes."""
        is_dragged = QApplication.mouseButtons() == Qt.MouseButton.LeftButton
        if isinstance(event, QResizeEvent) and watched is self._dock and is_dragged:
            self._save_timer.start()
        if event.type() == QEvent.Type.Show and watched is not self._dock:
            self._on_selection_changed()
        elif event.type() == QEvent.Type.Hide and watched is not self._dock:
            QTimer.singleShot(0, self, self._on_selection_changed)  # after a new page
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

    def _on_page_made(self, page: QWidget) -> None:
        self._pages.append(page)
        page.installEventFilter(self)

    def _on_toggled(self, is_open: bool) -> None:
        self.is_wanted = is_open
