"""Evaluation page: figures, threshold curve and table of errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from app.number_format import format_score
from app.results.mining import MiningError
from app.views.client.state import AppState
from app.views.mining.evaluations import (
    MiningEvaluation,
    describe_evaluation_settings,
    evaluation_figures,
    format_measure,
    tabulate_errors,
)
from app.views.widgets.adaptive_rows import FigureRow, WrappingRow
from app.views.widgets.boxes import as_widget, make_column, make_tabs
from app.views.widgets.cells import (
    ALIGN_RIGHT,
    DISPLAY_ROLE,
    LANGUAGE_ROLE,
    Index,
    TableModel,
)
from app.views.widgets.controls import (
    ElidedLabel,
    ElidedLines,
    describe,
    make_button,
    make_label,
)
from app.views.widgets.curve_chart import CurveChart
from app.views.widgets.curve_plot import Curve
from app.views.widgets.export_dialog import ExportDialog, ask_table_export
from app.views.widgets.page_layout import make_scroll_area, make_split
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.tables import set_up_large_table, set_up_two_texts, share_width
from app.views.widgets.text_layout import direction_language
from app.views.widgets.theme import GRID, scaled

SCORE_WIDTH, ID_WIDTH = 76, 96
SCORE, SOURCE_ID, SOURCE, TARGET_ID, TARGET = range(5)


class PairErrorModel(TableModel):
    """Model of wrong or missed pairs, with ids and texts from the files."""

    numbers = (SCORE,)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.errors: list[MiningError] = []

    def show_errors(self, errors: Sequence[MiningError]) -> None:
        """Show errors."""
        self.beginResetModel()
        self.errors = list(errors)
        self.endResetModel()

    def n_rows(self) -> int:
        """Return the number of errors."""
        return len(self.errors)

    def n_columns(self) -> int:
        """Return the number of columns."""
        return TARGET + 1

    def title(self, column: int) -> str:
        """Return the title of a column."""
        id_ = self.tr("Id")
        source, target = self.tr("Source"), self.tr("Target")
        return (self.tr("Score"), id_, source, id_, target)[column]

    def data(self, index: Index, role: int = DISPLAY_ROLE) -> Any:
        """Return the data of a cell."""
        if not index.isValid():
            return None
        one, column = self.errors[index.row()], index.column()
        text = self._text(one, column)
        is_text = column in (SOURCE, TARGET)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return text
            case Qt.ItemDataRole.ToolTipRole:
                return text if is_text else None
            case Qt.ItemDataRole.TextAlignmentRole if column == SCORE:
                return ALIGN_RIGHT
            case _ if role == LANGUAGE_ROLE:
                return direction_language(text) if is_text else ""
        return None

    def _text(self, one: MiningError, column: int) -> str:
        if column == SCORE:
            return "" if one.score is None else format_score(one.score)
        names = {
            SOURCE_ID: one.source,
            SOURCE: one.source_text,
            TARGET_ID: one.target,
            TARGET: one.target_text,
        }
        return names[column]


class ErrorTable(QTableView):
    """Table of errors, with source and target side by side."""

    def __init__(self, name: str, *, has_score: bool, parent: QWidget | None = None):
        super().__init__(parent)
        self.pairs = PairErrorModel(self)
        self.setModel(self.pairs)
        set_up_large_table(self)
        set_up_two_texts(self, (SOURCE, TARGET))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setColumnHidden(SCORE, not has_score)
        self.setColumnWidth(SCORE, scaled(SCORE_WIDTH))
        for column in (SOURCE_ID, TARGET_ID):
            self.setColumnWidth(column, scaled(ID_WIDTH))
        describe(self, name, has_tooltip=False)

    def show_errors(self, errors: Sequence[MiningError]) -> None:
        """Show errors."""
        self.pairs.show_errors(errors)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width between both texts."""
        super().resizeEvent(event)
        share_width(self, (SOURCE, TARGET))


