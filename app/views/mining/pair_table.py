"""Table of sentence pairs: paged model, sort order and table view."""

from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget
from sqlalchemy import Engine

from app.engine.store.pairs.texts import PairTexts, SideText, read_pair_texts
from app.languages import is_right_to_left
from app.number_format import format_score
from app.views.widgets.cells import (
    ALIGN_LEFT,
    ALIGN_MIRRORED,
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    ID_ROLE,
    LANGUAGE_ROLE,
    MARKS_ROLE,
    Index,
    TableModel,
)
from app.views.widgets.choice_titles import choice_title
from app.views.widgets.controls import ENTER_KEYS, describe
from app.views.widgets.id_order import IdOrder, RangeOrder
from app.views.widgets.page_model import PageCache
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.tables import (
    select_table_row,
    set_up_large_table,
    set_up_two_texts,
    share_width,
    text_column_width,
)
from app.views.widgets.theme import colours_of, scaled
from app.views.widgets.verdict_mark import VERDICT_ROLE, VerdictDelegate

PAGE_SIZE = 64  # pairs: about 5 ms
N_PAGES = 32
SCORE, VERDICT, SOURCE, TARGET = range(4)
N_COLUMNS = 4


class PairSort(NamedTuple):
    """The column that the rows are sorted by, and the direction."""

    column: int = SCORE
    is_descending: bool = True


