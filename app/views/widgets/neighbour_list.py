"""The neighbours of one side of a pair: scores as shades, the pair's own one marked."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from app.languages import is_right_to_left
from app.views.theme import GRID, scaled, score_colours, tokens_of
from app.views.widgets.controls import make_label
from app.views.widgets.hit_card import paint_badge
from app.views.widgets.text_layout import Style, draw, lay_out

ROW, BADGE, N_ROWS = 26, 46, 4


class Neighbour(NamedTuple):
    """A neighbour: its cosine, text and language, and whether the pair has it."""

    cosine: float
    text: str
    language: str
    is_own: bool


class NeighbourList(QFrame):
    """A card with a heading and a row for each neighbour."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self._heading = make_label("", "section")
        self._mean = make_label("", "secondary")
        self.rows = _Rows()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, GRID, 12, GRID)
        layout.setSpacing(4)
        head = QHBoxLayout()
        head.addWidget(self._heading)
        head.addStretch()
        head.addWidget(self._mean)
        layout.addLayout(head)
        layout.addWidget(self.rows, 1)

    @property
    def words(self) -> str:
        """What is said of the mean."""
        return self._mean.text()

    def show_heading(self, heading: str, mean: str) -> None:
        """Say whose neighbours these are, and their mean."""
        self._heading.setText(heading)
        self._mean.setText(mean)

    def show_neighbours(self, neighbours: Sequence[Neighbour], note: str = "") -> None:
        """Show neighbours, the nearest first; `note` stands where there are none."""
        self.rows.show_rows(neighbours, note)
        self.setAccessibleName(
            f"{self._heading.text()}: "
            + "; ".join(f"{one.cosine:.2f} {one.text}" for one in neighbours)
        )


class _Rows(QWidget):
    """The rows, painted."""

    def __init__(self) -> None:
        super().__init__()
        self.neighbours: list[Neighbour] = []
        self._note = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_rows(self, neighbours: Sequence[Neighbour], note: str) -> None:
        self.neighbours, self._note = list(neighbours), note
        self.update()

    def _height(self) -> int:
        return scaled(ROW, self.font())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what there is room for."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, height = tokens_of(self), self._height()
        if not self.neighbours:
            painter.setPen(QColor(tokens.secondary))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignTop, self._note)
        for place, one in enumerate(self.neighbours[: max(self.height() // height, 1)]):
            row = QRectF(0, place * height, self.width(), height)
            self._paint_row(painter, row, one)
        painter.end()

    def _paint_row(self, painter: QPainter, row: QRectF, one: Neighbour) -> None:
        tokens = tokens_of(self)
        small = QFont(self.font())
        small.setPixelSize(scaled(12, self.font()))
        badge = QRectF(0, row.top() + 3, scaled(BADGE, self.font()), row.height() - 6)
        colours = score_colours(tokens, one.cosine)
        paint_badge(painter, badge, colours, f"{one.cosine:.3f}", small)
        font = QFont(self.font())
        font.setBold(one.is_own)
        mark = "◂ " if one.is_own else ""
        if is_right_to_left(one.language):
            mark = "▸ " if one.is_own else ""
        place = row.adjusted(badge.width() + GRID, 0, 0, 0)
        layout, height = lay_out(
            mark + one.text,
            one.language,
            place.width(),
            Style(font, QColor(tokens.text)),
        )
        place.setTop(place.top() + (row.height() - height) / 2)
        draw(painter, layout, place, QColor(tokens.text))

    def event(self, event: QEvent) -> bool:
        """Show the whole text under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tip(event.pos(), event.globalPos())
            return True
        return super().event(event)

    def _show_tip(self, place: QPoint, where: QPoint) -> None:
        row = place.y() // self._height()
        if 0 <= row < len(self.neighbours):
            QToolTip.showText(where, self.neighbours[row].text, self)

    def sizeHint(self) -> QSize:
        """Ask for the usual number of rows."""
        return QSize(200, N_ROWS * self._height())

    def minimumSizeHint(self) -> QSize:
        """Ask for two rows at least."""
        return QSize(120, 2 * self._height())
