"""What the models of lists and tables share: roles, alignments, counts and titles."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex

DISPLAY_ROLE = int(Qt.ItemDataRole.DisplayRole)
ID_ROLE = int(Qt.ItemDataRole.UserRole)
LANGUAGE_ROLE = ID_ROLE + 1
MARKS_ROLE = ID_ROLE + 2

ALIGN_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ALIGN_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
ALIGN_MIRRORED = Qt.AlignmentFlag.AlignAbsolute | ALIGN_RIGHT  # of text to the left

ROW_HEIGHT = 30  # pixels, fixed: the view never measures rows
# A QTableView hangs when its rows are higher than 2**31 pixels together.
MAX_ROWS = (2**31 - 1) // (4 * ROW_HEIGHT)


class TableModel(QAbstractTableModel):
    """Counts rows and columns, and returns the titles of columns.

    Subclasses implement `n_rows`, `n_columns`, `title` and `data`.

    Attributes:
        numbers: columns of numbers, which are aligned to the right.
    """

    numbers: tuple[int, ...] = ()

    def n_rows(self) -> int:
        """Return the number of rows."""
        raise NotImplementedError

    def n_columns(self) -> int:
        """Return the number of columns."""
        raise NotImplementedError

    def title(self, column: int) -> str:
        """Return the title of a column."""
        raise NotImplementedError

    def title_hint(self, column: int) -> str | None:
        """Return the tooltip of a column's title."""
        return None

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column's title."""
        return ALIGN_RIGHT if column in self.numbers else ALIGN_LEFT

    def emit_all_changed(self) -> None:
        """Let the view show every cell again."""
        if self.rowCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows, at most what a table can show."""
        is_cell = parent is not None and parent.isValid()
        return 0 if is_cell else min(self.n_rows(), MAX_ROWS)

    def columnCount(self, parent: Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else self.n_columns()

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = DISPLAY_ROLE
    ) -> Any:
        """Return the title of a column, its alignment or its tooltip."""
        is_column = section < self.n_columns()
        if orientation != Qt.Orientation.Horizontal or not is_column:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.title(section)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment(section)
            case Qt.ItemDataRole.ToolTipRole:
                return self.title_hint(section)
        return None
