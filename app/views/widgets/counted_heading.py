"""A heading and a count beside it, in a smaller font on the same baseline."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import make_label


class CountedHeading(QWidget):
    """Corpora 12."""

    def __init__(self, words: str, parent: QWidget | None = None):
        super().__init__(parent)
        self._heading = make_label(words, "heading")
        self._count = make_label("", "secondary")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        row.addWidget(self._heading)
        row.addWidget(self._count, 1)

    def set_count(self, text: str) -> None:
        """Say how many; nothing where it is empty."""
        self._count.setText(text)

    def _align(self) -> None:
        """Lower the count: both are centred, and the larger font has the lower line."""
        lines = []
        for label in (self._heading, self._count):
            label.ensurePolished()
            metrics = label.fontMetrics()
            lines.append((metrics.ascent() - metrics.descent()) / 2)
        # Centred text moves by half of a margin.
        self._count.setContentsMargins(0, round(2 * (lines[0] - lines[1])), 0, 0)

    def showEvent(self, event: QShowEvent) -> None:
        """Measure the fonts, which a style sheet sets when the widget is shown."""
        super().showEvent(event)
        self._align()

    def changeEvent(self, event: QEvent) -> None:
        """Measure again when the size of texts is changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.isVisible():
            self._align()
