"""One filter of a recipe: its parameters, what it leaves out, its place."""

from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.params.filters import Filter, filter_line, filter_name
from app.views.mining_words import format_part
from app.views.theme import GRID
from app.views.widgets.controls import (
    describe,
    make_button,
    make_label,
    restyle,
)
from app.views.widgets.form import Form, FormError
from app.views.words import format_count


def filter_title(name: str) -> str:
    """Name a filter for the user."""
    names = {
        "length": _tr("Length"),
        "ratio": _tr("Length ratio"),
        "identity": _tr("Copies"),
        "script": _tr("Script"),
        "language": _tr("Language"),
        "numbers": _tr("Numbers"),
        "names": _tr("Names"),
        "addresses": _tr("Addresses"),
        "regex": _tr("Pattern"),
    }
    return names.get(name, name.capitalize())


def filter_words(kind: type[Any]) -> str:
    """Say what a filter keeps: the first sentence of its description."""
    return (kind.__doc__ or "").strip().splitlines()[0]


class FilterCard(QFrame):
    """A chosen filter."""

    changed = Signal()
    chosen = Signal()  # show what it leaves out
    moved = Signal(int)  # so many places down
    removed = Signal()

    def __init__(self, one: Filter, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self.kind, self._line = type(one), filter_line(one)
        name = filter_name(one)
        self.title = filter_title(name)
        self._form: Form[Any] | None = None
        if msgspec.structs.fields(self.kind):
            self._form = Form(self.kind, one)
            self._form.changed.connect(self.changed)
        self._title = make_label(self.title, "section")
        self._counts = make_label("", "secondary")
        self._words = make_label(filter_words(self.kind), "secondary", wraps=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        hint = self.tr(
            "Shows the pairs that it leaves out; Alt+Up and Alt+Down move it, Del "
            "removes it."
        )
        describe(self, self.title, hint)
        self._lay_out()

    @property
    def counts(self) -> str:
        """What is said of the pairs that it leaves out."""
        return self._counts.text()

    def line(self) -> str | None:
        """Give the filter's line; None while a parameter is missing or refused."""
        if self._form is None:
            return self._line
        if any(value == "" for value in self._form.raw().values()):
            return None
        try:
            return filter_line(self._form.values())
        except FormError:
            return None

    def show_step(self, step: dict[str, Any], n_before: int) -> None:
        """Show what the filter did with a sample of which so many were left."""
        n, n_alone = int(step["n_removed"]), int(step["n_alone"])
        words = self.tr("−{n} of {total} ({share})")
        text = words.format(
            n=format_count(n),
            total=format_count(n_before),
            share=format_part(n, n_before),
        )
        if n_alone > n:
            alone = self.tr("alone −{n}")
            text += " · " + alone.format(n=format_count(n_alone))
        self._say(text, "warning" if n_before and n == n_before else "secondary")

    def show_waiting(self) -> None:
        """Say that nothing is known yet."""
        is_ready = self.line() is not None
        self._say("…" if is_ready else self.tr("fill in the pattern"), "secondary")

    def mark(self, *, is_chosen: bool) -> None:
        """Frame the card whose examples are shown."""
        restyle(self, "chosen", is_chosen)

    def focus_first(self) -> None:
        """Put the keyboard into the first parameter."""
        if self._form is not None:
            self._form.focus_first()
        else:
            self.setFocus()

    def _say(self, text: str, role: str) -> None:
        self._counts.setText(text)
        restyle(self._counts, "role", role)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(GRID // 2)
        head.addWidget(self._title)
        head.addWidget(self._counts, 1, Qt.AlignmentFlag.AlignRight)
        for words, hint, slot in (
            ("↑", self.tr("Apply it earlier (Alt+Up)."), lambda: self.moved.emit(-1)),
            ("↓", self.tr("Apply it later (Alt+Down)."), lambda: self.moved.emit(1)),
            ("×", self.tr("Take it out of the recipe (Del)."), self.removed.emit),
        ):
            head.addWidget(_small_button(words, f"{self.title}: {hint}", slot))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID - 4, GRID, GRID, GRID)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._words)
        if self._form is not None:
            layout.addWidget(self._form)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show what it leaves out."""
        super().mousePressEvent(event)
        self.chosen.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show what it leaves out."""
        super().focusInEvent(event)
        self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the filter, or take it out."""
        is_alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        match event.key():
            case Qt.Key.Key_Up if is_alt:
                self.moved.emit(-1)
            case Qt.Key.Key_Down if is_alt:
                self.moved.emit(1)
            case Qt.Key.Key_Delete:
                self.removed.emit()
            case _:
                super().keyPressEvent(event)


def _small_button(words: str, hint: str, slot: Callable[[], object]) -> QWidget:
    button = make_button(words, hint, slot, kind="quiet")
    button.setAccessibleName(hint)
    button.setStyleSheet("padding: 0 6px; min-height: 20px;")
    return button


def _tr(text: str) -> str:
    return QCoreApplication.translate("FilterCard", text)
