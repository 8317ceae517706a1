"""Form of a new classifier: training rows, head and settings."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, get_args

import msgspec
from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QScrollArea, QWidget

from app.params import build_params, encode_hook
from app.params.classify import PRESETS, HeadName, HeadSettings, TrainClassifier
from app.views.classify.label_checks import find_label_check
from app.views.classify.sources import (
    LabelCounts,
    LabelledSource,
    describe_source,
    find_source,
    labelled_sources,
    part_sources,
    score_bounds,
    suggest_head,
)
from app.views.client.state import AppState
from app.views.widgets.boxes import Stretch, make_column, make_row
from app.views.widgets.check_list import CheckList
from app.views.widgets.classifiers import TrainedClassifier
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.corpus_choices import missing_vectors
from app.views.widgets.fields import Field, field_facts
from app.views.widgets.form import Form, FormError, FormParts
from app.views.widgets.number_format import format_duration, pluralize
from app.views.widgets.statistics_format import count_labelled, head_name
from app.views.widgets.task_dialog import copy_command
from app.views.widgets.theme import GRID, scaled

_tr = partial(QCoreApplication.translate, "classify")

S = TypeVar("S", bound=HeadSettings)

_STEPS = ("n_epochs", "batch_size", "lr", "lr_decay", "dropout", "patience", "keep")
_PERCEPTRON = ("hidden", "optimiser", *_STEPS)
FIELDS_BY_HEAD: dict[str, tuple[str, ...]] = {  # fields used by some heads only
    "logistic": ("inverse_l2", "balanced"),
    "mlp": (*_PERCEPTRON, "balanced"),
    "nli": (*_PERCEPTRON, "balanced"),
    "relatedness": (*_PERCEPTRON, "lowest", "highest"),
    "centroid": (),
    "knn": ("k",),
}
HEAD_FIELDS = frozenset(name for names in FIELDS_BY_HEAD.values() for name in names)
ADVANCED_FIELDS = ("features", "development_share", "documents", "encoder", "seed")
FIRST_FIELDS = (*("name", "train", "tests", "apart", "development", "keep_as", "head"),)
WIDE_FIELDS = (
    *("train", "tests", "development", "name", "keep_as", "head", "similar_labels"),
)


class HeadForm(Form[S]):
    """A form whose visible rows depend on the head."""

    def __init__(
        self,
        struct: type[S],
        values: S | None = None,
        *,
        skip: Collection[str] = (),
        inputs: Mapping[str, Field] | None = None,
    ):
        """Create the inputs; see `Form` for the arguments."""
        titles = {
            "train": _tr("Train on"),
            "tests": _tr("Test on"),
            "development": _tr("Development set"),
            "inverse_l2": _tr("Inverse regularisation (C)"),
            "k": _tr("Neighbours"),
            "hidden": _tr("Hidden layers"),
            "n_epochs": _tr("Maximum epochs"),
            "lr": _tr("Learning rate"),
            "lr_decay": _tr("Learning rate decay"),
        }
        own = {f.name: f for f in msgspec.structs.fields(struct)}
        boxes = {
            name: _make_box(words, own[name])
            for name, words in _short_labels().items()
            if name in own
        }
        super().__init__(
            struct,
            values,
            skip=skip,
            parts=FormParts(
                FIRST_FIELDS,
                titles,
                {**boxes, **(inputs or {})},
                WIDE_FIELDS,
                help={"train": "", "tests": ""},
            ),
        )
        self.fold(ADVANCED_FIELDS)
        if "head" in self.names:
            heads = get_args(HeadName)
            self.set_choices("head", [(_title(head), head) for head in heads])
        self.changed.connect(self._update_rows)
        self._update_rows()

    def use_preset(self, name: str) -> None:
        """Fill in the head from a paper, or the defaults if the name is empty."""
        self.write(_preset_values(name))

    def find_preset(self) -> str | None:
        """Return the preset that matches the current values, or None."""
        try:
            filled = _head_settings(self.raw())
        except msgspec.ValidationError:
            return None
        presets = ("", *PRESETS)
        found = (n for n in presets if _head_settings(_preset_values(n)) == filled)
        return next(found, None)

    def fit_to(self, source: LabelledSource, counts: LabelCounts) -> None:
        """Select a head for these rows, if the selected head does not suit them."""
        head, suggested = self.field("head").read(), suggest_head(source, counts)
        is_scored = suggested == "relatedness"
        is_of_others = (head == "nli") > source.is_of_pairs
        is_default = head == "logistic" and source.is_of_pairs
        if is_scored != (head == "relatedness") or is_of_others or is_default:
            self.write({"head": suggested})
        found = counts.get(source.id)
        if is_scored and found is not None:
            lowest, highest = score_bounds(found.classes)
            self.write({"lowest": lowest, "highest": highest})

    def offer_encoders(self, chosen: str, names: Sequence[str]) -> None:
        """Show encoders to choose from; `chosen` is the project's encoder."""
        words = _tr("{name} (in use)").format(name=chosen)
        choices = [(words, ""), *((name, name) for name in names)]
        self.set_choices("encoder", choices)
        self._update_rows()

    def _update_rows(self) -> None:
        head = str(self.field("head").read()) if "head" in self.names else ""
        hidden = set(HEAD_FIELDS - set(FIELDS_BY_HEAD.get(head, ())))
        self.hide_rows(hidden & set(self.names))


