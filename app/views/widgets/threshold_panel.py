"""The threshold of a set of pairs: histogram, field, and what is at or above it."""

import math

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QVBoxLayout, QWidget

from app.engine.store.pair_counts import count_at_or_above
from app.engine.store.pair_rows import MiningRow
from app.views.mining_words import format_part
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.controls import describe, make_label
from app.views.widgets.plot_file import PlotFile
from app.views.widgets.score_histogram import ScoreHistogram, read_bins
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import format_count

HEIGHT = 14 * GRID
SETTLE_MS = 120  # without another value, the pairs are shown
STEP = 0.005  # score


class ThresholdPanel(QWidget):
    """Shows the scores and moves the threshold.

    Attributes:
        n_above: taken pairs at or above the threshold.
    """

    threshold_chosen = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._row: MiningRow | None = None
        self._lowest = 0.0
        self.n_above = 0
        self.plot = ScoreHistogram(self.tr("Scores"))
        self.plot.setFixedHeight(HEIGHT)
        self.field = QDoubleSpinBox()
        self.field.setDecimals(3)
        self.field.setSingleStep(STEP)
        self.field.lineEdit().setTextMargins(GRID, 0, 0, 0)
        describe(
            self.field,
            self.tr("Threshold"),
            self.tr("Lowest score of the pairs that are shown, and exported."),
        )
        self._words = make_label("", "section", wraps=True)
        self._file = PlotFile(state, self.plot, self.tr("Scores"), self.plot.table)
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self.threshold_chosen)
        self._lay_out()
        self.plot.threshold_moved.connect(self._on_line_moved)
        self.field.valueChanged.connect(self._on_typed)

    @property
    def threshold(self) -> float | None:
        """The threshold; None where it leaves no pair out."""
        row = self._row
        if row is None or self.n_above >= row.n_pairs:
            return None
        return self.field.value()

    @property
    def words(self) -> str:
        """What is said of the threshold."""
        return self._words.text()

    def show_mining(self, row: MiningRow, threshold: float | None = None) -> None:
        """Show the scores of a set of pairs; hidden where they are not known."""
        key = "scores" if "scores" in row.report else "histogram"
        bins = read_bins(row.report, key)
        self.setVisible(bins is not None)
        is_other = self._row is None or self._row.id != row.id
        self._row = row
        if bins is None:
            self.n_above = row.n_pairs
            return
        if not is_other and threshold is None:
            threshold = self.field.value()
        lowest = bins.low if row.threshold is None else max(row.threshold, bins.low)
        self._lowest = min(lowest, bins.high)
        # Rounded down: the lowest pair is at or above it.
        self._lowest = math.floor(self._lowest * 1000) / 1000
        start = self._lowest if threshold is None else threshold
        self.field.blockSignals(True)
        self.field.setRange(self._lowest, bins.high + STEP)
        self.field.setValue(start)
        self.field.blockSignals(False)
        self.plot.show_bins(bins, start)
        self._file.name = self.tr("scores of {name}").format(name=row.name)
        self._count(start)

    def set_threshold(self, threshold: float) -> None:
        """Move the threshold."""
        self.field.setValue(threshold)

    def _lay_out(self) -> None:
        label = make_label(self.tr("Threshold"), "secondary")
        label.setBuddy(self.field)
        head = WrappingRow()
        head.addWidget(label)
        head.addWidget(self.field)
        head.addWidget(self._words)
        head.add_stretch()
        head.addWidget(self._file.make_menu())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.plot)

    def _on_line_moved(self, threshold: float) -> None:
        self.field.blockSignals(True)
        self.field.setValue(threshold)
        self.field.blockSignals(False)
        self._take(threshold)

    def _on_typed(self, threshold: float) -> None:
        self.plot.move_line(threshold)
        self._take(threshold)

    def _take(self, threshold: float) -> None:
        self._count(threshold)
        self._timer.start()

    def _count(self, threshold: float) -> None:
        project, row = self._state.project, self._row
        if project is None or row is None:
            return
        self.n_above = row.n_pairs
        if threshold > self._lowest:  # every pair reaches the lowest score
            self.n_above = count_at_or_above(project.store, row, threshold)
        words = self.tr("{n} of {total} pairs at or above ({share})")
        self._words.setText(
            words.format(
                n=format_count(self.n_above),
                total=format_count(row.n_pairs),
                share=format_part(self.n_above, row.n_pairs),
            )
        )
