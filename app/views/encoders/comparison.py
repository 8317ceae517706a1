"""The errors of encoders by language, side by side."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QTableWidget, QWidget

from app.languages import language_name
from app.protocol.answers.encoders import EncoderInfo
from app.results.encoder_scores import Scores, read_scores
from app.views.client.encoders import Coverage
from app.views.encoders.facts import describe_speed
from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT
from app.views.widgets.controls import (
    describe,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.number_format import (
    format_bytes,
    format_error_rate,
    pluralize,
)
from app.views.widgets.tables import SortableItem, fit_columns, set_up_table
from app.views.widgets.theme import GRID, scaled

LOW_ERROR = 0.1  # languages with a lower error are counted
LEAST_HEIGHT = 24 * GRID  # minimum height of the table; a lower page scrolls


class ComparisonPage(QWidget):
    """A table for one test set: a row per language, a column per encoder.

    Attributes:
        table: sortable by column.
    """

    evaluation_requested = Signal()  # measure the current encoder

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._scores: dict[str, Scores] = {}  # by encoder
        self._facts: dict[str, str] = {}
        self._tests = QComboBox()
        describe(
            self._tests,
            self.tr("Test set"),
            self.tr("Choose the sentences on which the errors were measured."),
        )
        self._tests.currentIndexChanged.connect(self._show_test)
        self._summary = make_label("", "secondary", wraps=True)
        self._summary.setAlignment(Qt.AlignmentFlag.AlignTop)  # if there is no table
        self.table = _make_table()
        describe(
            self.table,
            self.tr("Comparison"),
            self.tr(
                "Retrieval error between each language and English; lower is better."
            ),
        )
        self.table.setMinimumHeight(scaled(LEAST_HEIGHT))
        self._others = make_label("", "secondary", wraps=True)
        evaluate = make_button(
            self.tr("Measure retrieval…"),
            self.tr("Measure this encoder on texts of your own, in Evaluate."),
            self.evaluation_requested.emit,
            kind="quiet",
        )
        offer_in_palette(evaluate, evaluate.text())
        self._foot = as_widget(
            make_row(
                (self._others, 1), (evaluate, 0, Qt.AlignmentFlag.AlignTop), gap=None
            )
        )
        tests = make_row(self._tests, Stretch(1))
        parts = tests, self._summary, (self.table, 1), self._foot
        make_column(*parts, parent=self, margins=(0, GRID, 0, 0))

    @property
    def summary(self) -> str:
        """The text above the table, with a line per encoder."""
        return self._summary.text()

    def show_encoders(
        self, encoders: Sequence[tuple[EncoderInfo, Coverage | None]]
    ) -> None:
        """Show the encoders that include scores, with size and speed."""
        self._scores, self._facts = {}, {}
        for encoder, coverage in encoders:
            scores = read_scores(Path(encoder.folder))
            if scores:
                speed = describe_speed(encoder, coverage)
                facts = [format_bytes(encoder.size_bytes), *([speed] if speed else [])]
                self._scores[encoder.name] = scores
                self._facts[encoder.name] = ", ".join(facts)
        tests = list(dict.fromkeys(t for one in self._scores.values() for t in one))
        if tests != [self._tests.itemText(i) for i in range(self._tests.count())]:
            self._tests.blockSignals(True)
            self._tests.clear()
            self._tests.addItems(tests)
            self._tests.blockSignals(False)
        self._tests.setVisible(bool(tests))
        self.table.setVisible(bool(tests))
        self._show_others([one.name for one, _ in encoders])
        self._show_test()

    def texts(self) -> list[list[str]]:
        """Return the cells of the table in display order."""
        columns = range(self.table.columnCount())
        cells = [
            [self.table.item(row, column) for column in columns]
            for row in range(self.table.rowCount())
        ]
        return [[cell.text() if cell else "" for cell in row] for row in cells]

    def _show_test(self) -> None:
        test = self._tests.currentText()
        errors = {name: one[test] for name, one in self._scores.items() if test in one}
        if not errors:
            words = self.tr("Encoders that come with Isogloss are compared here.")
            self._summary.setText(words)
            return
        self._summary.setText(
            "\n".join(self._describe(name, errors[name]) for name in errors)
        )
        self._fill(errors)

    def _show_others(self, names: Sequence[str]) -> None:
        """List the encoders without a column, and how to compare them."""
        others = [name for name in names if name not in self._scores]
        self._foot.setVisible(bool(others) and bool(self._scores))
        words = self.tr(
            "Only encoders that come with Isogloss were measured on these sets. To "
            "compare {names}, measure several encoders on the same texts in Evaluate."
        )
        self._others.setText(words.format(names=", ".join(others)))

    def _describe(self, name: str, errors: dict[str, float]) -> str:
        words = self.tr("{name}: mean error {mean}, {low} of {languages} below {bound}")
        text = words.format(
            name=name,
            mean=format_error_rate(fmean(errors.values())),
            low=sum(error < LOW_ERROR for error in errors.values()),
            languages=pluralize(
                len(errors), self.tr("1 language"), self.tr("{n} languages")
            ),
            bound=format_error_rate(LOW_ERROR),
        )
        return f"{text} · {self._facts[name]}"

    def _fill(self, errors: dict[str, dict[str, float]]) -> None:
        codes = list(dict.fromkeys(code for one in errors.values() for code in one))
        table, names = self.table, list(errors)
        table.setSortingEnabled(False)
        table.setColumnCount(2 + len(names))
        table.setHorizontalHeaderLabels([self.tr("Language"), self.tr("Code"), *names])
        table.setRowCount(len(codes))
        for row, code in enumerate(codes):
            name = language_name(code)
            table.setItem(row, 0, SortableItem(name, name))
            table.setItem(row, 1, SortableItem(code, code))
            for column, encoder in enumerate(names, start=2):
                error = errors[encoder].get(code)
                text = "–" if error is None else format_error_rate(error)
                item = SortableItem(text, error)
                item.setTextAlignment(ALIGN_RIGHT)
                table.setItem(row, column, item)
        for column in range(table.columnCount()):
            heading = table.horizontalHeaderItem(column)
            assert heading is not None, "every column has a label"
            heading.setTextAlignment(ALIGN_LEFT if column < 2 else ALIGN_RIGHT)
        fit_columns(table)
        table.setSortingEnabled(True)


class _ErrorTable(QTableWidget):
    """Table with a row per language and a column per encoder."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        fit_columns(self)


def _make_table() -> QTableWidget:
    table = _ErrorTable()
    mode = QTableWidget.SelectionMode.ExtendedSelection
    set_up_table(table, 30, mode)
    table.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    return table
