"""Difference dialog: two retrieval evaluations, compared sentence by sentence."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from app.engine.store.runs import read_measurements
from app.errors import ErrorInfo
from app.languages import language_name
from app.number_format import format_range
from app.params import command_name
from app.params.evaluation import EvaluateRetrieval
from app.params.vectors import EvaluateTatoeba
from app.protocol.answers.evaluation import DirectionComparison, RetrievalComparison
from app.protocol.queries.evaluation import CompareRetrievalsQuery
from app.results.measurements import Retrieved
from app.views.client.state import AppState
from app.views.evaluate.results import Evaluation, name_evaluations
from app.views.widgets.boxes import Stretch, make_row
from app.views.widgets.comparison_table import SIGNIFICANCE_LEVEL, ComparisonTable
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.statistics_format import (
    format_percentage_points,
    format_rate,
)
from app.views.widgets.theme import GRID, scaled

COMPARED_TASKS = {command_name(one) for one in (EvaluateRetrieval, EvaluateTatoeba)}
WIDTH, HEIGHT, TABLE_HEIGHT = 120 * GRID, 72 * GRID, 20 * GRID


def can_compare(shown: Sequence[Evaluation]) -> bool:
    """Return whether there are exactly two evaluations, both of retrieval."""
    return len(shown) == 2 and all(one.task in COMPARED_TASKS for one in shown)


class DifferenceDialog(QDialog):
    """Shows the difference in the mean error and in each direction.

    Attributes:
        table: table with a direction per row.
    """

    shown = Signal()  # the answer was shown

    def __init__(self, state: AppState, both: Sequence[Evaluation], parent: QWidget):
        """Initialise, and request the difference of two evaluations."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Difference of two evaluations"))
        one, other = name_evaluations(both)
        self._names = one, other
        self._mean = make_label(self.tr("Comparing…"), wraps=True)
        self._note = make_label("", "secondary", wraps=True)
        warning = _warn_of_training(state, both)
        self._warning = make_label(warning, "warning", wraps=True)
        self.table: ComparisonTable[DirectionComparison] = ComparisonTable(
            self.tr("Direction"), _name_direction, self._names
        )
        self.table.setMinimumHeight(scaled(TABLE_HEIGHT, self))
        self._export = PlotExporter(
            state,
            self.table,
            self.tr("Difference"),
            lambda: self._add_warning(self.table.lines()),
            whole=self.table.copy,
        )
        self._export.rounded = lambda: self._add_warning(self.table.shown_lines())
        self._export.note = warning
        self._lay_out()
        query = CompareRetrievalsQuery(one=both[0].id, other=both[1].id)
        state.ask(query, self._on_answer)

    @property
    def text(self) -> str:
        """The text above the table."""
        labels = self._warning, self._mean, self._note
        return "\n".join(label.text() for label in labels).strip()

    def _add_warning(self, lines: Iterator[Sequence[str]]) -> Iterator[Sequence[str]]:
        """Add the warning, if any, to every row of a table."""
        warning = self._warning.text()
        for index, line in enumerate(lines):
            note = warning if index else "note"
            yield [*line, note] if warning else line

    def _on_answer(self, answer: RetrievalComparison | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self._mean.setText(answer.message)
        else:
            self.table.show_rows(answer.directions)
            self._show_all_columns()
            self._mean.setText(self._describe_mean(answer))
            self._note.setText(self._describe_directions(answer))
        self._export_button.setEnabled(bool(self.table.rowCount()))
        self.shown.emit()

    def _show_all_columns(self) -> None:
        """Widen the dialog to the columns of the table, within the window."""
        missing = self.table.horizontalHeader().length() - self.table.viewport().width()
        parent = self.parentWidget()
        room = parent.window().width() - 4 * GRID if parent is not None else 0
        added = min(missing, room - self.width())
        if added > 0:
            self.setGeometry(self.geometry().adjusted(-added // 2, 0, added // 2, 0))

    def _describe_mean(self, answer: RetrievalComparison) -> str:
        mean = answer.mean
        words = self.tr(
            "The mean error of {one} is {error}, that of {other} is {other_error}. "
            "The difference is {difference} points (95\u00a0% interval {interval}, "
            "paired bootstrap of {pairs})."
        )
        one, many = self.tr("1 pair"), self.tr("{n} pairs")
        difference, low, high = (
            format_percentage_points(value)
            for value in (mean.difference, mean.low, mean.high)
        )
        return words.format(
            one=self._names[0],
            other=self._names[1],
            error=format_rate(mean.one),
            other_error=format_rate(mean.other),
            difference=difference,
            interval=format_range(low, high),
            pairs=pluralize(mean.n, one, many),
        )

    def _describe_directions(self, answer: RetrievalComparison) -> str:
        rows = answer.directions
        n = sum(row.p < SIGNIFICANCE_LEVEL for row in rows)
        words = self.tr(
            "The errors differ significantly in {n} of {total} directions (exact "
            "McNemar test, p < 0.05, bold). A difference below 0 means that {one} "
            "has fewer errors."
        )
        n_all, one = format_count(len(rows)), self._names[0]
        parts = [words.format(n=format_count(n), total=n_all, one=one)]
        if answer.mean.n_directions > len(rows):
            words = self.tr("The mean includes {n} further directions.")
            n_more = answer.mean.n_directions - len(rows)
            parts.append(words.format(n=format_count(n_more)))
        if answer.n_left_out:
            one = self.tr("1 direction that only one of them measured was skipped.")
            many = self.tr(
                "{n} directions that only one of them measured were skipped."
            )
            parts.append(pluralize(answer.n_left_out, one, many))
        return " ".join(parts)

    def _lay_out(self) -> None:
        self._export_button = self._export.make_menu()
        self._export_button.setEnabled(False)
        close = make_button(
            self.tr("Close"), self.tr("Close the comparison."), self.reject
        )
        layout = lay_out_dialog(self)
        layout.addWidget(self._warning)
        self._warning.setVisible(bool(self._warning.text()))
        layout.addWidget(self._mean)
        layout.addWidget(self._note)
        layout.addWidget(self.table, 1)
        layout.addLayout(make_row(self._export_button, Stretch(), close))
        fit_dialog(self, WIDTH, HEIGHT)


def _warn_of_training(state: AppState, both: Sequence[Evaluation]) -> str:
    """Return a warning about encoders trained on the texts, or an empty text."""
    if state.project is None:
        return ""
    words = QCoreApplication.translate(
        "DifferenceDialog",
        "{encoder} was trained on these texts, so its results are too good.",
    )
    store = state.project.store
    rows = [row for one in both for row in read_measurements(store, one.id)]
    trained = [row.encoder for row in rows if isinstance(row, Retrieved) and row.note]
    return " ".join(words.format(encoder=name) for name in dict.fromkeys(trained))


def _name_direction(row: DirectionComparison) -> str:
    return f"{language_name(row.source)} → {language_name(row.target)}"
