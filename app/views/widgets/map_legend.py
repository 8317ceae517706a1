"""The legend of a map, which is a filter: what is not chosen turns grey."""

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QObject,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.views.map_legend_rows import LegendRow
from app.views.theme import scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.widgets.page_model import Index
from app.views.words import format_count

ROW_HEIGHT, SWATCH, PADDING = 28, 12, 8
LEGEND_ROLE = int(Qt.ItemDataRole.UserRole)


class LegendModel(QAbstractListModel):
    """The entries."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.rows: list[LegendRow] = []

    def show_rows(self, rows: Sequence[LegendRow]) -> None:
        """Show entries."""
        is_same = [row.title for row in rows] == [row.title for row in self.rows]
        if is_same:
            self.rows = list(rows)
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the entries."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Give an entry, or its words."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        words = self.tr("{title}, {n} sentences")
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return words.format(title=row.title, n=format_count(row.n))
            case _ if role == LEGEND_ROLE:
                return row
        return None


class LegendDelegate(QStyledItemDelegate):
    """Paints colour, name and number; what is not chosen is pale."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint an entry."""
        item = QStyleOptionViewItem(option)
        style = item.widget.style() if item.widget else QApplication.style()
        self.initStyleOption(item, index)
        item.text = ""
        style.drawControl(
            QStyle.ControlElement.CE_ItemViewItem, item, painter, item.widget
        )
        row: LegendRow = index.data(LEGEND_ROLE)
        is_chosen = bool(item.state & QStyle.StateFlag.State_Selected)
        view = item.widget
        is_pale = isinstance(view, MapLegend) and bool(view.chosen) and not is_chosen
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_entry(painter, QRectF(item.rect), row, item.font, is_pale=is_pale)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Give every entry the same height."""
        return QSize(140, scaled(ROW_HEIGHT, option.font))


class MapLegend(QListView):
    """The entries; a click chooses one, another click lets it go again."""

    chosen_changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._model = LegendModel(self)
        self.setModel(self._model)
        self.setItemDelegate(LegendDelegate(self))
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(
            self,
            self.tr("Legend"),
            self.tr("Choose what stays coloured; the others turn grey."),
        )
        self.setToolTip("")
        self.selectionModel().selectionChanged.connect(self._on_changed)

    @property
    def rows(self) -> list[LegendRow]:
        """The entries."""
        return self._model.rows

    @property
    def chosen(self) -> tuple[str, ...]:
        """Titles of what is chosen; none: all are in colour."""
        places = sorted(index.row() for index in self.selectionModel().selectedRows())
        return tuple(self.rows[place].title for place in places)

    def show_rows(self, rows: Sequence[LegendRow]) -> None:
        """Show entries; what is chosen stays so where it is among them."""
        kept = self.chosen
        self.blockSignals(True)
        self.selectionModel().blockSignals(True)
        self._model.show_rows(rows)
        self._select(kept)
        self.selectionModel().blockSignals(False)
        self.blockSignals(False)
        self.viewport().update()

    def choose(self, titles: Iterable[str]) -> None:
        """Choose entries and no others."""
        before = self.chosen
        self.selectionModel().blockSignals(True)
        self._select(titles)
        self.selectionModel().blockSignals(False)
        self.viewport().update()
        if self.chosen != before:
            self.chosen_changed.emit()

    def _select(self, titles: Iterable[str]) -> None:
        wanted = set(titles)
        model = self.selectionModel()
        model.clearSelection()
        flag = QItemSelectionModel.SelectionFlag.Select
        for place, row in enumerate(self.rows):
            if row.title in wanted:
                model.select(self._model.index(place), flag)

    def _on_changed(self) -> None:
        self.viewport().update()
        self.chosen_changed.emit()


def _paint_entry(
    painter: QPainter, place: QRectF, row: LegendRow, font: QFont, *, is_pale: bool
) -> None:
    tokens = tokens_of(QApplication.palette())
    size = scaled(SWATCH, font)
    swatch = QRectF(place.left() + PADDING, 0, size, size)
    swatch.moveTop(place.center().y() - size / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    colour = QColor(row.colour)
    if is_pale:
        colour.setAlpha(70)
    painter.setBrush(colour)
    painter.drawRoundedRect(swatch, 3, 3)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    count = format_count(row.n)
    room = place.adjusted(2 * PADDING + size, 0, -PADDING, 0)
    painter.setPen(QColor(tokens.secondary))
    painter.drawText(room, _RIGHT, count)
    room.setRight(room.right() - metrics.horizontalAdvance(count) - PADDING)
    painter.setPen(QColor(tokens.secondary if is_pale else tokens.text))
    elide = Qt.TextElideMode.ElideRight
    painter.drawText(room, _LEFT, metrics.elidedText(row.title, elide, room.width()))


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
