"""What is done with labels and classifiers: check, train, use, correct, retrain."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.engine.store.rows import has_labels
from app.label_changes import RenameClassifier, SetClassifierState
from app.params.classify import (
    CheckLabels,
    Classify,
    ExportPredictions,
    TrainClassifier,
)
from app.params.flags import command_text
from app.views.classifiers import Classifier
from app.views.corpus_choices import ChosenIds, names_of_ids
from app.views.deletions import delete
from app.views.labelled import (
    find_source,
    go_together,
    labelled_sources,
    write_tests,
)
from app.views.mining_sides import name_corpus
from app.views.runs import RunState
from app.views.widgets.apply_dialog import ApplyDialog
from app.views.widgets.ask_text import ask_name
from app.views.widgets.dialogs import ask_path, copy_text

if TYPE_CHECKING:
    from app.views.classify_view import ClassifyView


class ClassifierJobs(QObject):
    """Does what the actions on labels and classifiers say."""

    def __init__(self, view: "ClassifyView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._retraining: dict[RunState, Classifier] = {}  # what each replaces
        self._applying: dict[RunState, tuple[Classifier, int]] = {}  # and the new one
        self._state.run_finished.connect(self._on_run_finished)

    # --- labels ---

    def check(self) -> None:
        """Check the labels of a corpus; others with such classes are its tests."""
        project, shown = self._state.project, self._view.labels.page.source
        if project is None or shown is None:
            return
        others = [
            one
            for one in labelled_sources(project)
            if one.id != shown.id and go_together(shown, one, self._state.labels.counts)
        ]
        params = CheckLabels(
            train=(shown.key,),
            tests=tuple(write_tests(others)),
            similar_labels="keep",
        )
        self._state.run(params)

    def train_on_shown(self) -> None:
        """Show the form, filled for the corpus whose labels are shown."""
        self._view.show_step(self._view.training)
        self._view.training.begin_new()
        source = self._view.labels.page.source
        if source is not None and source.id in self._state.labels.counts:
            self._view.training.setup.begin(source)

    # --- training ---

    def begin_new(self) -> None:
        """Show the form of a new classifier."""
        self._view.show_step(self._view.training)
        self._view.training.begin_new()

    def train(self, params: TrainClassifier) -> None:
        """Train; the classifier is shown when it is done."""
        self._state.run(params)

    def train_again(self) -> None:
        """Show the form with the settings of the classifier that is shown."""
        shown = self._view.training.shown
        if shown is not None and shown.params is not None:
            self._view.training.setup.use(shown.params)
            self._view.training.begin_new()

    def copy_command(self) -> None:
        """Copy the command that trains the classifier that is shown."""
        project, shown = self._state.project, self._view.training.shown
        if project is not None and shown is not None and shown.params is not None:
            copy_text(command_text(shown.params, project.folder))
            self._say(self.tr("The command is copied."))

    def rename(self) -> None:
        """Ask for another name of the classifier that is shown."""
        shown = self._view.training.shown
        if shown is not None:
            row = shown.row
            ask_name(
                self._view,
                self.tr("What shall {name} be called?").format(name=row.name),
                row.name,
                lambda name: self._state.edit(
                    RenameClassifier(classifier=row.id, name=name)
                ),
            )

    def delete(self) -> None:
        """Delete the classifier that is shown; a message offers to undo it."""
        shown = self._view.training.shown
        if shown is not None:
            text = self.tr("Deleted {name}.").format(name=shown.row.name)
            change = SetClassifierState(classifiers=(shown.row.id,), state="deleted")
            delete(self._state, self._view.messages, change, text)

    # --- use ---

    def ask_apply(self) -> None:
        """Ask which corpora to classify."""
        one = self._view.current_classifier
        if one is not None:
            ApplyDialog(self._state, one, self._view).open()

    def export(self) -> None:
        """Ask where to write what is shown of the predictions."""
        one = self._view.use.shown
        if one is not None:
            ask_path(
                self._view,
                self.tr("Export predictions"),
                partial(self.export_to, one),
                mode=QFileDialog.FileMode.AnyFile,
                start=Path.home() / "predictions.tsv",
                filters=self.tr("Tables (*.tsv *.csv *.jsonl)"),
            )

    def export_to(self, one: Classifier, file: Path) -> None:
        """Write the predictions of the chosen classes, probabilities and corpora."""
        query = self._view.use.page.query(one)
        ids = ChosenIds(query.corpora, query.subcorpora)
        self._state.run(
            ExportPredictions(
                classifier=str(one.row.id),
                corpora=names_of_ids(self._state.project, ids),
                out=file if file.suffix else file.with_suffix(".tsv"),
                classes=query.classes,
                languages=query.languages,
                lowest=query.lowest,
                replace=True,  # the dialog has asked
            )
        )

    def retrain(self) -> None:
        """Train again with the labels of now, and classify the same corpora."""
        one, project = self._view.use.shown, self._state.project
        if one is None or one.params is None or project is None:
            return
        names = [*one.params.train, *self._mended(one)]
        params = msgspec.structs.replace(
            one.params,
            name=self._view.training.setup.free_name(one.row.name),
            train=tuple(names),
        )
        self._retraining[self._state.run(params)] = one
        words = self.tr("{name} learns from {corpora}.")
        self._say(words.format(name=params.name, corpora=", ".join(names)))

    def _mended(self, one: Classifier) -> list[str]:
        """Name other corpora that were labelled by hand since, in its classes."""
        project, params = self._state.project, one.params
        if project is None or params is None or one.is_of_pairs:
            return []
        found = [find_source(project, name) for name in params.train]
        known = {row.id for source in found if source for row in source.corpora}
        return [
            name_corpus(project.corpora, row)
            for row in project.corpora
            if row.id in set(one.corpora) - known and self._is_mended(one, row.id)
        ]

    def _is_mended(self, one: Classifier, corpus: int) -> bool:
        """Tell whether a corpus has labels by hand, and none of another task."""
        project, counts = self._state.project, self._state.labels.counts
        if project is None or not has_labels(project.store, corpus, by_hand=True):
            return False
        classes = set(counts[corpus].classes) if corpus in counts else set()
        is_known = classes <= set(one.row.classes)
        return is_known or not has_labels(project.store, corpus, by_hand=False)

    def show_changes(self) -> None:
        """Show what the classifier before said otherwise."""
        one, before = self._view.use.shown, self._view.older_classifier
        if one is not None and before is not None:
            self._view.use.page.show_changes(before)

    # --- what happens ---

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        before = self._retraining.pop(run, None)
        applied = self._applying.pop(run, None)
        if before is not None:
            corpora = tuple(str(id_) for id_ in before.corpora)
            new = int(result["id"])
            params = Classify(classifier=str(new), corpora=corpora)
            self._applying[self._state.run(params)] = before, new
        elif applied is not None:
            old, new = applied
            self._view.refresh()
            if self._view.use.choose(new):
                self._view.use.page.show_changes(old)
        elif isinstance(run.params, TrainClassifier):
            self._view.refresh()
            self._view.training.choose(int(result["id"]))
        elif isinstance(run.params, Classify):
            self._view.refresh()
            self._view.show_step(self._view.use)
        elif isinstance(run.params, CheckLabels):
            self._view.labels.page.refresh()
            self._view.labels.page.show_findings()

    def _say(self, text: str) -> None:
        self._state.notice_posted.emit(text)
