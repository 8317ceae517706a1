"""A row of figures: each a number with what it is below, as many as fit."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import make_label


class FigureRow(QWidget):
    """Numbers that change while one looks."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4 * GRID)
        self._row.addStretch()
        self._figures: dict[str, str] = {}
        self._numbers: list[QWidget] = []

    @property
    def text(self) -> str:
        """Everything the row says."""
        return self.accessibleName()

    def show_figures(self, figures: Sequence[tuple[str, str]]) -> None:
        """Show pairs of what it is and how much."""
        self.setAccessibleName(", ".join(f"{title} {n}" for title, n in figures))
        titles = [title for title, _ in figures]
        if titles != list(self._figures):
            self._rebuild(titles)
        for (_, number), label in zip(figures, self._labels, strict=True):
            if label.text() != number:
                label.setText(number)
        self._figures = dict(figures)
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        end = 0
        for widget in self._numbers:
            end += widget.sizeHint().width()
            widget.setVisible(end <= self.width())
            end += self._row.spacing()

    def _rebuild(self, titles: Sequence[str]) -> None:
        for widget in self._numbers:
            self._row.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._numbers, self._labels = [], []
        for place, title in enumerate(titles):
            number = make_label("")
            number.setProperty("role", "figure")
            widget = QWidget()
            column = QVBoxLayout(widget)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            column.addWidget(number)
            column.addWidget(make_label(title, "secondary"))
            self._row.insertWidget(place, widget)
            self._numbers.append(widget)
            self._labels.append(number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many as fit now, the first ones first."""
        super().resizeEvent(event)
        self._show_what_fits()

    def minimumSizeHint(self) -> QSize:
        """Allow a narrow row."""
        return QSize(0, super().minimumSizeHint().height())
