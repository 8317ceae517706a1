"""The form of a new classifier: what it learns from, its head, what it takes."""

from collections.abc import Sequence
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.params import build_params, encode_hook
from app.params.classify import TrainClassifier
from app.params.flags import command_text
from app.views.classifiers import Classifier
from app.views.label_checks import find_check
from app.views.labelled import (
    Source,
    describe_source,
    find_source,
    labelled_sources,
    part_sources,
)
from app.views.mining_sides import missing_vectors
from app.views.state import AppState
from app.views.theme import GRID, scaled
from app.views.widgets.check_list import CheckList
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.dialogs import copy_text
from app.views.widgets.form import FormError
from app.views.widgets.head_form import HeadForm, make_preset_field
from app.views.words import count_words, format_count, format_duration

WIDTH = 96 * GRID  # of the form, at text of 100 %


class ClassifierSetup(QWidget):
    """Where a training is put together.

    Attributes:
        form: the settings.
    """

    train_wanted = Signal(object)  # TrainClassifier

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._known: Sequence[Classifier] = ()
        self._train = CheckList(
            self.tr("Train on"),
            self.tr("Tick the corpora whose labels are learnt from."),
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
        """What is said of the data and the time."""
        return self._needs.text()

    def offer(self, known: Sequence[Classifier]) -> None:
        """Offer the corpora and encoders that there are now.

        Args:
            known: classifiers whose names a new one can't have.
        """
        project, book = self._state.project, self._state.encoders
        if project is None:
            return
        self._known = known
        sources = labelled_sources(project)
        offered = [*sources, *part_sources(project)]
        choices = [(one.key, describe_source(one)) for one in offered]
        self._train.set_choices(choices)
        none = (self.tr("a share of the training rows"), "")
        others = [(title, key) for key, title in choices]
        self.form.set_choices("development", [none, *others])
        self.form.offer_encoders(book.chosen, [card.name for card in book.cards])
        if not self._train.ticked and sources:
            self.begin(sources[0])
        self._show_needs()

    def begin(self, source: Source) -> None:
        """Begin with labelled rows; the head follows what they are."""
        self._train.tick([source.key])
        self.form.write({"name": self.free_name(source.name)})
        self.form.fit_to(source, self._state.labels.counts)

    def use(self, params: TrainClassifier) -> None:
        """Fill the form with the settings of another training."""
        values = msgspec.structs.asdict(params)
        self.form.write({**values, "name": self.free_name(params.name)})

    def free_name(self, name: str) -> str:
        """Number a name that is taken: Topics 2."""
        taken = {one.row.name for one in self._known}
        stem, _, number = name.rpartition(" ")
        stem = stem if number.isdigit() and stem else name
        n, free = 2, name
        while free in taken:
            free, n = f"{stem} {n}", n + 1
        return free

    def focus_first(self) -> None:
        """Put the keyboard into the form."""
        self.form.focus_first()

    def save_state(self) -> dict[str, Any]:
        """Give the settings as they stand."""
        plain: Any = msgspec.to_builtins(self.form.raw(), enc_hook=encode_hook)
        return {"values": plain}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Bring settings back, as far as this version knows them."""
        try:
            params = build_params(TrainClassifier, dict(state.get("values", {})))
        except msgspec.ValidationError:
            return
        self.form.write(msgspec.structs.asdict(params))

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
            self.train_wanted.emit(params)

    def _on_copy(self) -> None:
        params, project = self._params(), self._state.project
        if params is not None and project is not None:
            copy_text(command_text(params, project.folder))
            self._state.notice_posted.emit(self.tr("The command is copied."))

    def _show_needs(self) -> None:
        """Say how many labels there are, what lacks vectors, how long the last took."""
        project, book = self._state.project, self._state.encoders
        if project is None:
            return
        names = self._train.ticked
        sources = [find_source(project, name) for name in names]
        counts = self._state.labels.counts
        found = [
            counts[one.id] for one in sources if one is not None and one.id in counts
        ]
        words = self.tr("{n} labelled sentences in {classes} classes.")
        if any(one is not None and one.is_of_pairs for one in sources):
            words = self.tr("{n} labelled pairs in {classes} classes.")
        if any(one.are_scores for one in found):
            words = self.tr("{n} pairs with a score.")
        n = sum(one.n_labelled for one in found)
        classes = {name for one in found for name in one.classes}
        parts = [words.format(n=format_count(n), classes=len(classes))]
        if any(one is not None and one.corpora[0].subcorpus for one in sources):
            parts = []  # how many of a part have a label, the training tells
        card = book.find(str(self.form.field("encoder").read())) or book.in_use
        sides = [str(row.id) for one in sources if one for row in one.corpora]
        missing = missing_vectors(project, sides, card.fingerprint) if card else []
        if missing:
            words = self.tr("{names} is encoded on the way ({sentences}).")
            n = sum(row.n_sentences for row in missing)
            told = count_words(n, self.tr("1 sentence"), self.tr("{n} sentences"))
            text = ", ".join(row.name for row in missing)
            parts.append(words.format(names=text, sentences=told))
        last = next((one for one in self._known if one.seconds), None)
        if last is not None:
            words = self.tr("The last training took {time} for {n} rows.")
            time, n = format_duration(last.seconds), last.row.n_train
            parts.append(words.format(time=time, n=format_count(n)))
        parts.append(self._describe_check(names))
        self._needs.setText(" ".join(parts).strip() if names else "")

    def _describe_check(self, names: list[str]) -> str:
        """Say what the check of labels found, or that there was none."""
        project = self._state.project
        if project is None or len(names) != 1:
            return ""
        check = find_check(project.store, names[0])
        if check is None:
            return self.tr("The labels are not checked yet (step 1).")
        n = len(check.told.data.warnings)
        if not n:
            return self.tr("Their check has no warning.")
        one = self.tr("Their check has 1 warning (step 1).")
        return count_words(n, one, self.tr("Their check has {n} warnings (step 1)."))

    def _lay_out(self) -> None:
        self.presets = presets = make_preset_field(self.form)
        label = make_label(self.tr("Preset"), "secondary")
        label.setBuddy(presets)
        more = make_button(
            self.tr("All settings"),
            self.tr("Show or hide the settings that are rarely changed."),
            lambda: self.form.show_all(not self.form.shows_all),
            kind="quiet",
        )
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(make_label(self.tr("New classifier"), "heading"))
        head.addStretch()
        head.addWidget(label)
        head.addWidget(presets)
        head.addWidget(more)
        self.form.setObjectName("scrolled")
        self.form.setMaximumWidth(scaled(WIDTH))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self.form)
        copy = make_button(
            self.tr("Copy as command"),
            self.tr("Copy the command that does this in a terminal."),
            self._on_copy,
            kind="quiet",
        )
        self.train_button = make_button(
            self.tr("Train"),
            self.tr("Train the classifier; the bar below says how far it is."),
            self._on_train,
            kind="primary",
        )
        foot = QHBoxLayout()
        foot.setSpacing(GRID)
        foot.addWidget(self._needs, 1)
        foot.addWidget(copy)
        foot.addWidget(self.train_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        layout.addLayout(head)
        layout.addWidget(area, 1)
        layout.addWidget(self._error)
        layout.addLayout(foot)
