"""Actions on labels, classifiers and predictions of the classify view."""

import msgspec
from PySide6.QtCore import QObject

from app.engine.store.labels import has_labels
from app.params.classify import (
    CheckLabels,
    Classify,
    ExportClassifier,
    ExportPredictions,
    ImportClassifier,
    TrainClassifier,
)
from app.protocol.edits.labels import RenameClassifier, SetClassifierState
from app.results.jobs import MadeRow
from app.views.classify.actions import ClassifyActions
from app.views.classify.apply_dialog import ApplyDialog
from app.views.classify.classes import ClassPanel
from app.views.classify.prediction_export import preview_predictions
from app.views.classify.sources import (
    find_source,
    labelled_sources,
    share_classes,
    write_tests,
)
from app.views.classify.steps import ClassifySteps
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.classifiers import TrainedClassifier, classified_key
from app.views.widgets.corpus_choices import ChosenIds, name_corpus, names_of_ids
from app.views.widgets.dialogs import ask_new_name, suggest_path
from app.views.widgets.export_dialog import (
    ExportDialog,
    ExportFileField,
    make_run_export,
    table_formats,
)
from app.views.widgets.file_task_dialog import FileTaskDialog
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import format_count
from app.views.widgets.run_results import ResultGate
from app.views.widgets.task_dialog import TaskDialog, copy_command
from app.views.widgets.undo_messages import delete_with_undo


