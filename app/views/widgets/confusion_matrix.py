"""A confusion matrix: rows by their true class, and by the class that was said."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.transfer import LanguageDetails
from app.views.classify_words import format_rate
from app.views.theme import GRID, mix, scaled, tokens_of
from app.views.widgets.controls import describe
from app.views.words import count_words

FACTS = 3  # columns behind the classes: recall, precision, F1
CELL, FACT = 10 * GRID, 9 * GRID  # pixels


class ConfusionMatrix(QTableWidget):
    """Counts on shades of their share of the true class; F1 stands behind.

    Attributes:
        details: of the language that is shown; None before the first.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.details: LanguageDetails | None = None
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().setDefaultSectionSize(scaled(28, self))
        describe(self, self.tr("Confusion matrix"))
        self.setToolTip("")

    def show_details(self, details: LanguageDetails | None) -> None:
        """Show a language; None: nothing."""
        self.details = details
        self.clear()
        n = len(details.classes) if details is not None else 0
        self.setRowCount(n)
        self.setColumnCount(n + FACTS if n else 0)
        if details is None:
            return
        said = [self.tr("said {name}").format(name=name) for name in details.classes]
        facts = [self.tr("recall"), self.tr("precision"), self.tr("F1")]
        self.setHorizontalHeaderLabels([*details.classes, *facts])
        for column, words in enumerate([*said, *facts]):
            item = self.horizontalHeaderItem(column)
            if item is not None:
                item.setToolTip(words)
        self.setVerticalHeaderLabels(
            [f"{one.name}  ({one.n:,})" for one in details.per_class]
        )
        self._fill(details)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in range(self.columnCount()):
            width = CELL if column < n else FACT
            needed = header.sectionSizeHint(column) + GRID
            self.setColumnWidth(column, max(scaled(width, self), needed))

    def table(self) -> Iterator[Sequence[str]]:
        """Give the counts, the header first."""
        details = self.details
        if details is None:
            return
        yield ("class", *details.classes, "recall", "precision", "f1")
        for one, row in zip(details.per_class, details.confusion, strict=True):
            values = (one.recall, one.precision, one.f1)
            facts = ("" if v is None else f"{v:.6f}" for v in values)
            yield (one.name, *map(str, row), *facts)

    def copy(self) -> "ConfusionMatrix":
        """Give another one that shows the same."""
        other = ConfusionMatrix()
        other.show_details(self.details)
        return other

    def _fill(self, details: LanguageDetails) -> None:
        words = self.tr("{n} of {total} rows of {true} were said to be {said}")
        for place, (one, row) in enumerate(
            zip(details.per_class, details.confusion, strict=True)
        ):
            for column, n in enumerate(row):
                item = QTableWidgetItem(f"{n:,}" if n else "")
                item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                said = details.classes[column]
                text = words.format(n=n, total=one.n, true=one.name, said=said)
                item.setToolTip(f"{text}.")
                item.setData(Qt.ItemDataRole.AccessibleTextRole, text)
                self.setItem(place, column, item)
            for number, value in enumerate((one.recall, one.precision, one.f1)):
                item = QTableWidgetItem("–" if value is None else format_rate(value))
                item.setTextAlignment(
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                )
                item.setToolTip(
                    count_words(one.n, self.tr("Of 1 row."), self.tr("Of {n} rows."))
                )
                self.setItem(place, len(row) + number, item)
        self._paint()

    def _paint(self) -> None:
        """Shade the cells: what was right in the accent, errors in the warning."""
        details, tokens = self.details, tokens_of(self)
        if details is None:
            return
        for place, row in enumerate(details.confusion):
            total = max(sum(row), 1)
            for column, n in enumerate(row):
                item = self.item(place, column)
                if item is None:
                    continue
                name = "accent" if place == column else "warning"
                share = 0.5 * n / total
                item.setBackground(QBrush(QColor(mix(tokens, name, share))))

    def changeEvent(self, event: QEvent) -> None:
        """Shade the cells in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "details"):
            self._paint()
