"""One filter of a recipe: its parameters, what it leaves out, its place."""

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec
from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.params.filters import filter_line, filter_name
from app.views.mining_words import format_part
from app.views.theme import GRID
from app.views.widgets.controls import (
    describe,
    make_button,
    make_label,
    restyle,
)
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.fields import Field, FieldFacts, field_facts, make_field
from app.views.words import format_count

DECIMALS = 2  # of a parameter


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
    return (kind.__doc__ or "").strip().splitlines()[0].replace("`", "")


def more_words(kind: type[Any]) -> str:
    """Say what else there is to know of a filter, for its tooltip."""
    lines = [line.strip() for line in (kind.__doc__ or "").strip().splitlines()[1:]]
    return " ".join(line for line in lines if line).replace("`", "")


class FilterCard(QFrame):
    """A chosen filter; cards of other things that are written as lines are like it.

    Attributes:
        skip: fields without an input.
    """

    skip: ClassVar[tuple[str, ...]] = ()

    changed = Signal()
    chosen = Signal()  # show what it leaves out
    moved = Signal(int)  # so many places down
    removed = Signal()

    def __init__(self, one: Any, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("card", True)
        self.kind = type(one)
        self.title = self.title_of(one)
        self._fields: dict[str, tuple[FieldFacts, Field]] = {}
        for info in msgspec.structs.fields(self.kind):
            if info.name in self.skip:
                continue
            facts = field_facts(info)
            field = make_field(facts)
            if isinstance(field.widget, QDoubleSpinBox):
                field.widget.setDecimals(DECIMALS)
            field.write(getattr(one, info.name))
            field.watch(self.changed.emit)
            self._fields[info.name] = (facts, field)
        self._title = make_label(self.title, "section")
        self._counts = make_label("", "secondary")
        self._words = ElidedLabel("secondary")
        self._words.hint = more_words(self.kind)
        self._words.setText(filter_words(self.kind))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        describe(self, self.title, self.keys_hint())
        self._lay_out()

    def title_of(self, one: Any) -> str:
        """Name what the card shows."""
        return filter_title(filter_name(one))

    def keys_hint(self) -> str:
        """Say what the card does."""
        return self.tr(
            "Shows the pairs that it leaves out; Alt+Up and Alt+Down move it, Del "
            "removes it."
        )

    @property
    def counts(self) -> str:
        """What is said of the pairs that it leaves out."""
        return self._counts.text()

    def line(self) -> str | None:
        """Give the filter's line; None while a parameter is missing or refused."""
        values = {name: field.read() for name, (_, field) in self._fields.items()}
        if any(value in ("", None) for value in values.values()):
            return None
        try:
            return filter_line(msgspec.convert(values, self.kind, strict=False))
        except msgspec.ValidationError:
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
        self.say(text, "warning" if n_before and n == n_before else "secondary")

    def show_waiting(self) -> None:
        """Say that nothing is known yet."""
        is_ready = self.line() is not None
        self.say("…" if is_ready else self.tr("fill in the pattern"), "secondary")

    def mark(self, *, is_chosen: bool) -> None:
        """Frame the card whose examples are shown."""
        restyle(self, "chosen", is_chosen)

    def focus_first(self) -> None:
        """Put the keyboard into the first parameter."""
        for _, field in self._fields.values():
            field.widget.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.setFocus()

    def say(self, text: str, role: str) -> None:
        """Say something on the right."""
        self._counts.setText(text)
        restyle(self._counts, "role", role)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(GRID // 2)
        head.addWidget(self._title)
        self.add_to_head(head)
        head.addSpacing(GRID)
        head.addWidget(self._words, 1)
        head.addWidget(self._counts)
        for words, hint, slot in (
            ("↑", self.tr("Apply it earlier (Alt+Up)."), lambda: self.moved.emit(-1)),
            ("↓", self.tr("Apply it later (Alt+Down)."), lambda: self.moved.emit(1)),
            ("×", self.tr("Take it out (Del)."), self.removed.emit),
        ):
            head.addWidget(_small_button(words, f"{self.title}: {hint}", slot))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID - 4, 4, GRID, GRID - 2)
        layout.setSpacing(2)
        layout.addLayout(head)
        if self._fields:
            layout.addLayout(self._make_fields())

    def add_to_head(self, head: QHBoxLayout) -> None:
        """Put more behind the title."""

    def _make_fields(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GRID)
        for facts, field in self._fields.values():
            label = make_label(facts.title, "secondary")
            label.setBuddy(field.widget)
            row.addWidget(label)
            is_text = facts.plain is str
            row.addWidget(field.widget, 1 if is_text else 0)
            row.addSpacing(GRID)
        if not any(facts.plain is str for facts, _ in self._fields.values()):
            row.addStretch(1)
        return row

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
