"""A table of pairs that mining found and should not have, or should and did not."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from app.views.mining_evaluations import FoundError
from app.views.mining_words import format_score
from app.views.theme import scaled
from app.views.widgets.controls import describe
from app.views.widgets.large_table import (
    set_up_large_table,
    set_up_two_texts,
    share_room,
)
from app.views.widgets.page_model import LANGUAGE_ROLE, Index
from app.views.widgets.text_layout import direction_language

SCORE_WIDTH, ID_WIDTH = 76, 96
SCORE, SOURCE_ID, SOURCE, TARGET_ID, TARGET = range(5)
_ALIGN_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ErrorModel(QAbstractTableModel):
    """Pairs with the ids and texts of the files."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.errors: list[FoundError] = []

    def show_errors(self, errors: Sequence[FoundError]) -> None:
        """Show pairs."""
        self.beginResetModel()
        self.errors = list(errors)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the pairs."""
        return 0 if parent is not None and parent.isValid() else len(self.errors)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else TARGET + 1

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Give what a cell shows."""
        if not index.isValid():
            return None
        one, column = self.errors[index.row()], index.column()
        text = self._text(one, column)
        is_text = column in (SOURCE, TARGET)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return text
            case Qt.ItemDataRole.ToolTipRole:
                return text if is_text else None
            case Qt.ItemDataRole.TextAlignmentRole if column == SCORE:
                return _ALIGN_NUMBER
            case _ if role == LANGUAGE_ROLE:
                return direction_language(text) if is_text else ""
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        """Name the columns."""
        titles = (
            self.tr("Score"),
            self.tr("Id"),
            self.tr("Source"),
            self.tr("Id"),
            self.tr("Target"),
        )
        is_title = role == Qt.ItemDataRole.DisplayRole
        if is_title and orientation == Qt.Orientation.Horizontal:
            return titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            return _ALIGN_NUMBER if section == SCORE else left
        return None

    def _text(self, one: FoundError, column: int) -> str:
        if column == SCORE:
            return "" if one.score is None else format_score(one.score)
        names = {
            SOURCE_ID: one.source,
            SOURCE: one.source_text,
            TARGET_ID: one.target,
            TARGET: one.target_text,
        }
        return names[column]


class ErrorTable(QTableView):
    """Shows such pairs side by side."""

    def __init__(self, name: str, *, has_score: bool, parent: QWidget | None = None):
        super().__init__(parent)
        self.pairs = ErrorModel(self)
        self.setModel(self.pairs)
        set_up_large_table(self)
        set_up_two_texts(self, (SOURCE, TARGET))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setColumnHidden(SCORE, not has_score)
        self.setColumnWidth(SCORE, scaled(SCORE_WIDTH))
        for column in (SOURCE_ID, TARGET_ID):
            self.setColumnWidth(column, scaled(ID_WIDTH))
        describe(self, name)
        self.setToolTip("")

    def show_errors(self, errors: Sequence[FoundError]) -> None:
        """Show pairs."""
        self.pairs.show_errors(errors)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give both texts half of the room."""
        super().resizeEvent(event)
        share_room(self, (SOURCE, TARGET))
