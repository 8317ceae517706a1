"""The steps of a sub-corpus as cards, with completion of their values."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import msgspec
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QCompleter, QHBoxLayout, QLineEdit, QWidget

from app.engine.store.documents import read_field_names, read_field_values
from app.params.query_steps import (
    ALL_STEPS,
    FieldStep,
    LabelStep,
    NearStep,
    SampleStep,
    WithinStep,
    format_step,
    step_name,
)
from app.views.client.state import AppState
from app.views.widgets.controls import describe, make_label
from app.views.widgets.corpus_choices import ChosenIds, name_subcorpus
from app.views.widgets.filter_list import FilterCard, FilterList, FilterPalette
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "chain_cards")

# parameters with completion, by step
COMPLETED_FIELDS: dict[type[Any], tuple[str, ...]] = {
    FieldStep: ("name", "value"),
    LabelStep: ("name",),
    WithinStep: ("name",),
}


class StepCompletions:
    """Reads the choices for the parameters of steps."""

    def __init__(self, state: AppState, initial: Callable[[], ChosenIds]):
        """Read nothing yet.

        Args:
            state: of the window.
            initial: returns the corpora and sub-corpora before the first step.
        """
        self._state, self._initial = state, initial

    def choices(
        self, step: type[Any], parameter: str, values: Mapping[str, Any]
    ) -> Sequence[str]:
        """Return choices for a parameter.

        Args:
            step: one of COMPLETED_FIELDS.
            parameter: the name of a parameter of the step.
            values: the current values of all parameters of the step.
        """
        project = self._state.project
        if project is None:
            return ()
        if step is FieldStep and parameter == "name":
            return read_field_names(project.store, self._corpora())
        if step is FieldStep:
            name = str(values.get("name", "")).strip()
            return read_field_values(project.store, self._corpora(), name)
        if step is LabelStep:
            self._state.labels.need()
            return self._state.labels.classes
        return [name_subcorpus(project, row) for row in project.subcorpora]

    def _corpora(self) -> list[int]:
        """Return the ids of the corpora before the first step."""
        project, ids = self._state.project, self._initial()
        if project is None:
            return []
        chosen = set(ids.corpora)
        for row in project.subcorpora:
            chosen |= row.counts.keys() if row.id in ids.subcorpora else set()
        return sorted(chosen) or [row.id for row in project.corpora]


MAX_COMPLETIONS = 12


class FieldCompleter(QCompleter):
    """Completes a line from any part of a choice; Down shows all choices."""

    def __init__(self, line: QLineEdit, read: Callable[[], Sequence[str]]):
        """Complete a line.

        Args:
            line: the line to complete.
            read: returns the choices.
        """
        super().__init__(line)
        self._read = read
        self._choices = QStringListModel(self)
        self.setModel(self._choices)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setMaxVisibleItems(MAX_COMPLETIONS)
        line.setCompleter(self)
        line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Read the choices on focus; show them all on Down."""
        line = self.widget()
        if watched is line and isinstance(line, QLineEdit):
            if event.type() == QEvent.Type.FocusIn:
                self._choices.setStringList(list(self._read()))
            is_down = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Down
            is_pressed = event.type() == QEvent.Type.KeyPress
            if is_pressed and is_down and not line.text():
                self.setCompletionPrefix("")
                self.complete()
                return True
        return super().eventFilter(watched, event)


_EMPTY = {"name": "", "text": "", "pattern": "", "code": ""}
_MAY_BE_EMPTY = {"field": ("value",), "label": ("name",), "translated": ("into",)}
_OPTIONAL_NUMBERS = {"top", "cosine"}
DEFAULT_TOP = 500
NUMBER_WIDTH = 88  # pixels


def step_title(name: str) -> str:
    """Return the title of a step."""
    names = {
        "field": _tr("Field"),
        "document": _tr("Document"),
        "words": _tr("Words"),
        "regex": _tr("Pattern"),
        "language": _tr("Language"),
        "length": _tr("Length"),
        "near": _tr("Meaning"),
        "label": _tr("Label"),
        "translated": _tr("Translated"),
        "within": _tr("Sub-corpus"),
        "sample": _tr("Sample"),
    }
    return names.get(name, name.capitalize())


