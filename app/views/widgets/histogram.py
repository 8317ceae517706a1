"""A small histogram: bars with labels under them, in the colours of the window."""

from collections.abc import Sequence

import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.views.theme import tokens_of


class Histogram(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """Bars side by side; the menu of the right button exports it."""

    def __init__(
        self,
        bars: Sequence[tuple[str, int]],
        titles: tuple[str, str],
        parent: QWidget | None = None,
    ):
        """Draw bars.

        Args:
            bars: pairs of label and count.
            titles: of the horizontal and of the vertical axis.
            parent: the dialog.
        """
        tokens = tokens_of(parent) if parent is not None else tokens_of(QWidget())
        super().__init__(parent, background=tokens.surface)
        self.bars = list(bars)
        item = pyqtgraph.BarGraphItem(
            x=list(range(len(bars))),
            height=[n for _, n in bars],
            width=0.8,
            brush=QColor(tokens.accent),
            pen=QColor(tokens.accent),
        )
        self.addItem(item)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.getAxis("bottom").setTicks(
            [[(place, label) for place, (label, _) in enumerate(bars)]]
        )
        for side, title in zip(("bottom", "left"), titles, strict=True):
            axis = self.getAxis(side)
            axis.setLabel(title)
            axis.setPen(QColor(tokens.line))
            axis.setTextPen(QColor(tokens.secondary))
            axis.enableAutoSIPrefix(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # nothing in it can be chosen
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setToolTip(self.tr("{what} by {by}").format(what=titles[1], by=titles[0]))
        self.setAccessibleName(", ".join(f"{label}: {n:,}" for label, n in bars))
