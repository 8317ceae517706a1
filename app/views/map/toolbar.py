"""Toolbar of a map: mouse tool, zoom, pairs, comparison and export."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QMenu, QWidget

from app.engine.store.projections import ProjectionRow
from app.views.widgets.controls import (
    describe,
    make_action_button,
    make_button,
    make_label,
    make_tool_button,
)
from app.views.widgets.theme import GRID

COMPARE_LETTERS = 13  # of a map's name
TOOLS = ("hand", "lasso", "rectangle")
ZOOM_TOOLS = ("nearer", "farther", "fit", "pairs")


class MapToolbar(QWidget):
    """A row of buttons."""

    other_chosen = Signal(object)  # id of a map, or None

    def __init__(self, actions: dict[str, QAction], parent: QWidget | None = None):
        """Make the buttons; `actions`: the view's, by name."""
        super().__init__(parent)
        self.others = QComboBox()
        self.others.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.others.setMinimumContentsLength(COMPARE_LETTERS)
        describe(
            self.others,
            self.tr("Compare with"),
            self.tr("Show another map beside this one, with the same selection."),
        )
        self.others.activated.connect(
            lambda: self.other_chosen.emit(self.others.currentData())
        )
        self._moves = make_action_button(actions["moves"], kind="quiet")
        self._note = make_label("", "secondary")
        picture = make_button(
            self.tr("Picture"),
            self.tr("Save the map as a picture, a drawing or a table."),
            kind="quiet",
        )
        menu = QMenu(picture)
        menu.addActions([actions[name] for name in ("png", "svg", "csv")])
        picture.setMenu(menu)
        tools = [make_tool_button(actions[name]) for name in TOOLS]
        looking = [make_tool_button(actions[name]) for name in ZOOM_TOOLS]
        self._groups = [
            _group(tools),
            _group(looking),
            _group([self._note, self._moves, self.others, picture]),
        ]
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(4)
        self._rows: list[int] = []
        self._place()

    def _place(self) -> None:
        """Set the groups side by side as long as there is room, else below."""
        rows: list[int] = []
        room = 0
        for group in self._groups:
            width = group.sizeHint().width()
            room -= width + GRID
            rows.append(rows[-1] + (room < 0) if rows else 0)
            if len(rows) == 1 or room < 0:
                room = self.width() - width
        if rows == self._rows:
            return
        self._rows = rows
        for number, (group, row) in enumerate(zip(self._groups, rows, strict=True)):
            column = rows[:number].count(row)
            is_last = number == len(rows) - 1 and row == 0
            side = (
                Qt.AlignmentFlag.AlignRight if is_last else Qt.AlignmentFlag.AlignLeft
            )
            span = 1 if row == 0 else len(rows)
            self._grid.addWidget(group, row, column, 1, span, side)
        self._grid.setColumnStretch(2, 1)

    def event(self, event: QEvent) -> bool:
        """Place the groups anew when a button came or went."""
        if event.type() == QEvent.Type.LayoutRequest and hasattr(self, "_rows"):
            self._place()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the groups anew."""
        super().resizeEvent(event)
        self._place()

    def minimumSizeHint(self) -> QSize:
        """Ask for the room of the widest group."""
        width = max(group.sizeHint().width() for group in self._groups)
        return QSize(width, super().minimumSizeHint().height())

    def say(self, words: str) -> None:
        """Show what is being done."""
        self._note.setText(words)

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
        self.others.setVisible(bool(rows))
        self.show_other(shown)

    def show_other(self, row: ProjectionRow | None) -> None:
        """Show which map is beside this one."""
        place = 0 if row is None else self.others.findData(row.id)
        self.others.setCurrentIndex(max(place, 0))
        self.others.setItemText(
            0, self.tr("Compare with…") if row is None else self.tr("Only one map")
        )


def _group(widgets: Sequence[QWidget]) -> QWidget:
    group = QWidget()
    row = QHBoxLayout(group)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(4)
    for widget in widgets:
        row.addWidget(widget)
    return group