class StepCard(FilterCard):
    """The card of one step, with a check box that inverts it."""

    skip: ClassVar[tuple[str, ...]] = ("turned",)

    def __init__(self, one: Any):
        """Show a step."""
        self.turned = QCheckBox(_tr("not"))
        hint = _tr("Invert the step: keep the sentences that it would exclude.")
        describe(self.turned, _tr("not"), hint)
        self.turned.setChecked(one.turned)
        super().__init__(one)
        for name in _OPTIONAL_NUMBERS & self._fields.keys():
            self._fields[name][1].widget.setMaximumWidth(scaled(NUMBER_WIDTH))
        if self.kind is FieldStep:
            value = self._fields["value"][1].widget
            assert isinstance(value, QLineEdit), "a value is a text"
            value.setPlaceholderText(_tr("value or 1850..1890"))
        self.turned.toggled.connect(lambda: self.changed.emit())
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        layout = self.layout()
        assert layout is not None, "a card has one"
        layout.addWidget(self._problem)

    @property
    def problem(self) -> str:
        """Why the step was skipped; empty if it was not."""
        return self._problem.text()

    def complete_with(self, completions: StepCompletions) -> None:
        """Add completion to the text fields of the step."""
        for name in COMPLETED_FIELDS.get(self.kind, ()):
            line = self._fields[name][1].widget
            assert isinstance(line, QLineEdit), "what is completed is a text"
            FieldCompleter(line, partial(self._choices, completions, name))

    def _choices(self, completions: StepCompletions, name: str) -> Sequence[str]:
        values = {key: field.read() for key, (_, field) in self._fields.items()}
        return completions.choices(self.kind, name, values)

    def title_of(self, one: Any) -> str:
        """Return the title of the step."""
        return step_title(step_name(one))

    def keys_hint(self) -> str:
        """Return the keys of the card."""
        return _tr("Alt+Up and Alt+Down move the step, Del removes it.")

    def add_to_head(self, head: QHBoxLayout) -> None:
        """Add the check box that inverts the step."""
        head.addSpacing(GRID)
        head.addWidget(self.turned)

    def line(self) -> str | None:
        """Return the step's line; None while a parameter is missing or invalid."""
        optional = _MAY_BE_EMPTY.get(step_name(self.kind), ())
        values: dict[str, Any] = {"turned": self.turned.isChecked()}
        for name, (_, field) in self._fields.items():
            value = field.read()
            is_empty = value in ("", None)
            if is_empty and name not in optional and name not in _OPTIONAL_NUMBERS:
                return None
            values[name] = None if is_empty and name in _OPTIONAL_NUMBERS else value
        try:
            return format_step(msgspec.convert(values, self.kind, strict=False))
        except msgspec.ValidationError:
            return None

    def show_left(self, n: int, n_before: int, problem: str) -> None:
        """Show how many sentences are left, or why the step was skipped."""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        if problem:
            self.say(_tr("skipped"), "warning")
            return
        words = _tr("{n} left (−{gone})")
        text = words.format(n=format_count(n), gone=format_count(n_before - n))
        self.say(text, "warning" if n_before and not n else "secondary")

    def show_waiting(self) -> None:
        """Show that the count is pending or that the step is incomplete."""
        self._problem.setText("")
        self._problem.hide()
        is_ready = self.line() is not None
        self.say("…" if is_ready else _tr("incomplete"), "secondary")


class StepList(FilterList):
    """The steps of a sub-corpus in order."""

    make_card: ClassVar[type[FilterCard]] = StepCard

    def __init__(self, completions: StepCompletions, parent: QWidget | None = None):
        super().__init__(parent)
        self._completions = completions

    def _insert(self, one: Any) -> None:
        super()._insert(one)
        card = self.cards[-1]
        assert isinstance(card, StepCard), "these are the cards that are made"
        card.complete_with(self._completions)

    def empty_words(self) -> str:
        """Return the text shown without steps."""
        return _tr("No steps: all sentences are selected. Add a step below.")

    def make_new(self, kind: type[Any]) -> Any:
        """Make the initial values of a new card."""
        if kind is NearStep:
            return NearStep(text="", top=DEFAULT_TOP)
        if kind is SampleStep:
            return SampleStep()
        wanted = {info.name for info in msgspec.structs.fields(kind) if info.required}
        return kind(**{name: _EMPTY[name] for name in wanted})


class StepPalette(FilterPalette):
    """The kinds of steps that can be added."""

    kinds: ClassVar[tuple[type[Any], ...]] = ALL_STEPS
    n_columns: ClassVar[int] = 4

    def title_of(self, kind: type[Any]) -> str:
        """Return the title of a kind of step."""
        return step_title(step_name(kind))

    def menu_words(self) -> tuple[str, str]:
        """Return text and hint of the button that replaces a narrow palette."""
        return _tr("Add a step"), _tr("Add a step.")
