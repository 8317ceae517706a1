"""Actions on labels, classifiers and predictions of the classify view."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog

from app.engine.store.labels import has_labels
from app.params.classify import (
    CheckLabels,
    Classify,
    ExportPredictions,
    TrainClassifier,
)
from app.params.flags import command_text
from app.protocol.edits.labels import RenameClassifier, SetClassifierState
from app.views.classify.apply_dialog import ApplyDialog
from app.views.classify.sources import (
    find_source,
    labelled_sources,
    share_classes,
    write_tests,
)
from app.views.client.runs import RunState
from app.views.widgets.classifiers import Classifier
from app.views.widgets.controls import add_action
from app.views.widgets.corpus_choices import ChosenIds, name_corpus, names_of_ids
from app.views.widgets.dialogs import ask_name, ask_path, copy_text
from app.views.widgets.undo_messages import delete_with_undo

if TYPE_CHECKING:
    from app.views.classify.view import ClassifyView


def make_classify_actions(view: "ClassifyView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    return _of_labels(view) | _of_classifiers(view) | _of_tests(view) | _of_use(view)


def _of_labels(view: "ClassifyView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.classifier_jobs
    return {
        "check": add_action(
            view,
            tr("Check the labels"),
            jobs.check,
            hint=tr(
                "Look for leaks into tests, doubtful labels and classes too small."
            ),
        ),
        "train": add_action(
            view,
            tr("Train on these labels"),
            jobs.train_on_shown,
            hint=tr("Put a training on the labels of this corpus together."),
        ),
    }


def _of_classifiers(view: "ClassifyView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.classifier_jobs
    made = {
        "new": add_action(
            view,
            tr("New classifier…"),
            jobs.begin_new,
            hint=tr("Put the training of a classifier together."),
        ),
        "train_again": add_action(
            view,
            tr("Train again…"),
            jobs.train_again,
            hint=tr(
                "Train with the settings of this classifier, or with some changed."
            ),
        ),
        "rename": add_action(
            view,
            tr("Rename the classifier…"),
            jobs.rename,
            keys="F2",
            hint=tr("Give this classifier another name."),
        ),
        "copy_training": add_action(
            view,
            tr("Copy the training as command"),
            jobs.copy_command,
            hint=tr("Copy the command that trains this classifier in a terminal."),
        ),
        "delete": add_action(
            view,
            tr("Delete the classifier"),
            jobs.delete,
            keys=QKeySequence.StandardKey.Delete,
            hint=tr("Delete this classifier; this can be undone."),
        ),
        "test_this": add_action(
            view,
            tr("Test it on languages…"),
            view.jobs.ask_test_trained,
            hint=tr("Test this classifier on labelled texts of other languages."),
        ),
    }
    # Only in the list: among sentences Del must not delete a classifier.
    made["delete"].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    return made


def _of_tests(view: "ClassifyView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "suggested": add_action(
            view,
            tr("Train and test what is proposed"),
            jobs.test_suggested,
            hint=tr("Train on one language and test on every other with labels."),
        ),
        "test": add_action(
            view,
            tr("Test on languages…"),
            jobs.ask_test,
            keys="Ctrl+T",
            hint=tr("Train on labels of one language, and test on others."),
        ),
        "again": add_action(
            view,
            tr("Test again…"),
            jobs.ask_test_again,
            hint=tr("Test with these settings, or with some changed."),
        ),
        "export_board": add_action(
            view,
            tr("Export the board…"),
            lambda: view.board.page.ask_export(),
            hint=tr("Write the board and its errors as tab-separated tables."),
        ),
        "copy": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that measures this in a terminal."),
        ),
    }


def _of_use(view: "ClassifyView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.classifier_jobs
    return {
        "apply": add_action(
            view,
            tr("Classify corpora…"),
            jobs.ask_apply,
            keys="Ctrl+Return",
            hint=tr("Let this classifier say the class of every sentence of corpora."),
        ),
        "all_predictions": add_action(
            view,
            tr("All predictions"),
            lambda: view.use.page.show_all(),
            hint=tr("Show all that this classifier has said."),
        ),
        "suggest": add_action(
            view,
            tr("Suggest what to label next"),
            lambda: view.use.page.show_suggestions(),
            hint=tr("Show sentences of which it is unsure, unlike one another."),
        ),
        "retrain": add_action(
            view,
            tr("Retrain with the labels of now"),
            jobs.retrain,
            hint=tr(
                "Train it again, classify the same corpora, and show what changed."
            ),
        ),
        "changes": add_action(
            view,
            tr("Show what changed"),
            jobs.show_changes,
            hint=tr("Show what the classifier that was trained before says otherwise."),
        ),
        "export_predictions": add_action(
            view,
            tr("Export predictions…"),
            jobs.export,
            keys="Ctrl+E",
            hint=tr("Write sentences with their classes and probabilities."),
        ),
    }


class ClassifierController(QObject):
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
            if one.id != shown.id
            and share_classes(shown, one, self._state.labels.counts)
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
            delete_with_undo(self._state, self._view.messages, change, text)

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
        """Return whether a corpus has labels by hand, and none of another task."""
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
