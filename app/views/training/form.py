"""Form of training settings in sections, with the field of weighted objectives."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QGridLayout,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.corpora import CorpusRow
from app.engine.store.subcorpora import SubcorpusRow
from app.languages import language_name
from app.params import build_params
from app.params.training import TrainEncoder
from app.params.training_fields import (
    OBJECTIVES,
    SECTIONS,
    TITLES,
    Objective,
    join_objectives,
    split_objectives,
    unused_fields,
)
from app.params.validation import split_validation_error
from app.views.training.text import (
    describe_data,
    describe_development,
    describe_encoder,
    describe_objectives,
    describe_steps,
    field_title,
)
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe, make_label
from app.views.widgets.corpus_choices import SUBCORPUS_ID_PREFIX
from app.views.widgets.fields import Field, field_facts, make_choice
from app.views.widgets.form import Form, FormError
from app.views.widgets.sections import CollapsibleSection
from app.views.widgets.theme import GRID

WEIGHT_RANGE = (0.01, 100.0)


class ObjectiveField(QWidget):
    """One row an objective: its tick, its weight, what it does."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        words = self._words()
        self._rows: dict[str, tuple[QCheckBox, QDoubleSpinBox]] = {}
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(GRID)
        layout.setVerticalSpacing(4)
        layout.setColumnStretch(2, 1)
        for row, name in enumerate(OBJECTIVES):
            title, what = words[name]
            tick, weight = self._make_row(title, what)
            self._rows[name] = tick, weight
            layout.addWidget(tick, row, 0)
            layout.addWidget(weight, row, 1)
            layout.addWidget(make_label(what, "secondary", wraps=True), row, 2)
        self.setFocusProxy(self._rows[OBJECTIVES[0]][0])
        describe(
            self, self.tr("Objectives"), self.tr("What is learned, one task a step.")
        )
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def read(self) -> list[str]:
        """Return what is ticked, with weights."""
        ticked = [
            Objective(name, round(weight.value(), 4))
            for name, (tick, weight) in self._rows.items()
            if tick.isChecked()
        ]
        return list(join_objectives(ticked))

    def write(self, value: Any) -> None:
        """Tick objectives and set their weights."""
        weights = dict(split_objectives(value or ()))
        for name, (tick, weight) in self._rows.items():
            weight.setValue(weights.get(name, 1.0))
            tick.setChecked(name in weights)

    def as_field(self) -> Field:
        """Return what a form wants of an input."""
        return Field(self, self.read, self.write, lambda f: self.changed.connect(f))

    def _make_row(self, title: str, what: str) -> tuple[QCheckBox, QDoubleSpinBox]:
        tick, weight = QCheckBox(title), QDoubleSpinBox()
        describe(tick, title, what)
        weight.setRange(*WEIGHT_RANGE)
        weight.setDecimals(2)
        weight.setSingleStep(0.25)
        weight.setValue(1.0)
        weight.setEnabled(False)
        describe(
            weight,
            self.tr("Weight of {objective}").format(objective=title),
            self.tr("How often this task has its turn, beside the others."),
        )
        tick.toggled.connect(weight.setEnabled)
        tick.toggled.connect(lambda: self.changed.emit())
        weight.valueChanged.connect(lambda: self.changed.emit())
        return tick, weight

    def _words(self) -> dict[str, tuple[str, str]]:
        return {
            "ranking": (
                self.tr("Translation ranking"),
                self.tr("Find the translation among the batch's other sentences."),
            ),
            "translation": (
                self.tr("Translation"),
                self.tr("Write the translation, knowing only the vector (LASER)."),
            ),
            "nli": (
                self.tr("NLI"),
                self.tr("Entailment, contradiction or neither."),
            ),
            "quick-thought": (
                self.tr("Quick thought"),
                self.tr("Find the sentences before and after."),
            ),
            "conversation": (
                self.tr("Conversation"),
                self.tr("Find the response."),
            ),
            "distillation": (
                self.tr("Distillation"),
                self.tr("Take over the space of a stronger encoder."),
            ),
        }


ENCODER_FIELDS = ("initial", "coarse_encoder", "teacher")
WIDE_FIELDS = (
    "name",
    "corpora",
    "pairs",
    "out",
    "kept_out_corpora",
    "kept_out",
    "objectives",
)
DEFAULTS = msgspec.structs.asdict(TrainEncoder(name=""))


