"""Table of two sets of results compared on the same rows, with significance."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem

from app.protocol.answers.evaluation import PairedComparison
from app.views.widgets.cells import ALIGN_LEFT, ALIGN_RIGHT
from app.views.widgets.controls import describe
from app.views.widgets.statistics_format import format_percentage_points, format_rate
from app.views.widgets.tables import (
    SortableItem,
    fit_columns,
    set_up_table,
    shown_texts,
)

DIFFERENCE = 4  # column
SIGNIFICANCE_LEVEL = 0.05  # a smaller p is a significant difference
C = TypeVar("C", bound=PairedComparison)


class ComparisonTable(QTableWidget, Generic[C]):
    """One language or direction per row; significant differences are bold.

    Attributes:
        names_in_files: of the two systems that are compared, in what is exported.
    """

    def __init__(
        self,
        heading: str,
        name_of: Callable[[C], str],
        names: tuple[str, str] | None = None,
    ):
        """Make an empty table.

        Args:
            heading: of the first column.
            name_of: returns what a row compares.
        """
        super().__init__()
        self._heading = heading
        self._name_of: Callable[[C], str] = name_of
        self._names = names or (self.tr("This"), self.tr("Other"))
        self.names_in_files = self._names
        self._only_right = self._name_only_right(self._names)
        if names is None:
            self._only_right = [self.tr("Only this right"), self.tr("Only other right")]
        self._rows: Sequence[C] = ()
        set_up_table(self, 26)
        hint = self.tr("One comparison per row.")
        describe(self, self.tr("Comparison"), hint, has_tooltip=False)

    def lines(self) -> Iterator[Sequence[str]]:
        """Return the unrounded table, the header first; rates in per cent."""
        figures = PairedComparison.__struct_fields__
        for index, row in enumerate(self._rows):
            keys = [one for one in row.__struct_fields__ if one not in figures]
            if not index:
                yield [*keys, *self._headings_in_files()]
            rates = row.one, row.other, row.difference, row.low, row.high
            yield [
                *(str(getattr(row, key)) for key in keys),
                str(row.n),
                *(f"{100 * rate:.4f}" for rate in rates),
                f"{row.p:.6f}",
                *(str(row.only_one), str(row.only_other)),
            ]

    def shown_lines(self) -> Iterator[Sequence[str]]:
        """Return the table as it is shown, with the names of what is compared."""
        yield from shown_texts(self.copy())

    def copy(self) -> "ComparisonTable[C]":
        """Return another table that shows the same, with the names in files."""
        other = ComparisonTable(self._heading, self._name_of, self.names_in_files)
        other.show_rows(self._rows)
        return other

    def _headings_in_files(self) -> Iterator[str]:
        yield self.tr("n")
        for name in self.names_in_files:
            yield self.tr("{name} (%)").format(name=name)
        yield self.tr("Difference (points)")
        yield self.tr("95\u00a0% interval, low")
        yield self.tr("95\u00a0% interval, high")
        yield self.tr("p")
        yield from self._name_only_right(self.names_in_files)

    def _name_only_right(self, names: Sequence[str]) -> list[str]:
        words: str = self.tr("Only {name} right")
        return [words.format(name=name) for name in names]

    def show_rows(self, rows: Sequence[C]) -> None:
        """Show comparisons."""
        self._rows = rows
        titles = [
            self._heading,
            self.tr("n"),
            *self._names,
            self.tr("Difference"),
            self.tr("95\u00a0% interval"),
            self.tr("p"),
            *self._only_right,
        ]
        hints = {DIFFERENCE: self.tr("Difference of the unrounded values, in points.")}
        self.setColumnCount(len(titles))
        self.setHorizontalHeaderLabels(titles)
        self.setRowCount(len(rows))
        for index, row in enumerate(rows):
            for column, (text, value) in enumerate(self._cells(row)):
                item = SortableItem(text, value)
                item.setTextAlignment(ALIGN_RIGHT if column else ALIGN_LEFT)
                item.setToolTip(hints.get(column, titles[column]))
                font = item.font()
                font.setBold(row.p < SIGNIFICANCE_LEVEL)
                item.setFont(font)
                self.setItem(index, column, item)
        for column in range(len(titles)):
            heading: QTableWidgetItem | None = self.horizontalHeaderItem(column)
            if heading is not None:
                heading.setTextAlignment(ALIGN_RIGHT if column else ALIGN_LEFT)
        fit_columns(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns into the new width."""
        super().resizeEvent(event)
        fit_columns(self)

    def _cells(self, row: C) -> Iterator[tuple[str, float | str]]:
        name = self._name_of(row)
        yield name, name
        yield f"{row.n:,}", row.n
        yield format_rate(row.one), row.one
        yield format_rate(row.other), row.other
        yield format_percentage_points(row.difference), row.difference
        low, high = (format_percentage_points(value) for value in (row.low, row.high))
        yield f"{low} – {high}", row.low
        yield f"{row.p:.3f}" if row.p >= 0.001 else "< 0.001", row.p
        yield f"{row.only_one:,}", row.only_one
        yield f"{row.only_other:,}", row.only_other
