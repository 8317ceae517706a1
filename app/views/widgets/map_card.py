"""The sentence under the mouse, on a card beside the pointer."""

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QCursor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.views.theme import GRID, scaled, tokens_of
from app.views.widgets.hit_card import CardLook, measure_card, paint_card
from app.views.widgets.hits import Hit

WIDTH = 300


class MapCard(QWidget):
    """A card that follows the pointer; the mouse looks through it.

    Attributes:
        hit: the sentence; None: the card is hidden.
    """

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.hit: Hit | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_hit(self, hit: Hit | None, place: QPoint | None = None) -> None:
        """Show a sentence beside a place; None hides the card.

        Args:
            hit: the sentence.
            place: in the widget that the card is on; None: the pointer's.
        """
        self.hit = hit
        self.setVisible(hit is not None)
        if hit is None:
            return
        above = self.parentWidget()
        assert above is not None, "it was made on a widget"
        at = place or above.mapFromGlobal(QCursor.pos())
        width = min(scaled(WIDTH, self), above.width() - 2 * GRID)
        height = measure_card(hit, width - 2, self.font(), tokens_of(self))
        self.setGeometry(_beside(at, width, round(height) + 2, above.rect()))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card."""
        if self.hit is None:
            return
        painter = QPainter(self)
        look = CardLook(self.font(), tokens_of(self))
        paint_card(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), self.hit, look)
        painter.end()


def _beside(at: QPoint, width: int, height: int, room: QRect) -> QRect:
    """Place a card to the lower right of a point, or where there is room."""
    left, top = at.x() + 2 * GRID, at.y() + 2 * GRID
    if left + width > room.right():
        left = at.x() - 2 * GRID - width
    if top + height > room.bottom():
        top = at.y() - 2 * GRID - height
    left = max(min(left, room.right() - width), room.left())
    top = max(min(top, room.bottom() - height), room.top())
    return QRect(left, top, width, height)
