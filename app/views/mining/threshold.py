"""Score threshold of a pair set: counts, and a histogram with a movable line."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QDoubleSpinBox, QWidget

from app.engine.store.pairs.sets import PairSetRow, count_above_threshold
from app.number_format import SCORE_DIGITS, format_score, round_down
from app.params.mining import NO_BETTER_THAN_NEIGHBOURS
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import as_widget, make_row
from app.views.widgets.controls import describe, indent_number, make_label
from app.views.widgets.curve_plot import paint_axes
from app.views.widgets.number_axis import number_axes
from app.views.widgets.number_format import format_count
from app.views.widgets.pair_set_text import format_exact_share
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.theme import GRID, colours_of, mix, scaled

LINE_WIDTH, HOVER_WIDTH = 2, 4  # pixels
Y_MARGIN = 1.08  # relative to the highest bar


class HistogramBins(NamedTuple):
    """Counts in bins of equal width between two scores."""

    low: float
    high: float
    counts: tuple[int, ...]

    @property
    def edges(self) -> NDArray[np.float64]:
        """Bin edges: float64 (n + 1,)."""
        return np.linspace(self.low, self.high, len(self.counts) + 1)


def read_bins(report: dict[str, object], key: str) -> HistogramBins | None:
    """Read the bins of a mining report, or None."""
    found = report.get(key)
    if not isinstance(found, dict) or not found.get("counts"):
        return None
    low, high = float(found["low"]), float(found["high"])
    if not low < high:
        high = low + 1.0
    return HistogramBins(low, high, tuple(int(n) for n in found["counts"]))


class ScoreHistogram(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """A histogram of scores, with faint bars for pairs that are not listed.

    Attributes:
        bins: the bins.
        lists_below: whether pairs below the threshold are listed, instead of the rest.
    """

    threshold_moved = Signal(float)  # during dragging

    def __init__(self, title: str, parent: QWidget | None = None):
        """Initialise an empty histogram; `title` is its name for screen readers."""
        super().__init__(parent, enableMenu=False, axisItems=number_axes())
        self.bins: HistogramBins | None = None
        self.lists_below = False
        self._title = title
        self._bars = [pyqtgraph.BarGraphItem(x=[], height=[], width=1) for _ in "ab"]
        for bars in self._bars:
            self.addItem(bars)
        self._line = pyqtgraph.InfiniteLine(angle=90, movable=True)
        self._line.setCursor(Qt.CursorShape.SizeHorCursor)
        self.addItem(self._line, ignoreBounds=True)
        self._line.sigPositionChanged.connect(self._on_line_moved)
        self.hideButtons()
        self.setMouseEnabled(x=False, y=False)
        self.getAxis("left").setStyle(maxTickLevel=0)
        # The field above moves the line by keyboard.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        describe(self, title, self.tr("Drag the line to set the threshold."))
        self._show_theme()

    @property
    def threshold(self) -> float:
        """The score at the line."""
        return float(self._line.value())

    def show_bins(self, bins: HistogramBins, threshold: float) -> None:
        """Show bins, and the line at a threshold."""
        self.bins = bins
        self._line.blockSignals(True)
        self._line.setBounds((bins.low, bins.high))
        self._line.setValue(threshold)
        self._line.blockSignals(False)
        top = max(bins.counts, default=1) * Y_MARGIN
        self.setRange(xRange=(bins.low, bins.high), yRange=(0, top), padding=0.01)
        peak = int(np.argmax(bins.counts))
        words = self.tr("{title}: {n} scores from {low} to {high}, most near {peak}")
        middle = bins.edges[peak : peak + 2].mean()
        text = words.format(
            title=self._title,
            n=f"{sum(bins.counts):,}",
            low=format_score(bins.low),
            high=format_score(bins.high),
            peak=format_score(middle),
        )
        self.setAccessibleName(text)
        self._draw_bars()

    def move_line(self, threshold: float) -> None:
        """Move the line without emitting `threshold_moved`."""
        self._line.blockSignals(True)
        self._line.setValue(threshold)
        self._line.blockSignals(False)
        self._draw_bars()

    def table(self) -> Iterator[Sequence[str]]:
        """Return a row for each bin, with edges and count."""
        yield ["from", "to", "pairs"]
        if self.bins is not None:
            edges = self.bins.edges
            for index, n in enumerate(self.bins.counts):
                yield [f"{edges[index]:.9g}", f"{edges[index + 1]:.9g}", str(n)]

    def _on_line_moved(self) -> None:
        self._draw_bars()
        self.threshold_moved.emit(self.threshold)

    def _draw_bars(self) -> None:
        """Draw the bars, with faint bars for pairs that are not listed."""
        if self.bins is None:
            return
        colours = colours_of(self)
        edges = self.bins.edges
        heights = np.array(self.bins.counts, np.float64)
        is_listed = edges[1:] > self.threshold
        if self.lists_below:
            is_listed = edges[:-1] < self.threshold
        for bars, is_shown, share in zip(
            self._bars, (is_listed, ~is_listed), (0.85, 0.25), strict=True
        ):
            colour = QColor(mix(colours, "accent", share))
            bars.setOpts(
                x0=edges[:-1][is_shown],
                x1=edges[1:][is_shown],
                height=heights[is_shown],
                x=None,
                width=None,
                brush=colour,
                pen=pyqtgraph.mkPen(colours.surface, width=1),
            )

    def _show_theme(self) -> None:
        colours = colours_of(self)
        paint_axes(self, colours)
        self._line.setPen(pyqtgraph.mkPen(colours.human, width=LINE_WIDTH))
        self._line.setHoverPen(pyqtgraph.mkPen(colours.human, width=HOVER_WIDTH))
        self._draw_bars()

    def changeEvent(self, event: QEvent) -> None:
        """Apply the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_line"):
            self._show_theme()


