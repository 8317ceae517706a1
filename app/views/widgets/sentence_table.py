"""Table of sentences with sorting, find and full text."""

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget
from sqlalchemy import Engine

from app.engine.store.corpora import corpus_of, list_corpora
from app.engine.store.sentences import SentenceRow
from app.languages import language_name
from app.views.widgets.cells import ROW_HEIGHT
from app.views.widgets.controls import ENTER_KEYS, describe
from app.views.widgets.id_order import IdOrder
from app.views.widgets.page_model import (
    LANGUAGE,
    PLAIN_COLUMNS,
    SENTENCE,
    Column,
    PageModel,
)
from app.views.widgets.sentence_label import FullTextPopup
from app.views.widgets.tables import (
    ROW_HEIGHT_TWO,
    TextDelegate,
    select_table_row,
    set_up_large_table,
)
from app.views.widgets.theme import scaled

CORPUS = "corpus"  # column
OTHER_WIDTH = 96  # pixels of a column that is not among these
WIDTHS = {"line": 64, "language": 88, "length": 72, "translations": 96, "label": 100,
          CORPUS: 120, "document": 150}  # fmt: skip
LEAST = 200  # pixels of the sentence's column; below, other columns give way
NARROW = 520  # the same; below, a row has two lines
_READING = (Qt.Key.Key_Space, *ENTER_KEYS)


