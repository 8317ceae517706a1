"""The preview of an import: its data, its first rows and its documents."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from app.languages import parse_language
from app.paths import strip_compression
from app.protocol.answers.corpora import ImportPreview
from app.views.widgets.boxes import make_column
from app.views.widgets.cells import LANGUAGE_ROLE
from app.views.widgets.controls import describe, make_label
from app.views.widgets.number_format import format_count
from app.views.widgets.tables import TextDelegate
from app.views.widgets.theme import GRID, colours_of, scaled

SURE_CONFIDENCE = 0.5  # minimum for a guess that fills the language field


def language_of_name(path: Path) -> str:
    """Return the language code in a file name: letters.en, letters.de.txt, de.txt."""
    name = strip_compression(path).name.removesuffix(".txt")
    last = name.replace("_", ".").split(".")[-1]
    is_code = 2 <= len(last) <= 3 or "-" in last
    return last if is_code and parse_language(last).known else ""


def are_pair(paths: list[Path]) -> bool:
    """Return whether file names indicate sides of a parallel text: a.en, a.de."""
    if len(paths) < 2:
        return False
    codes = [language_of_name(path) for path in paths]
    if not all(codes) or len(set(codes)) < len(codes):
        return False
    rests = {
        path.name.replace(f".{code}", "").replace(f"_{code}", "")
        for path, code in zip(paths, codes, strict=True)
    }
    return len(rests) == 1


ROW_HEIGHT = 28
MIN_WIDTH = 120


class PreviewTable(QTableWidget):
    """A table of text cells."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setItemDelegate(TextDelegate(self))  # each text in its direction
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(ROW_HEIGHT))
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.horizontalHeader().setMinimumSectionSize(scaled(MIN_WIDTH))
        self._texts: list[int] = []  # columns of text
        describe(self, self.tr("First rows"), self.tr("The first rows of the file."))

    def show_preview(
        self, preview: ImportPreview, languages: Sequence[str], others: Sequence[str]
    ) -> None:
        """Show rows.

        Args:
            others: imported columns that are not sides.
        """
        self.clear()
        self.setRowCount(len(preview.rows))
        self.setColumnCount(len(preview.columns))
        self.setHorizontalHeaderLabels(list(preview.columns))
        read = self._read_columns(preview, languages)
        for row, cells in enumerate(preview.rows):
            for column, text in enumerate(cells):
                name = preview.columns[column]
                is_read = column in read or name in others
                self.setItem(row, column, self._item(text, read.get(column), is_read))
        self._texts = list(read) or [0]
        self._order_columns(preview.columns, others)
        self._fit_columns()

    def _order_columns(self, names: Sequence[str], others: Sequence[str]) -> None:
        """Show the text columns first, then the other imported columns."""
        header = self.horizontalHeader()
        columns = range(self.columnCount())
        kept = [column for column in columns if names[column] in others]
        order = dict.fromkeys([*self._texts, *kept, *columns])
        for index, column in enumerate(order):
            header.moveSection(header.visualIndex(column), index)

    def _fit_columns(self) -> None:
        """Stretch the text columns, or give each a share of the table's width."""
        mode, header = QHeaderView.ResizeMode, self.horizontalHeader()
        least, room = header.minimumSectionSize(), self.viewport().width()
        overflows = self.columnCount() * least > room
        share = max(room // (len(self._texts) + 1), least)
        for column in range(self.columnCount()):
            is_wide = column in self._texts and not overflows
            header.setSectionResizeMode(
                column, mode.Stretch if is_wide else mode.Interactive
            )
            if column in self._texts and overflows:
                header.resizeSection(column, share)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_columns()

    def _read_columns(
        self, preview: ImportPreview, languages: Sequence[str]
    ) -> dict[int, str]:
        """Return the imported columns with their languages."""
        codes = [*languages, *("" for _ in preview.sides)]
        if not preview.has_columns:
            return dict(enumerate(codes[: len(preview.columns)]))
        indices = {name: index for index, name in enumerate(preview.columns)}
        return {
            indices[side.column]: codes[number]
            for number, side in enumerate(preview.sides)
            if side.column in indices
        }

    def _item(self, text: str, language: str | None, is_read: bool) -> QTableWidgetItem:
        item = QTableWidgetItem(text)
        item.setToolTip(text)
        if not is_read:
            item.setForeground(QColor(colours_of(self).secondary))
        item.setData(LANGUAGE_ROLE, language)
        return item


DOCUMENT_ROW_HEIGHT = 26
N_ROWS = 5  # visible rows
MAX_FIELD_WIDTH = 144  # pixels
MAX_FITTED_COLUMNS = 4  # with more, all columns share the width


class DocumentPreviewPanel(QWidget):
    """The number of documents found, the first documents, and problems."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._heading = make_label("", "section")
        self.table = QTableWidget()
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(scaled(DOCUMENT_ROW_HEIGHT))
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.table.setFixedHeight(scaled((N_ROWS + 1) * DOCUMENT_ROW_HEIGHT) + GRID)
        describe(
            self.table, self.tr("Documents"), self.tr("Documents and their fields.")
        )
        self._problems = make_label("", "warning", wraps=True)
        layout = make_column(parent=self)
        for widget in (self._heading, self.table, self._problems):
            layout.addWidget(widget)
        self.hide()

    def show_preview(self, preview: ImportPreview) -> None:
        """Show the documents found; hide the panel if there are none."""
        self.setVisible(bool(preview.n_documents))
        count = format_count(preview.n_documents)
        words = self.tr("Documents ({n})")
        if preview.has_more_documents:
            words = self.tr("Documents (at least {n})")
        self._heading.setText(words.format(n=count))
        titles = [self.tr("Document"), *preview.document_fields]
        self.table.clear()
        self.table.setRowCount(len(preview.documents))
        self.table.setColumnCount(len(titles))
        self.table.setHorizontalHeaderLabels(titles)
        for row, found in enumerate(preview.documents):
            fields = (found.fields.get(name, "") for name in titles[1:])
            for column, text in enumerate((found.name, *fields)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.table.setItem(row, column, item)
        modes, header = QHeaderView.ResizeMode, self.table.horizontalHeader()
        header.setSectionResizeMode(modes.Stretch)
        if len(titles) <= MAX_FITTED_COLUMNS:
            header.setSectionResizeMode(modes.Interactive)
            header.setSectionResizeMode(0, modes.Stretch)
            for column in range(1, len(titles)):
                wanted = self.table.sizeHintForColumn(column)
                wanted = max(wanted, header.sectionSizeHint(column)) + GRID
                header.resizeSection(column, min(wanted, scaled(MAX_FIELD_WIDTH)))
        problems = "\n".join(preview.document_problems[:3])
        self._problems.setText(problems)
        self._problems.setVisible(bool(problems))
