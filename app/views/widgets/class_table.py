"""Classes with their keys and how many sentences have each, as bars."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.views.classify_words import format_rate
from app.views.theme import mix, scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.words import count_words

KEY, NAME, COUNT, BAR = range(4)
NARROW = 224  # pixels: less shows no shares
WIDTHS = {KEY: 44, COUNT: 60}
SHARE_ROLE = int(Qt.ItemDataRole.UserRole)  # of the longest bar, 0…1
BAR_ROOM, BAR_HEIGHT = 56, 12  # pixels for the number behind a bar; of a bar


class ClassRow(NamedTuple):
    """A class: its key (0: none) and its sentences in the corpus that is shown."""

    name: str
    key: int
    n: int


class BarDelegate(QStyledItemDelegate):
    """Paints a share as a bar with its number behind."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint the cell."""
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        text, item.text = item.text, ""
        style = item.widget.style() if item.widget else QApplication.style()
        style.drawControl(
            QStyle.ControlElement.CE_ItemViewItem, item, painter, item.widget
        )
        share = float(index.data(SHARE_ROLE) or 0.0)
        tokens = tokens_of(QApplication.palette())
        place = QRectF(item.rect).adjusted(8, 0, -scaled(BAR_ROOM), 0)
        height = scaled(BAR_HEIGHT)
        bar = QRectF(
            place.left(),
            place.center().y() - height / 2,
            max(place.width(), 0) * share,
            height,
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(tokens, "accent", 0.75)))
        painter.drawRoundedRect(bar, 3, 3)
        painter.setPen(QColor(tokens.secondary))
        rest = QRectF(item.rect).adjusted(0, 0, -8, 0)
        painter.drawText(rest, int(_RIGHT), text)
        painter.restore()


class ClassTable(QTableWidget):
    """The classes of a corpus, in the order of their keys.

    Attributes:
        rows: what is shown.
    """

    class_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.rows: list[ClassRow] = []
        self.setColumnCount(BAR + 1)
        self.setHorizontalHeaderLabels(
            [self.tr("Key"), self.tr("Class"), self.tr("Rows"), self.tr("Share")]
        )
        self.setItemDelegateForColumn(BAR, BarDelegate(self))
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(scaled(28, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(scaled(WIDTHS[KEY], self))
        for column, width in WIDTHS.items():
            self.setColumnWidth(column, scaled(width, self))
            self._align_heading(column)
        self._align_heading(NAME, is_left=True)
        self._align_heading(BAR, is_left=True)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(BAR, QHeaderView.ResizeMode.Stretch)
        describe(
            self, self.tr("Classes"), self.tr("Choose a class to see its sentences.")
        )
        self.setToolTip("")
        self.itemSelectionChanged.connect(self._on_selection_changed)

    @property
    def current_class(self) -> str:
        """The class that is chosen; empty: none."""
        items = self.selectedItems()
        return self.rows[items[0].row()].name if items else ""

    def show_rows(self, rows: Sequence[ClassRow]) -> None:
        """Show classes; the one that is chosen stays so."""
        kept = self.current_class
        self.rows = list(rows)
        total = max(sum(row.n for row in rows), 1)
        most = max((row.n for row in rows), default=0) or 1
        self.blockSignals(True)
        self.setRowCount(len(rows))
        for place, row in enumerate(rows):
            cells = (
                str(row.key) if row.key else "",
                row.name,
                f"{row.n:,}",
                format_rate(row.n / total),
            )
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setTextAlignment(_RIGHT if column == COUNT else _LEFT)
                if column == KEY:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                if column == BAR:
                    item.setData(SHARE_ROLE, row.n / most)
                item.setToolTip(self._tip(row))
                self.setItem(place, column, item)
        names = [row.name for row in rows]
        if kept in names:
            self.selectRow(names.index(kept))
        else:
            self.clearSelection()
        self.blockSignals(False)

    def choose(self, name: str) -> None:
        """Choose a class without saying so; empty: none."""
        self.blockSignals(True)
        names = [row.name for row in self.rows]
        if name in names:
            self.selectRow(names.index(name))
        else:
            self.clearSelection()
        self.blockSignals(False)

    def table(self) -> Iterator[Sequence[str]]:
        """Give the counts, the header first."""
        yield ("key", "class", "rows")
        for row in self.rows:
            yield (str(row.key or ""), row.name, str(row.n))

    def _tip(self, row: ClassRow) -> str:
        n = count_words(row.n, self.tr("1 sentence"), self.tr("{n} sentences"))
        words = self.tr("{name}: {n} here. The key {key} gives it.")
        if not row.key:
            words = self.tr("{name}: {n} here. Nine classes have a key.")
        return words.format(name=row.name, n=n, key=row.key)

    def _align_heading(self, column: int, *, is_left: bool = False) -> None:
        item = self.horizontalHeaderItem(column)
        if item is not None:
            item.setTextAlignment(_LEFT if is_left else _RIGHT)

    def _on_selection_changed(self) -> None:
        self.class_chosen.emit(self.current_class)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the shares out where the names need the room."""
        super().resizeEvent(event)
        self.setColumnHidden(BAR, self.width() < scaled(NARROW, self))


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
