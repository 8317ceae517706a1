"""A label of one line that is cut off where room is short, whole in its tooltip."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.views.widgets.controls import LabelRole


class ElidedLabel(QLabel):
    """A label that never makes its window wider.

    Attributes:
        hint: further words for the tooltip.
    """

    def __init__(self, role: LabelRole = "text", parent: QWidget | None = None):
        super().__init__(parent)
        self._whole, self.hint = "", ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        """Show a text, as much of it as fits."""
        self._whole = text
        self.setAccessibleName(text)
        self._fit()

    def text(self) -> str:
        """Give the whole text."""
        return self._whole

    def _fit(self) -> None:
        elide = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self._whole, elide, self.width())
        super().setText(shown)
        is_cut = shown != self._whole
        parts = (self._whole if is_cut else "", self.hint)
        self.setToolTip("\n".join(part for part in parts if part))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much as fits now."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Measure again when the font is another."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def sizeHint(self) -> QSize:
        """Ask for the whole text."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._whole), metrics.height())

    def minimumSizeHint(self) -> QSize:
        """Allow any width."""
        return QSize(40, self.fontMetrics().height())
