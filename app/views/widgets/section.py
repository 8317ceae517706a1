"""A heading with what belongs to it below, filled anew as often as needed."""

from typing import TypeVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.widgets.controls import make_label

W = TypeVar("W", bound=QWidget)


class Section(QWidget):
    """A titled group of widgets."""

    def __init__(self, title: str, *, spacing: int = 6, parent: QWidget | None = None):
        super().__init__(parent)
        self._items: list[QWidget] = []
        self._body = QVBoxLayout()
        self._body.setSpacing(spacing)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(make_label(title, "section"))
        layout.addLayout(self._body)

    def add(self, widget: QWidget) -> None:
        """Add a widget at the end."""
        self._items.append(widget)
        self._body.addWidget(widget)

    def clear(self) -> None:
        """Take all widgets away."""
        for widget in self._items:
            self._body.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._items = []

    def widgets(self, kind: type[W]) -> list[W]:
        """Give the widgets of one kind."""
        return [widget for widget in self._items if isinstance(widget, kind)]