class PairModel(TableModel):
    """Model of pairs: score, verdict, and both current texts.

    Attributes:
        sorting: sort column and direction; None for an order without a column.
    """

    numbers = (SCORE,)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.sorting: PairSort | None = PairSort()
        self._store: Engine | None = None
        self._order: IdOrder = RangeOrder()
        self._find = ""
        self._titles = ("", "")
        self._score = ""
        self._first_candidate: int | None = None
        self.pages = PageCache(self._read_page, N_PAGES)

    def show_ids(self, store: Engine | None, order: IdOrder, *, find: str = "") -> None:
        """Show pairs in the given order, marking the text `find`."""
        self.beginResetModel()
        self._store, self._order, self._find = store, order, find
        self.pages.forget()
        self.endResetModel()

    def set_titles(self, source: str, target: str) -> None:
        """Set the titles of the text columns."""
        self._titles = (source, target)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, SOURCE, TARGET)

    def set_margin(self, margin: str) -> None:
        """Set the type of the score; empty if there is none."""
        self._score = choice_title(margin, "margin") if margin else ""

    def set_first_candidate(self, pair_id: int | None) -> None:
        """Set the id from which pairs are candidates that were not selected."""
        self._first_candidate = pair_id

    def show_sort(self, sort: PairSort | None) -> None:
        """Mark the sort column."""
        self.sorting = sort
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, N_COLUMNS - 1)

    def refresh_rows(self) -> None:
        """Reload the rows after judgements change."""
        self.pages.forget()
        self.emit_all_changed()

    def id_at(self, row: int) -> int:
        """Return the id of the pair in a row."""
        return int(self._order.part(row, row + 1)[0])

    def row_of(self, pair_id: int) -> int:
        """Return the row of a pair, or -1 if it is not shown."""
        row = self._order.row_of(pair_id)
        return row if row < self.rowCount() else -1

    def pair_at(self, row: int) -> PairTexts | None:
        """Read the pair in a row; None if it was deleted."""
        return self.pages[row // PAGE_SIZE][row % PAGE_SIZE]

    def _read_page(self, number: int) -> list[PairTexts | None]:
        start = number * PAGE_SIZE
        ids = self._order.part(start, min(start + PAGE_SIZE, len(self._order))).tolist()
        if self._store is None:
            return [None] * len(ids)
        return read_pair_texts(self._store, ids)

    def _text(self, found: PairTexts | None, column: int) -> str:
        if found is None:
            return self.tr("(deleted)") if column == SOURCE else ""
        if column == SCORE:
            return format_score(found.pair.score)
        if column == VERDICT:
            return ""
        return side_of(found, column).text

    def n_rows(self) -> int:
        """Return the number of pairs."""
        return len(self._order)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return N_COLUMNS

    def title(self, column: int) -> str:
        """Return the title of a column, with the sort direction."""
        arrow = ""
        if self.sorting is not None and self.sorting.column == column:
            arrow = " ↓" if self.sorting.is_descending else " ↑"
        return self._title(column) + arrow

    def title_hint(self, column: int) -> str | None:
        """Return an explanation of the score and of sorting by click."""
        sort = self.tr("Click to sort by score, or to reverse the order")
        return {
            SCORE: f"{self._score}\n{sort}" if self._score else sort,
            SOURCE: self.tr(
                "Click to sort by source position, with the best pair of each first"
            ),
        }.get(column)

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the data of a cell."""
        if not index.isValid():
            return None
        column = index.column()
        if role == ID_ROLE:
            return self.id_at(index.row())
        if role == MARKS_ROLE:
            return self._find if column in (SOURCE, TARGET) else ""
        if role == Qt.ItemDataRole.ForegroundRole:
            first = self._first_candidate
            is_other = first is not None and self.id_at(index.row()) >= first
            return (
                QColor(colours_of(QGuiApplication.palette()).secondary)
                if (is_other)
                else None
            )
        if role not in _ROLES_OF_PAIRS:
            return None
        found = self.pair_at(index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(found, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                is_mark = column == VERDICT
                return (
                    _describe_verdict(found) if is_mark else self._text(found, column)
                )
            case Qt.ItemDataRole.ToolTipRole:
                return _describe_verdict(found) if column == VERDICT else None
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(found, column)
            case _ if role == LANGUAGE_ROLE:
                is_text = found is not None and column in (SOURCE, TARGET)
                return side_of(found, column).language if found and is_text else ""
            case _ if role == VERDICT_ROLE:
                return _verdict(found)
        return None

    def _title(self, section: int) -> str:
        fallback = (self.tr("Source"), self.tr("Target"))
        if section in (SOURCE, TARGET):
            return self._titles[section - SOURCE] or fallback[section - SOURCE]
        return self.tr("Score") if section == SCORE else ""


_ROLES_OF_PAIRS = {
    int(Qt.ItemDataRole.DisplayRole),
    int(Qt.ItemDataRole.AccessibleTextRole),
    int(Qt.ItemDataRole.ToolTipRole),
    int(Qt.ItemDataRole.TextAlignmentRole),
    LANGUAGE_ROLE,
    VERDICT_ROLE,
}


def side_of(found: PairTexts, column: int) -> SideText:
    """Return the side shown in a column."""
    return found.source if column == SOURCE else found.target


def _verdict(found: PairTexts | None) -> str:
    judgement = found.judgement if found is not None else None
    return "" if judgement is None else judgement.verdict


def _describe_verdict(found: PairTexts | None) -> str:
    name = verdict_name(_verdict(found))
    is_edited = found is not None and (found.source.is_edited or found.target.is_edited)
    edited = QCoreApplication.translate("PairModel", "{verdict}, edited")
    return edited.format(verdict=name) if is_edited else name


def _alignment(found: PairTexts | None, column: int) -> Qt.AlignmentFlag:
    if column == SCORE:
        return ALIGN_RIGHT
    if found is not None and column in (SOURCE, TARGET):
        language = side_of(found, column).language
        return ALIGN_MIRRORED if is_right_to_left(language) else ALIGN_LEFT
    return ALIGN_LEFT


WIDTHS = {VERDICT: 28}
TEXT_COLUMNS = (SOURCE, TARGET)


class PairTable(QTableView):
    """A table of pairs."""

    pair_selected = Signal(object)  # id
    pair_opened = Signal(object)  # id of a pair to review
    sort_changed = Signal(object)  # PairSort

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.pairs = PairModel(self)
        self._score_range = (0.0, 1.0)
        self.setModel(self.pairs)
        set_up_large_table(self)
        header = self.horizontalHeader()
        header.setMinimumSectionSize(scaled(WIDTHS[VERDICT]))
        set_up_two_texts(self, TEXT_COLUMNS, WIDTHS)
        header.setSectionResizeMode(SCORE, QHeaderView.ResizeMode.Fixed)
        self.setItemDelegateForColumn(VERDICT, VerdictDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header.sectionClicked.connect(self._on_section_clicked)
        describe(self, self.tr("Pairs"), has_tooltip=False)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        # A click on the current row shows its pair again after another sentence.
        self.clicked.connect(self._on_current_changed)
        self.doubleClicked.connect(self._open)

    @property
    def current_id(self) -> int | None:
        """Id of the pair in the current row."""
        row = self.currentIndex().row()
        return self.pairs.id_at(row) if row >= 0 else None

    @property
    def current_pair(self) -> PairTexts | None:
        """The pair in the current row."""
        row = self.currentIndex().row()
        return self.pairs.pair_at(row) if row >= 0 else None

    def set_score_range(self, low: float, high: float) -> None:
        """Fit the column to the scores of a pair set."""
        self._score_range = (low, high)
        self._fit_columns()

    def show_ids(self, store: Engine | None, order: IdOrder, *, find: str = "") -> None:
        """Show pairs; the current pair stays selected if it is among them."""
        current = self.current_id
        model = self.selectionModel()
        model.blockSignals(True)
        self.pairs.show_ids(store, order, find=find)
        if current is not None:
            self.select_row(self.pairs.row_of(current))
        model.blockSignals(False)

    def select_pair(self, pair_id: int) -> bool:
        """Select a pair and scroll to it; return whether it is shown."""
        row = self.pairs.row_of(pair_id)
        if row < 0:
            return False
        self.select_row(row)
        hint = QAbstractItemView.ScrollHint.PositionAtCenter
        self.scrollTo(self.currentIndex(), hint)
        return True

    def select_row(self, row: int) -> None:
        """Select a row, if it exists."""
        if 0 <= row < self.pairs.rowCount():
            select_table_row(self, row, SOURCE)

    def _fit_columns(self) -> None:
        longest = max(map(format_score, self._score_range), key=len)
        self.setColumnWidth(SCORE, text_column_width(self, SCORE, longest))
        share_width(self, TEXT_COLUMNS)

    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.pair_opened.emit(self.pairs.id_at(index.row()))

    def _on_section_clicked(self, section: int) -> None:
        """Sort by score, best or worst first, or by source position."""
        old = self.pairs.sorting
        if section == SCORE:
            was_score = old is not None and old.column == SCORE
            is_falling = old is not None and was_score and old.is_descending
            self.sort_changed.emit(PairSort(SCORE, is_descending=not is_falling))
        elif section == SOURCE:
            self.sort_changed.emit(PairSort(SOURCE, is_descending=False))

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self.pair_selected.emit(self.pairs.id_at(current.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current pair on Enter."""
        if event.key() in ENTER_KEYS and self.currentIndex().isValid():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Highlight the row that Qt makes current if nothing is selected yet."""
        had_current = self.currentIndex().isValid()
        super().focusInEvent(event)
        if not had_current and self.currentIndex().isValid():
            self.select_row(self.currentIndex().row())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the score column to the text size; both texts share the other width."""
        super().resizeEvent(event)
        self._fit_columns()
