"""The list of the history: lines of a mark, words and a time."""

from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.views.review_words import Said
from app.views.theme import GRID, scaled, tokens_of
from app.views.widgets.row_delegate import Index
from app.views.widgets.text_layout import Style, draw, lay_out

ROW, PADDING, MARK = 30, 6, 20
_ENTRY = int(Qt.ItemDataRole.UserRole)


class Entry(NamedTuple):
    """A line: what was done and when.

    Attributes:
        step: its number; None: the line leads to earlier ones.
        pair: the pair to go to.
    """

    step: int | None
    pair: int
    said: Said
    when: str
    who: str


class HistoryList(QListWidget):
    """Lines, the newest first."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("history")
        self.setItemDelegate(_Delegate(self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)

    @property
    def entries(self) -> list[Entry]:
        """The lines of steps."""
        found = [entry_of(self.item(row)) for row in range(self.count())]
        return [entry for entry in found if entry.step is not None]

    @property
    def chosen(self) -> Entry | None:
        """The line of a step that the keyboard is on."""
        item = self.currentItem()
        entry = entry_of(item) if item is not None else None
        return entry if entry is not None and entry.step is not None else None

    def show_entries(self, entries: list[Entry]) -> None:
        """Show these lines; place and choice stay."""
        row, bar = self.currentRow(), self.verticalScrollBar().value()
        self.clear()
        for entry in entries:
            self.addItem(_make_item(entry))
        self.setCurrentRow(min(row, self.count() - 1))
        self.verticalScrollBar().setValue(bar)

    def put_first(self, entries: list[Entry]) -> None:
        """Put lines before the others, and let as many of the oldest go."""
        last = self.count() - 1
        if last >= 0 and entry_of(self.item(last)).step is None:
            last -= 1  # what leads to earlier ones stays
        for row in range(len(entries)):
            self.takeItem(last - row)
        for row, entry in enumerate(entries):
            self.insertItem(row, _make_item(entry))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the pair by Enter."""
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.itemActivated.emit(item)
        else:
            super().keyPressEvent(event)


def entry_of(item: QListWidgetItem) -> Entry:
    """Give the line of an item."""
    entry: Entry = item.data(_ENTRY)
    return entry


def _make_item(entry: Entry) -> QListWidgetItem:
    item = QListWidgetItem()
    item.setData(_ENTRY, entry)
    words = " · ".join(
        part for part in (entry.said.text, entry.when, entry.who) if part
    )
    item.setToolTip(words)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
    return item


class _Delegate(QStyledItemDelegate):
    """Paints a line."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint mark, words, and the time at the right."""
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        entry: Entry = index.data(_ENTRY)
        widget = item.widget
        widget.style().drawControl(
            QStyle.ControlElement.CE_ItemViewItem, item, painter, widget
        )
        tokens = tokens_of(widget)
        small = QFont(item.font)
        small.setPixelSize(scaled(12))
        place = QRectF(item.rect).adjusted(PADDING, 0, -PADDING, 0)
        painter.save()
        painter.setPen(QColor(tokens.human))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, middle, entry.said.mark)
        painter.setPen(QColor(tokens.secondary))
        painter.setFont(small)
        wide = QFontMetricsF(small).horizontalAdvance(entry.when)
        painter.drawText(place, middle | Qt.AlignmentFlag.AlignRight, entry.when)
        text = place.adjusted(scaled(MARK), 0, -wide - GRID, 0)
        style = Style(item.font, QColor(tokens.text))
        layout, height = lay_out(entry.said.text, "", text.width(), style)
        text.setTop(text.top() + (text.height() - height) / 2)
        draw(painter, layout, text, QColor(tokens.text))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Give every line the same height."""
        return QSize(100, scaled(ROW))
