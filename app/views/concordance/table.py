"""Table of concordance lines, navigated and labelled by keyboard."""

from collections.abc import Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QFontMetricsF, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.views.concordance.delegate import KwicDelegate
from app.views.concordance.model import (
    KWIC,
    LABEL,
    LINE,
    NUMBER,
    PLACE,
    ROW_ROLE,
    KwicLines,
    KwicModel,
    KwicRow,
)
from app.views.concordance.neighbours import LineNeighbours
from app.views.widgets.cells import Index
from app.views.widgets.controls import ENTER_KEYS, describe
from app.views.widgets.hits import elide_source
from app.views.widgets.sentence_label import FullTextPopup
from app.views.widgets.tables import PADDING, set_up_large_table
from app.views.widgets.theme import scaled

if TYPE_CHECKING:
    from sqlalchemy import Engine

WIDTHS = {NUMBER: 58, PLACE: 300, LINE: 80, LABEL: 84}  # pixels, at most
MIN_PLACE_WIDTH = 112  # pixels
MIN_KWIC_WIDTH = 400  # pixels; other columns are hidden first
MIN_KWIC_WITH_PLACE = 320  # pixels; then the names of corpora are hidden, too
COLLAPSE_ORDER = (NUMBER, LINE, LABEL, PLACE)  # the first column is hidden first
_READ_KEYS = (Qt.Key.Key_Space, *ENTER_KEYS)


class _PlaceDelegate(QStyledItemDelegate):
    """Elides corpus and document names so that they remain distinguishable."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Elide the names to the width of the cell."""
        super().initStyleOption(option, index)
        row: KwicRow | None = index.data(ROW_ROLE)
        model = index.model()
        if row is not None and isinstance(model, KwicModel):
            style, id_ = QApplication.style(), row.sentence.id
            place = style.subElementRect(
                QStyle.SubElement.SE_ItemViewItemText, option, option.widget
            )
            margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1
            option.text = elide_source(
                model.corpus_of(id_),
                model.document_of(id_),
                place.width() - 2 * margin,
                QFontMetricsF(option.font),
            )


