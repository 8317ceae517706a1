"""Tree of named values in groups, readable and copyable."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from app.views.widgets.cells import ALIGN_LEFT
from app.views.widgets.controls import describe
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID, colours_of, scaled

_tr = partial(QCoreApplication.translate, "record_tree")

WIDEST = 320  # pixels of any column except the last
MAX_CELL = 2_000  # longest text of a cell, in characters


class RecordRow(NamedTuple):
    """A row of a record.

    Attributes:
        title: name of the value.
        values: one value, or one for each compared object.
        is_quiet: whether the row is dimmed, like a default.
    """

    title: str
    values: tuple[Any, ...]
    is_quiet: bool = False


class RecordTree(QTreeWidget):
    """Tree of groups of rows, all expanded."""

    def __init__(
        self, name: str, columns: Sequence[str], parent: QWidget | None = None
    ):
        """Create an empty tree; `columns`: titles, with the one of the names first."""
        super().__init__(parent)
        self.setColumnCount(len(columns))
        self.set_columns(columns)
        self.setRootIsDecorated(True)
        self.setUniformRowHeights(True)
        header = self.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(ALIGN_LEFT)
        describe(
            self,
            name,
            self.tr("Names and values. Groups can be collapsed."),
            has_tooltip=False,
        )

    def set_columns(self, columns: Sequence[str]) -> None:
        """Set the titles of the columns."""
        self.setHeaderLabels(list(columns))

    def show_groups(self, groups: Sequence[tuple[str, Sequence[RecordRow]]]) -> None:
        """Show groups of rows, except empty groups."""
        self.clear()
        quiet = QColor(colours_of(self).secondary)
        for title, rows in groups:
            if not rows:
                continue
            group = QTreeWidgetItem([title])
            font = group.font(0)
            font.setBold(True)
            group.setFont(0, font)
            for row in rows:
                texts = [format_value(value)[:MAX_CELL] for value in row.values]
                item = QTreeWidgetItem([row.title, *texts])
                for column, text in enumerate([row.title, *texts]):
                    item.setToolTip(column, text)
                    if row.is_quiet:
                        item.setForeground(column, quiet)
                group.addChild(item)
            self.addTopLevelItem(group)
            group.setExpanded(True)
        for column in range(self.columnCount() - 1):
            self.resizeColumnToContents(column)
            widest = scaled(WIDEST)
            self.setColumnWidth(column, min(self.columnWidth(column), widest) + GRID)

    def texts(self) -> list[list[str]]:
        """Return the texts of the rows without the group headings."""
        rows = []
        for index in range(self.topLevelItemCount()):
            group = self.topLevelItem(index)
            for row in range(group.childCount() if group is not None else 0):
                item = group.child(row) if group is not None else None
                if item is not None:
                    rows.append([item.text(c) for c in range(self.columnCount())])
        return rows


def format_value(value: Any) -> str:
    """Format a setting's value: yes, none, 1,024, unigram."""
    if value is None or value == "" or value == ():
        return _tr("none")
    if isinstance(value, bool):
        return _tr("yes") if value else _tr("no")
    if isinstance(value, int):
        return format_count(value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    return str(value)
