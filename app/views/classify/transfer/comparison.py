"""Significance of the difference between two transfer tests of the same rows."""

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.errors import ErrorInfo
from app.languages import language_name
from app.protocol.answers.classify import LanguageComparison, TransferComparison
from app.protocol.queries.classify import CompareTransfersQuery
from app.views.classify.transfer.results import TransferRun, describe_transfer
from app.views.client.state import AppState
from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT
from app.views.widgets.controls import describe, make_label
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.statistics_format import (
    SEPARATOR,
    format_percentage_points,
    format_rate,
)
from app.views.widgets.tables import SortableItem, fit_columns, set_up_table
from app.views.widgets.theme import GRID

SIGNIFICANCE_LEVEL = 0.05  # a smaller p is a significant difference


class ComparisonPane(QWidget):
    """A choice of another test, and a table of the languages that both tested."""

    shown = Signal()  # the comparison is in the table

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._one: TransferRun | None = None
        self.other = QComboBox()
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        describe(
            self.other,
            self.tr("Compare with"),
            self.tr("Select another test of the same rows."),
        )
        self._text = make_label("", "secondary", wraps=True)
        self.table = _ComparisonTable()
        label = make_label(self.tr("Compare with"), "secondary")
        label.setBuddy(self.other)
        row = make_row(label, self.other, Stretch())
        self._file = PlotExporter(
            state,
            self.table,
            self.tr("Comparison"),
            self.table.lines,
            whole=self.table.copy,
        )
        row.addWidget(self._file.make_menu())
        make_column(
            row, self._text, (self.table, 1), parent=self, margins=(0, GRID, 0, 0)
        )
        self.other.activated.connect(lambda: self.ask())

    @property
    def text(self) -> str:
        """The text above the table."""
        return self._text.text()

    def show_transfer(self, one: TransferRun, others: Sequence[TransferRun]) -> None:
        """Offer the other tests to compare with."""
        self._one = one
        self.table.show_rows([])
        self._text.setText("")
        self.offer(others)

    def offer(self, others: Sequence[TransferRun]) -> None:
        """Offer tests to compare with; the selected one stays selected."""
        kept, one = self.other.currentData(), self._one
        self.other.clear()
        for other in others:
            if one is not None and other.id != one.id:
                title = f"{other.name}{SEPARATOR}{describe_transfer(other)}"
                self.other.addItem(title, other.id)
        self.other.setCurrentIndex(max(self.other.findData(kept), 0))
        if not self.other.count():
            self._text.setText(
                self.tr(
                    "Test again with another head or encoder to see whether the "
                    "results differ significantly."
                )
            )

    def ask(self) -> None:
        """Compare with the test that is chosen."""
        other = self.other.currentData()
        if self._one is not None and isinstance(other, int):
            query = CompareTransfersQuery(one=self._one.id, other=other)
            self._state.ask(query, partial(self._on_answer, self._one.id))

    def _on_answer(self, one: int, answer: TransferComparison | ErrorInfo) -> None:
        if self._one is None or self._one.id != one:
            return
        if isinstance(answer, ErrorInfo):
            self.table.show_rows([])
            self._text.setText(answer.message)
            return
        rows = answer.languages
        self.table.show_rows(rows)
        n = sum(row.p < SIGNIFICANCE_LEVEL for row in rows)
        words = self.tr(
            "Significant difference in {n} of {total} languages (exact McNemar test, "
            "p < 0.05). The difference is this test minus the other, in points, with "
            "its 95 % interval by paired bootstrap. {skipped}"
        )
        skipped = " ".join(answer.skipped)
        text = words.format(n=n, total=len(rows), skipped=skipped)
        self._text.setText(text.strip())
        self.shown.emit()


class _ComparisonTable(QTableWidget):
    """One language per row."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[LanguageComparison] = ()
        set_up_table(self, 26)
        describe(
            self,
            self.tr("Comparison"),
            self.tr("One language per row."),
            has_tooltip=False,
        )

    def lines(self) -> Iterator[Sequence[str]]:
        """Return what is shown as a table, the header first; rates 0…1."""
        yield LanguageComparison.__struct_fields__
        for row in self._rows:
            yield [_plain(value) for value in msgspec.structs.astuple(row)]

    def copy(self) -> "_ComparisonTable":
        """Return another table that shows the same."""
        other = _ComparisonTable()
        other.show_rows(self._rows)
        return other

    def show_rows(self, rows: Sequence[LanguageComparison]) -> None:
        """Show languages."""
        self._rows = rows
        titles = [
            self.tr("Language"),
            self.tr("n"),
            self.tr("This"),
            self.tr("Other"),
            self.tr("Difference"),
            self.tr("95 % interval"),
            self.tr("Only this right"),
            self.tr("Only other right"),
            self.tr("p"),
        ]
        self.setColumnCount(len(titles))
        self.setHorizontalHeaderLabels(titles)
        self.setRowCount(len(rows))
        for place, row in enumerate(rows):
            for column, (text, value) in enumerate(_cells(row)):
                item = SortableItem(text, value)
                item.setTextAlignment(ALIGN_RIGHT if column else ALIGN_LEFT)
                item.setToolTip(titles[column])
                font = item.font()
                font.setBold(row.p < SIGNIFICANCE_LEVEL)
                item.setFont(font)
                self.setItem(place, column, item)
        for column in range(len(titles)):
            heading: QTableWidgetItem | None = self.horizontalHeaderItem(column)
            if heading is not None:
                heading.setTextAlignment(ALIGN_RIGHT if column else ALIGN_LEFT)
        fit_columns(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns into the new width."""
        super().resizeEvent(event)
        fit_columns(self)


def _plain(value: float | str) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def _cells(row: LanguageComparison) -> Iterator[tuple[str, float | str]]:
    name = language_name(row.language)
    yield name, name
    yield f"{row.n:,}", row.n
    yield format_rate(row.one), row.one
    yield format_rate(row.other), row.other
    yield format_percentage_points(row.difference), row.difference
    low, high = (format_percentage_points(value) for value in (row.low, row.high))
    yield f"{low} – {high}", row.low
    yield f"{row.only_one:,}", row.only_one
    yield f"{row.only_other:,}", row.only_other
    yield f"{row.p:.3f}" if row.p >= 0.001 else "< 0.001", row.p
