"""Panel with the threshold suggested by the judgements: curve, figures, advice."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox, QStackedLayout, QWidget

from app.errors import ErrorInfo
from app.number_format import format_percent, round_down
from app.protocol.answers.pairs import PrecisionPoint, ThresholdAnswer
from app.protocol.queries.pairs import ThresholdQuery
from app.views.client.state import AppState
from app.views.review.pair_set_panel import PairSetPanel
from app.views.review.queue import QueueOrder
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.boxes import Stretch, as_widget, make_column
from app.views.widgets.controls import (
    describe,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.curve_plot import paint_axes
from app.views.widgets.number_axis import number_axes
from app.views.widgets.page_layout import FixedLines
from app.views.widgets.theme import GRID, colours_of

PRECISIONS = (0.80, 0.85, 0.90, 0.95, 0.98, 0.99)
DEFAULT_PRECISION = 0.95
BAND = 60  # opacity of the interval, 0…255
N_TEXT_LINES = 6  # longer text, such as a warning, scrolls


class SuggestedThresholdPanel(PairSetPanel):
    """Shows the suggested threshold, updated while judging.

    Its height stays constant while judging, so that nothing below it moves.

    Attributes:
        suggested: the threshold shown, or None.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(state, parent)
        self.suggested: float | None = None
        self._answer: ThresholdAnswer | None = None
        self._order: QueueOrder = "score"
        self.plot = ThresholdPlot()
        self._chart = QWidget()  # contains the plot or an explanation
        self._charts = QStackedLayout(self._chart)
        self.text = make_label("", wraps=True)
        self.warning = make_label("", "warning", wraps=True)
        self.warning.hide()
        self.precision_box = QComboBox()
        for share in PRECISIONS:
            self.precision_box.addItem(format_percent(share), share)
        self.precision_box.setCurrentIndex(PRECISIONS.index(DEFAULT_PRECISION))
        describe(
            self.precision_box,
            self.tr("Target precision"),
            self.tr("The share of pairs above the threshold that must be correct."),
        )
        self.precision_box.currentIndexChanged.connect(self.ask_now)
        self.use_button = make_button(
            self.tr("Use this threshold in Mine"),
            self.tr("In Mine, show and export only pairs with at least this score."),
            self._use,
        )
        self.use_button.setEnabled(False)
        words = self.tr("Use the suggested threshold in Mine")
        offer_in_palette(self.use_button, words)
        self._lay_out()

    @property
    def precision(self) -> float:
        """The target precision, 0…1."""
        return float(self.precision_box.currentData())

    def set_precision(self, share: float) -> None:
        """Select a target precision, if available."""
        row = self.precision_box.findData(share)
        if row >= 0:
            self.precision_box.setCurrentIndex(row)

    def show_order(self, order: QueueOrder) -> None:
        """Adapt the advice to the order of the queue."""
        self._order = order
        if self._answer is not None:
            self._show_text()

    def _show_text(self) -> None:
        """Show the advice, with a tip about another order unless it is active."""
        if self._answer is not None:
            tip = self._answer.tip if self._order != "value" else ""
            self.text.setText(f"{self._answer.text} {tip}".strip())

    def request(self, mining: int) -> None:
        """Request the threshold."""
        query = ThresholdQuery(mining=mining, precision=self.precision)
        self._state.ask(query, partial(self._on_answer, query))

    def _on_answer(
        self, query: ThresholdQuery, answer: ThresholdAnswer | ErrorInfo
    ) -> None:
        self.on_answered(answer)
        if query.mining != self._mining:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind not in ("superseded", "crash"):
                self.show_nothing()
                self.text.setText(answer.message)
            return
        self._answer = answer
        self._show_text()
        self.warning.setText(answer.warning)
        self.warning.setVisible(bool(answer.warning))
        self.suggested = round_down(answer.advice.threshold) if answer.advice else None
        self.use_button.setEnabled(self.suggested is not None and self._is_scored)
        self.plot.show_curve(answer.curve, self.suggested)
        self._charts.setCurrentIndex(int(len(answer.curve) > 1))
        self.shown.emit()

    def show_nothing(self) -> None:
        """Clear the panel."""
        self.suggested = self._answer = None
        self.text.setText("")
        self.warning.hide()
        self.use_button.setEnabled(False)
        self.plot.show_curve([], None)
        self._charts.setCurrentIndex(0)
        self._chart.setVisible(self._is_scored)
        self.use_button.setVisible(self._is_scored)

    @property
    def _is_scored(self) -> bool:
        """Return whether Mine shows a threshold for the pair set."""
        rows = self._state.minings
        return any(row.id == self._mining and row.has_histogram for row in rows)

    def _use(self) -> None:
        """Set the suggested threshold in the Mine view, and open the view."""
        if self._mining is not None:
            self._state.thresholds.set(self._mining, self.suggested)
            self._state.view_requests.mining_requested.emit(self._mining)

    def _lay_out(self) -> None:
        head = WrappingRow()
        head.addWidget(make_label(self.tr("Threshold"), "section"))
        head.add_stretch()
        label = make_label(self.tr("for precision"), "secondary")
        label.setBuddy(self.precision_box)
        head.addWidget(label)
        head.addWidget(self.precision_box)
        words = self.tr("Precision (%) from this score")
        waiting = self.tr(
            "The precision from each score on appears here when pairs in two ranges "
            "of scores are judged."
        )
        label = make_label(waiting, "secondary", wraps=True)
        for column in (
            make_column(label, Stretch(1)),
            make_column(make_label(words, "secondary", wraps=True), self.plot),
        ):
            self._charts.addWidget(as_widget(column))
        make_column(
            head,
            FixedLines(N_TEXT_LINES, self.warning, self.text),
            (self.use_button, 0, Qt.AlignmentFlag.AlignLeft),
            self._chart,
            parent=self,
        )


