"""How the scores of pairs are spread, with the threshold as a line that is moved."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.views.theme import mix, tokens_of
from app.views.widgets.controls import describe

LINE_WIDTH, HOVER_WIDTH = 2, 4  # pixels
HEADROOM = 1.08  # of the highest bar


class Bins(NamedTuple):
    """Counts over bins of equal width between two scores."""

    low: float
    high: float
    counts: tuple[int, ...]

    @property
    def edges(self) -> NDArray[np.float64]:
        """Where the bins begin and end: float64 (n + 1,)."""
        return np.linspace(self.low, self.high, len(self.counts) + 1)


def read_bins(report: dict[str, object], key: str) -> Bins | None:
    """Read the bins that a report of mining holds; None where it has none."""
    found = report.get(key)
    if not isinstance(found, dict) or not found.get("counts"):
        return None
    low, high = float(found["low"]), float(found["high"])
    if not low < high:
        high = low + 1.0
    return Bins(low, high, tuple(int(n) for n in found["counts"]))


class ScoreHistogram(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """Bars of counts; those below the threshold are faint.

    Attributes:
        bins: what is drawn.
        threshold: where the line stands.
    """

    threshold_moved = Signal(float)  # while it is dragged

    def __init__(self, title: str, parent: QWidget | None = None):
        """Make an empty one; `title` names it for a screen reader."""
        super().__init__(parent)
        self.bins: Bins | None = None
        self._title = title
        self._bars = [pyqtgraph.BarGraphItem(x=[], height=[], width=1) for _ in "ab"]
        for bars in self._bars:
            self.addItem(bars)
        self._line = pyqtgraph.InfiniteLine(angle=90, movable=True)
        self._line.setCursor(Qt.CursorShape.SizeHorCursor)
        self.addItem(self._line, ignoreBounds=True)
        self._line.sigPositionChanged.connect(self._on_line_moved)
        self.hideButtons()
        self.setMenuEnabled(False)
        self.setMouseEnabled(x=False, y=False)
        for side in ("left", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self.getAxis("left").setStyle(maxTickLevel=0)
        # The field beside it moves the line by key.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        describe(self, title, self.tr("Drag the line to set the threshold."))
        self._show_theme()

    @property
    def threshold(self) -> float:
        """Where the line stands."""
        return float(self._line.value())

    def show_bins(self, bins: Bins, threshold: float) -> None:
        """Draw bars, and the line at a threshold."""
        self.bins = bins
        self._line.blockSignals(True)
        self._line.setBounds((bins.low, bins.high))
        self._line.setValue(threshold)
        self._line.blockSignals(False)
        top = max(bins.counts, default=1) * HEADROOM
        self.setRange(xRange=(bins.low, bins.high), yRange=(0, top), padding=0.01)
        peak = int(np.argmax(bins.counts))
        words = self.tr("{title}: {n} scores from {low} to {high}, most near {peak}")
        middle = bins.edges[peak : peak + 2].mean()
        text = words.format(
            title=self._title,
            n=f"{sum(bins.counts):,}",
            low=f"{bins.low:.3f}",
            high=f"{bins.high:.3f}",
            peak=f"{middle:.3f}",
        )
        self.setAccessibleName(text)
        self._draw_bars()

    def move_line(self, threshold: float) -> None:
        """Put the line somewhere without saying so."""
        self._line.blockSignals(True)
        self._line.setValue(threshold)
        self._line.blockSignals(False)
        self._draw_bars()

    def table(self) -> Iterator[Sequence[str]]:
        """Give one row a bin: where it begins and ends, and its count."""
        yield ["from", "to", "pairs"]
        if self.bins is not None:
            edges = self.bins.edges
            for place, n in enumerate(self.bins.counts):
                yield [f"{edges[place]:.9g}", f"{edges[place + 1]:.9g}", str(n)]

    def _on_line_moved(self) -> None:
        self._draw_bars()
        self.threshold_moved.emit(self.threshold)

    def _draw_bars(self) -> None:
        """Draw the bars at or above the threshold full, the others faint."""
        if self.bins is None:
            return
        tokens = tokens_of(self)
        edges = self.bins.edges
        heights = np.array(self.bins.counts, np.float64)
        is_above = edges[1:] > self.threshold
        for bars, is_shown, share in zip(
            self._bars, (is_above, ~is_above), (0.85, 0.25), strict=True
        ):
            colour = QColor(mix(tokens, "accent", share))
            bars.setOpts(
                x0=edges[:-1][is_shown],
                x1=edges[1:][is_shown],
                height=heights[is_shown],
                x=None,
                width=None,
                brush=colour,
                pen=pyqtgraph.mkPen(tokens.surface, width=1),
            )

    def _show_theme(self) -> None:
        tokens = tokens_of(self)
        self.setBackground(tokens.surface)
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(QColor(tokens.line))
            axis.setTextPen(QColor(tokens.secondary))
        self._line.setPen(pyqtgraph.mkPen(tokens.human, width=LINE_WIDTH))
        self._line.setHoverPen(pyqtgraph.mkPen(tokens.human, width=HOVER_WIDTH))
        self._draw_bars()

    def changeEvent(self, event: QEvent) -> None:
        """Draw again in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_line"):
            self._show_theme()
