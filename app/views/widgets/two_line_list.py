"""List with rows of two lines: delegate, model and view."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QObject,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.views.widgets.cells import DISPLAY_ROLE, Index
from app.views.widgets.controls import describe
from app.views.widgets.theme import scaled, tokens_of

ROW_HEIGHT, PADDING = 52, 12

PaintRow = Callable[[QPainter, QRectF, QStyleOptionViewItem, Index], None]


class RowDelegate(QStyledItemDelegate):
    """Paints the background of a row; the delegate of the list paints its content."""

    def __init__(self, paint_row: PaintRow, parent: QObject):
        """Make it; `paint_row`: paints into the place that it is given."""
        super().__init__(parent)
        self._paint_row = paint_row

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the row."""
        item = QStyleOptionViewItem(option)
        style = item.widget.style() if item.widget else QApplication.style()
        self.initStyleOption(item, index)
        item.text = ""
        style.drawControl(
            QStyle.ControlElement.CE_ItemViewItem, item, painter, item.widget
        )
        painter.save()
        place = QRectF(item.rect).adjusted(PADDING, 8, -PADDING, -8)
        self._paint_row(painter, place, item, index)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return every row the same height."""
        return QSize(180, scaled(ROW_HEIGHT, option.font))


def paint_two_lines(
    painter: QPainter,
    place: QRectF,
    item: QStyleOptionViewItem,
    lines: tuple[str, str],
    *,
    colour: str = "",
    number: str = "",
) -> None:
    """Paint a title and the facts below it, each cut to its place.

    Args:
        painter: on the row's ground.
        place: of both lines.
        item: the row, for its font and whether it is selected.
        lines: title and facts.
        colour: of the facts; empty: the secondary text's.
        number: shown to the right of the title.
    """
    tokens = tokens_of(QApplication.palette())
    is_selected = bool(item.state & QStyle.StateFlag.State_Selected)
    bold, small = QFont(item.font), QFont(item.font)
    bold.setWeight(QFont.Weight.DemiBold if is_selected else QFont.Weight.Medium)
    small.setPixelSize(scaled(12, item.font))
    top = QRectF(place.left(), place.top(), place.width(), place.height() / 2)
    bottom = top.translated(0, place.height() / 2)
    if number:
        _paint_words(painter, top, number, (bold, tokens.text), is_right=True)
        top.setRight(top.right() - QFontMetricsF(bold).horizontalAdvance(number))
    title, facts = lines
    _paint_words(painter, top, title, (bold, tokens.text))
    _paint_words(painter, bottom, facts, (small, colour or tokens.secondary))


def _paint_words(
    painter: QPainter,
    line: QRectF,
    words: str,
    look: tuple[QFont, str],
    *,
    is_right: bool = False,
) -> None:
    font, colour = look
    painter.setFont(font)
    painter.setPen(QColor(colour))
    elide, side = Qt.TextElideMode.ElideRight, Qt.AlignmentFlag.AlignLeft
    if is_right:
        elide, side = Qt.TextElideMode.ElideNone, Qt.AlignmentFlag.AlignRight
    shown = QFontMetricsF(font).elidedText(words, elide, line.width())
    painter.drawText(line, side | Qt.AlignmentFlag.AlignVCenter, shown)


LINE_ROLE = int(Qt.ItemDataRole.UserRole)


class TwoLineRow(NamedTuple):
    """A row: the id of its object, its two lines, more for the tooltip."""

    id: int
    title: str
    facts: str
    hint: str = ""


class TwoLineModel(QAbstractListModel):
    """Rows of two lines."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.rows: list[TwoLineRow] = []

    def show_rows(self, rows: list[TwoLineRow]) -> bool:
        """Show rows; returns whether others than before."""
        is_same = [row.id for row in rows] == [row.id for row in self.rows]
        if is_same:
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return False
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()
        return True

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the rows."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return a row, its title, or its words for a screen reader."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.title}, {row.facts}"
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(part for part in row[1:] if part)
            case _ if role == LINE_ROLE:
                return row
        return None


class TwoLineList(QListView):
    """A list of which one row is chosen, or several."""

    choice_changed = Signal()
    _n_fitted = 0  # rows that `fit` was asked for

    def __init__(
        self,
        name: str,
        hint: str,
        parent: QWidget | None = None,
        *,
        takes_several: bool = False,
    ):
        """Make an empty list; `takes_several`: with Ctrl or Shift."""
        super().__init__(parent)
        self._takes_several = takes_several
        self._model = TwoLineModel(self)
        self.setModel(self._model)
        self.setItemDelegate(RowDelegate(_paint_row, self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(self, name, hint)
        self.setToolTip("")
        if takes_several:
            self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
            self.selectionModel().selectionChanged.connect(self._on_changed)
        else:
            self.selectionModel().currentChanged.connect(self._on_changed)

    @property
    def all_chosen(self) -> list[int]:
        """Ids of the rows that are chosen, in the order of the list."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return [self._model.rows[row].id for row in rows]

    def choose_all(self, ids: Collection[int]) -> list[int]:
        """Choose rows and no others; returns those that are there."""
        self.selectionModel().blockSignals(True)
        self._select(ids)
        self.selectionModel().blockSignals(False)
        self.viewport().update()
        self._on_changed()
        return self.all_chosen

    @property
    def chosen(self) -> int | None:
        """Id of the row that is chosen."""
        row = self.currentIndex().row()
        return self._model.rows[row].id if row >= 0 else None

    @property
    def ids(self) -> list[int]:
        """Ids of all rows."""
        return [row.id for row in self._model.rows]

    @property
    def rows(self) -> list[TwoLineRow]:
        """All rows."""
        return self._model.rows

    def fit(self, n_rows: int) -> None:
        """Be as high as the rows are, up to so many."""
        self._n_fitted = n_rows
        n = min(max(len(self.rows), 1), n_rows)
        self.setFixedHeight(n * scaled(ROW_HEIGHT, self.font()) + 4)

    def show_rows(self, rows: list[TwoLineRow]) -> None:
        """Show rows; the chosen one stays chosen where it is among them."""
        kept, all_kept = self.chosen, self.all_chosen
        self.selectionModel().blockSignals(True)
        self._model.show_rows(rows)
        if self._takes_several:
            self._select(all_kept)
        elif kept is not None:
            self._set_current(kept)
        self.selectionModel().blockSignals(False)

    def choose(self, id_: int | None) -> bool:
        """Choose a row, or none; returns whether it is there."""
        if id_ is None:
            self.selectionModel().clear()
            return False
        return self._set_current(id_)

    def _select(self, ids: Collection[int]) -> None:
        model = self.selectionModel()
        flag = model.SelectionFlag
        model.clear()
        for row, id_ in enumerate(self.ids):
            if id_ in ids:
                index = self._model.index(row)
                model.select(index, flag.Select)
                model.setCurrentIndex(index, flag.NoUpdate)

    def _set_current(self, id_: int) -> bool:
        if id_ not in self.ids:
            return False
        self.setCurrentIndex(self._model.index(self.ids.index(id_)))
        return True

    def _on_changed(self) -> None:
        if self.chosen is not None or self._takes_several:
            self.choice_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Be as high as the rows are in the size of texts in use."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._n_fitted:
            self.fit(self._n_fitted)


def _paint_row(
    painter: QPainter, place: QRectF, item: QStyleOptionViewItem, index: Index
) -> None:
    row: TwoLineRow = index.data(LINE_ROLE)
    paint_two_lines(painter, place, item, (row.title, row.facts))
