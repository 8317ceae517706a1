"""A strip beside the board: the whole alignment at a glance, and where one is."""

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.bead_list import ACCEPTED, BeadList
from app.views.theme import mix, tokens_of
from app.views.widgets.bead_board import BeadBoard
from app.views.widgets.bead_look import shade_of
from app.views.widgets.controls import describe

WIDTH, ROW = 14, 2  # pixels
ALONE, BY_HAND = -1.0, 2.0  # what a row shows instead of a confidence


class BeadStrip(QWidget):
    """Shows the least confident link of each part of an alignment; a click goes there.

    A part with a link that no hand has judged shows its shade; one whose links a hand
    has all confirmed shows the colour of a decision.
    """

    def __init__(
        self, beads: BeadList, board: BeadBoard, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._list, self._board = beads, board
        self._rows = np.empty(0)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        describe(
            self,
            self.tr("Whole alignment"),
            self.tr("The palest link of each part: click to go there."),
        )
        for signal in (beads.reset, beads.grown, beads.replaced):
            signal.connect(self._forget)
        board.scrolled.connect(self.update)
        board.chosen.connect(self.update)

    def _forget(self) -> None:
        self._rows = np.empty(0)
        self.update()

    def _work_out(self) -> None:
        """Find what each row of pixels shows: float64 (rows,)."""
        beads, n_rows = self._list.beads, max(self.height() // ROW, 1)
        is_alone = (beads.n_sources == 0) | (beads.n_targets == 0)
        is_by_hand = beads.verdicts == ACCEPTED
        values = np.where(np.isnan(beads.confidences), 0.0, beads.confidences)
        values = np.where(is_alone, ALONE, values)
        values = np.where(is_by_hand, BY_HAND, values)
        n_rows = min(n_rows, len(values))
        starts = np.linspace(0, len(values), n_rows, endpoint=False).astype(np.int64)
        self._rows = np.minimum.reduceat(values, starts)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, and a frame around what the board shows."""
        if not len(self._list):
            return
        if not len(self._rows):
            self._work_out()
        tokens, painter = tokens_of(self), QPainter(self)
        height = self.height() / len(self._rows)
        alone = QColor(mix(tokens, "warning", 0.7))
        human = QColor(tokens.human)
        for number, value in enumerate(self._rows.tolist()):
            colour = alone if value == ALONE else human
            if 0 <= value <= 1:
                colour = shade_of(tokens, value)
            painter.fillRect(QRectF(3, number * height, WIDTH - 6, height), colour)
        seen, n = self._board.visible, len(self._list)
        top, bottom = (edge / n * self.height() for edge in (seen.start, seen.stop))
        painter.setPen(QColor(tokens.text))
        painter.drawRoundedRect(
            QRectF(0.5, top, WIDTH - 1, max(bottom - top, 6) - 0.5), 3, 3
        )
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the part that is pressed."""
        self._go(event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go along while the mouse is held."""
        self._go(event.position().y())

    def _go(self, y: float) -> None:
        share = min(max(y / max(self.height(), 1), 0.0), 1.0)
        self._board.choose(int(share * len(self._list)))
        self._board.reveal(in_middle=True)

    def resizeEvent(self, event: QEvent) -> None:
        """Fit the rows into the new height."""
        self._forget()

    def sizeHint(self) -> QSize:
        """Ask for a narrow strip."""
        return QSize(WIDTH, 200)
