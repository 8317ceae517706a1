"""Actions on transfer tests: run, repeat and copy as a command."""

import msgspec
from PySide6.QtCore import QObject

from app.params.classify import EvaluateTransfer, ExportTransfer
from app.views.classify.actions import ClassifyActions
from app.views.classify.classifier_form import number_name
from app.views.classify.sources import (
    labelled_sources,
    suggest_transfer,
    write_tests,
)
from app.views.classify.steps import ClassifySteps
from app.views.classify.transfer.dialog import (
    TransferDialog,
    classifier_names,
    propose_name,
)
from app.views.classify.transfer.results import prediction_rows
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.export_dialog import (
    ExportDialog,
    ExportFileField,
    make_run_export,
    table_formats,
)
from app.views.widgets.task_dialog import copy_command


class TransferController(QObject):
    """Runs transfer tests and shows their boards."""

    def __init__(self, state: AppState, actions: ClassifyActions, steps: ClassifySteps):
        super().__init__(steps)
        self._state, self._actions, self._steps = state, actions, steps
        self._expected: dict[RunState, int | None] = {}  # test shown at the start
        for action, slot in (
            (actions.run_suggested_test, self.run_suggested),
            (actions.test, self.ask_test),
            (actions.test_again, self.ask_test_again),
            (actions.test_classifier, self.ask_test_classifier),
            (actions.export_test, self.ask_export),
            (actions.copy_test, self.copy_command),
        ):
            action.triggered.connect(slot)
        state.run_finished.connect(self._on_run_finished)

    def update_actions(self) -> None:
        """Enable the actions that are available."""
        project, actions = self._state.project, self._actions
        can_write = self._state.can_write
        n = len(labelled_sources(project)) if project is not None else 0
        is_testing = any(
            type(run.params) is EvaluateTransfer for run in self._state.runs
        )
        tested = self._steps.transfer.shown
        if self._steps.is_complete:
            is_trained = self._steps.training.shown is not None
            actions.test_classifier.setEnabled(can_write and is_trained and n > 0)
        actions.run_suggested_test.setEnabled(can_write and n > 1 and not is_testing)
        actions.test.setEnabled(can_write and n > 0)
        actions.test_again.setEnabled(can_write and tested is not None)
        actions.export_board.setEnabled(tested is not None)
        has_classes = tested is not None and not tested.has_scores
        actions.export_test.setEnabled(can_write and has_classes)
        actions.copy_test.setEnabled(tested is not None)

    def run_suggested(self) -> None:
        """Start the suggested training and test without a dialog."""
        project = self._state.project
        if project is not None:
            params = suggest_transfer(project, self._state.labels.counts)
            if params is not None:
                self.run(self._with_name(params))

    def ask_test(self) -> None:
        """Ask for training and test rows."""
        project = self._state.project
        if project is None:
            return
        sources = labelled_sources(project)
        if not sources:
            self._state.notice_posted.emit(
                self.tr("No sentence has a label. Import labels or add some first.")
            )
            return
        values = suggest_transfer(project, self._state.labels.counts)
        if values is None:
            values = EvaluateTransfer(
                train=sources[0].key, tests=tuple(write_tests(sources))
            )
        self._show_dialog(values)

    def ask_test_again(self) -> None:
        """Ask again, starting from the settings of the current test."""
        shown = self._steps.transfer.shown
        if shown is not None:
            self._show_dialog(shown.params)

    def ask_test_classifier(self) -> None:
        """Ask for rows to test the current classifier on."""
        project, one = self._state.project, self._steps.training.shown
        if project is None or one is None:
            return
        sources = [
            source
            for source in labelled_sources(project)
            if source.is_of_pairs == one.is_of_pairs
        ]
        if not sources:
            text = self.tr("No sentence has a label. Import labels or add some first.")
            if one.is_of_pairs:
                text = self.tr("No pair has a label. Import labelled pairs first.")
            self._state.notice_posted.emit(text)
            return
        trained_on = one.params.train if one.params is not None else ()
        others = [source for source in sources if source.key not in trained_on]
        values = EvaluateTransfer(
            classifier=one.row.name,
            tests=tuple(write_tests(others or sources)),
            language=one.row.language,
        )
        self._show_dialog(values)

    def run(self, params: EvaluateTransfer) -> None:
        """Run a test, and show its board when it finishes.

        If the user selects another test in the meantime, the new test is only marked.
        """
        run = self._state.run(params)
        self._expected[run] = self._steps.transfer.tests.chosen
        self._steps.show_step(self._steps.transfer)
        self._steps.transfer.refresh()

    def ask_export(self) -> ExportDialog | None:
        """Ask where to export all predictions of the current test."""
        shown = self._steps.transfer.shown
        if shown is None:
            return None
        file = ExportFileField(
            table_formats(),
            suggest_path(self._state, self.tr("predictions of the test"), ".tsv"),
            self.tr("Choose where the predictions are written."),
        )
        dialog = make_run_export(
            self._state,
            self._steps.transfer,
            self.tr("Export predictions of the test"),
            file,
            lambda path: ExportTransfer(
                run=shown.id,
                out=path,
                replace=True,  # the dialog has already asked
            ),
        )
        project = self._state.project
        if project is not None:
            rows = list(prediction_rows(project.store, shown))
            dialog.preview.show_table(lambda: iter(rows), len(rows) - 1)
            words = self.tr("{count} Lines and texts are read during the export.")
            count = dialog.preview.count
            count.setText(words.format(count=count.text()))
        dialog.open()
        return dialog

    def copy_command(self) -> None:
        """Copy the command of the current test, which stores another classifier."""
        shown, project = self._steps.transfer.shown, self._state.project
        if shown is not None and project is not None:
            name = number_name(shown.params.keep_as, classifier_names(project))
            params = msgspec.structs.replace(shown.params, keep_as=name)
            copy_command(self._state, params)

    def _show_dialog(self, values: EvaluateTransfer) -> None:
        values = self._with_name(values)
        TransferDialog(self._state, values, self.run, self._steps.transfer).open()

    def _with_name(self, params: EvaluateTransfer) -> EvaluateTransfer:
        """Name the classifier after its training rows, so that it is stored."""
        project = self._state.project
        if project is None or params.classifier:
            return params
        name = propose_name(project, params.train)
        return msgspec.structs.replace(params, keep_as=name)

    def _on_run_finished(self, run: RunState, _result: object) -> None:
        if run in self._expected:
            step, before = self._steps.transfer, self._expected.pop(run)
            is_same = step.tests.chosen == before
            step.refresh()
            if is_same:
                step.choose(run.id)
