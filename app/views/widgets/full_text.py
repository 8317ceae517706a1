"""The whole text of an elided sentence, over its row, until a key is pressed."""

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.engine.store.rows import SentenceRow
from app.views.theme import QUERY_PX
from app.views.widgets.sentence_label import SentenceLabel

MAX_HEIGHT = 420
_CLOSING = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)


class FullText(QFrame):
    """A popup with one sentence."""

    def __init__(self, sentence: SentenceRow, parent: QWidget):
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("card", True)
        self.setAccessibleName(sentence.text[:200])
        label = SentenceLabel(QUERY_PX)
        label.show_sentence(sentence.text, sentence.language)
        label.setContentsMargins(12, 10, 12, 10)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(label)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(area)
        self._label, self._over = label, parent

    def show_over(self, place: QRect) -> None:
        """Show it over a place of the parent widget, as high as the text asks."""
        parent = self._over
        width = max(place.width(), 320)
        height = min(self._label.heightForWidth(width - 4) + 4, MAX_HEIGHT)
        corner = parent.mapToGlobal(place.topLeft()) - QPoint(4, 4)
        self.setGeometry(
            QRect(corner.x(), corner.y(), width, max(height, place.height()))
        )
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by the keys that opened it, and by Escape."""
        if event.key() in _CLOSING:
            self.close()
        else:
            super().keyPressEvent(event)
