"""Training curves of languages added to an encoder."""

from collections.abc import Mapping

import numpy as np
from PySide6.QtWidgets import QComboBox, QWidget

from app.languages import language_name
from app.results.alignment import AlignmentCurve
from app.views.client.state import AppState
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import describe, make_label
from app.views.widgets.curve_chart import CurveChart
from app.views.widgets.curve_plot import Curve
from app.views.widgets.number_format import format_count, format_error_rate
from app.views.widgets.page_layout import make_split
from app.views.widgets.plot_export import PlotExporter


class LanguageCurves(QWidget):
    """Alignment loss with zero-shot accuracy, and retrieval error at the same steps.

    Attributes:
        loss_chart: alignment loss and zero-shot accuracy on one axis.
        share_chart: zero-shot accuracy and retrieval error in percent.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._curves: Mapping[str, AlignmentCurve] = {}
        self._languages = QComboBox()
        describe(
            self._languages,
            self.tr("Added language"),
            self.tr("Choose the language whose training is shown."),
        )
        self._languages.currentIndexChanged.connect(self._show_curve)
        self._summary = make_label("", wraps=True)
        loss, accuracy = self.tr("Alignment loss"), self.tr("Zero-shot accuracy")
        self.loss_chart, self.share_chart = CurveChart(loss), CurveChart(accuracy)
        charts = (loss, self.loss_chart), (accuracy, self.share_chart)
        self._files = [
            PlotExporter(state, chart, title, chart.table) for title, chart in charts
        ]
        self._menus = [
            file.make_menu(chart.plot.show_all)
            for file, (_, chart) in zip(self._files, charts, strict=True)
        ]
        head = make_row(self._languages, (self._summary, 1), *self._menus)
        self._charts = make_split(
            self.loss_chart, self.share_chart, is_vertical=True, parent=self
        )
        make_column(head, (self._charts, 1), parent=self)

    @property
    def summary(self) -> str:
        """The text about the current language."""
        return self._summary.text()

    def show_curves(self, curves: Mapping[str, AlignmentCurve]) -> None:
        """Show curves, with a selector if there are several languages."""
        self._curves = curves
        self._languages.blockSignals(True)
        self._languages.clear()
        for code in curves:
            self._languages.addItem(language_name(code), code)
        self._languages.blockSignals(False)
        self._show_curve()

    def _show_curve(self) -> None:
        curve = self._curves.get(str(self._languages.currentData() or ""))
        if curve is None:
            return
        points = curve.points
        for part in (self._charts, *self._menus):
            part.setVisible(bool(points))
        self._summary.setText(self._describe(curve))
        steps = np.array([point.step for point in points], np.float64)
        losses = np.array([point.loss for point in points], np.float64)
        together = [Curve(self.tr("Alignment loss"), steps, losses, is_bold=True)]
        errors = np.array([100 * point.error for point in points], np.float64)
        shares = [Curve(self.tr("Retrieval error"), steps, errors, colour=1)]
        axis = self.tr("loss")
        if points and points[0].accuracy is not None:
            accuracies = np.array([_percent(point.accuracy) for point in points])
            title = self.tr("Zero-shot accuracy")
            shares.insert(0, Curve(title, steps, accuracies, is_bold=True))
            title = self.tr("Zero-shot accuracy (0–1)")
            together.append(Curve(title, steps, accuracies / 100, colour=1))
            axis = self.tr("loss, accuracy")
        self.loss_chart.show_curves(together, axis)
        self.share_chart.show_curves(
            shares, self.tr("share (%)"), lambda value: format_error_rate(value / 100)
        )

    def _describe(self, curve: AlignmentCurve) -> str:
        if not curve.points:
            return self.tr(
                "There are no curves, because there were too few pairs to hold any out."
            )
        kept = [point for point in curve.points if point.step == curve.kept_step]
        words = self.tr("Weights of step {step}").format(
            step=format_count(curve.kept_step)
        )
        if not kept or kept[0].accuracy is None:
            return f"{words}."
        accuracy = self.tr("zero-shot accuracy {other} (English: {english})")
        english = curve.english_accuracy
        return f"{words}: " + accuracy.format(
            other=format_error_rate(kept[0].accuracy),
            english="–" if english is None else format_error_rate(english),
        )


def _percent(share: float | None) -> float:
    return float("nan") if share is None else 100 * share
