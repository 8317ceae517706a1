"""Dialog that applies a classifier to corpora."""

from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import CorpusRow
from app.params.classify import Classify
from app.views.classify.sources import (
    LabelledSource,
    describe_source,
    pair_sources,
    part_sources,
)
from app.views.client.state import AppState
from app.views.widgets.check_list import CheckList
from app.views.widgets.classifiers import TrainedClassifier
from app.views.widgets.corpus_choices import corpus_choices, name_corpus
from app.views.widgets.form import FormParts
from app.views.widgets.task_dialog import TaskDialog


class ApplyDialog(TaskDialog):
    """Asks which corpora to classify; unclassified ones are initially selected."""

    def __init__(
        self, state: AppState, one: TrainedClassifier, parent: QWidget | None = None
    ):
        """Initialise for a classifier."""
        self._state, self._one = state, one
        corpora = state.corpora
        rest = [
            row for row in corpora if row.id not in one.corpora and not row.is_word_list
        ]
        values = Classify(
            classifier=str(one.row.id),
            corpora=tuple(one.key for one in self._wholes(rest)),
        )
        note = self.tr(
            "Corpora without vectors are encoded first. You can cancel and continue "
            "later."
        )
        skip = ("classifier", "encoder")
        super().__init__(state, Classify, values, skip=skip, note=note, parent=parent)
        self.name_button(self.tr("Classify corpora"))

    def heading(self) -> str:
        """Return the heading, with the name of the classifier."""
        return self.tr("Classify corpora with {name}").format(name=self._one.row.name)

    def form_parts(self) -> FormParts:
        """Return a checkbox for each corpus."""
        corpora = CheckList(
            self.tr("Corpora"),
            self.tr("Select corpora. Sub-corpora are classified as whole corpora."),
        )
        corpora.set_choices(self._choices(self._state.corpora))
        inputs = {"corpora": corpora.as_field()}
        return FormParts(inputs=inputs, wide=("corpora",), help={"corpora": ""})

    def _wholes(self, corpora: list[CorpusRow]) -> list[LabelledSource]:
        """Return corpora, or the pairs whose first texts the corpora contain."""
        project = self._state.project
        if project is None:
            return []
        if self._one.is_of_pairs:
            ids = [row.id for row in corpora]
            return [one for one in pair_sources(project) if one.id in ids]
        known = project.corpora
        return [LabelledSource(name_corpus(known, row), (row,)) for row in corpora]

    def _choices(self, corpora: list[CorpusRow]) -> list[tuple[str, str]]:
        """Return keys and titles of corpora, sub-corpora, or pairs of these."""
        project = self._state.project
        if not self._one.is_of_pairs or project is None:
            return corpus_choices(project, corpora)
        wholes = self._wholes(corpora)
        offered = [*wholes, *part_sources(project, wholes)]
        return [(one.key, describe_source(one)) for one in offered]
