"""Table of a word list, its model, and the delegate that paints bars."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.protocol.answers.words import EquivalentRow, WordRow
from app.views.widgets.cells import (
    ALIGN_LEFT,
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    LANGUAGE_ROLE,
    Index,
    TableModel,
)
from app.views.widgets.controls import ENTER_KEYS, describe
from app.views.widgets.tables import (
    PADDING,
    TextDelegate,
    paint_back,
    set_up_large_table,
)
from app.views.widgets.text_layout import direction_language
from app.views.widgets.theme import colours_of, mix, scaled
from app.views.words.columns import WordColumn

SHARE_ROLE = LANGUAGE_ROLE + 10  # -1…1: signed length of the bar behind a number
ZERO_ROLE = SHARE_ROLE + 1  # 0…1: start of the bars of a column
MAX_HEADING = 14  # characters of a one-line heading
HEADER_SUFFIX = "\u2002\u2002"  # space for the sort indicator


class WordListModel(TableModel):
    """Rows of one list.

    Attributes:
        columns: columns of the list.
        rows: rows received so far.
        language: code of the words; empty if there are several.
    """

    more_requested = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.columns: list[WordColumn[Any]] = []
        self.rows: list[WordRow] = []
        self.language = ""
        self._n_items = 0
        self._ranges: dict[str, tuple[float, float]] = {}  # of columns with bars

    def show_rows(
        self,
        columns: Sequence[WordColumn[Any]],
        rows: Sequence[WordRow],
        *,
        n_items: int,
        language: str = "",
    ) -> None:
        """Show another list.

        Args:
            rows: first rows of the list.
            n_items: number of rows of the complete list.
            language: code of the words; empty if there are several.
        """
        self.beginResetModel()
        self.columns, self.rows = list(columns), list(rows)
        self._n_items, self.language = n_items, language
        self._ranges = {}
        self._widen_ranges(rows)
        self.endResetModel()

    def add_rows(self, rows: Sequence[WordRow]) -> None:
        """Append the next page; an empty page marks the end of the list."""
        if not rows:
            self._n_items = len(self.rows)
            return
        first = len(self.rows)
        self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
        self.rows += rows
        before = dict(self._ranges)
        self._widen_ranges(rows)
        self.endInsertRows()
        if self._ranges != before:
            last = self.index(len(self.rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def _widen_ranges(self, rows: Sequence[WordRow]) -> None:
        """Extend the range of each bar column to zero and the numbers of new rows."""
        for column in self.columns:
            if column.has_bar:
                numbers = (column.value(row) or 0.0 for row in rows)
                shown = (*self._ranges.get(column.key, (0.0,)), *numbers)
                self._ranges[column.key] = min(shown), max(shown)

    # --- Qt ---

    def n_rows(self) -> int:
        """Return the number of rows received so far."""
        return len(self.rows)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    def title(self, column: int) -> str:
        """Return the title of a column."""
        one = self.columns[column]
        title = one.title + HEADER_SUFFIX * (not one.is_text)
        is_long = len(one.title) > MAX_HEADING
        return title.replace(" ", f"{HEADER_SUFFIX}\n", 1) if is_long else title

    def title_hint(self, column: int) -> str | None:
        """Return the tooltip of a column's title."""
        return self.columns[column].hint

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column."""
        one = self.columns[column]
        if one.key == "item":
            return ALIGN_LEFT
        return Qt.AlignmentFlag.AlignCenter if one.is_text else ALIGN_RIGHT

    def canFetchMore(self, parent: Index) -> bool:
        """Return whether there are more rows."""
        return not parent.isValid() and len(self.rows) < self._n_items

    def fetchMore(self, parent: Index) -> None:
        """Request the next page."""
        self.more_requested.emit()

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the data of a cell."""
        if not index.isValid():
            return None
        column, row = self.columns[index.column()], self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(row)
            case Qt.ItemDataRole.ToolTipRole:
                return f"{column.title}: {column.text(row)}\n{column.hint}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{column.title}: {column.text(row)}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment(index.column())
            case Qt.ItemDataRole.ForegroundRole if _is_insignificant(row):
                return QColor(colours_of(QGuiApplication.palette()).secondary)
            case _ if role == LANGUAGE_ROLE:
                return self.language or direction_language(row.item)
            case _ if role in (SHARE_ROLE, ZERO_ROLE) and column.has_bar:
                low, high = self._ranges[column.key]
                number = (column.value(row) or 0) if role == SHARE_ROLE else -low
                return number / (high - low) if high > low else 0
        return None


def _is_insignificant(row: WordRow) -> bool:
    return isinstance(row, EquivalentRow) and not row.is_significant


ITEM_PX = (96, 300)  # minimum and maximum width of the word column
HEADER_PADDING = 24  # pixels next to the text of a heading
BAR_PX = 96  # minimum width of a column with bars
BAR, SELECTED_BAR = 0.22, 0.36  # opacity of a bar
BAR_INSET = 5  # pixels above and below a bar


