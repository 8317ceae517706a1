"""The steps of a sub-corpus as cards, with completion of their values."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import msgspec
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.engine.store.documents import (
    count_document_names,
    count_field_values,
    read_field_names,
)
from app.errors import UserError
from app.languages import language_name
from app.params.query_steps import (
    ALL_STEPS,
    ContainsStep,
    DocumentStep,
    FieldStep,
    LabelStep,
    NearStep,
    RegexStep,
    SampleStep,
    WithinStep,
    format_step,
    parse_step,
    step_name,
)
from app.params.validation import split_validation_error
from app.views.client.state import AppState
from app.views.corpora.step_values import (
    Choices,
    FieldValueInput,
    SearchableComboBox,
    describe_range,
)
from app.views.corpora.word_query import WordQueryInput, make_expression_input
from app.views.widgets.controls import describe, make_label
from app.views.widgets.corpus_choices import ChosenIds, name_subcorpus
from app.views.widgets.fields import Field, FieldFacts, field_facts, make_language_input
from app.views.widgets.filter_list import FilterCard, FilterList, FilterPalette
from app.views.widgets.language_field import LanguageField
from app.views.widgets.number_format import format_count
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "chain_cards")

# parameters with completion, by step
COMPLETED_FIELDS: dict[type[Any], tuple[str, ...]] = {
    FieldStep: ("name",),
    DocumentStep: ("name",),
    LabelStep: ("name",),
    WithinStep: ("name",),
}


class StepCompletions:
    """Reads the choices for the parameters of steps.

    Attributes:
        state: of the window.
    """

    def __init__(self, state: AppState, initial: Callable[[], ChosenIds]):
        """Initialise without reading.

        Args:
            initial: returns the corpora and sub-corpora before the first step.
        """
        self.state, self._initial = state, initial

    def choices(
        self, step: type[Any], parameter: str, values: Mapping[str, Any]
    ) -> Choices:
        """Return choices for a parameter.

        Args:
            step: one of COMPLETED_FIELDS.
        """
        project = self.state.project
        if project is None:
            return ()
        store, corpora = project.store, self._corpora()
        if step is FieldStep and parameter == "name":
            return [(name, None) for name in read_field_names(store, corpora)]
        if step is FieldStep:
            name = str(values.get("name", "")).strip()
            return count_field_values(store, corpora, name)
        if step is DocumentStep:
            return count_document_names(store, corpora)
        if step is LabelStep:
            self.state.labels.need()
            return [(name, None) for name in self.state.labels.classes]
        return [
            (name_subcorpus(project, row), row.n_sentences)
            for row in project.subcorpora
        ]

    def _corpora(self) -> list[int]:
        """Return the ids of the corpora before the first step."""
        project, ids = self.state.project, self._initial()
        if project is None:
            return []
        chosen = set(ids.corpora)
        for row in project.subcorpora:
            chosen |= row.counts.keys() if row.id in ids.subcorpora else set()
        return sorted(chosen) or [row.id for row in project.corpora]


_EMPTY = {"name": "", "text": "", "pattern": "", "code": ""}
_MAY_BE_EMPTY = {"field": ("value",), "label": ("name",), "translated": ("into",)}
_OPTIONAL_NUMBERS = {"top", "cosine"}
_LANGUAGES = {"code", "into"}
_CHECKED = (FieldValueInput, LanguageField, WordQueryInput)  # name their problem
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


def describe_step(line: str) -> str:
    """Describe a step with its values: Field year: 1850 – 1890, not Words: haus*."""
    try:
        one = parse_step(line)
    except UserError:  # of another version
        return line
    title, texts = step_title(step_name(one)), []
    for facts in map(field_facts, msgspec.structs.fields(type(one))):
        value = getattr(one, facts.name)
        if facts.name == "turned" or (not facts.is_required and value == facts.default):
            continue
        if isinstance(one, FieldStep):
            texts.append(describe_range(value))
        elif facts.name in _LANGUAGES:
            texts.append(language_name(value))
        elif isinstance(value, bool):
            texts.append(facts.title.lower())
        elif isinstance(value, str):
            texts.append(value)
        else:
            name = _tr("top") if facts.name == "top" else facts.title.lower()
            count = isinstance(value, int)
            texts.append(f"{name} {format_count(value) if count else f'{value:g}'}")
    if isinstance(one, FieldStep):
        title, texts = f"{title} {one.name}", texts[1:] or [_tr("no value")]
    words = f"{title}: {', '.join(texts)}" if texts else title
    return _tr("not {step}").format(step=words) if one.turned else words


class StepCard(FilterCard):
    """The card of one step, with a check box that inverts it."""

    skip: ClassVar[tuple[str, ...]] = ("turned",)

    def __init__(self, one: Any, completions: StepCompletions):
        """Show a step; `completions` reads the choices for its texts."""
        self._completions, self._step = completions, type(one)
        self.turned = QCheckBox(_tr("not"))
        hint = _tr("Invert the step: keep the sentences that it would exclude.")
        describe(self.turned, _tr("not"), hint)
        self.turned.setChecked(one.turned)
        super().__init__(one)
        for name in _OPTIONAL_NUMBERS & self._fields.keys():
            self._fields[name][1].widget.setMaximumWidth(scaled(NUMBER_WIDTH))
        self.turned.toggled.connect(lambda: self.changed.emit())
        self._problem = make_label("", "warning", wraps=True)
        self._problem.hide()
        layout = self.layout()
        assert layout is not None, "a card has one"
        layout.addWidget(self._problem)
        if self.kind is FieldStep:
            self._offer_values()
            self._fields["name"][1].watch(self._offer_values)

    @property
    def problem(self) -> str:
        """The reason why the step was skipped; empty if it was not."""
        return self._problem.text()

    def facts_of(self, info: msgspec.structs.FieldInfo) -> FieldFacts:
        """Return the facts of a parameter, with a title that the window uses."""
        facts = super().facts_of(info)
        titles = {"code": _tr("Language"), "into": _tr("Into")}
        if self._step is ContainsStep:
            titles["text"] = _tr("Find")
        return facts._replace(title=titles.get(facts.name, facts.title))

    def make_input(self, facts: FieldFacts) -> Field:
        """Make the input of a parameter; texts are completed from existing values."""
        read = partial(self._choices, facts.name)
        if self._step is FieldStep and facts.name == "value":
            return FieldValueInput(read).as_field()
        if self._step is ContainsStep:
            return WordQueryInput(self._completions.state).as_field()
        if self._step is RegexStep:
            return make_expression_input(self._completions.state, facts)
        if facts.name in _LANGUAGES:
            return make_language_input(LanguageField(facts.title))
        if facts.name in COMPLETED_FIELDS.get(self._step, ()):
            box = SearchableComboBox(read)
            describe(box, facts.title, facts.description)
            return box.as_field()
        return super().make_input(facts)

    def _choices(self, name: str) -> Choices:
        values = {key: field.read() for key, (_, field) in self._fields.items()}
        return self._completions.choices(self._step, name, values)

    def _offer_values(self) -> None:
        """Offer the values of the selected field."""
        value = self._fields["value"][1].widget
        assert isinstance(value, FieldValueInput)
        value.offer()

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
        return self._read()[0]

    def _read(self) -> tuple[str | None, str]:
        """Return the step's line, and why a parameter is invalid."""
        optional = _MAY_BE_EMPTY.get(step_name(self.kind), ())
        values: dict[str, Any] = {"turned": self.turned.isChecked()}
        for name, (_, field) in self._fields.items():
            value = field.read()
            is_empty = value in ("", None)
            may_be_empty = value == "" and name in optional
            if is_empty and not may_be_empty and name not in _OPTIONAL_NUMBERS:
                return None, ""
            values[name] = None if is_empty and name in _OPTIONAL_NUMBERS else value
            if isinstance(field.widget, _CHECKED) and (problem := field.widget.problem):
                return None, problem
        try:
            return format_step(msgspec.convert(values, self.kind, strict=False)), ""
        except msgspec.ValidationError as error:
            _, why = split_validation_error(str(error))
            return None, f"{why[:1].upper()}{why[1:]}."

    def show_left(self, n: int, n_before: int, problem: str) -> None:
        """Show how many sentences remain, or why the step was skipped."""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        if problem:
            self.say(_tr("skipped"), "warning")
            return
        words = _tr("{n} left (−{gone})")
        text = words.format(n=format_count(n), gone=format_count(n_before - n))
        self.say(text, "warning" if n_before and not n else "secondary")

    def show_waiting(self) -> None:
        """Show that the count is pending, or what is missing or invalid."""
        line, problem = self._read()
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self.say("…" if line is not None else _tr("incomplete"), "secondary")


class StepList(FilterList):
    """The steps of a sub-corpus in order."""

    def __init__(self, completions: StepCompletions, parent: QWidget | None = None):
        super().__init__(parent)
        self._completions = completions

    def new_card(self, one: Any) -> FilterCard:
        """Return the card of a step."""
        return StepCard(one, self._completions)

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
        """Return the text and tooltip of the button that replaces a narrow palette."""
        return _tr("Add a step"), _tr("Add a step.")