class SentenceTable(QTableView):
    """Sentences of one or several corpora.

    Attributes:
        always_two_lines: rows have two lines also where the column is wide, so that
            they don't grow when it gets narrow.
    """

    sentence_selected = Signal(object)  # id
    selection_cleared = Signal()  # no row is selected any more
    sentence_opened = Signal(object)  # id; search for nearest neighbours
    sort_changed = Signal()
    digit_pressed = Signal(int)  # 0 … 9: label the selected sentences
    always_two_lines = False

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.page_model = PageModel(self)
        self.sort_key, self.is_descending = "", False
        self.setModel(self.page_model)
        self._texts = TextDelegate(self)
        self.setItemDelegateForColumn(1, self._texts)
        set_up_large_table(self)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names differ at the end
        header = self.horizontalHeader()
        header.sectionClicked.connect(self._on_section_clicked)
        describe(self, self.tr("Sentences"), has_tooltip=False)
        self.selectionModel().currentRowChanged.connect(self._announce_current)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.clicked.connect(self._announce_current)  # also a click on the same row
        self.doubleClicked.connect(self._on_double_clicked)

    @property
    def current_id(self) -> int | None:
        """Id of the sentence in the current row, if the row is selected."""
        current = self.currentIndex()
        is_selected = self.selectionModel().isSelected(current)
        return self.page_model.id_at(current.row()) if is_selected else None

    @property
    def n_selected(self) -> int:
        """Number of rows that are selected."""
        return sum(bottom - top + 1 for top, bottom in self._selected_ranges())

    @property
    def top_row(self) -> int:
        """The first visible row."""
        return max(self.rowAt(0), 0)

    def show_ids(
        self,
        store: Engine | None,
        order: IdOrder,
        *,
        columns: tuple[Column, ...] = PLAIN_COLUMNS,
        find: str = "",
    ) -> None:
        """Show sentences, and keep the current one if it is among them.

        Sentences of several corpora get a column with the corpus names.
        """
        kept = self.current_id
        if store is not None and order.spans_corpora():
            columns = self._add_corpus(store, columns)
        model = self.selectionModel()
        model.blockSignals(True)
        are_new = columns != self.page_model.columns
        self.page_model.show_ids(store, order, columns=columns, find=find)
        if are_new or self.horizontalHeader().sectionSize(0) != self._least_width(0):
            self._set_widths()
        if kept is not None:
            self._set_current(self.page_model.row_of(kept))
        model.blockSignals(False)
        self._show_sort()
        if kept is not None and self.current_id is None:
            self.selection_cleared.emit()

    def select_sentence(self, sentence_id: int) -> bool:
        """Make a sentence current and scroll to it; returns whether it is shown."""
        row = self.page_model.row_of(sentence_id)
        if row < 0:
            return False
        self._set_current(row)
        hint = QAbstractItemView.ScrollHint.PositionAtCenter
        self.scrollTo(self.currentIndex(), hint)
        return True

    def scroll_to_row(self, row: int) -> None:
        """Bring a row to the top."""
        if 0 <= row < self.page_model.rowCount():
            hint = QAbstractItemView.ScrollHint.PositionAtTop
            self.scrollTo(self.page_model.index(row, 1), hint)

    def sort_by(self, key: str, *, is_descending: bool) -> None:
        """Mark a column as sorted without emitting a signal."""
        self.sort_key, self.is_descending = key, is_descending
        self._show_sort()

    def selected_sentences(self) -> Iterator[SentenceRow]:
        """Return the selected sentences from top to bottom, page by page."""
        for top, bottom in self._selected_ranges():
            yield from self._sentences_of(range(top, bottom + 1))

    def all_sentences(self) -> Iterator[SentenceRow]:
        """Return every sentence of the list from top to bottom, page by page."""
        return self._sentences_of(range(self.page_model.rowCount()))

    def _sentences_of(self, rows: Iterable[int]) -> Iterator[SentenceRow]:
        for row in rows:
            sentence = self.page_model.sentence_at(row)
            if sentence is not None:
                yield sentence

    def selected_ids(self, limit: int) -> list[int]:
        """Return the ids of the selected sentences, up to a maximum."""
        ids: list[int] = []
        for top, bottom in self._selected_ranges():
            stop = min(bottom + 1, top + limit - len(ids))
            ids += self.page_model.ids_at(top, stop)
        return ids

    def step_on(self) -> None:
        """Go to the next row, if one row is selected and there is a next one."""
        row = self.currentIndex().row() + 1
        if self.n_selected == 1 and 0 < row < self.page_model.rowCount():
            self._set_current(row)

    def show_full_text(self) -> None:
        """Show the whole text of the current row over it."""
        index = self.currentIndex().siblingAtColumn(1)
        sentence = self.page_model.sentence_at(index.row()) if index.isValid() else None
        if sentence is not None:
            text, language = sentence.text, sentence.language
            popup = FullTextPopup(text, language, self.viewport())
            popup.show_over(self.visualRect(index))

    def _selected_ranges(self) -> list[tuple[int, int]]:
        """Return the first and last rows of the selected ranges, from top to bottom."""
        ranges = self.selectionModel().selection()
        parts = [ranges.at(index) for index in range(ranges.count())]
        return sorted((part.top(), part.bottom()) for part in parts)

    def _set_current(self, row: int) -> None:
        if row >= 0:
            select_table_row(self, row, 1)

    def _add_corpus(
        self, store: Engine, columns: tuple[Column, ...]
    ) -> tuple[Column, ...]:
        """Add a column of corpus names, unless they repeat the languages."""
        rows = {row.id: row for row in list_corpora(store)}
        if LANGUAGE in columns and all(
            row.name == language_name(row.language) for row in rows.values()
        ):
            return columns
        self.page_model.readers[CORPUS] = lambda ids: {
            id_: rows[corpus_of(id_)].name for id_ in ids if corpus_of(id_) in rows
        }
        index = max(n for n, column in enumerate(columns) if column.is_text) + 1
        added = Column(CORPUS, is_sortable=False, title=self.tr("Corpus"), rank=4)
        return (*columns[:index], added, *columns[index:])

    def _set_widths(self) -> None:
        header = self.horizontalHeader()
        for number, column in enumerate(self.page_model.columns):
            is_text = column.is_text
            if number > 1:
                delegate = self._texts if is_text else self.itemDelegate()
                self.setItemDelegateForColumn(number, delegate)
            mode = QHeaderView.ResizeMode
            header.setSectionResizeMode(
                number, mode.Stretch if is_text else mode.Interactive
            )
            if not is_text:
                self.setColumnWidth(number, self._least_width(number))
        self._fit_columns()

    def _least_width(self, number: int) -> int:
        """Return the width of a column without sentences; its title is whole."""
        wanted = scaled(_width_of(self.page_model.columns[number]))
        title = self.horizontalHeader().sectionSizeHint(number)
        return max(wanted, title)

    def changeEvent(self, event: QEvent) -> None:
        """Set the widths again for another size of the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.isVisible():
            self._set_widths()

    def _show_sort(self) -> None:
        self.page_model.show_sort(self.sort_key, is_descending=self.is_descending)

    def _on_section_clicked(self, section: int) -> None:
        """Sort up, then down, then back to the order of the files."""
        column = self.page_model.columns[section]
        if not column.is_sortable:
            self._show_sort()
            return
        if self.sort_key != column.key:
            self.sort_key, self.is_descending = column.key, False
        elif not self.is_descending:
            self.is_descending = True
        else:
            self.sort_key, self.is_descending = "", False
        self._show_sort()
        self.sort_changed.emit()

    def _announce_current(self) -> None:
        """Emit the current sentence if its row is selected.

        Qt makes the first row current, without selecting it, when the table gets the
        focus: that is no choice of the user.
        """
        current = self.current_id
        if current is not None:
            self.sentence_selected.emit(current)

    def _on_selection_changed(self) -> None:
        if self.selectionModel().hasSelection():
            self._announce_current()
        else:
            self.selection_cleared.emit()

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.sentence_opened.emit(self.page_model.id_at(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the full text of the current sentence on Space or Enter."""
        plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
        if event.key() in _READING and plain and self.currentIndex().isValid():
            self.show_full_text()
        elif Qt.Key.Key_0 <= event.key() <= Qt.Key.Key_9 and plain:
            self.digit_pressed.emit(event.key() - Qt.Key.Key_0)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set sentences in two lines where the column is narrow."""
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Hide columns where the sentence would have too little room.

        Those of the highest rank are hidden first, and of equals the last.
        """
        room = self.viewport().width() - scaled(LEAST)
        columns = list(enumerate(self.page_model.columns))
        columns.sort(key=lambda item: (item[0] > 0, item[1].rank))
        for number, column in columns:
            if column is not SENTENCE:
                least = scaled(LEAST) if column.is_text else self._least_width(number)
                room -= least
                is_kept = number == 0 or column.rank == 0
                self.setColumnHidden(number, room < 0 and not is_kept)
        self._fit_rows()

    def _fit_rows(self) -> None:
        has_two = self.always_two_lines or self.columnWidth(1) < scaled(NARROW)
        self._texts.max_lines = 2 if has_two else 1
        height = scaled(ROW_HEIGHT_TWO if has_two else ROW_HEIGHT)
        if self.verticalHeader().defaultSectionSize() != height:
            seen = self.visualRect(self.currentIndex())
            self.verticalHeader().setDefaultSectionSize(height)
            if self.viewport().rect().intersects(seen):
                self._keep_in_place(seen.center().y())

    def _keep_in_place(self, y: int) -> None:
        """Keep the visible position of the current row for a second click."""
        self.updateGeometries()  # a list of other rows has another end
        above = y // self.verticalHeader().defaultSectionSize()
        self.scroll_to_row(max(self.currentIndex().row() - above, 0))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep a selection when the menu is asked for on it."""
        is_menu = event.button() == Qt.MouseButton.RightButton
        index = self.indexAt(event.position().toPoint())
        if not (is_menu and self.selectionModel().isSelected(index)):
            super().mousePressEvent(event)


def _width_of(column: Column) -> int:
    return WIDTHS.get(column.key, OTHER_WIDTH)
