"""Actions of the evaluate view: run evaluations, write reports, copy commands."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QAction, QDesktopServices

from app.engine.store.pairs.sets import read_links
from app.params import Params
from app.params.base import TaskParams
from app.params.evaluation import (
    CorrelateMeasurements,
    EvaluateDownstream,
    EvaluateRetrieval,
    EvaluateSimilarityOfSpaces,
    EvaluateSts,
)
from app.params.flags import command_text
from app.params.probing import MakeProbingSets, Probe
from app.params.projects import MakeReport
from app.views.client.runs import RunState
from app.views.evaluate.dialogs import EvaluationDialog, EvaluationReportDialog
from app.views.evaluate.forms import FieldChoices, list_treebank_choices
from app.views.widgets.controls import add_action, make_button
from app.views.widgets.corpus_choices import linked_pairs, name_corpus
from app.views.widgets.dialogs import copy_text

if TYPE_CHECKING:
    from app.views.evaluate.view import EvaluateView

MEASURE_ACTIONS = ("probe", "retrieval", "sts", "spaces", "downstream")
OTHER_ACTIONS = ("corpora", "correlations", "sets")  # stand apart in the menu


def make_actions(view: "EvaluateView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    tr, jobs = view.tr, view.jobs
    made = {}
    for name, struct, text, hint in _list_forms(tr):
        made[name] = add_action(view, text, partial(jobs.ask, struct), hint=hint)
    made["corpora"] = add_action(
        view,
        tr("Measure retrieval between linked corpora"),
        jobs.measure_corpora,
        hint=tr("Find each translation again among all others; needs no file."),
    )
    return made | _make_export_actions(view)


def _list_forms(
    tr: Callable[[str], str],
) -> tuple[tuple[str, type[TaskParams], str, str], ...]:
    """List what a form asks for: name, params, text and hint of its action."""
    return (
        (
            "probe",
            Probe,
            tr("Probe…"),
            tr("Measure what small classifiers find of properties in the vectors."),
        ),
        (
            "retrieval",
            EvaluateRetrieval,
            tr("Retrieval…"),
            tr("Measure how often the nearest sentence is the translation."),
        ),
        (
            "sts",
            EvaluateSts,
            tr("Similarity of texts…"),
            tr("Measure how well cosines follow the scores that people gave."),
        ),
        (
            "spaces",
            EvaluateSimilarityOfSpaces,
            tr("Spaces…"),
            tr("Measure the shape of languages' vectors, and how alike they are."),
        ),
        (
            "downstream",
            EvaluateDownstream,
            tr("Downstream tasks…"),
            tr("Train and test classifiers on frozen vectors, in SentEval's manner."),
        ),
        (
            "correlations",
            CorrelateMeasurements,
            tr("Probing against downstream scores…"),
            tr("Correlate scores of all encoders; nothing is measured again."),
        ),
        (
            "sets",
            MakeProbingSets,
            tr("Make probing sets from a treebank…"),
            tr("Make files to probe with, of any language with a treebank."),
        ),
    )


def _make_export_actions(view: "EvaluateView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "report": add_action(
            view,
            tr("Report…"),
            jobs.ask_report,
            keys="Ctrl+E",
            hint=tr("Write what is shown as one page: methods, pictures, tables."),
        ),
        "again": add_action(
            view,
            tr("Run the evaluation again…"),
            jobs.ask_again,
            hint=tr("Measure with the same settings, or with some changed."),
        ),
        "copy": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that measures this in a terminal."),
        ),
        "figures": add_action(
            view,
            tr("Copy the figures"),
            lambda: view.page.copy_rows(),
            hint=tr("Copy the table of figures, to paste into a spreadsheet."),
        ),
    }


def refresh_actions(
    actions: dict[str, QAction], *, n_shown: int, has_params: bool, can_write: bool
) -> None:
    """Enable what can be done with what is shown."""
    for name in (*MEASURE_ACTIONS, *OTHER_ACTIONS):
        actions[name].setEnabled(can_write)
    actions["report"].setEnabled(can_write and n_shown > 0)
    actions["again"].setEnabled(can_write and n_shown == 1 and has_params)
    actions["copy"].setEnabled(has_params)
    actions["figures"].setEnabled(n_shown > 0)


MIN_LINKED = 2  # sentences of two corpora that are linked


class EvaluateController(QObject):
    """Does what the actions of the evaluate view say."""

    def __init__(self, view: "EvaluateView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._expected: list[RunState] = []  # what they measure is shown together
        self._measured: list[int] = []
        self._state.run_finished.connect(self._on_run_finished)
        self._state.run_failed.connect(lambda run, _error: self._forget(run))
        self._state.run_cancelled.connect(self._forget)

    # --- evaluations ---

    def ask(
        self,
        struct: type[TaskParams],
        values: TaskParams | None = None,
        offers: FieldChoices | None = None,
    ) -> None:
        """Ask what to measure; `offers`: what can be ticked in fields of the form."""
        EvaluationDialog(
            self._state, struct, values, self.run, self._view, offers=offers
        ).open()

    def ask_again(self) -> None:
        """Ask with the settings of the evaluation that is shown."""
        shown = self._view.page.shown
        if len(shown) == 1 and shown[0].params is not None:
            self.ask(type(shown[0].params), shown[0].params)

    def measure_corpora(self) -> None:
        """Measure retrieval between the corpora that are linked, at once."""
        corpora = self.linked_corpora()
        if len(corpora) < MIN_LINKED:
            self._say(self.tr("No two corpora are linked: import a parallel text."))
            return
        self.run([EvaluateRetrieval(corpora=tuple(corpora), matrix=len(corpora) > 2)])

    def linked_corpora(self) -> list[str]:
        """Name a corpus and those that most of the others are linked to."""
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

    def run(self, jobs: Sequence[Params]) -> None:
        """Measure; what is measured together is shown together."""
        if not self._expected:
            self._measured = []
        self._expected += [self._state.run(one) for one in jobs]

    # --- what is kept ---

    def ask_report(self) -> None:
        """Ask where the report of what is shown goes."""
        runs = [(one.id, one.name) for one in self._view.page.shown]
        if runs:
            EvaluationReportDialog(
                self._state, runs, self._state.run, self._view
            ).open()

    def copy_command(self) -> None:
        """Copy the commands of what is shown."""
        project = self._state.project
        found = [one.params for one in self._view.page.shown if one.params is not None]
        if project is None or not found:
            self._say(self.tr("Another version of Isogloss made this."))
            return
        copy_text("\n".join(command_text(one, project.folder) for one in found))
        self._say(self.tr("The command is copied."))

    # --- what happens ---

    def _on_run_finished(self, run: RunState, result: dict[str, Any]) -> None:
        if isinstance(run.params, MakeReport):
            self._tell_report(run.params.out)
        elif run in self._expected:
            self._forget(run)
            if isinstance(run.params, MakeProbingSets):
                self._tell_sets(run.params, result)
                return
            self._measured.append(run.id)
            self._view.show_runs(self._measured)

    def _forget(self, run: RunState) -> None:
        self._expected = [one for one in self._expected if one is not run]

    def _tell_report(self, file: Path) -> None:
        words = self.tr("The report is written: {file}.").format(file=file)
        buttons = [
            make_button(
                self.tr("Open"),
                self.tr("Open the report in the browser."),
                lambda: _open(file),
            ),
            make_button(
                self.tr("Show folder"),
                self.tr("Open the folder of the report."),
                lambda: _open(file.parent),
            ),
        ]
        self._view.messages.clear()
        self._view.messages.post(words, buttons=buttons)

    def _tell_sets(self, params: MakeProbingSets, result: dict[str, Any]) -> None:
        if params.out is None:
            words = self.tr("What the treebank offers can be ticked in the form.")
            offers = list_treebank_choices(result)
            button = make_button(
                self.tr("Choose from them…"),
                self.tr("Choose features and relations to make probing sets of."),
                lambda: self.ask(MakeProbingSets, params, offers),
            )
        else:
            folder = params.out
            words = self.tr("The probing sets are in {folder}.").format(folder=folder)
            button = make_button(
                self.tr("Probe them…"),
                self.tr("Choose encoders to probe with these sets."),
                lambda: self._ask_probing(folder),
            )
        self._view.messages.clear()
        self._view.messages.post(words, buttons=[button])

    def _ask_probing(self, folder: Path) -> None:
        from app.params.probing import Probe

        files = tuple(sorted(folder.glob("*.tsv")))
        self.ask(Probe, Probe(data=files) if files else None)

    def _say(self, text: str) -> None:
        self._state.notice_posted.emit(text)


def _open(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
