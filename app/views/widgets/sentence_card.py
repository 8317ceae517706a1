"""A card as a button of its own: examples, translations, neighbours."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.languages import language_name
from app.views.theme import tokens_of
from app.views.widgets.hit_card import CardLook, measure_card, paint_card
from app.views.widgets.hits import Hit


class SentenceCard(QAbstractButton):
    """A hit that can be clicked, or chosen by Enter and Space."""

    chosen = Signal(object)  # Hit

    def __init__(self, hit: Hit, hint: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.hit = hit
        self._is_hovered = False
        self.setToolTip(hint)
        name = language_name(hit.sentence.language)
        self.setAccessibleName(f"{hit.sentence.text} ({name})")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.clicked.connect(lambda: self.chosen.emit(self.hit))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card; with the keyboard on it, framed."""
        painter = QPainter(self)
        look = CardLook(self.font(), tokens_of(self), self.hasFocus(), self._is_hovered)
        card = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        paint_card(painter, card, self.hit, look)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Enter as well as by Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show that it can be clicked."""
        self._is_hovered = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Go back to the plain look."""
        self._is_hovered = False
        self.update()
        super().leaveEvent(event)

    def heightForWidth(self, width: int) -> int:
        """Measure the card in a width."""
        height = measure_card(self.hit, width - 2, self.font(), tokens_of(self))
        return round(height) + 2

    def hasHeightForWidth(self) -> bool:
        """Tell that the height follows from the width."""
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the height that the width asks for."""
        super().resizeEvent(event)
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def sizeHint(self) -> QSize:
        """Ask for a card of a usual width."""
        return QSize(280, self.heightForWidth(280))
