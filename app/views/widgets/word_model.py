"""The rows of a list of words, as a table shows them; the next page comes when due."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QGuiApplication

from app.views.theme import tokens_of
from app.views.widgets.page_model import LANGUAGE_ROLE
from app.views.words_columns import Row, WordColumn

Index = QModelIndex | QPersistentModelIndex
SHARE_ROLE = LANGUAGE_ROLE + 10  # 0…1: how long the bar behind a number is
HEAD_ROOM = "\u2002\u2002"  # behind a heading: the mark of the order stands there
DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


class WordModel(QAbstractTableModel):
    """Rows of one list.

    Attributes:
        columns: of the list.
        rows: those that are there so far.
        language: of the words, where they are of one; empty: each is looked at.
    """

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.columns: list[WordColumn] = []
        self.rows: list[Row] = []
        self.language = ""
        self._n_items = 0
        self._greatest: dict[str, float] = {}

    def show_rows(
        self,
        columns: Sequence[WordColumn],
        rows: Sequence[Row],
        *,
        n_items: int,
        language: str = "",
    ) -> None:
        """Show another list.

        Args:
            columns: of it.
            rows: its first ones.
            n_items: rows in all.
            language: code of the words, where they are all of one.
        """
        self.beginResetModel()
        self.columns, self.rows = list(columns), list(rows)
        self._n_items, self.language = n_items, language
        self._greatest = {
            column.key: max((abs(row[column.key] or 0) for row in rows), default=0)
            for column in columns
            if column.has_bar
        }
        self.endResetModel()

    def add_rows(self, rows: Sequence[Row]) -> None:
        """Add the next page; an empty one is the end."""
        if not rows:
            self._n_items = len(self.rows)
            return
        first = len(self.rows)
        self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
        self.rows += rows
        self.endInsertRows()

    # --- Qt ---

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the rows that are there."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def canFetchMore(self, parent: Index) -> bool:
        """Tell whether more rows are to come."""
        return not parent.isValid() and len(self.rows) < self._n_items

    def fetchMore(self, parent: Index) -> None:
        """Ask for the next page."""
        self.more_wanted.emit()

    def data(self, index: Index, role: int = DISPLAY) -> Any:
        """Give what a cell shows."""
        if not index.isValid():
            return None
        column, row = self.columns[index.column()], self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.write(row)
            case Qt.ItemDataRole.ToolTipRole:
                return f"{column.title}: {column.write(row)}\n{column.hint}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{column.title}: {column.write(row)}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case Qt.ItemDataRole.ForegroundRole if row.get("score", 1) == 0:
                return QColor(tokens_of(QGuiApplication.palette()).secondary)
            case _ if role == LANGUAGE_ROLE:
                return self.language or direction_language(str(row["item"]))
            case _ if role == SHARE_ROLE and column.has_bar:
                greatest = self._greatest.get(column.key, 0)
                return abs(row[column.key] or 0) / greatest if greatest else 0
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = DISPLAY
    ) -> Any:
        """Give a heading, or its hint."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title + HEAD_ROOM * (not column.is_text)
            case Qt.ItemDataRole.ToolTipRole:
                return column.hint
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
        return None


def direction_language(text: str) -> str:
    """Name a language that is written as the first letter is; empty: to the right."""
    for character in text:
        match unicodedata.bidirectional(character):
            case "AL":
                return "ar"
            case "R":
                return "he"
            case "L":
                return ""
    return ""


def _alignment(column: WordColumn) -> Qt.AlignmentFlag:
    if column.key == "item":
        return _LEFT
    return _CENTRE if column.is_text else _RIGHT


__all__ = ["SHARE_ROLE", "WordModel", "direction_language"]
