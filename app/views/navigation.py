"""The narrow column on the left: the project, the views, the palette's key."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.views.icons import themed_icon
from app.views.panels.project_panel import ProjectPanel
from app.views.state import AppState
from app.views.theme import GRID, scaled, tokens_of
from app.views.view import ViewEntry, view_keys
from app.views.widgets.controls import describe, make_button

WIDTH = 26 * GRID


class Navigation(QWidget):
    """Shows the views that exist; one of them is current."""

    view_chosen = Signal(str)
    palette_wanted = Signal()

    def __init__(
        self,
        state: AppState,
        entries: Sequence[ViewEntry],
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self.setObjectName("navigation")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(scaled(WIDTH))
        self._entries = list(entries)
        self._list = QListWidget()
        self._list.setObjectName("views")
        self._list.setIconSize(QSize(20, 20))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(self._list, self.tr("Views"), self.tr("Choose a view."))
        for i, entry in enumerate(self._entries):
            item = QListWidgetItem(entry.title)
            item.setToolTip(f"{entry.hint} ({view_keys(i)})")
            self._list.addItem(item)
        self._draw_icons()
        self._list.currentRowChanged.connect(self._on_current_row_changed)
        self._list.itemClicked.connect(self._on_item_clicked)
        actions = make_button(
            self.tr("All actions   Ctrl+K"),
            self.tr("Find any action by name (Ctrl+K)."),
            self.palette_wanted.emit,
            kind="quiet",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 1, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(ProjectPanel(state))
        layout.addWidget(self._list, 1)
        layout.addWidget(actions)

    def set_current(self, name: str) -> None:
        """Mark a view as the current one, without choosing it again."""
        names = [entry.name for entry in self._entries]
        self._list.blockSignals(True)
        self._list.setCurrentRow(names.index(name) if name in names else -1)
        self._list.blockSignals(False)

    def _on_current_row_changed(self, row: int) -> None:
        if row >= 0:
            self.view_chosen.emit(self._entries[row].name)

    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        """Show the view, also the current one again: it takes the keyboard."""
        self._on_current_row_changed(self._list.row(item))

    def _draw_icons(self) -> None:
        for i, entry in enumerate(self._entries):
            self._list.item(i).setIcon(themed_icon(entry.icon, tokens_of(self)))

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icons again in the colours of a new theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()
        super().changeEvent(event)
