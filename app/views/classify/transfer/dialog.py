"""Dialog that sets up a transfer test: training rows, test rows and head."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtWidgets import QWidget

from app.engine.store.classifiers import list_classifiers
from app.languages import find_untrained, language_name, language_of_set
from app.params import Params
from app.params.classify import EvaluateTransfer
from app.protocol.answers.encoders import EncoderInfo
from app.views.classify.classifier_form import (
    ADVANCED_FIELDS,
    HeadForm,
    make_preset_field,
    number_name,
)
from app.views.classify.sources import (
    LabelledSource,
    describe_source,
    find_source,
    labelled_sources,
    part_sources,
    write_tests,
)
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.dialogs import lay_out_field
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

SKIPPED_FIELDS = ("out", "language")


class TransferDialog(TaskDialog):
    """Asks for training rows, test rows and head."""

    rare = ADVANCED_FIELDS
    WIDTH = 92 * GRID

    def __init__(
        self,
        state: AppState,
        values: EvaluateTransfer,
        run: Callable[[EvaluateTransfer], object],
        parent: QWidget | None = None,
    ):
        """Initialise; a trained classifier in `values` determines the head."""
        self._is_trained = bool(values.classifier)
        self._values, self._trained_on = values, values.train
        skip = {*SKIPPED_FIELDS, "classifier"}
        if self._is_trained:
            names = {f.name for f in msgspec.structs.fields(EvaluateTransfer)}
            skip |= names - {"tests", "matrix", "similar_labels"}
        self._state = state
        super().__init__(state, EvaluateTransfer, values, skip=skip, parent=parent)
        self._run = run
        self.form.changed.connect(self._warn_of_languages)
        self._warn_of_languages()
        self.name_button(self.tr("Test on languages"))
        if not self._is_trained:
            self._offer_training()
            self._add_presets()

    def heading(self) -> str:
        """Return the heading, with the name of the trained classifier, if any."""
        if self._is_trained:
            words = self.tr("Test {name} on languages")
            return words.format(name=self._values.classifier)
        return self.tr("Test on languages")

    def make_form(self, skip: Collection[str]) -> HeadForm[Any]:
        """Create a form with a checkbox for each corpus with labels."""
        project = self._state.project
        assert project is not None, "the action is disabled without a project"
        self._tests = CheckList(
            self.tr("Test on"),
            self.tr("Select labelled corpora and sub-corpora to test on."),
        )
        sources = _all_sources(project)
        tested = self._values.tests
        pairs = [one for one in sources if one.is_of_pairs]
        are_pairs = any(
            test.endswith(f"={one.key}") for test in tested for one in pairs
        )
        alike = [one for one in sources if one.is_of_pairs == are_pairs]
        self._offer_tests(alike, tested)
        inputs = {"tests": self._tests.as_field()}
        return HeadForm(EvaluateTransfer, self._values, skip=skip, inputs=inputs)

    def _offer_training(self) -> None:
        project, encoders = self._state.project, self._state.encoders
        assert project is not None
        sources = _all_sources(project)
        choices = [(describe_source(one), one.key) for one in sources]
        form: Any = self.form
        form.set_choices("train", choices)
        default = (self.tr("Part of the training rows"), "")
        form.set_choices("development", [default, *choices])
        form.offer_encoders(encoders.chosen, [card.name for card in encoders.cards])
        form.changed.connect(self._follow_training)

    def _offer_tests(
        self, sources: Sequence[LabelledSource], ticked: Sequence[str] = ()
    ) -> None:
        places = write_tests(sources, ticked)
        titles = [describe_source(one) for one in sources]
        self._tests.set_choices(list(zip(places, titles, strict=True)))

    def _follow_training(self) -> None:
        """Offer tests of the same kind as the training rows, and a suitable head."""
        form: Any = self.form
        project, key = self._state.project, form.field("train").read()
        if project is None or key == self._trained_on:
            return
        before = find_source(project, self._trained_on)
        is_proposed = form.raw()["keep_as"] == propose_name(project, self._trained_on)
        self._trained_on = key
        if is_proposed:
            form.write({"keep_as": propose_name(project, key)})
        one = find_source(project, key)
        if one is None:
            return
        if before is None or before.is_of_pairs != one.is_of_pairs:
            sources = _all_sources(project)
            alike = [s for s in sources if s.is_of_pairs == one.is_of_pairs]
            whole = write_tests([s for s in alike if not s.corpora[0].subcorpus])
            self._tests.tick(whole)
            self._offer_tests(alike, whole)
        form.fit_to(one, self._state.labels.counts)

    def _warn_of_languages(self) -> None:
        """Warn about languages on which the encoder was not trained."""
        encoder = self._find_encoder()
        if encoder is None:
            return
        tests = [test.partition("=")[0] for test in self._tests.ticked]
        untrained = find_untrained(map(language_of_set, tests), encoder.languages)
        words = self.tr(
            "{encoder} was not trained on {languages}, which can lower the scores."
        )
        names = ", ".join(map(language_name, untrained))
        text = words.format(encoder=encoder.name, languages=names)
        self.show_needs(text if untrained else "")

    def _find_encoder(self) -> EncoderInfo | None:
        """Return the encoder of the trained classifier, or the selected one."""
        project, encoders = self._state.project, self._state.encoders
        if not self._is_trained or project is None:
            name = str(self.form.field("encoder").read())
            return encoders.find(name) or encoders.in_use
        rows = list_classifiers(project.store)
        names = (row.encoder for row in rows if row.name == self._values.classifier)
        return encoders.find(next(names, ""))

    def _add_presets(self) -> None:
        form: Any = self.form
        self.foot.addLayout(lay_out_field(self.tr("Preset"), make_preset_field(form)))

    def start(self, params: Params) -> None:
        """Start the test, with the language of the training corpus."""
        assert isinstance(params, EvaluateTransfer)
        project = self._state.project
        home = find_source(project, params.train) if project is not None else None
        if home is not None:
            params = msgspec.structs.replace(params, language=home.language)
        self._run(params)


def propose_name(project: ProjectReader, train: str) -> str:
    """Return an unused name for a classifier of training rows."""
    source = find_source(project, train)
    name = source.name if source is not None else Path(train).stem
    return number_name(name, classifier_names(project))


def classifier_names(project: ProjectReader) -> set[str]:
    """Return the names of the classifiers of a project."""
    return {row.name for row in list_classifiers(project.store)}


def _all_sources(project: ProjectReader) -> list[LabelledSource]:
    """Return the sources with labels: corpora, then sub-corpora."""
    return [*labelled_sources(project), *part_sources(project)]
