"""Toolbar of a map: mouse tool, zoom, pairs, comparison, export, active filters."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.projections import ProjectionRow
from app.views.map.actions import TOOLS, MapActions
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_row
from app.views.widgets.controls import (
    ElidedLabel,
    make_action_button,
    make_menu_button,
    make_tool_button,
    restyle,
)
from app.views.widgets.icons import themed_icon
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.theme import colours_of

ZOOM_ACTIONS = ("zoom_in", "zoom_out", "show_all")
SHOW_ACTIONS = ("landmarks", "pairs", "list")


class MapToolbar(QWidget):
    """Buttons in one row, or in several rows if the toolbar is narrow.

    Attributes:
        comparing: the button whose menu lists the other maps.
    """

    other_chosen = Signal(object)  # id of a map, or None

    def __init__(self, actions: MapActions, parent: QWidget | None = None):
        """Make buttons for some of the view's actions."""
        super().__init__(parent)
        self._tools = {name: actions[name] for name in TOOLS}
        self._compare = actions["compare"]
        self._others: list[ProjectionRow] = []
        self._shown: ProjectionRow | None = None
        self.comparing = make_menu_button(
            self.tr("Compare"),
            self.tr(
                "Show another map next to this one, with the same selection. You need "
                "two maps."
            ),
            kind="quiet",
        )
        self.comparing.menu().aboutToShow.connect(self._fill_menu)
        row = WrappingRow(4)
        for name in (*TOOLS, *ZOOM_ACTIONS, *SHOW_ACTIONS):
            row.addWidget(make_tool_button(actions[name]))
        row.add_stretch()
        row.addWidget(self.comparing)
        row.addWidget(make_action_button(actions["export"], kind="quiet"))
        self.setLayout(row)
        self._draw_icons()

    def offer_maps(
        self, rows: Sequence[ProjectionRow], shown: ProjectionRow | None
    ) -> None:
        """Offer maps to compare with."""
        self._others = list(rows)
        self.comparing.setEnabled(bool(rows))
        self.show_other(shown)

    def show_other(self, row: ProjectionRow | None) -> None:
        """Show the map that is compared with this one."""
        self._shown = row

    def _fill_menu(self) -> None:
        """List the maps when the menu opens, so that it does not change while open."""
        menu = self.comparing.menu()
        menu.clear()
        for row in self._others:
            action = menu.addAction(row.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(self._shown is not None and row.id == self._shown.id)
            action.triggered.connect(partial(self.other_chosen.emit, row.id))
        menu.addSeparator()
        menu.addAction(self._compare)
        close = menu.addAction(self.tr("Close comparison"))
        close.setEnabled(self._shown is not None)
        close.triggered.connect(partial(self.other_chosen.emit, None))

    def _draw_icons(self) -> None:
        for name, action in self._tools.items():
            action.setIcon(themed_icon(name, colours_of(self)))
            action.setIconVisibleInMenu(False)

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icons in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()


class FilterBar(QWidget):
    """A line above the map that names the active filters, with a button to clear them.

    It keeps its height without filters, so that the map never moves.
    """

    def __init__(self, clear: QAction, parent: QWidget | None = None):
        """Initialise; `clear` is called to clear the filters."""
        super().__init__(parent)
        self.text, self._status = "", ""
        self._label = ElidedLabel("secondary")
        make_row((self._label, 1), make_action_button(clear, kind="quiet"), parent=self)
        self.show_filters(())

    def show_filters(self, filters: Sequence[str]) -> None:
        """Name the active filters."""
        words = self.tr("Filters: {filters}").format(filters=SEPARATOR.join(filters))
        self.text = words if filters else ""
        self._show()

    def show_status(self, text: str) -> None:
        """Show the computation in progress; an empty text shows none."""
        self._status = text
        self._show()

    def _show(self) -> None:
        is_secondary = not (self._status or self.text)
        restyle(self._label, "role", "secondary" if is_secondary else "text")
        self._label.setText(self._status or self.text or self.tr("No filters"))
