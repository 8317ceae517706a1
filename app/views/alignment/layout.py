"""Geometry of the alignment board: positions of beads and their sentences."""

from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from app.views.alignment.model import AlignmentModel
from app.views.widgets.theme import GRID, scaled

Side = Literal["source", "target"]
SIDES: tuple[Side, Side] = ("source", "target")
LINE_HEIGHT, GUTTER = 46, 132  # pixels of a two-line sentence; between the columns
GAP, SMALL_GAP = 8, 4  # pixels between beads; if space is short


class AlignmentLayout:
    """Computes positions on a board of a width that is scrolled to `top`.

    Attributes:
        width: width of the board.
        top: scroll position: pixels above the board's upper edge.
        gap: pixels between two beads at 100 %.
    """

    def __init__(self, model: AlignmentModel):
        self._model = model
        self._tops = np.zeros(1, np.int64)
        self.width, self.top = 0, 0
        self.gap = GAP

    def measure(self) -> None:
        """Compute the vertical position of every bead."""
        beads = self._model.beads
        n_rows = np.maximum(np.maximum(beads.n_sources, beads.n_targets), 1)
        heights = n_rows * scaled(LINE_HEIGHT) + scaled(self.gap)
        self._tops = np.concatenate([np.zeros(1, np.int64), np.cumsum(heights)])

    @property
    def height(self) -> int:
        """The total height of the beads."""
        return int(self._tops[-1]) + GRID

    def span(self, index: int) -> tuple[int, int]:
        """Return the top and bottom of a bead, relative to the first bead."""
        last = len(self._tops) - 1
        begin, end = min(index, last), min(index + 1, last)
        return int(self._tops[begin]), int(self._tops[end])

    def at(self, y: float) -> int:
        """Return the index of the bead at y; may be out of range."""
        return int(np.searchsorted(self._tops, self.top + y, side="right")) - 1

    def visible(self, height: int) -> range:
        """Return the indices of the beads visible in a board of a height."""
        return range(max(self.at(0), 0), min(self.at(height) + 1, len(self._model)))

    def frame(self, index: int) -> QRectF:
        """Return the rectangle of a bead."""
        begin, end = self.span(index)
        gap = scaled(self.gap)
        y = begin - self.top + gap / 2
        return QRectF(GRID, y, self.width - 2 * GRID, end - begin - gap)

    def gutter(self, frame: QRectF) -> QRectF:
        """Return the rectangle between the columns, as high as a bead."""
        width = min(scaled(GUTTER), frame.width() / 5)
        left = frame.center().x() - width / 2
        return QRectF(left, frame.top(), width, frame.height())

    def column(self, index: int, side: Side) -> QRectF:
        """Return the rectangle of a bead's sentences on one side."""
        frame = self.frame(index)
        gutter = self.gutter(frame)
        if side == "source":
            return QRectF(frame.topLeft(), gutter.bottomLeft())
        return QRectF(gutter.topRight(), frame.bottomRight())

    def cells(self, index: int, side: Side) -> list[QRectF]:
        """Return the rectangle of each sentence of a bead on one side."""
        column, n = self.column(index, side), len(self.ids(index, side))
        height = column.height() / max(n, 1)
        left, top, width = column.left(), column.top(), column.width()
        return [QRectF(left, top + i * height, width, height) for i in range(n)]

    def ids(self, index: int, side: Side) -> list[int]:
        """Return the ids of a bead's sentences on one side."""
        beads = self._model.beads
        is_source = side == "source"
        first = int((beads.source_ids if is_source else beads.target_ids)[index])
        n = int((beads.n_sources if is_source else beads.n_targets)[index])
        return list(range(first, first + n))

    def hit(self, point: QPointF) -> tuple[int, Side | None, int] | None:
        """Return the bead, side and sentence at a point; side None: in the gutter."""
        index = self.at(point.y())
        if not 0 <= index < len(self._model):
            return None
        for side in SIDES:
            for number, cell in enumerate(self.cells(index, side)):
                if cell.contains(point):
                    return index, side, number
        return index, None, 0
