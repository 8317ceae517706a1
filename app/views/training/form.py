"""Form of training settings in sections, including weighted objectives."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import CorpusRow
from app.engine.store.pairs.sets import PairSetRow
from app.engine.store.subcorpora import SubcorpusRow
from app.languages import language_name
from app.params import build_params
from app.params.training.encoder import TrainEncoder
from app.params.training.fields import (
    SECTIONS,
    TITLES,
    missing_files,
    unused_fields,
)
from app.params.validation import split_validation_error
from app.protocol.answers.encoders import EncoderInfo
from app.views.training.objectives import ObjectiveField
from app.views.training.setting_values import ENCODER_FIELDS, encoder_choices
from app.views.training.text import (
    describe_data,
    describe_development,
    describe_encoder,
    describe_steps,
    field_title,
    name_objectives,
)
from app.views.widgets.boxes import make_column
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import describe
from app.views.widgets.corpus_choices import SUBCORPUS_ID_PREFIX
from app.views.widgets.fields import Field, field_facts, make_choice
from app.views.widgets.form import Form, FormError, FormParts
from app.views.widgets.pair_weights import PairWeights
from app.views.widgets.sections import CollapsibleSection

WIDE_FIELDS = (
    "name",
    "corpora",
    "pair_sets",
    "pairs",
    "word_lists",
    "pair_weights",
    "languages",
    "native_languages",
    "target_languages",
    "out",
    "kept_out_corpora",
    "kept_out",
    "objectives",
)
DEFAULTS = msgspec.structs.asdict(TrainEncoder(name=""))


class _FieldError(Exception):
    """Field and reason of an invalid value."""


class TrainingForm(QWidget):
    """The settings of a training in collapsible sections.

    Attributes:
        corpora: the linked corpora to train on.
        pair_sets: mined, aligned and judged pairs to train on.
        excluded: the development and test corpora.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.corpora = CheckList(
            self.tr("Corpora"),
            self.tr("Linked corpora to train on, with all their translations."),
        )
        self.pair_sets = CheckList(
            self.tr("Pair sets"),
            self.tr(
                "Accepted pairs to train on; all pairs of a set that is not judged."
            ),
        )
        self.excluded = CheckList(
            self.tr("Excluded corpora"),
            self.tr(
                "Development and test corpora. Pairs that contain one of their "
                "sentences are excluded."
            ),
        )
        self._names: dict[str, str] = {}
        self._encoders: Sequence[EncoderInfo] = ()
        self._values = dict(DEFAULTS)  # of fields in sections that were never opened
        self._forms: dict[str, Form[TrainEncoder]] = {}
        self._cards: dict[str, CollapsibleSection] = {}
        self._is_writing = False
        layout = make_column(parent=self)
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
        """Return validated params; unused fields have their defaults.

        Raises:
            FormError: a value is invalid; it is marked, and the error names it.
        """
        return self._read(self._build)

    def settings(self) -> TrainEncoder:
        """Return validated params that may lack data.

        Raises:
            FormError: a value is invalid; it is marked, and the error names it.
        """
        return self._read(self._build_settings)

    def peek(self) -> TrainEncoder | None:
        """Return the params, or None if a value is invalid; nothing is marked."""
        try:
            return self._build()
        except _FieldError:
            return None

    def write(self, params: TrainEncoder) -> None:
        """Fill in the inputs from params."""
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
        subcorpora: Sequence[SubcorpusRow] = (),
    ) -> None:
        """Show the linked corpora for training, and all corpora for exclusion.

        Args:
            linked: corpora with links.
            subcorpora: offered for training if they contain linked sentences.
        """
        self._names = {str(row.id): row.name for row in corpora}
        self._names |= {row.name: row.name for row in corpora}
        self._names |= {
            f"{SUBCORPUS_ID_PREFIX}{row.id}": row.name for row in subcorpora
        }
        names = [row.name for row in corpora]
        ids_by_name = {
            row.name: str(row.id) for row in corpora if names.count(row.name) == 1
        }
        ids = {row.id for row in linked}
        trained = [row for row in subcorpora if ids & row.counts.keys()]
        self.corpora.set_choices(
            [*map(_corpus_choice, linked), *map(_subcorpus_choice, trained)],
            ids_by_name,
        )
        self.excluded.set_choices(
            [*map(_corpus_choice, corpora), *map(_subcorpus_choice, subcorpora)],
            ids_by_name,
        )
        self.corpora.setVisible(bool(linked))
        self._on_changed()

    def show_pair_sets(self, rows: Sequence[PairSetRow]) -> None:
        """Show the pair sets for training."""
        self.pair_sets.set_choices([(str(row.id), row.name) for row in rows])
        self._on_changed()

    def show_encoders(self, encoders: Sequence[EncoderInfo]) -> None:
        """Show the encoders available as starting points and teachers."""
        self._encoders = encoders
        for form in self._forms.values():
            self._offer_encoders(form)
        self._on_changed()

    def field(self, name: str) -> Field:
        """Return the input of a field."""
        return self._form(_section_of(name)).field(name)

    def value(self, name: str) -> Any:
        """Return the unvalidated value of a field without opening its section."""
        return self._raw()[name]

    def section(self, name: str) -> CollapsibleSection:
        """Return the card of a section."""
        return self._cards[name]

    # --- private ---

    def _form(self, name: str) -> "Form[TrainEncoder]":
        """Return the form of a section, created on first use."""
        if name not in self._forms:
            form = self._forms[name] = self._make_form(name)
            form.write(self._values)
            self._offer_encoders(form)
            form.hide_rows(self._hidden_fields(self._raw()))
            form.changed.connect(self._on_changed)
        return self._forms[name]

    def _make_form(self, name: str) -> "Form[TrainEncoder]":
        others = set(TrainEncoder.__struct_fields__) - set(SECTIONS[name])
        return Form(
            TrainEncoder,
            TrainEncoder(name=""),
            skip=others,
            parts=FormParts(titles=TITLES, inputs=self._inputs(name), wide=WIDE_FIELDS),
        )

    def _offer_encoders(self, form: "Form[TrainEncoder]") -> None:
        if not self._encoders:
            return
        for field in set(ENCODER_FIELDS) & set(form.raw()):
            form.set_choices(field, encoder_choices(field, self._encoders))

    def _inputs(self, section: str) -> dict[str, Field]:
        """Return the inputs that don't depend on the field's type only."""
        if section == "data":
            weights = PairWeights(
                field_title("pair_weights"), lambda: self._raw().get("pairs") or ()
            )
            return {
                "corpora": self.corpora.as_field(),
                "pair_sets": self.pair_sets.as_field(),
                "pair_weights": weights.as_field(),
            }
        if section == "development":
            return {"kept_out_corpora": self.excluded.as_field()}
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
                        (self.tr("Contextual"), "contextual"),
                    ],
                ),
                "vocabulary_model": _described_choice(
                    "vocabulary_model", [("Unigram", "unigram"), ("BPE", "bpe")]
                ),
            }
        return {}

    def _read(self, build: Callable[[], TrainEncoder]) -> TrainEncoder:
        """Build params; on an invalid value, mark it and raise FormError."""
        for form in self._forms.values():
            form.clear_errors()
        try:
            return build()
        except _FieldError as error:
            name, text = error.args
            raise self._show_error(name, text) from error

    def _build_settings(self) -> TrainEncoder:
        raw = self._raw()
        for name in unused_fields(raw):
            raw.pop(name, None)
        try:
            params: TrainEncoder = build_params(TrainEncoder, raw)
        except msgspec.ValidationError as error:
            raise _FieldError(*split_validation_error(str(error))) from error
        return params

    def _build(self) -> TrainEncoder:
        params = self._build_settings()
        if not params.objectives:
            raise _FieldError("objectives", self.tr("choose at least one"))
        missing = missing_files(msgspec.structs.asdict(params))
        if missing == "corpora":
            words = self.tr("choose corpora, pair sets or pair files")
            raise _FieldError(missing, words)
        if missing:
            reason = self.tr("add a file, which the objectives need")
            raise _FieldError(missing, reason)
        return params

    def _raw(self) -> dict[str, Any]:
        """Return the unvalidated values of all fields."""
        raw = dict(self._values)
        for form in self._forms.values():
            raw |= dict.fromkeys(form.names) | form.raw()
        return raw

    def _show_error(self, name: str, text: str) -> FormError:
        """Mark a field, open its section, and return the error to raise."""
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
        hidden = self._hidden_fields(raw)
        for form in self._forms.values():
            form.hide_rows(hidden)
        self._summarise(raw)
        self.changed.emit()

    def _hidden_fields(self, raw: dict[str, Any]) -> set[str]:
        """Return the fields that are unused or have no options."""
        lists = {"pair_sets": self.pair_sets, "kept_out_corpora": self.excluded}
        empty = {name for name, one in lists.items() if not (one.keys or one.ticked)}
        return unused_fields(raw) | empty

    def _summarise(self, raw: dict[str, Any]) -> None:
        """Summarise the values of each section in its heading."""
        try:
            params = build_params(TrainEncoder, raw | {"name": raw["name"] or "-"})
        except msgspec.ValidationError:
            return
        objectives = name_objectives(params.objectives)
        for name, text in (
            ("data", describe_data(params, self._names)),
            ("encoder", describe_encoder(params)),
            ("objectives", objectives or self.tr("none selected")),
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
    """Create the input of a field whose values have display names."""
    infos = msgspec.structs.fields(TrainEncoder)
    facts = field_facts(next(info for info in infos if info.name == name))
    field = make_choice(choices)
    describe(field.widget, field_title(name), facts.description)
    return field


def _subcorpus_choice(row: SubcorpusRow) -> tuple[str, str]:
    """Return key and title of a sub-corpus."""
    return f"{SUBCORPUS_ID_PREFIX}{row.id}", f"⊂ {row.name}"


def _corpus_choice(corpus: CorpusRow) -> tuple[str, str]:
    """Return key and title of a corpus: name, with the language if not in the name."""
    language = language_name(corpus.language)
    has_language = corpus.name.startswith(language)
    title = corpus.name if has_language else f"{corpus.name} ({language})"
    return str(corpus.id), title
