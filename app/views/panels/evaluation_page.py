"""The page of an evaluation: figures, the curve over the threshold, the errors."""

from pathlib import Path

import numpy as np
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QTabWidget, QVBoxLayout, QWidget

from app.views.mining_evaluations import (
    Evaluation,
    Point,
    describe_settings,
    error_lines,
    figures_of_evaluation,
    format_rate_of,
)
from app.views.mining_words import format_score
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.curve_figure import CurveFigure
from app.views.widgets.dialogs import ask_path
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.error_table import ErrorTable
from app.views.widgets.figure_row import FigureRow
from app.views.widgets.plot_file import PlotFile
from app.views.widgets.plots import Curve
from app.views.widgets.scrolled import make_scrolled
from app.views.widgets.splits import make_split
from app.views.widgets.tsv import export_table
from app.views.widgets.wrapping_row import WrappingRow


class EvaluationPage(QWidget):
    """Shows an evaluation.

    Attributes:
        shown: the evaluation; None before the first.
    """

    def __init__(
        self, state: AppState, copying: QAction, parent: QWidget | None = None
    ):
        """Make an empty page; `copying`: copies the command of what is shown."""
        super().__init__(parent)
        self._state = state
        self.shown: Evaluation | None = None
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self.figures = FigureRow()
        self.figure = CurveFigure(
            self.tr("Precision, recall and F1 over the threshold"),
            place=self.tr("threshold"),
            place_number=format_score,
        )
        self._file = PlotFile(
            state, self.figure, self.tr("Evaluation of mining"), self.figure.table
        )
        self.wrong = ErrorTable(self.tr("Wrong pairs"), has_score=True)
        self.missed = ErrorTable(self.tr("Missed pairs"), has_score=False)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self._lay_out(copying)

    def show_evaluation(self, one: Evaluation) -> None:
        """Show an evaluation."""
        if self.shown is not None and self.shown.id == one.id:
            return
        self.shown = one
        measured = one.measured
        self._name.setText(one.name)
        self._name.hint = f"{one.params.source}\n{one.params.target}\n{one.params.gold}"
        self._facts.setText(describe_settings(one))
        self.figures.show_figures(figures_of_evaluation(one))
        self._file.name = self.tr("evaluation of {name}").format(name=one.name)
        self._draw(one)
        self.wrong.show_errors(measured.wrong)
        self.missed.show_errors(measured.missed)
        wrong = self.tr("Found and wrong, the best scores first ({n})")
        missed = self.tr("Missed, of the gold standard ({n})")
        self.tabs.setTabText(0, wrong.format(n=len(measured.wrong)))
        self.tabs.setTabText(1, missed.format(n=len(measured.missed)))

    def focus_first(self) -> None:
        """Put the keyboard on the plot, whose cursor tells the values."""
        self.figure.plot.setFocus()

    def export_to(self, file: Path) -> None:
        """Write the errors as a TSV."""
        if self.shown is not None:
            export_table(self._state, file, error_lines(self.shown.measured))

    def _ask_export(self) -> None:
        ask_path(
            self.window(),
            self.tr("Export errors"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / "errors.tsv",
            filters=self.tr("Tab-separated (*.tsv)"),
        )

    def _draw(self, one: Evaluation) -> None:
        here = Point(*(getattr(one.measured, name) for name in Point.__struct_fields__))
        points = sorted([*one.measured.curve, here], key=lambda point: point.threshold)
        places = np.array([point.threshold for point in points], np.float64)
        curves = [
            Curve(
                title,
                places,
                np.array([getattr(point, name) for point in points], np.float64),
                colour,
                is_bold=name == "f1",
            )
            for colour, (name, title) in enumerate(
                (
                    ("f1", "F1"),
                    ("precision", self.tr("Precision")),
                    ("recall", self.tr("Recall")),
                )
            )
        ]
        self.figure.show_curves(curves, self.tr("share"), format_rate_of)
        self.figure.plot.show_all()
        self.figure.plot.set_home(one.measured.threshold)

    def _make_head(self, copying: QAction) -> WrappingRow:
        head = WrappingRow()
        head.addWidget(self._name)
        head.addWidget(self._file.make_menu(self.figure.plot.show_all))
        copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command that measures this in a terminal."),
            copying.trigger,
            kind="quiet",
        )
        export = make_button(
            self.tr("Export errors…"),
            self.tr("Write the wrong and the missed pairs to a tab-separated file."),
            self._ask_export,
            kind="quiet",
        )
        head.addWidget(export)
        head.addWidget(copy)
        return head

    def _fill_tabs(self) -> None:
        for table, hint in (
            (
                self.wrong,
                self.tr(
                    "At or above the threshold, and not in the gold standard. Some may "
                    "be right: a gold standard can miss pairs."
                ),
            ),
            (
                self.missed,
                self.tr("In the gold standard, and not found at the threshold."),
            ),
        ):
            page = QWidget()
            column = QVBoxLayout(page)
            column.setContentsMargins(0, GRID, 0, 0)
            column.setSpacing(GRID)
            column.addWidget(make_label(hint, "secondary", wraps=True))
            column.addWidget(table, 1)
            self.tabs.addTab(page, "")

    def _lay_out(self, copying: QAction) -> None:
        self._fill_tabs()
        split = make_split(
            self.figure,
            self.tabs,
            sizes=(40 * GRID, 40 * GRID),
            is_vertical=True,
            gap=GRID,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(self._make_head(copying))
        layout.addWidget(self._facts)
        layout.addSpacing(GRID)
        layout.addWidget(self.figures)
        layout.addSpacing(GRID)
        layout.addWidget(make_scrolled(split), 1)
