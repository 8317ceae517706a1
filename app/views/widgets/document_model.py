"""The documents of a corpus as a table: name, sentences, and a column of each field."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QObject, Qt, Signal

from app.engine.store.document_rows import (
    DocumentRow,
    as_number,
    field_names,
    tell_apart,
    whole_documents,
)
from app.views.widgets.page_model import Index

NAME, SENTENCES = 0, 1  # columns; those of fields follow
_ALIGN_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGN_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class DocumentModel(QAbstractTableModel):
    """Whole documents; a field that is written is told, and shown once it is kept.

    Attributes:
        rows: the documents in the order shown.
        fields: names of the columns behind the first two.
        can_write: fields can be written.
    """

    value_given = Signal(int, str, str)  # first position of the document, field, value

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.rows: list[DocumentRow] = []
        self.fields: list[str] = []
        self.can_write = False
        self._shown: dict[str, str] = {}  # names that are shortened to tell them apart
        self._numbers: set[str] = set()  # fields that hold numbers only
        self._sort = (-1, Qt.SortOrder.AscendingOrder)

    def show_documents(self, stretches: Sequence[DocumentRow]) -> None:
        """Show the documents of a corpus in the order chosen."""
        self.beginResetModel()
        self.rows = whole_documents(stretches)
        short = tell_apart(row.name for row in self.rows)
        self._shown = {name: end for name, end in short.items() if "/" in end}
        self.fields = field_names(self.rows)
        self._numbers = {name for name in self.fields if self._are_numbers(name)}
        self._arrange()
        self.endResetModel()

    def _are_numbers(self, field: str) -> bool:
        values = [row.fields[field] for row in self.rows if field in row.fields]
        return all(as_number(value) is not None for value in values)

    def _arrange(self) -> None:
        column, order = self._sort
        if 0 <= column < self.columnCount():
            is_descending = order == Qt.SortOrder.DescendingOrder
            known = [row for row in self.rows if self._value(row, column) != ""]
            others = [row for row in self.rows if self._value(row, column) == ""]
            known.sort(key=lambda row: self._key(row, column), reverse=is_descending)
            self.rows = known + others  # what has no value comes last either way
        else:
            self.rows.sort(key=lambda row: row.first)

    def _value(self, row: DocumentRow, column: int) -> str:
        if column == NAME:
            return row.name
        if column == SENTENCES:
            return str(row.n_sentences)
        return row.fields.get(self.fields[column - 2], "")

    def _key(self, row: DocumentRow, column: int) -> tuple[float, str]:
        value = self._value(row, column)
        if self._is_number(column):
            return as_number(value) or 0.0, ""
        return 0.0, value.casefold()

    def _is_number(self, column: int) -> bool:
        if column <= SENTENCES:
            return column == SENTENCES
        return self.fields[column - 2] in self._numbers

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the documents."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count name, sentences and fields."""
        return 0 if parent is not None and parent.isValid() else 2 + len(self.fields)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Give what a cell shows."""
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole if column == SENTENCES:
                return QLocale().toString(row.n_sentences)
            case Qt.ItemDataRole.DisplayRole if column == NAME:
                return self._shown.get(row.name, row.name)
            case (
                Qt.ItemDataRole.DisplayRole
                | Qt.ItemDataRole.EditRole
                | Qt.ItemDataRole.ToolTipRole
            ):
                return self._value(row, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _ALIGN_NUMBER if self._is_number(column) else _ALIGN_LEFT
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        """Name the columns."""
        if orientation != Qt.Orientation.Horizontal or section >= self.columnCount():
            return None
        names = [self.tr("Document"), self.tr("Sentences"), *self.fields]
        if role == Qt.ItemDataRole.DisplayRole:
            return names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGN_NUMBER if self._is_number(section) else _ALIGN_LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tr("Click to sort by %1").replace("%1", names[section])
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let fields be written where the project can be."""
        flags = super().flags(index)
        if self.can_write and index.column() > SENTENCES:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(
        self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)
    ) -> bool:
        """Tell that a field was written; the table shows it once it is kept."""
        row, text = self.rows[index.row()], str(value).strip()
        field = self.fields[index.column() - 2]
        if role == Qt.ItemDataRole.EditRole and text != row.fields.get(field, ""):
            self.value_given.emit(row.first, field, text)
        return False

    def sort(
        self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder
    ) -> None:
        """Sort by a column; -1: by the order of the corpus."""
        self._sort = (column, order)
        self.beginResetModel()
        self._arrange()
        self.endResetModel()


__all__ = ["NAME", "SENTENCES", "DocumentModel"]
