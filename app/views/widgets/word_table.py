"""The table of a list of words: bars behind numbers, a heading sorts, Enter opens."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.views.theme import mix, scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.widgets.large_table import set_up_large_table
from app.views.widgets.text_delegate import PADDING, TextDelegate
from app.views.widgets.word_model import SHARE_ROLE, WordModel
from app.views.words_columns import Row, WordColumn

ITEM_PX = (120, 300)  # least and greatest width of the column of words
HEAD_ROOM = 24  # pixels of a heading beside its words
BAR_PX = 96  # least width of a column with bars
BAR, SELECTED_BAR = 0.22, 0.36  # how deep the shade of a bar is
BAR_INSET = 5  # pixels above and below a bar


class WordDelegate(TextDelegate):
    """Paints words as their script is set, and bars behind numbers."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint the cell."""
        if index.column() == 0:
            super().paint(painter, option, index)
            return
        item, text = self.paint_back(painter, option, index)
        share = index.data(SHARE_ROLE)
        is_selected = bool(item.state & QStyle.StateFlag.State_Selected)
        place = QRectF(item.rect)
        if share:
            tokens = tokens_of(QApplication.palette())
            bar = place.adjusted(2, BAR_INSET, -2, -BAR_INSET)
            bar.setWidth(bar.width() * float(share))
            shade = SELECTED_BAR if is_selected else BAR
            painter.fillRect(bar, QColor(mix(tokens, "accent", shade)))
        role = item.palette.ColorRole
        painter.save()
        painter.setFont(item.font)
        painter.setPen(
            item.palette.color(role.HighlightedText if is_selected else role.Text)
        )
        painter.drawText(
            place.adjusted(PADDING, 0, -PADDING, 0), item.displayAlignment, text
        )
        painter.restore()


class WordTable(QTableView):
    """Shows one list.

    Attributes:
        words: its rows.
    """

    opened = Signal(object)  # row: Enter or a double click
    chosen = Signal(object)  # row, or None
    sort_wanted = Signal(str)  # key of a column whose heading was pressed

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.words = WordModel(self)
        self._widths: list[int] = []  # that the columns need
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
            "A heading sorts; Enter or a double click shows where a word stands, "
            "Ctrl+C copies what is chosen."
        )
        describe(self, self.tr("Words"), hint)
        self.setToolTip("")

    @property
    def current_row(self) -> Row | None:
        """The row that the keyboard is on."""
        place = self.currentIndex().row()
        return self.words.rows[place] if 0 <= place < len(self.words.rows) else None

    @property
    def selected_rows(self) -> list[Row]:
        """The rows that are chosen, in their order."""
        places = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.words.rows[place] for place in places]

    def show_rows(
        self,
        columns: Sequence[WordColumn],
        rows: Sequence[Row],
        *,
        n_items: int,
        language: str = "",
    ) -> None:
        """Show another list from its beginning."""
        self.words.show_rows(columns, rows, n_items=n_items, language=language)
        self._fit()
        self.scrollToTop()
        if rows:
            self.setCurrentIndex(self.words.index(0, 0))
        else:
            self.chosen.emit(None)

    def mark_sort(self, key: str, *, descending: bool) -> None:
        """Mark the column that the list is sorted by; an unknown key: none is."""
        keys = [column.key for column in self.words.columns]
        way = Qt.SortOrder
        self.horizontalHeader().setSortIndicator(
            keys.index(key) if key in keys else -1,
            way.DescendingOrder if descending else way.AscendingOrder,
        )

    def _fit(self) -> None:
        header = self.horizontalHeader()
        for place, column in enumerate(self.words.columns):
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.Interactive)
            texts = [column.write(row) for row in self.words.rows[:100]]
            widest = max(
                (self.fontMetrics().horizontalAdvance(text) for text in texts),
                default=0,
            )
            heading = header.fontMetrics().horizontalAdvance(
                str(self.words.headerData(place, Qt.Orientation.Horizontal))
            )
            width = max(widest + 2 * PADDING, heading + scaled(HEAD_ROOM)) + 4
            if column.has_bar:
                width = max(width, scaled(BAR_PX))
            if place == 0:
                least, most = (scaled(pixels) for pixels in ITEM_PX)
                width = min(max(width, least), most)
            self.setColumnWidth(place, width)
        self._widths = [self.columnWidth(c) for c in range(len(self.words.columns))]
        self._fill()

    def _fill(self) -> None:
        """Give the room that is left to the last column with bars, else to words.

        What is missing is taken from the words: they are elided, numbers are cut.
        """
        if not self._widths:
            return
        bars = [n for n, column in enumerate(self.words.columns) if column.has_bar]
        place = bars[-1] if bars else 0
        room = self.viewport().width() - sum(self._widths)
        self.setColumnWidth(place, self._widths[place] + max(room, 0))
        if room <= 0:
            least = min(self._widths[0], scaled(ITEM_PX[0]))
            self.setColumnWidth(0, max(self._widths[0] + room, least))
        elif place:
            self.setColumnWidth(0, self._widths[0])

    def _on_heading(self, section: int) -> None:
        if section < len(self.words.columns):
            self.sort_wanted.emit(self.words.columns[section].key)

    def _on_double_click(self, index: QModelIndex) -> None:
        self.opened.emit(self.words.rows[index.row()])

    def _on_current(self, index: QModelIndex) -> None:
        self.chosen.emit(self.words.rows[index.row()] if index.isValid() else None)

    # --- Qt ---

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the room there is."""
        super().resizeEvent(event)
        self._fill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the concordance of the row by Enter."""
        row = self.current_row
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.opened.emit(row)
            return
        super().keyPressEvent(event)


__all__ = ["WordDelegate", "WordTable"]
