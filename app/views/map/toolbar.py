"""Toolbar of a map: mouse tool, zoom, pairs, comparison, export, active filters."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QWidget

from app.engine.store.projections import ProjectionRow
from app.views.map.actions import TOOLS, MapActions
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import make_row
from app.views.widgets.controls import (
    ElidedLabel,
    describe,
    make_action_button,
    make_label,
    make_tool_button,
)
from app.views.widgets.statistics_format import SEPARATOR

COMPARE_LETTERS = 11  # of a map's name
ZOOM_ACTIONS = ("zoom_in", "zoom_out", "show_all")
SHOW_ACTIONS = ("landmarks", "pairs", "list")


class MapToolbar(QWidget):
    """Buttons in one row, or in several rows if the toolbar is narrow."""

    other_chosen = Signal(object)  # id of a map, or None

    def __init__(self, actions: MapActions, parent: QWidget | None = None):
        """Make buttons for some of the view's actions."""
        super().__init__(parent)
        self.others = QComboBox()
        self.others.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.others.setMinimumContentsLength(COMPARE_LETTERS)
        describe(
            self.others,
            self.tr("Compare with"),
            self.tr(
                "Show another map next to this one, with the same selection. You need "
                "two maps."
            ),
        )
        self.others.activated.connect(
            lambda: self.other_chosen.emit(self.others.currentData())
        )
        self._compare = make_action_button(actions["compare"], kind="quiet")
        self._status = make_label("", "secondary")
        export = make_action_button(actions["export"], kind="quiet")
        row = WrappingRow(4)
        for name in (*TOOLS, *ZOOM_ACTIONS, *SHOW_ACTIONS):
            row.addWidget(make_tool_button(actions[name]))
        row.add_stretch()
        for widget in (self._status, self._compare, self.others, export):
            row.addWidget(widget)
        self.setLayout(row)

    def show_status(self, text: str) -> None:
        """Show what is being computed."""
        self._status.setText(text)

    def offer_maps(
        self, rows: Sequence[ProjectionRow], shown: ProjectionRow | None
    ) -> None:
        """Offer maps to compare with."""
        self.others.blockSignals(True)
        self.others.clear()
        self.others.addItem(self.tr("Compare with…"), None)
        for row in rows:
            self.others.addItem(row.name, row.id)
        self.others.blockSignals(False)
        self.others.setEnabled(bool(rows))
        self.show_other(shown)

    def show_other(self, row: ProjectionRow | None) -> None:
        """Show which map is compared with this one."""
        place = 0 if row is None else self.others.findData(row.id)
        self.others.setCurrentIndex(max(place, 0))
        self.others.setItemText(
            0, self.tr("Compare with…") if row is None else self.tr("Close comparison")
        )


class FilterBar(QWidget):
    """Names the active filters, with a button that clears them.

    It lies over the upper edge of the map, so that the map never moves, and is hidden
    without a filter.
    """

    def __init__(self, clear: QAction, parent: QWidget | None = None):
        """Make it; `clear` clears the filters."""
        super().__init__(parent)
        self._filters = ElidedLabel()
        make_row(
            (self._filters, 1), make_action_button(clear, kind="quiet"), parent=self
        )
        self.setAutoFillBackground(True)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence that names the filters; empty if there is none."""
        return self._filters.text()

    def show_filters(self, filters: Sequence[str]) -> None:
        """Name the active filters."""
        words = self.tr("Filters: {filters}").format(filters=SEPARATOR.join(filters))
        self._filters.setText(words if filters else "")
        self.setVisible(bool(filters))
