"""A part of a form that folds away behind its heading and a summary."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import describe, make_button
from app.views.widgets.elided_label import ElidedLabel

OPEN, CLOSED = "▾", "▸"


class FoldedSection(QFrame):
    """A card with a heading; its button shows and hides the body."""

    def __init__(
        self,
        title: str,
        make_body: Callable[[], QWidget],
        parent: QWidget | None = None,
    ):
        """Make a folded card.

        Args:
            title: the heading.
            make_body: makes what is folded, when it is first shown.
            parent: of the card.
        """
        super().__init__(parent)
        self.setProperty("card", True)
        self._title, self._make_body = title, make_body
        self._body: QWidget | None = None
        self._button = make_button("", title, self._toggle, kind="quiet")
        self._button.setStyleSheet("text-align: left; font-weight: 600;")
        self._button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._summary = ElidedLabel("secondary")
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._button)
        head.addWidget(self._summary, 1)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(GRID, GRID // 2, 2 * GRID, GRID // 2)
        self._layout.setSpacing(GRID)
        self._layout.addLayout(head)
        self.set_open(False)

    @property
    def is_open(self) -> bool:
        """Tell whether the body is shown."""
        return self._body is not None and not self._body.isHidden()

    @property
    def summary(self) -> str:
        """What the heading says of the values within."""
        return self._summary.text()

    def set_summary(self, text: str) -> None:
        """Say in a few words what the values within are."""
        self._summary.setText(text)

    def set_open(self, is_open: bool) -> None:
        """Show the body, or fold it away."""
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
