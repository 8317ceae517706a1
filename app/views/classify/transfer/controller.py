"""Actions on transfer tests: suggest, run, repeat and copy as a command."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.params.classify import EvaluateTransfer
from app.params.flags import command_text
from app.views.classify.sources import labelled_sources, suggest_transfer, write_tests
from app.views.classify.transfer.dialog import TransferDialog
from app.views.client.runs import RunState
from app.views.widgets.dialogs import copy_text

if TYPE_CHECKING:
    from app.views.classify.view import ClassifyView


class TransferController(QObject):
    """Does what the actions of the classify view say."""

    def __init__(self, view: "ClassifyView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._expected: list[RunState] = []  # tests whose board is shown
        self._state.run_finished.connect(self._on_run_finished)

    # --- tests ---

    def test_suggested(self) -> None:
        """Train on one language and test on every other, at once."""
        project = self._state.project
        if project is not None:
            params = suggest_transfer(project, self._state.labels.counts)
            if params is not None:
                self.test(params)

    def ask_test(self) -> None:
        """Ask what to train on, and what to test on."""
        project = self._state.project
        if project is None:
            return
        sources = labelled_sources(project)
        if not sources:
            self._say(self.tr("No sentence has a label yet: import or label some."))
            return
        values = suggest_transfer(project, self._state.labels.counts)
        if values is None:
            values = EvaluateTransfer(
                train=sources[0].key, tests=tuple(write_tests(sources))
            )
        self._show_test(values)

    def ask_test_again(self) -> None:
        """Ask with the settings of the test that is shown."""
        shown = self._view.board.shown
        if shown is not None:
            self._show_test(shown.params)

    def ask_test_trained(self) -> None:
        """Ask what to test the classifier that is shown on."""
        project, one = self._state.project, self._view.training.shown
        if project is not None and one is not None:
            sources = [
                source
                for source in labelled_sources(project)
                if source.is_of_pairs == one.is_of_pairs
            ]
            if not sources:
                self._say(self.tr("No rows of its kind have labels: import some."))
                return
            values = EvaluateTransfer(
                classifier=one.row.name,
                tests=tuple(write_tests(sources)),
                language=one.row.language,
            )
            self._show_test(values)

    def test(self, params: EvaluateTransfer) -> None:
        """Test; the board is shown when it is done."""
        self._expected.append(self._state.run(params))
        self._view.show_board()

    def copy_command(self) -> None:
        """Copy the command of the test that is shown."""
        project, shown = self._state.project, self._view.board.shown
        if project is not None and shown is not None:
            copy_text(command_text(shown.params, project.folder))
            self._say(self.tr("The command is copied."))

    def _show_test(self, values: EvaluateTransfer) -> None:
        TransferDialog(self._state, values, self.test, self._view).open()

    # --- what happens ---

    def _on_run_finished(self, run: RunState, _result: dict[str, Any]) -> None:
        if run in self._expected:
            self._expected.remove(run)
            self._view.board.refresh()
            self._view.board.choose(run.id)

    def _say(self, text: str) -> None:
        self._state.notice_posted.emit(text)
