"""The shade over the window, and the shadow of the dialog in front of it."""

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.views.widgets.theme import DARK, GRID, colours_of

SHADE, SHADOW = QColor(0, 0, 0, 70), QColor(0, 0, 0, 9)  # of one step of the shadow
DARK_SHADE, DARK_SHADOW = QColor(0, 0, 0, 120), QColor(0, 0, 0, 30)
SPREAD, STEP = 3 * GRID, 3  # pixels


class Backdrop(QWidget):
    """Dims a window while a dialog blocks it, and paints the shadow of the dialog.

    Qt notifies a window when a dialog blocks it and when it is free again.
    """

    def __init__(self, window: QWidget):
        """Watch a window; nothing is dimmed yet."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._window = window
        self._front: QWidget | None = None  # the dialog
        self.hide()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window, and the dialog in front of it."""
        if watched is self._window:
            self._follow_window(event.type())
        elif watched is self._front:
            self._follow_front(event.type())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the shade and the shadow."""
        painter = QPainter(self)
        is_dark = colours_of(self) is DARK
        painter.fillRect(event.rect(), DARK_SHADE if is_dark else SHADE)
        if self._front is None:
            return
        frame = self._front.frameGeometry()
        frame.moveTopLeft(self.mapFromGlobal(frame.topLeft()) + QPoint(0, GRID // 2))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(DARK_SHADOW if is_dark else SHADOW)
        for spread in range(SPREAD, 0, -STEP):
            around = frame.adjusted(-spread, -spread, spread, spread)
            painter.drawRoundedRect(around, spread + GRID, spread + GRID)

    def _follow_window(self, kind: QEvent.Type) -> None:
        if kind == QEvent.Type.WindowBlocked:
            self._front = QApplication.activeModalWidget()
            if self._front is not None:
                self._front.installEventFilter(self)
            self.setGeometry(self._window.rect())
            self.raise_()
            self.show()
        elif kind == QEvent.Type.WindowUnblocked:
            self._front = None
            self.hide()
        elif kind == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())

    def _follow_front(self, kind: QEvent.Type) -> None:
        if kind == QEvent.Type.Hide:
            self._front = None
        if kind in (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Hide):
            self.update()
