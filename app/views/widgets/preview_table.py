"""The first rows of a file that is to be imported; columns that are read stand out."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from app.views.theme import scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.widgets.page_model import LANGUAGE_ROLE
from app.views.widgets.preview import Preview
from app.views.widgets.text_delegate import TextDelegate

ROW_HEIGHT = 28
MIN_WIDTH = 120


class PreviewTable(QTableWidget):
    """A table of text cells."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setItemDelegate(TextDelegate(self))  # each text in its own direction
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(ROW_HEIGHT))
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.horizontalHeader().setMinimumSectionSize(scaled(MIN_WIDTH))
        describe(self, self.tr("First rows"), self.tr("The first rows of the file."))

    def show_preview(
        self, preview: Preview, languages: Sequence[str], label: str
    ) -> None:
        """Show rows; `languages` are those of the sides, `label` the label's column."""
        self.clear()
        self.setRowCount(len(preview.rows))
        self.setColumnCount(len(preview.columns))
        self.setHorizontalHeaderLabels(list(preview.columns))
        read = self._read_columns(preview, languages)
        for row, cells in enumerate(preview.rows):
            for column, text in enumerate(cells):
                name = preview.columns[column]
                is_read = column in read or name == label
                self.setItem(row, column, self._item(text, read.get(column), is_read))
        mode = QHeaderView.ResizeMode
        header = self.horizontalHeader()
        stretched = read or {0: ""}
        for column in range(self.columnCount()):
            is_wide = column in stretched
            header.setSectionResizeMode(
                column, mode.Stretch if is_wide else mode.Interactive
            )

    def _read_columns(
        self, preview: Preview, languages: Sequence[str]
    ) -> dict[int, str]:
        """Tell which columns are read, and in which language."""
        codes = [*languages, *("" for _ in preview.sides)]
        if not preview.has_columns:
            return dict(enumerate(codes[: len(preview.columns)]))
        places = {name: place for place, name in enumerate(preview.columns)}
        return {
            places[side.column]: codes[number]
            for number, side in enumerate(preview.sides)
            if side.column in places
        }

    def _item(self, text: str, language: str | None, is_read: bool) -> QTableWidgetItem:
        item = QTableWidgetItem(text)
        item.setToolTip(text)
        if not is_read:
            item.setForeground(QColor(tokens_of(self).secondary))
        item.setData(LANGUAGE_ROLE, language)
        return item