class _FieldError(Exception):
    """A value that is refused: field and reason."""


class TrainingForm(QWidget):
    """What a training can be told, in sections that fold away.

    Attributes:
        corpora: the linked corpora that are offered to train on.
        kept_out: the corpora that are offered to keep out.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.corpora = CheckList(
            self.tr("Corpora"),
            self.tr("Linked corpora to train on, each with all its translations."),
        )
        self.kept_out = CheckList(
            self.tr("Corpora kept out"),
            self.tr(
                "Development and test corpora: pairs that hold one of their sentences "
                "are left out."
            ),
        )
        self._names: dict[str, str] = {}
        self._encoders: list[str] = []
        self._values = dict(DEFAULTS)  # of the fields whose section was never open
        self._forms: dict[str, Form[TrainEncoder]] = {}
        self._cards: dict[str, CollapsibleSection] = {}
        self._is_writing = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        titles = self._titles()
        for name in SECTIONS:
            self._cards[name] = CollapsibleSection(
                titles[name], partial(self._form, name)
            )
            layout.addWidget(self._cards[name])
        layout.addStretch()
        self._cards["data"].set_open(True)
        self._on_changed()

    def params(self) -> TrainEncoder:
        """Return the params with every bound checked; unused fields are the defaults.

        Raises:
            FormError: a value is refused; it is marked, and the error names it.
        """
        for form in self._forms.values():
            form.clear_errors()
        try:
            return self._build()
        except _FieldError as refused:
            name, text = refused.args
            raise self._refuse(name, text) from refused

    def peek(self) -> TrainEncoder | None:
        """Return the params, or None while a value is refused; nothing is marked."""
        try:
            return self._build()
        except _FieldError:
            return None

    def write(self, params: TrainEncoder) -> None:
        """Put params into the inputs."""
        self._is_writing = True
        self._values = msgspec.structs.asdict(params)
        for form in self._forms.values():
            form.write(self._values)
        self._is_writing = False
        self._on_changed()

    def show_corpora(
        self,
        linked: Sequence[CorpusRow],
        corpora: Sequence[CorpusRow],
        parts: Sequence[SubcorpusRow] = (),
    ) -> None:
        """Offer corpora: the linked ones to train on, all of them to keep out.

        Args:
            linked: corpora.
            corpora: all.
            parts: sub-corpora, those with a sentence of linked ones to train on.
        """
        self._names = {str(row.id): row.name for row in corpora}
        self._names |= {row.name: row.name for row in corpora}
        self._names |= {f"{SUBCORPUS_ID_PREFIX}{row.id}": row.name for row in parts}
        ids = {row.id for row in linked}
        trained = [row for row in parts if ids & row.counts.keys()]
        self.corpora.set_choices([*map(_choice, linked), *map(_choice_of, trained)])
        self.kept_out.set_choices([*map(_choice, corpora), *map(_choice_of, parts)])
        self.corpora.setVisible(bool(linked))
        self._on_changed()

    def show_encoders(self, names: Sequence[str]) -> None:
        """Offer encoders to go on from and to learn from."""
        self._encoders = list(names)
        for form in self._forms.values():
            self._offer_encoders(form)
        self._on_changed()

    def field(self, name: str) -> Field:
        """Return the input of a field."""
        return self._form(_section_of(name)).field(name)

    def section(self, name: str) -> CollapsibleSection:
        """Return the card of a section."""
        return self._cards[name]

    # --- private ---

    def _form(self, name: str) -> "Form[TrainEncoder]":
        """Return the form of a section; it is made when it is first wanted."""
        if name not in self._forms:
            form = self._forms[name] = self._make_form(name)
            form.write(self._values)
            self._offer_encoders(form)
            form.hide_rows(unused_fields(self._raw()))
            form.changed.connect(self._on_changed)
        return self._forms[name]

    def _make_form(self, name: str) -> "Form[TrainEncoder]":
        others = set(TrainEncoder.__struct_fields__) - set(SECTIONS[name])
        return Form(
            TrainEncoder,
            TrainEncoder(name=""),
            skip=others,
            titles=TITLES,
            inputs=self._inputs(name),
            wide=WIDE_FIELDS,
        )

    def _offer_encoders(self, form: "Form[TrainEncoder]") -> None:
        if not self._encoders:
            return
        nothing = {"initial": self.tr("nothing")}
        for field in set(ENCODER_FIELDS) & set(form.raw()):
            first = nothing.get(field, self.tr("the bundled one"))
            choices = [(first, ""), *((name, name) for name in self._encoders)]
            form.set_choices(field, choices)

    def _inputs(self, section: str) -> dict[str, Field]:
        """Make the inputs that are not made of the field's type alone."""
        if section == "data":
            return {"corpora": self.corpora.as_field()}
        if section == "development":
            return {"kept_out_corpora": self.kept_out.as_field()}
        if section == "objectives":
            return {"objectives": ObjectiveField().as_field()}
        if section == "encoder":
            static, transformer = self.tr("Static"), self.tr("Transformer")
            return {
                "architecture": _described_choice(
                    "architecture",
                    [
                        (static, "static"),
                        ("BiLSTM", "bilstm"),
                        (transformer, "transformer"),
                    ],
                ),
                "vocabulary_model": _described_choice(
                    "vocabulary_model", [("Unigram", "unigram"), ("BPE", "bpe")]
                ),
            }
        return {}

    def _build(self) -> TrainEncoder:
        raw = self._raw()
        for name in unused_fields(raw):
            raw.pop(name, None)
        try:
            params: TrainEncoder = build_params(TrainEncoder, raw)
        except msgspec.ValidationError as error:
            raise _FieldError(*split_validation_error(str(error))) from error
        if not params.objectives:
            raise _FieldError("objectives", self.tr("choose at least one"))
        if not params.corpora and not params.pairs:
            raise _FieldError("corpora", self.tr("choose corpora or files of pairs"))
        return params

    def _raw(self) -> dict[str, Any]:
        """Return every field's value, unchecked."""
        raw = dict(self._values)
        for form in self._forms.values():
            raw |= dict.fromkeys(form.names) | form.raw()
        return raw

    def _refuse(self, name: str, text: str) -> FormError:
        """Mark a field, open its section, and give the error that says so."""
        if not name:
            return FormError(f"{text}.")
        section = _section_of(name)
        self._cards[section].set_open(True)
        self._form(section).show_error(name, f"{text[:1].upper()}{text[1:]}.")
        return FormError(f"{field_title(name)}: {text}.")

    def _on_changed(self) -> None:
        if self._is_writing:
            return
        raw = self._raw()
        unused = unused_fields(raw)
        for form in self._forms.values():
            form.hide_rows(unused)
        self._summarise(raw)
        self.changed.emit()

    def _summarise(self, raw: dict[str, Any]) -> None:
        """Show in the headings what the values within are."""
        try:
            params = build_params(TrainEncoder, raw | {"name": raw["name"] or "-"})
        except msgspec.ValidationError:
            return
        for name, text in (
            ("data", describe_data(params, self._names)),
            ("encoder", describe_encoder(params)),
            ("objectives", describe_objectives(params)),
            ("steps", describe_steps(params)),
            ("development", describe_development(params)),
        ):
            self._cards[name].set_summary(text)

    def _titles(self) -> dict[str, str]:
        return {
            "data": self.tr("Data"),
            "encoder": self.tr("Encoder"),
            "objectives": self.tr("Objectives"),
            "steps": self.tr("Steps"),
            "development": self.tr("Development"),
        }


def _section_of(field: str) -> str:
    return next(name for name, fields in SECTIONS.items() if field in fields)


def _described_choice(name: str, choices: Sequence[tuple[str, str]]) -> Field:
    """Make the input of a field whose values have names of their own."""
    infos = msgspec.structs.fields(TrainEncoder)
    facts = field_facts(next(info for info in infos if info.name == name))
    field = make_choice(choices)
    describe(field.widget, field_title(name), facts.description)
    return field


def _choice_of(part: SubcorpusRow) -> tuple[str, str]:
    """Return key and title of a sub-corpus."""
    return f"{SUBCORPUS_ID_PREFIX}{part.id}", f"⊂ {part.name}"


def _choice(corpus: CorpusRow) -> tuple[str, str]:
    """Give key and title of a corpus: its name, and its language if that is another."""
    language = language_name(corpus.language)
    is_named_so = corpus.name.startswith(language)
    title = corpus.name if is_named_so else f"{corpus.name} ({language})"
    return str(corpus.id), title
