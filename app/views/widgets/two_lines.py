"""Lists whose rows have two lines: a name, and below it what there is to say."""

from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractListModel, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.views.theme import scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.widgets.corpus_list import Index

ROW_HEIGHT, PADDING = 52, 12
LINE_ROLE = int(Qt.ItemDataRole.UserRole)


class TwoLines(NamedTuple):
    """A row: the id of what it stands for, its two lines, more for the tooltip."""

    id: int
    title: str
    facts: str
    hint: str = ""


class TwoLineModel(QAbstractListModel):
    """Rows of two lines."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.rows: list[TwoLines] = []

    def show_rows(self, rows: list[TwoLines]) -> bool:
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

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Give a row, its title, or its words for a screen reader."""
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


class TwoLineDelegate(QStyledItemDelegate):
    """Paints the two lines."""

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
        place = QRectF(item.rect).adjusted(PADDING, 8, -PADDING, -8)
        painter.save()
        _paint_words(painter, place, index.data(LINE_ROLE), item)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Give every row the same height."""
        return QSize(180, scaled(ROW_HEIGHT, option.font))


class TwoLineList(QListView):
    """A list of which one row is chosen."""

    choice_changed = Signal()

    def __init__(self, name: str, hint: str, parent: QWidget | None = None):
        super().__init__(parent)
        self._model = TwoLineModel(self)
        self.setModel(self._model)
        self.setItemDelegate(TwoLineDelegate(self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        describe(self, name, hint)
        self.setToolTip("")
        self.selectionModel().currentChanged.connect(self._on_changed)

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
    def rows(self) -> list[TwoLines]:
        """All rows."""
        return self._model.rows

    def fit(self, n_rows: int) -> None:
        """Be as high as the rows are, up to so many."""
        n = min(max(len(self.rows), 1), n_rows)
        self.setFixedHeight(n * scaled(ROW_HEIGHT, self.font()) + 4)

    def show_rows(self, rows: list[TwoLines]) -> None:
        """Show rows; the chosen one stays chosen where it is among them."""
        kept = self.chosen
        self.selectionModel().blockSignals(True)
        self._model.show_rows(rows)
        if kept is not None:
            self._set_current(kept)
        self.selectionModel().blockSignals(False)

    def choose(self, id_: int | None) -> bool:
        """Choose a row, or none; returns whether it is there."""
        if id_ is None:
            self.selectionModel().clear()
            return False
        return self._set_current(id_)

    def _set_current(self, id_: int) -> bool:
        if id_ not in self.ids:
            return False
        self.setCurrentIndex(self._model.index(self.ids.index(id_)))
        return True

    def _on_changed(self) -> None:
        if self.chosen is not None:
            self.choice_changed.emit()


def _paint_words(
    painter: QPainter, place: QRectF, row: TwoLines, item: QStyleOptionViewItem
) -> None:
    tokens = tokens_of(QApplication.palette())
    is_selected = bool(item.state & QStyle.StateFlag.State_Selected)
    title_font, facts_font = QFont(item.font), QFont(item.font)
    title_font.setWeight(QFont.Weight.DemiBold if is_selected else QFont.Weight.Medium)
    facts_font.setPixelSize(scaled(12, item.font))
    half = QRectF(place.left(), place.top(), place.width(), place.height() / 2)
    below = half.translated(0, place.height() / 2)
    for text, font, colour, line in (
        (row.title, title_font, tokens.text, half),
        (row.facts, facts_font, tokens.secondary, below),
    ):
        painter.setFont(font)
        painter.setPen(QColor(colour))
        elide = Qt.TextElideMode.ElideRight
        shown = QFontMetricsF(font).elidedText(text, elide, place.width())
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(line, align, shown)