HEIGHT = 10 * GRID
WIDE_WIDTH = 66 * GRID  # at this width or more, the plot is next to the field
FIELD_WIDTH = 36 * GRID  # of the part to the left of the plot
MAX_WIDTH = (1 << 24) - 1  # no maximum, as in Qt
FILTER_DELAY_MS = 120  # after the last change
STEP = 0.005  # of the score


class ThresholdPanel(QWidget):
    """Shows the scores and sets the threshold.

    Pairs at or above the threshold are listed, or for a scored parallel text the pairs
    below it, which are probably wrong.

    Attributes:
        n_above: number of pairs at or above the threshold.
    """

    threshold_chosen = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._row: PairSetRow | None = None
        self._lowest = self._highest = 0.0
        self.n_above = 0
        self.plot = ScoreHistogram(self.tr("Scores"), self)
        self.plot.setFixedHeight(scaled(HEIGHT))
        self.field = QDoubleSpinBox(self)
        self.field.setDecimals(SCORE_DIGITS)
        self.field.setSingleStep(STEP)
        indent_number(self.field)
        words = self.tr("The lowest score of pairs to show and export.")
        describe(self.field, self.tr("Threshold"), words)
        self._summary = make_label("", "section", wraps=True)
        self._exporter = PlotExporter(
            state, self.plot, self.tr("Scores"), self.plot.table
        )
        self._timer = QTimer(self, singleShot=True, interval=FILTER_DELAY_MS)
        self._timer.timeout.connect(self.threshold_chosen)
        self._lay_out()
        self.plot.threshold_moved.connect(self._on_line_moved)
        self.field.valueChanged.connect(self._on_typed)
        state.thresholds.changed.connect(self._on_set_elsewhere)

    @property
    def threshold(self) -> float | None:
        """The minimum score of pairs to use and export; None: no minimum."""
        row = self._row
        if row is not None and self.lists_below:
            return self._state.thresholds.of(row.id)
        if row is None or self.n_above >= row.n_pairs:
            return None
        return self.field.value()

    @property
    def lists_below(self) -> bool:
        """Whether pairs below the threshold are listed."""
        return self.plot.lists_below

    @property
    def limit(self) -> float | None:
        """The exclusive maximum score of listed pairs; None: no maximum."""
        return self.field.value() if self.lists_below else None

    @property
    def listed(self) -> tuple[int, int]:
        """Start and stop index of the listed pairs, in descending order of score."""
        n = self._row.n_pairs if self._row is not None else 0
        return (self.n_above, n) if self.lists_below else (0, self.n_above)

    @property
    def summary(self) -> str:
        """The text with the number of pairs."""
        return self._summary.text()

    def show_mining(self, row: PairSetRow) -> None:
        """Show the scores of a pair set, or hide the panel if they are unknown."""
        key = "scores" if "scores" in row.report else "histogram"
        bins = read_bins(row.report, key)
        self.setVisible(bins is not None)
        self._row = row
        self.plot.lists_below = row.kind == "scored" and bins is not None
        if bins is None:
            self.n_above = row.n_pairs
            return
        lowest = bins.low if row.threshold is None else max(row.threshold, bins.low)
        self._lowest = round_down(min(lowest, bins.high))
        self._highest = bins.high + STEP
        start = self._start_of(row)
        hint = self.tr("The lowest score of pairs to show and export.")
        if self.lists_below:
            hint = self.tr(
                "The pairs below this score are shown. Lower scores are more likely "
                "to be wrong."
            )
        describe(self.field, self.tr("Threshold"), hint)
        self.field.blockSignals(True)
        self.field.setRange(self._lowest, self._highest)
        self.field.setValue(start)
        self.field.blockSignals(False)
        self.plot.show_bins(bins, start)
        self._exporter.name = self.tr("scores of {name}").format(name=row.name)
        self._count(start)

    def _start_of(self, row: PairSetRow) -> float:
        """Return the threshold of a pair set, or an initial threshold."""
        threshold = self._state.thresholds.of(row.id)
        if threshold is not None:
            return threshold
        if not self.lists_below:
            return self._lowest
        first = NO_BETTER_THAN_NEIGHBOURS.get(row.margin, self._lowest)
        return first if first > self._lowest else self._highest  # else none is listed

    def set_threshold(self, threshold: float) -> None:
        """Move the threshold."""
        self.field.setValue(threshold)

    def _lay_out(self) -> None:
        label = make_label(self.tr("Threshold"), "secondary")
        label.setBuddy(self.field)
        head = WrappingRow()
        for widget in (label, self.field, self._exporter.make_menu(), self._summary):
            head.addWidget(widget)
        self._head = as_widget(head)
        self._box = make_row(self._head, (self.plot, 1), parent=self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the plot next to the field if there is room, or else below."""
        super().resizeEvent(event)
        is_wide = self.width() >= scaled(WIDE_WIDTH) and not self.plot.isHidden()
        self._head.setMaximumWidth(scaled(FIELD_WIDTH) if is_wide else MAX_WIDTH)
        way = QBoxLayout.Direction
        self._box.setDirection(way.LeftToRight if is_wide else way.TopToBottom)

    def _on_line_moved(self, threshold: float) -> None:
        self.field.blockSignals(True)
        self.field.setValue(threshold)
        self.field.blockSignals(False)
        self._on_changed(threshold)

    def _on_typed(self, threshold: float) -> None:
        self.plot.move_line(threshold)
        self._on_changed(threshold)

    def _on_set_elsewhere(self, mining: int) -> None:
        """Show a threshold set in another view."""
        row, threshold = self._row, self._state.thresholds.of(mining)
        if row is None or row.id != mining or self._state.project is None:
            return
        shown = self.field.value() if self.lists_below else self.threshold
        if threshold != shown:
            self.set_threshold(self._start_of(row))

    def _on_changed(self, threshold: float) -> None:
        self._count(threshold)
        if self._row is not None:
            chosen = threshold if self.lists_below else self.threshold
            self._state.thresholds.set(self._row.id, chosen)
        self._timer.start()

    def _count(self, threshold: float) -> None:
        project, row = self._state.project, self._row
        if project is None or row is None:
            return
        self.n_above = row.n_pairs
        if threshold > self._lowest:  # all pairs reach the lowest score
            self.n_above = count_above_threshold(project.store, row, threshold)
        words = self.tr("{n} of {total} pairs at or above ({share})")
        n = self.n_above
        if self.lists_below:
            n = row.n_pairs - self.n_above
            words = self.tr("{n} of {total} pairs score below {threshold} ({share})")
            if n == 1:
                words = self.tr("1 of {total} pairs scores below {threshold} ({share})")
        self._summary.setText(
            words.format(
                n=format_count(n),
                total=format_count(row.n_pairs),
                threshold=format_score(threshold),
                share=format_exact_share(n, row.n_pairs),
            )
        )