class EvaluationPage(QWidget):
    """Shows an evaluation.

    Attributes:
        shown: the evaluation shown; None before the first.
    """

    def __init__(
        self, state: AppState, copying: QAction, parent: QWidget | None = None
    ):
        """Initialise an empty page; `copying` is the action that copies the command."""
        super().__init__(parent)
        self._state = state
        self.shown: MiningEvaluation | None = None
        self._name = ElidedLabel("heading", takes_line=True)
        self._facts = ElidedLines("secondary", max_lines=4)
        self.figures = FigureRow()
        self.figure = CurveChart(
            self.tr("Precision, recall and F1 by threshold"),
            place=self.tr("threshold"),
            place_number=format_score,
        )
        self._exporter = PlotExporter(
            state, self.figure, self.tr("Evaluation of mining"), self.figure.table
        )
        self.wrong = ErrorTable(self.tr("Wrong pairs"), has_score=True)
        self.missed = ErrorTable(self.tr("Missed pairs"), has_score=False)
        self.tabs = make_tabs()
        self._lay_out(copying)

    def show_evaluation(self, one: MiningEvaluation) -> None:
        """Show an evaluation."""
        if self.shown is not None and self.shown.id == one.id:
            return
        self.shown = one
        measured = one.measured
        self._name.setText(one.name)
        self._name.hint = f"{one.params.source}\n{one.params.target}\n{one.params.gold}"
        self._facts.setText(describe_evaluation_settings(one))
        self.figures.show_figures(evaluation_figures(one))
        self._exporter.name = self.tr("evaluation of {name}").format(name=one.name)
        self._draw(one)
        self.wrong.show_errors(measured.wrong)
        self.missed.show_errors(measured.missed)
        wrong = self.tr("Wrong pairs ({n})")
        missed = self.tr("Missed pairs ({n})")
        self.tabs.setTabText(0, wrong.format(n=len(measured.wrong)))
        self.tabs.setTabText(1, missed.format(n=len(measured.missed)))

    def focus_first(self) -> None:
        """Set the focus on the plot, where a cursor shows the values."""
        self.figure.plot.setFocus()

    def ask_export(self) -> ExportDialog | None:
        """Ask how and where to export the errors."""
        if self.shown is None:
            return None
        measured = self.shown.measured
        return ask_table_export(
            self._state,
            self.window(),
            self.tr("Export errors"),
            self.tr("errors"),
            lambda: tabulate_errors(measured),
            len(measured.wrong) + len(measured.missed),
        )

    def _draw(self, one: MiningEvaluation) -> None:
        measured = one.measured
        points = sorted([*measured.curve, measured], key=lambda point: point.threshold)
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
        self.figure.show_curves(curves, self.tr("value"), format_measure)
        self.figure.plot.show_all()
        self.figure.plot.set_home(one.measured.threshold)

    def _make_head(self, copying: QAction) -> WrappingRow:
        head = WrappingRow()
        head.addWidget(self._name)
        head.addWidget(self._exporter.make_menu(self.figure.plot.show_all))
        copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command that repeats this in a terminal."),
            copying.trigger,
            kind="quiet",
        )
        export = make_button(
            self.tr("Export errors…"),
            self.tr("Export the wrong and the missed pairs as a table."),
            self.ask_export,
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
                    "Found at the threshold but not in the gold standard, best "
                    "scores first. Some may be correct, because a gold standard can "
                    "lack pairs."
                ),
            ),
            (
                self.missed,
                self.tr("In the gold standard but not found at the threshold."),
            ),
        ):
            page = as_widget(
                make_column(
                    make_label(hint, "secondary", wraps=True),
                    (table, 1),
                    margins=(0, GRID, 0, 0),
                )
            )
            self.tabs.addTab(page, "")

    def _lay_out(self, copying: QAction) -> None:
        self._fill_tabs()
        split = make_split(
            self.figure,
            self.tabs,
            sizes=(40 * GRID, 40 * GRID),
            is_vertical=True,
            gap=GRID,
            parent=self,
        )
        make_column(
            self._make_head(copying),
            self._facts,
            GRID,
            self.figures,
            GRID,
            (make_scroll_area(split), 1),
            parent=self,
            gap=4,
        )
