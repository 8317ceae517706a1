"""The history of judging: each step in words and its time, one click from its pair."""

from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.pair_texts import read_pair_texts
from app.engine.store.review_rows import JudgedStep, read_judged_steps
from app.views.review_words import Said, describe_step, format_moment
from app.views.state import AppState
from app.views.theme import GRID, scaled, tokens_of
from app.views.widgets.controls import describe, make_label
from app.views.widgets.corpus_list import Index
from app.views.widgets.text_layout import Style, draw, lay_out

N_STEPS = 40  # of a page
N_MOST = 400
REFRESH_MS = 120  # it is read no oftener
ROW, PADDING, MARK = 30, 6, 20


class Entry(NamedTuple):
    """A line: the pair to go to, what was done and when."""

    pair: int
    said: Said
    when: str
    who: str


_ENTRY = int(Qt.ItemDataRole.UserRole)
_MORE = -1


class HistoryPanel(QWidget):
    """The newest steps of all sets of pairs; more are read on demand."""

    pair_chosen = Signal(object)  # id

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._n_wanted = N_STEPS
        self.list = _List()
        words = self.tr("Go to the pair of a judgement by a click or Enter.")
        describe(self.list, self.tr("History of judgements"), words)
        self._empty = make_label(
            self.tr("Nothing is judged yet."), "secondary", wraps=True
        )
        self._timer = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(make_label(self.tr("History"), "section"))
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._empty, 1)
        layout.addWidget(self.list, 1)
        self.list.itemActivated.connect(self._on_chosen)
        self.list.itemClicked.connect(self._on_chosen)

    @property
    def entries(self) -> list[Entry]:
        """The lines, the newest first."""
        items = [self.list.item(row) for row in range(self.list.count())]
        found = [item.data(_ENTRY) for item in items]
        return [entry for entry in found if entry.pair != _MORE]

    def refresh_soon(self) -> None:
        """Read again in a moment, once for many changes."""
        if not self._timer.isActive():
            self._timer.start()

    def refresh(self) -> None:
        """Read the newest steps and show them."""
        self._timer.stop()
        project = self._state.project
        if project is None:
            return
        steps = read_judged_steps(project.store, limit=self._n_wanted)
        texts = read_pair_texts(project.store, [step.row.pair_id for step in steps])
        entries = [
            _to_entry(step, found.source.text if found else "")
            for step, found in zip(steps, texts, strict=True)
        ]
        self._show(entries)

    def _show(self, entries: list[Entry]) -> None:
        row, bar = self.list.currentRow(), self.list.verticalScrollBar().value()
        self.list.clear()
        if len(entries) == self._n_wanted and len(entries) < N_MOST:
            more = Entry(_MORE, Said("", self.tr("Show earlier ones…")), "", "")
            entries = [*entries, more]
        for entry in entries:
            item = QListWidgetItem()
            item.setData(_ENTRY, entry)
            words = f"{entry.said.text} · {entry.when}"
            words += f" · {entry.who}" if entry.who else ""
            item.setToolTip(words)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
            self.list.addItem(item)
        self.list.setCurrentRow(min(row, self.list.count() - 1))
        self.list.verticalScrollBar().setValue(bar)
        self._empty.setVisible(not entries)
        self.list.setVisible(bool(entries))

    def _on_chosen(self, item: QListWidgetItem) -> None:
        entry: Entry = item.data(_ENTRY)
        if entry.pair == _MORE:
            self._n_wanted = min(self._n_wanted + 4 * N_STEPS, N_MOST)
            self.refresh()
        else:
            self.pair_chosen.emit(entry.pair)


def _to_entry(step: JudgedStep, source: str) -> Entry:
    row = step.row
    said = describe_step(step, source)
    return Entry(row.pair_id, said, format_moment(row.created_at), row.who)


class _List(QListWidget):
    """Lines of mark, words and time."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("history")
        self.setItemDelegate(_Delegate(self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the pair by Enter."""
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.itemActivated.emit(item)
        else:
            super().keyPressEvent(event)


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
