"""Paints sentences in tables: their script's direction and font, marks, elision."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.views.theme import mix, tokens_of
from app.views.widgets.page_model import LANGUAGE_ROLE, MARKS_ROLE
from app.views.widgets.text_layout import Style, draw, lay_out

PADDING = 8  # pixels left and right of the text


class TextDelegate(QStyledItemDelegate):
    """Paints a sentence in one line, or a few; what does not fit is elided.

    Attributes:
        max_lines: lines that a row has room for.
    """

    max_lines = 1

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint the cell."""
        item, text = self.paint_back(painter, option, index)
        tokens = tokens_of(QApplication.palette())
        is_selected = bool(item.state & QStyle.StateFlag.State_Selected)
        role = item.palette.ColorRole
        colour = item.palette.color(role.HighlightedText if is_selected else role.Text)
        mark = None if is_selected else QColor(mix(tokens, "accent", 0.25))
        place = QRectF(item.rect).adjusted(PADDING, 0, -PADDING, 0)
        find = str(index.data(MARKS_ROLE) or "")
        layout, height = lay_out(
            text,
            str(index.data(LANGUAGE_ROLE) or ""),
            place.width(),
            Style(item.font, colour, mark, max_lines=self.max_lines),
            (find,) if find else (),
        )
        place.setTop(place.top() + max((place.height() - height) / 2, 0))
        painter.save()
        painter.setClipRect(item.rect)
        draw(painter, layout, place, colour)
        painter.restore()

    def paint_back(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> tuple[QStyleOptionViewItem, str]:
        """Paint what is behind the text; returns the cell's style and its text."""
        item = QStyleOptionViewItem(option)
        self.initStyleOption(item, index)
        text, item.text = item.text, ""
        style = item.widget.style() if item.widget else QApplication.style()
        style.drawControl(
            QStyle.ControlElement.CE_ItemViewItem, item, painter, item.widget
        )
        return item, text

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Give a size that needs no text to be read: rows have one fixed height."""
        return QSize(320, option.fontMetrics.height() + PADDING)


__all__ = ["TextDelegate"]
