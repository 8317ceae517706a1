"""The dialog that classifies corpora by a trained classifier."""

from collections.abc import Collection

from PySide6.QtWidgets import QWidget

from app.engine.store.rows import CorpusRow
from app.params import TaskParams
from app.params.classify import Classify
from app.views.classifiers import Classifier
from app.views.corpus_choices import corpus_choices
from app.views.labelled import describe_source, pair_sources
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.check_list import CheckList
from app.views.widgets.form import Form
from app.views.widgets.task_dialog import TaskDialog


class ApplyDialog(TaskDialog):
    """Asks which corpora to classify; those that are not classified yet are ticked."""

    def __init__(self, state: AppState, one: Classifier, parent: QWidget | None = None):
        """Make the dialog for a classifier."""
        self._state, self._one = state, one
        project = state.project
        corpora = project.corpora if project is not None else []
        rest = [row for row in corpora if row.id not in one.corpora]
        values = Classify(
            classifier=str(one.row.id),
            corpora=tuple(key for key, _ in self._choices(rest)),
        )
        note = self.tr(
            "Corpora without vectors are encoded on the way. A job that is cancelled "
            "goes on where it stopped."
        )
        skip = ("classifier", "encoder")
        super().__init__(state, Classify, values, skip=skip, note=note, parent=parent)
        title = self.tr("Classify corpora by {name}").format(name=one.row.name)
        self.setWindowTitle(title)
        self.resize(80 * GRID, 52 * GRID)

    def make_form(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        skip: Collection[str],
    ) -> Form[TaskParams]:
        """Make a form with a tick for each corpus."""
        project = self._state.project
        corpora = CheckList(self.tr("Corpora"), self.tr("Tick what is classified."))
        corpora.set_choices(self._choices(project.corpora if project else []))
        inputs = {"corpora": corpora.as_field()}
        form = Form(struct, values, skip=skip, inputs=inputs, wide=("corpora",))
        form.set_help("corpora", "")
        return form

    def _choices(self, corpora: list[CorpusRow]) -> list[tuple[str, str]]:
        """Give keys and titles; for a classifier of pairs two corpora each."""
        project = self._state.project
        if self._one.is_of_pairs and project is not None:
            ids = [row.id for row in corpora]
            pairs = [one for one in pair_sources(project) if one.id in ids]
            return [(one.key, describe_source(one)) for one in pairs]
        return corpus_choices(project, corpora)