class ThresholdPlot(pyqtgraph.PlotWidget):  # type: ignore[misc] # untyped
    """A plot of precision by threshold, with the interval as a band."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent, enableMenu=False, axisItems=number_axes())
        self.curve: list[PrecisionPoint] = []
        self._low, self._high, self._line = (
            pyqtgraph.PlotCurveItem(antialias=True) for _ in range(3)
        )
        self._band = pyqtgraph.FillBetweenItem(self._low, self._high)
        self._mark = pyqtgraph.InfiniteLine(angle=90, movable=False)
        for item in (self._band, self._line, self._mark):
            self.addItem(item)
        self._mark.setVisible(False)
        self.hideButtons()
        self.setMouseEnabled(x=False, y=False)
        self.setMaximumHeight(20 * GRID)
        self.setMinimumHeight(10 * GRID)  # small, because the text above needs space
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        words = self.tr("Precision (%) by threshold, with its 95\u00a0% interval.")
        describe(self, self.tr("Precision by threshold"), words)
        self.show_theme()

    def show_curve(
        self, curve: Sequence[PrecisionPoint], advised: float | None
    ) -> None:
        """Draw the curve, and mark the suggested threshold."""
        self.curve = list(curve)
        steps = np.array([point.threshold for point in curve], np.float64)
        for item, shares in (
            (self._line, [point.precision for point in curve]),
            (self._low, [point.low for point in curve]),
            (self._high, [point.high for point in curve]),
        ):
            item.setData(steps, 100 * np.array(shares, np.float64))
        self._mark.setVisible(advised is not None)
        if advised is not None:
            self._mark.setValue(advised)
        if len(steps):
            lowest = 100 * min(point.low for point in curve)
            self.setYRange(max(min(lowest, 90.0), 0.0), 100.0, padding=0.03)
            self.setXRange(float(steps.min()), float(steps.max()), padding=0.02)

    def show_theme(self) -> None:
        """Apply the colours of the theme."""
        colours = colours_of(self)
        paint_axes(self, colours)
        self.showGrid(x=False, y=True, alpha=0.15)
        self._line.setPen(pyqtgraph.mkPen(colours.accent, width=2))
        band = QColor(colours.accent)
        band.setAlpha(BAND)
        self._band.setBrush(band)
        for edge in (self._low, self._high):
            edge.setPen(pyqtgraph.mkPen(None))
        pen = pyqtgraph.mkPen(colours.human, width=2)
        pen.setStyle(Qt.PenStyle.DashLine)
        self._mark.setPen(pen)

    def changeEvent(self, event: QEvent) -> None:
        """Apply the colours of a new theme."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if event.type() in kinds and hasattr(self, "_mark"):
            self.show_theme()