class ClassifierController(QObject):
    """Checks labels, trains classifiers and applies them."""

    def __init__(
        self,
        state: AppState,
        actions: ClassifyActions,
        steps: ClassifySteps,
        messages: MessageBar,
    ):
        super().__init__(steps)
        self._state, self._actions = state, actions
        self._steps, self._messages = steps, messages
        self._retraining: dict[RunState, TrainedClassifier] = {}  # the one to replace
        self._applying: dict[
            RunState, tuple[TrainedClassifier, int]
        ] = {}  # replaced and new classifier
        self._gate = ResultGate(state, lambda: steps.tab, self)
        for action, slot in (
            (actions.check_labels, self.check),
            (actions.train_on_labels, self.train_on_labels),
            (actions.add_class, self.ask_class),
            (actions.rename_class, self.ask_class_name),
            (actions.remove_class, self.remove_class),
            (actions.new_classifier, self.begin_new),
            (actions.train_again, self.train_again),
            (actions.rename, self.rename),
            (actions.copy_training, self.copy_command),
            (actions.export, self.ask_export),
            (actions.import_classifier, self.ask_import),
            (actions.delete, self.delete),
            (actions.apply, self.ask_apply),
            (actions.classify_text, self.begin_text),
            (actions.retrain, self.retrain),
            (actions.predict_again, self.predict_again),
            (actions.show_changes, self.show_changes),
            (actions.export_predictions, self.export),
        ):
            action.triggered.connect(slot)
        steps.train_requested.connect(self._on_train_requested)
        state.run_finished.connect(self._on_run_finished)

    def update_actions(self) -> None:
        """Enable the actions that are available."""
        if not self._steps.is_complete:
            return
        actions = self._actions
        can_write = self._state.can_write
        is_checking = any(type(run.params) is CheckLabels for run in self._state.runs)
        trained, used = self._steps.training.shown, self._steps.predictions.shown
        corpus = self._steps.labels.corpus
        is_labelled = corpus is not None and corpus.id in self._state.labels.counts
        actions.check_labels.setEnabled(can_write and is_labelled and not is_checking)
        actions.train_on_labels.setEnabled(can_write and is_labelled)
        has_corpus = can_write and corpus is not None
        actions.add_class.setEnabled(has_corpus)
        has_class = has_corpus and bool(self._steps.labels.page.classes.rows)
        for action in (actions.rename_class, actions.remove_class):
            action.setEnabled(has_class)
        actions.new_classifier.setEnabled(can_write)
        for action in (actions.train_again, actions.rename, actions.delete):
            action.setEnabled(can_write and trained is not None)
        actions.copy_training.setEnabled(trained is not None)
        actions.export.setEnabled(trained is not None)
        actions.import_classifier.setEnabled(can_write)
        actions.apply.setEnabled(can_write and bool(self._steps.training.classifiers))
        actions.classify_text.setEnabled(bool(self._steps.training.classifiers))
        actions.show_all.setEnabled(used is not None)
        actions.show_suggestions.setEnabled(used is not None and not used.gives_scores)
        can_retrain = used is not None and used.params is not None
        actions.retrain.setEnabled(can_write and can_retrain)
        actions.predict_again.setEnabled(
            can_write and bool(self._steps.predictions.page.outdated)
        )
        actions.show_changes.setEnabled(self._steps.previous_classifier is not None)
        actions.export_predictions.setEnabled(can_write and used is not None)

    # --- labels ---

    def check(self) -> None:
        """Check the labels of a corpus, with other corpora of its classes as tests."""
        project, shown = self._state.project, self._steps.labels.source
        if project is None or shown is None:
            return
        others = [
            one
            for one in labelled_sources(project)
            if one.id != shown.id
            and share_classes(shown, one, self._state.labels.counts)
        ]
        params = CheckLabels(
            train=(shown.key,), tests=tuple(write_tests(others)), similar_labels="keep"
        )
        self._state.run(params)

    def train_on_labels(self) -> None:
        """Show the form, filled for the corpus in the labels step."""
        source = self._steps.labels.source
        is_counted = source is not None and source.id in self._state.labels.counts
        self._steps.show_step(self._steps.training)
        self._steps.training.begin_new(source if is_counted else None)

    def ask_class(self) -> None:
        """Show the labels, and ask for the name of a new class."""
        self._show_classes().ask_class()

    def ask_class_name(self) -> None:
        """Show the labels, and ask for a new name for the selected class."""
        self._show_classes().ask_rename()

    def remove_class(self) -> None:
        """Show the labels, and remove the selected class if it has no sentences."""
        self._show_classes().remove_class()

    def _show_classes(self) -> ClassPanel:
        self._steps.show_step(self._steps.labels)
        return self._steps.labels.page.panel

    # --- training ---

    def begin_new(self) -> None:
        """Show the form of a new classifier."""
        self._steps.show_step(self._steps.training)
        self._steps.training.begin_new()

    def train_again(self) -> None:
        """Show the form with the settings of the current classifier."""
        shown = self._steps.training.shown
        if shown is not None and shown.params is not None:
            self._steps.training.begin_again(shown.params)

    def copy_command(self) -> None:
        """Copy the command that trains the current classifier."""
        shown = self._steps.training.shown
        if shown is not None and shown.params is not None:
            name = self._steps.training.unused_name(shown.params.name)
            params = msgspec.structs.replace(shown.params, name=name)
            copy_command(self._state, params)

    def rename(self) -> None:
        """Ask for a new name for the current classifier."""
        shown = self._steps.training.shown
        if shown is not None:
            row = shown.row
            ask_new_name(
                self._state,
                self._steps.training,
                row.name,
                lambda name: RenameClassifier(classifier=row.id, name=name),
            )

    def ask_export(self) -> None:
        """Ask where to export the current classifier."""
        shown = self._steps.training.shown
        if shown is not None:
            row = shown.row
            values = ExportClassifier(
                classifier=str(row.id), out=suggest_path(self._state, row.name, ".zip")
            )
            dialog = FileTaskDialog(
                self._state,
                values,
                {".zip": self.tr("Classifier")},
                skip=("classifier",),
                parent=self._steps.training,
            )
            words = self.tr(
                "Weights and settings of {name}, for vectors of {encoder}. Its {n} "
                "training rows are not included."
            )
            n = format_count(row.n_train)
            text = words.format(name=row.name, encoder=row.encoder, n=n)
            dialog.preview.show_rows(
                (self.tr("Class"),), [[name] for name in row.classes], text
            )
            dialog.open()

    def ask_import(self) -> None:
        """Ask for a classifier file to import."""
        TaskDialog(self._state, ImportClassifier, parent=self._steps.training).open()

    def delete(self) -> None:
        """Delete the current classifier, and offer to undo it."""
        shown = self._steps.training.shown
        if shown is not None:
            text = self.tr("Deleted {name}.").format(name=shown.row.name)
            edit = SetClassifierState(classifiers=(shown.row.id,), state="deleted")
            delete_with_undo(self._state, self._messages, edit, text)

    # --- predictions ---

    def ask_apply(self) -> None:
        """Ask which corpora to classify."""
        one = self._steps.current_classifier
        if one is not None:
            ApplyDialog(self._state, one, self._steps).open()

    def begin_text(self) -> None:
        """Focus the text field for the current classifier."""
        one = self._steps.current_classifier
        self._steps.show_step(self._steps.predictions)
        self._steps.predictions.begin_text(one)

    def export(self) -> ExportDialog | None:
        """Ask how and where to export the predictions shown."""
        one = self._steps.predictions.shown
        if one is None:
            return None
        file = ExportFileField(
            table_formats(has_latex=False),
            suggest_path(self._state, self.tr("predictions"), ".tsv"),
            self.tr("Choose where the predictions are written."),
        )
        query = self._steps.predictions.query(one)
        ids = ChosenIds(query.corpora, query.subcorpora)
        corpora = names_of_ids(self._state.project, ids)
        dialog = make_run_export(
            self._state,
            self._steps.predictions,
            self.tr("Export predictions"),
            file,
            lambda path: ExportPredictions(
                classifier=str(one.row.id),
                corpora=corpora,
                out=path,
                classes=query.classes,
                languages=query.languages,
                lowest=query.lowest,
                replace=True,  # the dialog has already asked
            ),
        )
        preview_predictions(self._state, dialog.preview, one, query)
        dialog.open()
        return dialog

    def retrain(self) -> None:
        """Train again with the current labels, and classify the same corpora."""
        one = self._steps.predictions.shown
        if one is None or one.params is None:
            return
        train = (*one.params.train, *self._corrected_corpora(one))
        name = self._steps.training.unused_name(one.row.name)
        params = msgspec.structs.replace(one.params, name=name, train=train)
        self._retraining[self._state.run(params)] = one
        text = self.tr("Training {name} on {corpora}.")
        self._state.notice_posted.emit(text.format(name=name, corpora=", ".join(train)))

    def predict_again(self) -> None:
        """Reclassify the corpora whose sentences were edited since."""
        one, page = self._steps.predictions.shown, self._steps.predictions.page
        if one is not None and page.outdated:
            params = Classify(classifier=str(one.row.id), corpora=page.outdated)
            self._state.run(params)

    def show_changes(self) -> None:
        """Show sentences for which the previous classifier predicted another class."""
        before = self._steps.previous_classifier
        if before is not None:
            self._steps.predictions.show_changes(before)

    def _corrected_corpora(self, one: TrainedClassifier) -> list[str]:
        """Name other corpora manually labelled since with the classifier's classes."""
        project, params = self._state.project, one.params
        if project is None or params is None or one.is_of_pairs:
            return []
        found = [find_source(project, name) for name in params.train]
        known = {row.id for source in found if source for row in source.corpora}
        return [
            name_corpus(project.corpora, row)
            for row in project.corpora
            if row.id in set(one.corpora) - known and self._is_corrected(one, row.id)
        ]

    def _is_corrected(self, one: TrainedClassifier, corpus: int) -> bool:
        """Return whether a corpus has manual labels, and none of another task."""
        project, counts = self._state.project, self._state.labels.counts
        if project is None or not has_labels(project.store, corpus, by_hand=True):
            return False
        classes = set(counts[corpus].classes) if corpus in counts else set()
        is_known = classes <= set(one.row.classes)
        return is_known or not has_labels(project.store, corpus, by_hand=False)

    # --- slots ---

    def _on_train_requested(self, params: TrainClassifier) -> None:
        self._state.run(params)

    def _on_run_finished(self, run: RunState, result: object) -> None:
        before = self._retraining.pop(run, None)
        applied = self._applying.pop(run, None)
        if before is not None:
            corpora = tuple(map(classified_key, before.predictions))
            new = msgspec.convert(result, MadeRow).id
            params = Classify(classifier=str(new), corpora=corpora)
            self._applying[self._state.run(params)] = before, new
        elif applied is not None:
            old, new = applied
            self._steps.refresh()
            if self._steps.predictions.choose(new):
                self._steps.predictions.show_changes(old)
        elif isinstance(run.params, TrainClassifier | ImportClassifier):
            step = self._steps.training
            is_kept = isinstance(run.params, TrainClassifier) and step.shown is not None
            self._steps.refresh()
            if not is_kept:  # the user has not selected another one
                step.choose(msgspec.convert(result, MadeRow).id)
        elif isinstance(run.params, Classify):
            self._steps.refresh()
            if self._gate.may_show(run):
                self._steps.show_step(self._steps.predictions)
        elif isinstance(run.params, CheckLabels):
            self._steps.labels.show_findings()