class KwicTable(QTableView):
    """Lines of a concordance.

    Attributes:
        lines: the table's model.
    """

    line_selected = Signal(object)  # sentence id
    line_opened = Signal(object)  # sentence id, on a double click
    digit_pressed = Signal(int)  # 0 … 9: labels the selected lines
    note_requested = Signal()
    visible_rows_changed = Signal()  # after scrolling, resizing or new lines

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.lines = KwicModel(self)
        self.setModel(self.lines)
        self._delegate = KwicDelegate(self)
        self.setItemDelegateForColumn(KWIC, self._delegate)
        self._has_labels = False
        self._missing: tuple[int, int] | None = None  # current line, if not shown
        set_up_large_table(self)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        for column in range(self.lines.columnCount()):
            mode = QHeaderView.ResizeMode
            is_hit = column == KWIC
            header.setSectionResizeMode(
                column, mode.Stretch if is_hit else mode.Interactive
            )
        self.setItemDelegateForColumn(PLACE, _PlaceDelegate(self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(self, self.tr("Lines of the concordance"), has_tooltip=False)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self.doubleClicked.connect(self._on_double_clicked)
        self.verticalScrollBar().valueChanged.connect(self.visible_rows_changed)
        self.fit_rows()

    # --- display ---

    def show_lines(
        self, store: "Engine | None", corpora: dict[int, str], lines: KwicLines
    ) -> bool:
        """Show lines, and return whether lines were only appended.

        Keep the current line. If the new lines do not contain it, restore it with the
        next lines that do, unless the user selects another line first.
        """
        current = self.current_line or self._missing
        model = self.selectionModel()
        model.blockSignals(True)
        only_grew = self.lines.show_lines(store, corpora, lines)
        if not only_grew:
            self._delegate.clear_layouts()
            self._fit_columns()
            self.updateGeometries()  # updates the scroll range
            self.scrollToTop()
            is_shown = current is None or self.select_line(current)
            self._missing = None if is_shown else current
        model.blockSignals(False)
        self.visible_rows_changed.emit()
        return only_grew

    def mark_sort(self, sort: Sequence[str]) -> None:
        """Mark the sort words."""
        self._delegate.sort = tuple(sort)
        self.refresh_style()

    def show_neighbours(self, neighbours: LineNeighbours) -> None:
        """Show the nearest sentences below each line."""
        self._delegate.neighbours = neighbours
        self.fit_rows()

    def show_labels(self, *, has_any: bool) -> None:
        """Show or hide the label column, and read the labels again."""
        self._has_labels = has_any
        self._fit_columns()
        self.lines.forget_rows()

    def refresh_style(self) -> None:
        """Redraw all lines after a change of colours, sizes or marks."""
        self._delegate.clear_layouts()
        self.viewport().update()

    def read_again(self) -> None:
        """Read and redraw the lines after a change of their texts."""
        self.lines.forget_rows()
        self.refresh_style()

    def fit_rows(self) -> None:
        """Set the row height for a line and its nearest sentences."""
        header, height = self.verticalHeader(), self._delegate.row_height
        if header.defaultSectionSize() != height:
            row = self.top_row
            header.setDefaultSectionSize(height)
            self.scroll_to_row(row)
        self.viewport().update()

    # --- lines ---

    @property
    def current_line(self) -> tuple[int, int] | None:
        """The sentence id and the start of the hit in the current line."""
        row = self.currentIndex().row()
        if not 0 <= row < self.lines.rowCount():
            return None
        sentence, start, _ = self.lines.line_at(row)
        return sentence, start

    @property
    def current_row(self) -> KwicRow | None:
        """The current row; None if there is none or its sentence was deleted."""
        row = self.currentIndex().row()
        return self.lines.row_at(row) if 0 <= row < self.lines.rowCount() else None

    @property
    def top_row(self) -> int:
        """The first visible row."""
        return max(self.rowAt(0), 0)

    @property
    def n_selected(self) -> int:
        """The number of selected rows."""
        return sum(len(part) for part in self._selected())

    def selected_rows(self, limit: int) -> list[int]:
        """Return at most `limit` selected rows from top to bottom."""
        return list(islice(chain.from_iterable(self._selected()), limit))

    def selected_ids(self, limit: int) -> list[int]:
        """Return at most `limit` distinct ids of selected sentences."""
        rows = self.selected_rows(limit)
        return np.unique(self.lines.shown.lines[rows, 0]).tolist() if rows else []

    def visible_ids(self) -> list[int]:
        """Return the ids of the visible sentences."""
        n = self.lines.rowCount()
        if not n:
            return []
        bottom = self.rowAt(self.viewport().height() - 1)
        last = n - 1 if bottom < 0 else bottom
        rows = range(self.top_row, last + 1)
        return list(dict.fromkeys(self.lines.line_at(row)[0] for row in rows))

    def select_line(self, line: tuple[int, int]) -> bool:
        """Make a line current and scroll to it; return whether it is in the table."""
        row = self.lines.row_of(line)
        if row >= 0:
            self.select_row(row)
            hint = QAbstractItemView.ScrollHint.PositionAtCenter
            self.scrollTo(self.currentIndex(), hint)
        return row >= 0

    def select_row(self, row: int) -> None:
        """Make a row current."""
        flag = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(
            self.lines.index(row, KWIC), flag.ClearAndSelect | flag.Rows
        )

    def scroll_to_row(self, row: int) -> None:
        """Scroll a row to the top."""
        if 0 <= row < self.lines.rowCount():
            hint = QAbstractItemView.ScrollHint.PositionAtTop
            self.scrollTo(self.lines.index(row, KWIC), hint)

    def focus_lines(self) -> None:
        """Focus the table at the current line, or the first one."""
        if self.current_row is None:
            self.select_row(0)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def select_next(self) -> None:
        """Select the next row if exactly one row is selected."""
        row = self.currentIndex().row() + 1
        if self.n_selected == 1 and 0 < row < self.lines.rowCount():
            self.select_row(row)

    def show_full_text(self) -> None:
        """Show the full sentence of the current line in a popup."""
        row = self.current_row
        if row is not None:
            index = self.visualRect(self.currentIndex().siblingAtColumn(KWIC))
            text, language = row.sentence.text, row.sentence.language
            FullTextPopup(text, language, self.viewport()).show_over(index)

    def point_below_current(self) -> QPoint:
        """Return the global position of a menu for the current line."""
        index = self.visualRect(self.currentIndex().siblingAtColumn(KWIC))
        return self.viewport().mapToGlobal(index.bottomLeft())

    def add_table_action(self, action: QAction) -> None:
        """Limit the keys of an action to the table: elsewhere they type or navigate."""
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.addAction(action)

    # --- private ---

    def _selected(self) -> list[range]:
        """Return the ranges of selected rows from top to bottom."""
        chosen = self.selectionModel().selection()
        parts = [chosen.at(index) for index in range(chosen.count())]
        found = [range(part.top(), part.bottom() + 1) for part in parts]
        return sorted(found, key=lambda part: part.start)

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self.line_selected.emit(self.lines.line_at(current.row())[0])

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.line_opened.emit(self.lines.line_at(index.row())[0])

    def _fit_columns(self) -> None:
        """Hide columns if the hits have too little space."""
        wanted = [c for c in WIDTHS if c != LABEL or self._has_labels]
        widths = {column: scaled(WIDTHS[column]) for column in WIDTHS}
        submitted = max(
            map(self.fontMetrics().horizontalAdvance, self.lines.names), default=0
        )
        least, most = scaled(MIN_PLACE_WIDTH), widths[PLACE]
        room = self.viewport().width() - scaled(MIN_KWIC_WIDTH)
        beside = widths[LINE] + (widths[LABEL] if LABEL in wanted else 0)
        most = min(most, max(room - beside, least))  # keeps the line number
        widths[PLACE] = min(max(submitted + 4 * PADDING, least), most)
        room_with_place = self.viewport().width() - scaled(MIN_KWIC_WITH_PLACE)
        for column in COLLAPSE_ORDER:
            if column == PLACE:
                room = room_with_place
            if column in wanted and sum(widths[c] for c in wanted) > room:
                wanted.remove(column)
        for column, width in widths.items():
            self.setColumnWidth(column, width)
            self.setColumnHidden(column, column not in wanted)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the full sentence with Space or Enter; label lines with digits."""
        plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
        if event.key() in _READ_KEYS and plain:
            self.show_full_text()
        elif Qt.Key.Key_0 <= event.key() <= Qt.Key.Key_9 and plain:
            self.digit_pressed.emit(event.key() - Qt.Key.Key_0)
        elif event.key() == Qt.Key.Key_N and plain:  # if no inspector handles it
            self.note_requested.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self._fit_columns()
        self.visible_rows_changed.emit()
