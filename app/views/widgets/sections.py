"""Sections with a title, with a count, or collapsible."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import ElidedLabel, describe, make_button, make_label
from app.views.widgets.theme import GRID

W = TypeVar("W", bound=QWidget)


class TitledSection(QWidget):
    """A titled group of widgets."""

    def __init__(self, title: str, *, spacing: int = 6, parent: QWidget | None = None):
        super().__init__(parent)
        self._items: list[QWidget] = []
        self._body = QVBoxLayout()
        self._body.setSpacing(spacing)
        heading = make_label(title, "section", wraps=True)
        make_column(heading, self._body, parent=self, gap=6)

    def add(self, widget: QWidget) -> None:
        """Append a widget."""
        self._items.append(widget)
        self._body.addWidget(widget)

    def clear(self) -> None:
        """Remove all widgets."""
        for widget in self._items:
            self._body.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._items = []

    def widgets(self, kind: type[W]) -> list[W]:
        """Return the widgets of one class."""
        return [widget for widget in self._items if isinstance(widget, kind)]


class HeadingWithCount(QWidget):
    """A heading with a count: Corpora 12."""

    def __init__(self, words: str, parent: QWidget | None = None):
        super().__init__(parent)
        self._heading = make_label(words, "heading")
        self._count = make_label("", "secondary")
        make_row(self._heading, (self._count, 1), parent=self)

    def set_count(self, text: str) -> None:
        """Set the text of the count, which can be empty."""
        self._count.setText(text)

    def _align(self) -> None:
        """Lower the count: both are centred, and the larger font has the lower line."""
        lines = []
        for label in (self._heading, self._count):
            label.ensurePolished()
            metrics = label.fontMetrics()
            lines.append((metrics.ascent() - metrics.descent()) / 2)
        # Centred text moves by half of a margin.
        self._count.setContentsMargins(0, round(2 * (lines[0] - lines[1])), 0, 0)

    def showEvent(self, event: QShowEvent) -> None:
        """Measure the fonts, which a style sheet sets when the widget is shown."""
        super().showEvent(event)
        self._align()

    def changeEvent(self, event: QEvent) -> None:
        """Measure the fonts when the text size changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.isVisible():
            self._align()


OPEN, CLOSED = "▾", "▸"


class CollapsibleSection(QFrame):
    """A card with a heading; its button shows and hides the body."""

    def __init__(
        self,
        title: str,
        make_body: Callable[[], QWidget],
        parent: QWidget | None = None,
    ):
        """Create a collapsed card.

        Args:
            make_body: creates the body when it is first shown.
        """
        super().__init__(parent)
        self.setProperty("card", True)
        self._title, self._make_body = title, make_body
        self._body: QWidget | None = None
        self._button = make_button("", title, self._toggle, kind="quiet")
        self._button.setProperty("shape", "heading")
        self._button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._summary = ElidedLabel("secondary")
        head = make_row(self._button, (self._summary, 1))
        self._layout = make_column(
            head, parent=self, margins=(GRID, GRID // 2, 2 * GRID, GRID // 2)
        )
        self.set_open(False)

    @property
    def is_open(self) -> bool:
        """Return whether the body is shown."""
        return self._body is not None and not self._body.isHidden()

    @property
    def summary(self) -> str:
        """The summary of the values in the heading."""
        return self._summary.text()

    def set_summary(self, text: str) -> None:
        """Set the summary of the values in the heading."""
        self._summary.setText(text)

    def set_open(self, is_open: bool) -> None:
        """Show or hide the body."""
        if is_open and self._body is None:
            self._body = self._make_body()
            self._body.setContentsMargins(GRID, 0, 0, GRID)
            self._layout.addWidget(self._body)
        if self._body is not None:
            self._body.setVisible(is_open)
        self._button.setText(f"{OPEN if is_open else CLOSED}  {self._title}")
        state = self.tr("open") if is_open else self.tr("folded")
        keys = QKeySequence(Qt.Key.Key_Space).toString(
            QKeySequence.SequenceFormat.NativeText
        )
        hint = self.tr("Show or hide these settings ({keys}).").format(keys=keys)
        describe(self._button, f"{self._title}, {state}", hint)

    def _toggle(self) -> None:
        self.set_open(not self.is_open)