def _preset_values(name: str) -> dict[str, Any]:
    defaults = {
        field.name: field.default
        for field in msgspec.structs.fields(HeadSettings)
        if field.name in HEAD_FIELDS | {"head"}
    }
    return {**defaults, **PRESETS.get(name, {})}


def _head_settings(values: Mapping[str, Any]) -> HeadSettings:
    """Return the settings used by the head."""
    used = {"head", *FIELDS_BY_HEAD[values["head"]]} & values.keys()
    return msgspec.convert(
        {name: values[name] for name in used}, HeadSettings, strict=False
    )


def _title(head: str) -> str:
    words = head_name(head)
    return f"{words[:1].upper()}{words[1:]}"


def _short_labels() -> dict[str, str]:
    """Return the labels of checkboxes; their tooltips explain them."""
    return {
        "balanced": _tr("Balance class weights"),
        "documents": _tr("Texts are documents (mean of sentence vectors)"),
        "matrix": _tr("Also test pairs across languages"),
        "apart": _tr("Exclude training rows that are translations of test rows"),
    }


def _make_box(words: str, info: msgspec.structs.FieldInfo) -> Field:
    box = QCheckBox(words)
    describe(box, words, field_facts(info).description)
    return Field(
        box, box.isChecked, box.setChecked, lambda f: box.toggled.connect(lambda: f())
    )


def make_preset_field(form: HeadForm[Any]) -> QComboBox:
    """Create a preset selector that fills a form and shows the matching preset."""
    box = QComboBox()
    box.addItem(_tr("Quick: logistic regression"), "")
    for name in PRESETS:
        box.addItem(name, name)
    describe(
        box, _tr("Presets"), _tr("Fill in published settings or the quick default.")
    )

    def show_preset() -> None:
        head = head_name(str(form.field("head").read()))
        box.setPlaceholderText(_tr("Custom: {head}").format(head=head))
        box.setCurrentIndex(box.findData(form.find_preset()))

    box.activated.connect(lambda: form.use_preset(box.currentData()))
    form.changed.connect(show_preset)
    show_preset()
    return box


def number_name(name: str, taken: Collection[str]) -> str:
    """Return the name, numbered if it is taken: Topics 2."""
    stem, _, number = name.rpartition(" ")
    stem = stem if number.isdigit() and stem else name
    n, unused = 2, name
    while unused in taken:
        unused, n = f"{stem} {n}", n + 1
    return unused


MIN_CLASSES = 2  # to train on
FORM_WIDTH = 96 * GRID  # at 100 % text size


