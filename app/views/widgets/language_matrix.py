"""Accuracy on pairs whose texts are of two languages: one down, the other across."""

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from app.languages import language_name
from app.views.classify_words import (
    format_rate,
    format_with_interval,
    wilson_interval,
)
from app.views.theme import mix, scaled, tokens_of
from app.views.widgets.controls import describe

Matrix = Mapping[str, Mapping[str, float]]


class LanguageMatrix(QTableWidget):
    """Rates on shades of the accent."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._matrix: Matrix = {}
        self._n = 0
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().setDefaultSectionSize(scaled(26, self))
        describe(self, self.tr("Accuracy by the languages of the two texts"))
        self.setToolTip("")

    def show_matrix(self, matrix: Matrix, n: int) -> None:
        """Show accuracies by the language of the first text and of the second.

        Args:
            matrix: accuracies, 0…1.
            n: pairs of each.
        """
        self._matrix, self._n = matrix, n
        names = list(matrix)
        self.setRowCount(len(names))
        self.setColumnCount(len(names))
        titles = [language_name(name) for name in names]
        self.setHorizontalHeaderLabels(titles)
        self.setVerticalHeaderLabels(titles)
        for row, one in enumerate(names):
            for column, other in enumerate(names):
                value = matrix[one].get(other)
                item = QTableWidgetItem("" if value is None else format_rate(value))
                item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                words = f"{titles[row]} + {titles[column]}"
                if value is not None:
                    rate = format_with_interval(value, *wilson_interval(value, n), n)
                    words = f"{words}: {rate}"
                item.setToolTip(words)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
                self.setItem(row, column, item)
        self._paint()

    def table(self) -> Iterator[Sequence[str]]:
        """Give the rates 0…1 with their 95 % intervals (Wilson), the header first."""
        yield ("first", "second", "accuracy", "low", "high", "n")
        for one, row in self._matrix.items():
            for other, value in row.items():
                numbers = (value, *wilson_interval(value, self._n))
                yield (one, other, *(f"{v:.6f}" for v in numbers), str(self._n))

    def copy(self) -> "LanguageMatrix":
        """Give another one that shows the same."""
        other = LanguageMatrix()
        other.show_matrix(self._matrix, self._n)
        return other

    def _paint(self) -> None:
        values = [v for row in self._matrix.values() for v in row.values()]
        if not values:
            return
        low, span = min(values), max(max(values) - min(values), 1e-6)
        tokens, names = tokens_of(self), list(self._matrix)
        for row, one in enumerate(names):
            for column, other in enumerate(names):
                item, value = self.item(row, column), self._matrix[one].get(other)
                if item is not None and value is not None:
                    share = 0.08 + 0.42 * (value - low) / span
                    item.setBackground(QBrush(QColor(mix(tokens, "accent", share))))

    def changeEvent(self, event: QEvent) -> None:
        """Shade the cells in the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_matrix"):
            self._paint()