class WordDelegate(TextDelegate):
    """Paints words in the direction of their script, and bars behind numbers."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the cell."""
        if index.column() == 0:
            super().paint(painter, option, index)
            return
        item, text = paint_back(self, painter, option, index)
        share = index.data(SHARE_ROLE)
        is_selected = bool(item.state & QStyle.StateFlag.State_Selected)
        rect = QRectF(item.rect)
        if share:
            colours = colours_of(QApplication.palette())
            bar = rect.adjusted(2, BAR_INSET, -2, -BAR_INSET)
            zero = bar.left() + bar.width() * float(index.data(ZERO_ROLE))
            bar.setRect(zero, bar.top(), bar.width() * float(share), bar.height())
            shade = SELECTED_BAR if is_selected else BAR
            painter.fillRect(bar.normalized(), QColor(mix(colours, "accent", shade)))
        role = item.palette.ColorRole
        painter.save()
        painter.setFont(item.font)
        painter.setPen(
            item.palette.color(role.HighlightedText if is_selected else role.Text)
        )
        painter.drawText(
            rect.adjusted(PADDING, 0, -PADDING, 0), item.displayAlignment, text
        )
        painter.restore()


class WordTable(QTableView):
    """Table of a word list.

    Attributes:
        words: its model.
    """

    opened = Signal(object)  # row, on Enter or a double click
    row_selected = Signal(object)  # row, or None
    sort_requested = Signal(str)  # key of the column with the pressed heading

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.words = WordListModel(self)
        self._widths: list[int] = []  # preferred widths of the columns
        self.setModel(self.words)
        set_up_large_table(self)
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.setItemDelegate(WordDelegate(self))
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        header = self.horizontalHeader()
        header.setSortIndicatorShown(True)
        header.sectionClicked.connect(self._on_heading)
        self.doubleClicked.connect(self._on_double_click)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        hint = self.tr(
            "Click a heading to sort. Enter or double-click shows the occurrences of a "
            "word; Ctrl+C copies the selected rows."
        )
        describe(self, self.tr("Words"), hint, has_tooltip=False)

    @property
    def current_row(self) -> WordRow | None:
        """The current row."""
        index = self.currentIndex().row()
        return self.words.rows[index] if 0 <= index < len(self.words.rows) else None

    @property
    def selected_rows(self) -> list[WordRow]:
        """The selected rows in table order."""
        indices = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.words.rows[place] for place in indices]

    def show_rows(
        self,
        columns: Sequence[WordColumn[Any]],
        rows: Sequence[WordRow],
        *,
        n_items: int,
        language: str = "",
    ) -> None:
        """Show another list from the top."""
        self._widths = []  # a new heading height resizes the table
        self.words.show_rows(columns, rows, n_items=n_items, language=language)
        self._fit()
        self.scrollToTop()
        if rows:
            self.setCurrentIndex(self.words.index(0, 0))
        else:
            self.row_selected.emit(None)

    def mark_sort(self, key: str, *, descending: bool) -> None:
        """Mark the sort column; an unknown key marks no column."""
        keys = [column.key for column in self.words.columns]
        way = Qt.SortOrder
        self.horizontalHeader().setSortIndicator(
            keys.index(key) if key in keys else -1,
            way.DescendingOrder if descending else way.AscendingOrder,
        )

    def _fit(self) -> None:
        header = self.horizontalHeader()
        for index, column in enumerate(self.words.columns):
            header.setSectionResizeMode(index, QHeaderView.ResizeMode.Interactive)
            texts = [column.text(row) for row in self.words.rows[:100]]
            widest = max(
                (self.fontMetrics().horizontalAdvance(text) for text in texts),
                default=0,
            )
            title = str(self.words.headerData(index, Qt.Orientation.Horizontal))
            metrics = header.fontMetrics()
            heading = max(map(metrics.horizontalAdvance, title.split("\n")))
            width = max(widest + 2 * PADDING, heading + scaled(HEADER_PADDING)) + 4
            if column.has_bar:
                width = max(width, scaled(BAR_PX))
            if index == 0:
                least, most = (scaled(pixels) for pixels in ITEM_PX)
                width = min(max(width, least), most)
            self.setColumnWidth(index, width)
        self._widths = [self.columnWidth(c) for c in range(len(self.words.columns))]
        self._fitted_px = self.font().pixelSize()
        self._fill()

    def _fill(self) -> None:
        """Stretch the last column with bars, or the words, to the available width.

        If there is too little space, shrink the word column: numbers must not be cut.
        If that is not enough, it fills the space before the first column that is cut.
        """
        if not self._widths:
            return
        bars = [n for n, column in enumerate(self.words.columns) if column.has_bar]
        index = bars[-1] if bars else 0
        widths, room = dict(enumerate(self._widths)), self.viewport().width()
        spare = room - sum(self._widths)
        widths[index] += max(spare, 0)
        if spare < 0:
            least = min(self._widths[0], scaled(ITEM_PX[0]))
            widths[0] = max(self._widths[0] + spare, least)
        ends = [end for end in accumulate(widths.values()) if end <= room]
        if ends and len(ends) < len(widths):
            widths[0] += room - ends[-1]
        for column, width in widths.items():
            self.setColumnWidth(column, width)

    def _on_heading(self, section: int) -> None:
        if section < len(self.words.columns):
            self.sort_requested.emit(self.words.columns[section].key)

    def _on_double_click(self, index: QModelIndex) -> None:
        self.opened.emit(self.words.rows[index.row()])

    def _on_current(self, index: QModelIndex) -> None:
        self.row_selected.emit(
            self.words.rows[index.row()] if index.isValid() else None
        )

    # --- Qt ---

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to a new width or text size."""
        super().resizeEvent(event)
        if self._widths and self.font().pixelSize() != self._fitted_px:
            self._fit()
        else:
            self._fill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the concordance of the current row with Enter."""
        row = self.current_row
        if event.key() in ENTER_KEYS and row is not None:
            self.opened.emit(row)
            return
        super().keyPressEvent(event)
