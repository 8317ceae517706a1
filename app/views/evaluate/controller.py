"""List, run and export evaluations, and run the actions of the evaluate view."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.sets import read_links
from app.errors import ErrorInfo
from app.params import Params
from app.params.base import TaskParams
from app.params.evaluation import EvaluateRetrieval
from app.params.flags import name_encoders
from app.params.probing import MakeProbingSets, Probe
from app.params.vectors import EvaluateTatoeba
from app.results.jobs import ProbingSets
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.evaluate.actions import FORM_ACTIONS, MENU_GROUPS, EvaluationActions
from app.views.evaluate.dialogs import EvaluationDialog, EvaluationReportDialog
from app.views.evaluate.difference import DifferenceDialog, can_compare
from app.views.evaluate.errors import MeasuredDirection, RetrievalErrorsDialog
from app.views.evaluate.forms import (
    describe_dropped_classes,
)
from app.views.evaluate.page import ResultsPage
from app.views.evaluate.probing_sets_dialog import (
    ProbingSetsDialog,
)
from app.views.evaluate.results import Evaluation, list_evaluations
from app.views.widgets.controls import make_button
from app.views.widgets.corpus_choices import linked_pairs, name_corpus
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.run_results import ResultGate
from app.views.widgets.task_dialog import copy_command
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

MIN_LINKED = 2  # minimum linked sentences of two corpora
WATCHED_KINDS = {"measurement", "run", "corpus"}


class EvaluateController(QObject):
    """Reads the evaluations of the project and runs the actions of the view.

    Attributes:
        evaluations: the evaluations of the project, the newest first.
        actions: the actions of the view, by name.
    """

    list_changed = Signal()  # the evaluations were reloaded

    def __init__(
        self,
        state: AppState,
        run_list: TwoLineList,
        page: ResultsPage,
        messages: MessageBar,
        actions: EvaluationActions,
        parent: QWidget,
    ):
        """Connect the actions.

        Args:
            actions: the result of `make_evaluation_actions`.
        """
        super().__init__(parent)
        self._state, self._parent = state, parent
        self._list, self._page, self._messages = run_list, page, messages
        self.actions = actions
        self.evaluations: list[Evaluation] = []
        self._chart = ""  # title of the chart to show
        self._pending: list[RunState] = []  # runs whose results are shown together
        self._finished: list[RunState] = []  # finished runs of one kind
        self._gate = ResultGate(state, lambda: sorted(run_list.all_chosen), self)
        self._connect_actions()
        run_list.choice_changed.connect(self._on_choice_changed)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.run_finished.connect(self._on_run_finished)
        state.run_failed.connect(self._on_run_failed)
        state.run_cancelled.connect(self._remove_pending)

    # --- the list of evaluations ---

    def refresh(self) -> None:
        """Reload the evaluations; show the chosen ones, or else the largest."""
        project = self._state.project
        if project is None:
            return
        self.evaluations = list_evaluations(project.store)
        rows = [
            TwoLineRow(one.id, one.name, one.facts, one.name)
            for one in self.evaluations
        ]
        self._list.show_rows(rows)
        if rows and not self._list.all_chosen:
            largest = max(self.evaluations, key=lambda one: (one.n, one.id))
            self._list.choose_all([largest.id])
            self._gate.accept_shown()
        if rows:
            self._page.show_names()
        else:
            self._page.clear()
        self._refresh_actions()
        self.list_changed.emit()

    def show_chart(self, title: str, runs: Sequence[int]) -> None:
        """Show those runs that are still in the list, with the chart of a title."""
        self._chart = title
        known = [run for run in runs if run in self._list.ids]
        if known == self._list.all_chosen:
            self._page.charts.choose(title)
        elif known:
            self._list.choose_all(known)

    def _refresh_actions(self) -> None:
        shown = self._page.shown
        can_write = self._state.can_write
        has_params = any(one.params is not None for one in shown)
        enabled = dict.fromkeys(chain.from_iterable(MENU_GROUPS), can_write)
        enabled |= {
            "report": can_write and bool(shown),
            "rerun": can_write and len(shown) == 1 and has_params,
            "errors": bool(self._page.directions),
            "difference": can_compare(shown),
            "copy_command": has_params,
            "copy_rows": bool(shown),
        }
        for name, is_enabled in enabled.items():
            self.actions[name].setEnabled(is_enabled)

    def _on_choice_changed(self) -> None:
        chosen = self._list.all_chosen
        shown = [one for one in self.evaluations if one.id in chosen]
        if shown:
            self._page.show_evaluations(shown, self._chart)
            self._chart = ""
        self._refresh_actions()

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & WATCHED_KINDS:
            self.refresh()

    # --- running evaluations ---

    def ask(
        self,
        struct: type[TaskParams],
        values: TaskParams | None = None,
    ) -> None:
        """Ask for the settings of a task."""
        state, run, parent = self._state, self.run, self._parent
        if values is None and struct is EvaluateTatoeba:
            values = self._last_tatoeba()
        if struct is MakeProbingSets:
            ProbingSetsDialog(state, values, run, parent).open()
        else:
            EvaluationDialog(state, struct, values, run, parent).open()

    def _last_tatoeba(self) -> EvaluateTatoeba | None:
        """Return the folder of the last evaluation, for use with another encoder."""
        made = (one.params for one in self.evaluations)
        found = (one for one in made if isinstance(one, EvaluateTatoeba))
        last = next(found, None)
        return None if last is None else EvaluateTatoeba(directory=last.directory)

    def rerun(self) -> None:
        """Ask for settings, starting from those of the shown evaluation."""
        shown = self._page.shown
        if len(shown) == 1 and shown[0].params is not None:
            self.ask(type(shown[0].params), shown[0].params)

    def evaluate_corpora(self) -> None:
        """Evaluate retrieval between linked corpora; ask which if some are not."""
        project, corpora = self._state.project, self._linked_corpora()
        if project is None or len(corpora) < MIN_LINKED:
            self._post(self.tr("No corpora are linked. Import a parallel text first."))
            return
        params = _measure_retrieval(corpora)
        if len(corpora) < len(linked_pairs(project)):
            self.ask(EvaluateRetrieval, params)
        else:
            self.run([params])

    def evaluate_encoder(self, name: str) -> None:
        """Ask for the settings of retrieval by an encoder, on the linked corpora."""
        params = _measure_retrieval(self._linked_corpora())
        self.ask(EvaluateRetrieval, msgspec.structs.replace(params, encoder=name))

    def run(self, tasks: Sequence[Params]) -> None:
        """Run tasks, and show results of the same kind together."""
        if not self._pending:
            self._finished = []
        self._pending += [self._state.run(one) for one in tasks]

    def _linked_corpora(self) -> list[str]:
        """Return a corpus and the corpora linked to it."""
        project = self._state.project
        if project is None:
            return []
        linked = linked_pairs(project)
        for first in linked:
            others = [
                other
                for other in linked
                if other.id != first.id
                and len(read_links(project.store, first.id, other.id)[0]) >= MIN_LINKED
            ]
            if others:
                return [name_corpus(project.corpora, row) for row in (first, *others)]
        return []

    def _on_run_finished(self, run: RunState, result: object) -> None:
        if run in self._pending:
            self._remove_pending(run)
            if isinstance(run.params, MakeProbingSets):
                self._show_sets_message(
                    run.params, msgspec.convert(result, ProbingSets)
                )
                return
            kind = type(run.params)
            alike = [one for one in self._finished if type(one.params) is kind]
            self._finished = [*alike, run]
            self.refresh()
            if self._gate.may_show(run):
                self._list.choose_all([one.id for one in self._finished])
                self._gate.accept_shown()

    def _on_run_failed(self, run: RunState, _error: ErrorInfo) -> None:
        self._remove_pending(run)

    def _remove_pending(self, run: RunState) -> None:
        self._pending = [one for one in self._pending if one is not run]

    # --- export ---

    def ask_report(self) -> None:
        """Ask for the file of a report of the shown evaluations."""
        runs = [(one.id, one.name) for one in self._page.shown]
        if runs:
            EvaluationReportDialog(
                self._state, runs, self._state.run, self._parent
            ).open()

    def show_difference(self) -> None:
        """Show the difference between the two shown evaluations."""
        if can_compare(self._page.shown):
            DifferenceDialog(self._state, self._page.shown, self._parent).open()

    def show_errors(self, direction: MeasuredDirection | None = None) -> None:
        """List the errors of a direction, by default the first."""
        directions = self._page.directions
        if directions:
            chosen = direction or directions[0]
            RetrievalErrorsDialog(self._state, directions, chosen, self._parent).open()

    def copy_command(self) -> None:
        """Copy the commands of the shown evaluations."""
        project = self._state.project
        params = [
            name_encoders(one.params, one.encoders)
            for one in self._page.shown
            if one.params is not None
        ]
        if project is None:
            return
        if not params:
            text = self.tr(
                "Can't copy the command, because another version of Isogloss made "
                "this result."
            )
            self._post(text)
            return
        copy_command(self._state, *params)

    def _show_sets_message(self, params: MakeProbingSets, made: ProbingSets) -> None:
        if params.out is None:
            text = self.tr("Select features and relations to make probing sets of.")
            button = make_button(
                self.tr("Select…"),
                self.tr("Select from the features and relations of the treebank."),
                partial(self.ask, MakeProbingSets, params),
            )
        else:
            words = self.tr("Probing sets saved in {folder}.")
            lacking = describe_dropped_classes(made)
            text = " ".join(filter(None, (words.format(folder=params.out), lacking)))
            button = make_button(
                self.tr("Probe…"),
                self.tr("Select encoders to probe with these sets."),
                partial(self._ask_probing, params.out),
            )
        self._messages.clear()
        self._messages.post(text, buttons=[button], topic="probing sets")

    def _ask_probing(self, folder: Path) -> None:
        files = tuple(sorted(folder.glob("*.tsv")))
        self.ask(Probe, Probe(data=files) if files else None)

    def _post(self, text: str) -> None:
        self._state.notice_posted.emit(text)

    def _connect_actions(self) -> None:
        slots = {name: partial(self.ask, one) for name, one in FORM_ACTIONS.items()}
        for name, form_slot in slots.items():
            self.actions[name].triggered.connect(form_slot)
        self.actions["corpora"].triggered.connect(self.evaluate_corpora)
        self.actions["report"].triggered.connect(self.ask_report)
        self.actions["errors"].triggered.connect(lambda: self.show_errors())
        self._page.errors_requested.connect(self.show_errors)
        self.actions["difference"].triggered.connect(self.show_difference)
        self.actions["rerun"].triggered.connect(self.rerun)
        self.actions["copy_command"].triggered.connect(self.copy_command)
        self.actions["copy_rows"].triggered.connect(self._page.results.copy_rows)


def _measure_retrieval(corpora: Sequence[str]) -> EvaluateRetrieval:
    """Return the retrieval task, in all directions if there are several corpora."""
    return EvaluateRetrieval(corpora=tuple(corpora), matrix=len(corpora) > MIN_LINKED)
