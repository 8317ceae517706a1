"""Rows of two lines: their ground, their height, and the words on them."""

from collections.abc import Callable

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.views.theme import scaled, tokens_of

ROW_HEIGHT, PADDING = 52, 12

Index = QModelIndex | QPersistentModelIndex
PaintRow = Callable[[QPainter, QRectF, QStyleOptionViewItem, Index], None]


class RowDelegate(QStyledItemDelegate):
    """Paints the ground of a row, and has the list's own paint what stands on it."""

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
        """Give every row the same height."""
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
        number: stands on the right of the title.
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
