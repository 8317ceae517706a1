"""Significance of the difference between two transfer tests on the same rows."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.errors import ErrorInfo
from app.languages import language_name
from app.protocol.answers.classify import LanguageComparison, TransferComparison
from app.protocol.queries.classify import CompareTransfersQuery
from app.views.classify.transfer.results import (
    TransferRun,
    describe_transfer,
    name_tests,
)
from app.views.client.state import AppState
from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.comparison_table import SIGNIFICANCE_LEVEL, ComparisonTable
from app.views.widgets.controls import describe, make_label
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.theme import GRID


class ComparisonPane(QWidget):
    """A selector for another test, and a table of the common languages.

    Attributes:
        file: button that exports the table.
    """

    shown = Signal()  # the table shows the comparison

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._one: TransferRun | None = None
        self._languages: Sequence[str] = ()
        self._others: Sequence[TransferRun] = ()
        self.other = QComboBox()
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        describe(
            self.other,
            self.tr("Compare with"),
            self.tr("Select another test of the same rows."),
        )
        self._text = make_label("", "secondary", wraps=True)
        self.table = ComparisonTable(self.tr("Language"), _name_language)
        label = make_label(self.tr("Compare with"), "secondary")
        label.setBuddy(self.other)
        self.file = PlotExporter(
            state,
            self.table,
            self.tr("Comparison"),
            self.table.lines,
            whole=self.table.copy,
        )
        self.file.rounded = self.table.shown_lines
        self._head = as_widget(
            make_row(label, self.other, Stretch(), self.file.make_menu())
        )
        make_column(
            self._head,
            self._text,
            (self.table, 100),
            Stretch(1),  # fills the space of a hidden table
            parent=self,
            margins=(0, GRID, 0, 0),
        )
        self.other.activated.connect(lambda: self.ask())

    @property
    def text(self) -> str:
        """The text above the table."""
        return self._text.text()

    def show_transfer(
        self,
        one: TransferRun,
        languages: Sequence[str],
        others: Sequence[TransferRun],
    ) -> None:
        """Offer the other tests for comparison.

        Args:
            languages: languages in the order of the test's table.
            others: all tests of the project.
        """
        self._one, self._languages = one, languages
        self.table.show_rows([])
        self._text.setText("")
        self.offer(others)

    def offer(self, others: Sequence[TransferRun]) -> None:
        """Offer tests for comparison; the selected test stays selected."""
        self._others = others
        kept, one = self.other.currentData(), self._one
        self.other.clear()
        for other in others:
            if one is not None and other.id != one.id:
                title = f"{other.name}{SEPARATOR}{describe_transfer(other, others)}"
                self.other.addItem(title, other.id)
        self.other.setCurrentIndex(max(self.other.findData(kept), 0))
        has_others = self.other.count() > 0
        self._head.setVisible(has_others)
        self.table.setVisible(has_others)
        if not has_others:
            self._text.setText(
                self.tr(
                    "Test again with another head or encoder to see whether the "
                    "results differ significantly."
                )
            )

    def ask(self) -> None:
        """Request the comparison with the selected test."""
        other = self.other.currentData()
        if self._one is not None and isinstance(other, int):
            query = CompareTransfersQuery(one=self._one.id, other=other)
            self._state.ask(query, partial(self._on_answer, self._one.id, other))

    def _on_answer(
        self, one: int, other: int, answer: TransferComparison | ErrorInfo
    ) -> None:
        if self._one is None or self._one.id != one:
            return
        if isinstance(answer, ErrorInfo):
            self.table.show_rows([])
            self._text.setText(answer.message)
            return
        indices = {key: index for index, key in enumerate(self._languages)}
        rows = sorted(answer.languages, key=lambda row: indices.get(row.language, -1))
        found = next((test for test in self._others if test.id == other), None)
        if found is not None:
            self.table.names_in_files = name_tests(self._one, found)
        self.table.show_rows(rows)
        n = sum(row.p < SIGNIFICANCE_LEVEL for row in rows)
        words = self.tr(
            "Significant difference in {n} of {total} languages: p < 0.05 by the exact "
            "McNemar test, not corrected for the number of languages. The difference "
            "is this test minus the other, in points. Its 95\u00a0% interval is a "
            "paired bootstrap, so it can exclude 0 where p is just above 0.05. "
            "{skipped}"
        )
        skipped = " ".join(answer.skipped)
        text = words.format(n=n, total=len(rows), skipped=skipped)
        self._text.setText(text.strip())
        self.shown.emit()


def _name_language(row: LanguageComparison) -> str:
    return language_name(row.language)