class ClassifierForm(QWidget):
    """The settings of a new classifier.

    Attributes:
        form: the settings form.
        presets: selector of published settings.
        train_button: button that starts training.
    """

    train_requested = Signal(object)  # TrainClassifier

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._known: Sequence[TrainedClassifier] = ()
        self._train = CheckList(
            self.tr("Train on"), self.tr("Select the corpora to train on.")
        )
        inputs = {"train": self._train.as_field()}
        self.form = HeadForm(TrainClassifier, skip=("language",), inputs=inputs)
        self._needs = make_label("", wraps=True)
        self._error = make_label("", "warning", wraps=True)
        self._error.hide()
        self._lay_out()
        self.form.changed.connect(self._show_needs)

    @property
    def needs(self) -> str:
        """The text on required data and time."""
        return self._needs.text()

    def offer(self, known: Sequence[TrainedClassifier]) -> None:
        """Show the corpora and encoders of the project.

        Args:
            known: existing classifiers, whose names are taken.
        """
        project, encoders = self._state.project, self._state.encoders
        if project is None:
            return
        self._known = known
        self._renumber()
        sources = labelled_sources(project)
        offered = [*sources, *part_sources(project)]
        choices = [(one.key, describe_source(one)) for one in offered]
        self._train.set_choices(choices)
        default = (self.tr("Part of the training rows"), "")
        others = [(title, key) for key, title in choices]
        self.form.set_choices("development", [default, *others])
        self.form.offer_encoders(
            encoders.chosen, [card.name for card in encoders.cards]
        )
        if not self._train.ticked and sources:
            self.begin(sources[0])
        self._show_needs()

    def begin(self, source: LabelledSource) -> None:
        """Fill the form for labelled rows, with a suitable head."""
        self._train.tick([source.key])
        self.form.write({"name": self.unused_name(source.name)})
        self.form.fit_to(source, self._state.labels.counts)

    def use(self, params: TrainClassifier) -> None:
        """Fill the form with the settings of another training."""
        values = msgspec.structs.asdict(params)
        self.form.write({**values, "name": self.unused_name(params.name)})

    def unused_name(self, name: str) -> str:
        """Return the name, numbered if it is taken: Topics 2."""
        return number_name(name, {one.row.name for one in self._known})

    def focus_first(self) -> None:
        """Set the focus on the form."""
        self.form.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Return the settings."""
        plain: Any = msgspec.to_builtins(self.form.raw(), enc_hook=encode_hook)
        return {"values": plain}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the settings that this version supports."""
        try:
            params = build_params(TrainClassifier, dict(state.get("values", {})))
        except msgspec.ValidationError:
            return
        self.form.write(msgspec.structs.asdict(params))
        self._renumber()

    def _renumber(self) -> None:
        """Number the proposed name if a classifier has taken it."""
        name = str(self.form.field("name").read())
        if (unused := self.unused_name(name)) != name:
            self.form.write({"name": unused})

    def _params(self) -> TrainClassifier | None:
        try:
            params = self.form.values()
        except FormError as error:
            self._error.setText(str(error))
            self._error.show()
            return None
        self._error.hide()
        return params

    def _on_train(self) -> None:
        params = self._params()
        if params is not None:
            self.train_requested.emit(params)

    def _on_copy(self) -> None:
        params = self._params()
        if params is not None:
            copy_command(self._state, params)

    def _show_needs(self) -> None:
        """Show the number of labels, missing vectors, and time of the last training."""
        project, encoders = self._state.project, self._state.encoders
        if project is None:
            return
        names = self._train.ticked
        sources = [find_source(project, name) for name in names]
        counts = self._state.labels.counts
        found = [
            counts[one.id] for one in sources if one is not None and one.id in counts
        ]
        n = sum(one.n_labelled for one in found)
        rows = self.tr("1 labelled sentence"), self.tr("{n} labelled sentences")
        if any(one is not None and one.is_of_pairs for one in sources):
            rows = self.tr("1 labelled pair"), self.tr("{n} labelled pairs")
        n_classes = len({name for one in found for name in one.classes})
        classes = self.tr("1 class"), self.tr("{n} classes")
        words = self.tr("{rows} in {classes}.")
        parts = [
            words.format(
                rows=pluralize(n, *rows), classes=pluralize(n_classes, *classes)
            )
        ]
        are_scores = any(one.are_scores for one in found)
        if are_scores:
            scored = self.tr("1 pair with a score."), self.tr("{n} pairs with a score.")
            parts = [pluralize(n, *scored)]
        is_counted = len(found) == len(sources) and not any(
            one is not None and one.corpora[0].subcorpus for one in sources
        )
        if not is_counted:
            parts = []  # labels of sub-corpora are not counted
        can_train = bool(names) and not (
            is_counted and not are_scores and n_classes < MIN_CLASSES
        )
        self.train_button.setEnabled(can_train)
        if names and not can_train:
            parts.append(self.tr("Training needs at least two classes."))
        name = str(self.form.field("encoder").read())
        card = encoders.find(name) or encoders.in_use
        sides = [str(row.id) for one in sources if one for row in one.corpora]
        missing = missing_vectors(project, sides, card.fingerprint) if card else []
        if missing:
            words = self.tr("{names} will be encoded first ({sentences}).")
            n = sum(row.n_sentences for row in missing)
            count = pluralize(n, self.tr("1 sentence"), self.tr("{n} sentences"))
            text = ", ".join(row.name for row in missing)
            parts.append(words.format(names=text, sentences=count))
        last = next((one for one in self._known if one.seconds), None)
        if last is not None:
            words = self.tr("The last training took {time} for {n}.")
            time = format_duration(last.seconds)
            n_train = count_labelled(last.row.n_train, last.is_of_pairs)
            parts.append(words.format(time=time, n=n_train))
        parts.append(self._describe_check(names))
        self._needs.setText(" ".join(parts).strip() if names else "")

    def _describe_check(self, names: list[str]) -> str:
        """Describe the result of the label check."""
        project = self._state.project
        if project is None or len(names) != 1:
            return ""
        check = find_label_check(project.store, names[0])
        if check is None:
            return self.tr("Labels not checked yet (step 1).")
        n = len(check.result.data.warnings)
        if not n:
            return self.tr("Label check: no warnings.")
        one = self.tr("Label check: 1 warning (step 1).")
        return pluralize(n, one, self.tr("Label check: {n} warnings (step 1)."))

    def _lay_out(self) -> None:
        self.presets = presets = make_preset_field(self.form)
        label = make_label(self.tr("Preset"), "secondary")
        label.setBuddy(presets)
        head = make_row(
            make_label(self.tr("New classifier"), "heading"), Stretch(), label, presets
        )
        self.form.setObjectName("scrolled")
        self.form.setMaximumWidth(scaled(FORM_WIDTH))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self.form)
        copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command that trains this classifier in a terminal."),
            self._on_copy,
            kind="quiet",
        )
        self.train_button = make_button(
            self.tr("Train"),
            self.tr("Train the classifier. Progress is shown below."),
            self._on_train,
            kind="primary",
        )
        foot = make_row((self._needs, 1), copy, self.train_button)
        make_column(head, (area, 1), self._error, foot, parent=self, gap=2 * GRID)
