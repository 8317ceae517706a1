"""Verdict mark: accepted, rejected, flagged or swapped."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem

from app.views.widgets.cells import Index
from app.views.widgets.tables import TextDelegate, paint_back
from app.views.widgets.theme import ThemeColours, colours_of

MARK_PX = 12
WIDTH = 1.8  # pixels of the lines
VERDICT_ROLE = int(Qt.ItemDataRole.UserRole) + 8

# Corners of lines within a square of side 1.
_LINES = {
    "accept": [[(0.08, 0.55), (0.38, 0.86), (0.94, 0.16)]],
    "reject": [[(0.14, 0.14), (0.86, 0.86)], [(0.86, 0.14), (0.14, 0.86)]],
    "skip": [
        [(0.12, 0.16), (0.46, 0.5), (0.12, 0.84)],
        [(0.54, 0.16), (0.88, 0.5), (0.54, 0.84)],
    ],
    "flag": [[(0.2, 0.98), (0.2, 0.06), (0.9, 0.28), (0.2, 0.54)]],
}


def paint_verdict(
    painter: QPainter, rect: QRectF, verdict: str, colours: ThemeColours
) -> None:
    """Paint the mark of a verdict into a square; nothing if there is none."""
    pen = QPen(QColor(colours.human), WIDTH)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for line in _LINES.get(verdict, []):
        corners = [
            QPointF(rect.left() + x * rect.width(), rect.top() + y * rect.height())
            for x, y in line
        ]
        painter.drawPolyline(QPolygonF(corners))


class VerdictDelegate(TextDelegate):
    """Paints the mark of a cell's verdict (its VERDICT_ROLE) in its middle."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Paint the cell."""
        paint_back(self, painter, option, index)
        middle = QRectF(option.rect).center()
        rect = QRectF(0, 0, MARK_PX, MARK_PX)
        rect.moveCenter(middle)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = colours_of(QApplication.palette())
        paint_verdict(painter, rect, str(index.data(VERDICT_ROLE) or ""), colours)
        painter.restore()
