"""The form of a task that trains a head: it shows what the chosen head takes."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar, get_args

import msgspec
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QCheckBox, QComboBox

from app.params.classify import PRESETS, HeadName, HeadSettings
from app.views.classify_words import head_words
from app.views.labelled import Counts, Source, score_bounds
from app.views.transfer_proposals import suggest_head
from app.views.widgets.controls import describe
from app.views.widgets.fields import Field, field_facts
from app.views.widgets.form import Form

S = TypeVar("S", bound=HeadSettings)

_STEPS = ("n_epochs", "batch_size", "lr", "lr_decay", "dropout", "patience")
_PERCEPTRON = ("hidden", "optimiser", *_STEPS)
OF_HEADS: dict[str, tuple[str, ...]] = {  # fields that only some heads take
    "logistic": ("inverse_l2", "balanced"),
    "mlp": (*_PERCEPTRON, "balanced"),
    "nli": (*_PERCEPTRON, "balanced"),
    "relatedness": (*_PERCEPTRON, "lowest", "highest"),
    "centroid": (),
    "knn": ("k",),
}
ALL_OF_HEADS = frozenset(name for names in OF_HEADS.values() for name in names)
RARE = ("features", "development_share", "documents", "encoder", "seed")
FIRST = ("name", "train", "tests", "apart", "development", "head")
WIDE = ("train", "tests", "development", "name", "head", "similar_labels")


class HeadForm(Form[S]):
    """A form whose rows follow the head.

    Attributes:
        shows_all: settings that are rarely changed are shown too.
    """

    first = FIRST

    def __init__(
        self,
        struct: type[S],
        values: S | None = None,
        *,
        skip: Collection[str] = (),
        inputs: Mapping[str, Field] | None = None,
    ):
        """Make the inputs; the arguments are those of `Form`."""
        titles = {
            "train": _tr("Train on"),
            "tests": _tr("Test on"),
            "development": _tr("Development set"),
            "inverse_l2": _tr("Inverse L2 (C)"),
            "k": _tr("Neighbours"),
            "hidden": _tr("Hidden layers"),
            "n_epochs": _tr("Epochs at most"),
            "lr": _tr("Learning rate"),
            "lr_decay": _tr("Its decay"),
        }
        own = {f.name: f for f in msgspec.structs.fields(struct)}
        boxes = {
            name: _make_box(words, own[name])
            for name, words in _short_words().items()
            if name in own
        }
        super().__init__(
            struct,
            values,
            skip=skip,
            titles=titles,
            inputs={**boxes, **(inputs or {})},
            wide=WIDE,
        )
        self.shows_all = False
        if "head" in self.names:
            heads = get_args(HeadName)
            self.set_choices("head", [(_title(head), head) for head in heads])
        for name in ("train", "tests"):
            if name in self.names:
                self.set_help(name, "")
        self.changed.connect(self._follow_head)
        self._follow_head()

    def show_all(self, shows_all: bool) -> None:
        """Show or hide what is rarely changed."""
        self.shows_all = shows_all
        self._follow_head()

    def use_preset(self, name: str) -> None:
        """Fill in the head of a paper; an empty name: the quick default."""
        defaults = {
            field.name: field.default
            for field in msgspec.structs.fields(HeadSettings)
            if field.name in ALL_OF_HEADS | {"head"}
        }
        self.write({**defaults, **PRESETS.get(name, {})})

    def fit_to(self, source: Source, counts: Counts) -> None:
        """Choose a head that takes such rows, where the chosen one does not."""
        head, wanted = self.field("head").read(), suggest_head(source, counts)
        is_scored = wanted == "relatedness"
        is_of_others = (head == "nli") > source.is_of_pairs
        is_default = head == "logistic" and source.is_of_pairs
        if is_scored != (head == "relatedness") or is_of_others or is_default:
            self.write({"head": wanted})
        found = counts.get(source.id)
        if is_scored and found is not None:
            lowest, highest = score_bounds(found.classes)
            self.write({"lowest": lowest, "highest": highest})

    def offer_encoders(self, chosen: str, names: Sequence[str]) -> None:
        """Let the encoder be chosen among those that there are."""
        words = _tr("{name} (in use)").format(name=chosen)
        choices = [(words, ""), *((name, name) for name in names)]
        self.set_choices("encoder", choices)
        self._follow_head()

    def _follow_head(self) -> None:
        head = str(self.field("head").read()) if "head" in self.names else ""
        hidden = set(ALL_OF_HEADS - set(OF_HEADS.get(head, ())))
        if not self.shows_all:
            hidden |= set(RARE)
        self.hide_rows(hidden & set(self.names))


def _title(head: str) -> str:
    words = head_words(head)
    return f"{words[:1].upper()}{words[1:]}"


def _short_words() -> dict[str, str]:
    """Give the words of boxes to tick, whose meaning stands in the tooltip."""
    return {
        "balanced": _tr("Weigh classes alike"),
        "documents": _tr("Each text is a document: the mean of its sentences"),
        "matrix": _tr("Test pairs in every two languages too"),
        "apart": _tr("Leave out training rows that are translations of test rows"),
    }


def _make_box(words: str, info: msgspec.structs.FieldInfo) -> Field:
    box = QCheckBox(words)
    describe(box, words, field_facts(info).description)
    return Field(
        box, box.isChecked, box.setChecked, lambda f: box.toggled.connect(lambda: f())
    )


def make_preset_field(form: HeadForm[Any]) -> QComboBox:
    """Make the choice of the papers' heads, which fills a form."""
    box = QComboBox()
    box.addItem(_tr("Quick: logistic regression"), "")
    for name in PRESETS:
        box.addItem(name, name)
    describe(
        box,
        _tr("Presets"),
        _tr("Fill in the settings of a paper, or the quick default."),
    )
    box.activated.connect(lambda: form.use_preset(box.currentData()))
    return box


def _tr(text: str) -> str:
    return QCoreApplication.translate("classify", text)
