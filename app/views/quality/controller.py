"""Actions of the quality view: run checks, hide sentences, export findings."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog

from app.engine.store.corpora import corpus_of
from app.errors import ErrorInfo
from app.params import Params
from app.params.base import TaskParams
from app.params.flags import command_text
from app.params.quality import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.protocol.edits.corpora import FoundSentences, HideSentences, ShowSentences
from app.views.client.runs import RunState
from app.views.quality.dialog import QualityDialog
from app.views.quality.finding_table import read_shown_findings
from app.views.quality.text import CHECKS, describe_check
from app.views.widgets.controls import add_action, make_button
from app.views.widgets.corpus_choices import name_corpus
from app.views.widgets.dialogs import ask_path, copy_text
from app.views.widgets.table_export import export_table
from app.views.widgets.undo_messages import ids_or_file, offer_undo

if TYPE_CHECKING:
    from app.views.quality.view import QualityView

START_ACTIONS = ("duplicates", "check", "leaks", "encoders")


def make_actions(view: "QualityView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    tr, jobs = view.tr, view.jobs
    made = {}
    for name, struct, text, keys, hint in (
        (
            "duplicates",
            FindDuplicates,
            tr("Find duplicates…"),
            "Ctrl+Shift+U",
            tr("Find sentences that are said twice, nearly, or in two languages."),
        ),
        (
            "check",
            CheckCorpus,
            tr("Check sentences…"),
            "",
            tr("Find sentences in another language, damaged ones and boilerplate."),
        ),
        (
            "leaks",
            FindLeakage,
            tr("Find leaks…"),
            "",
            tr("Find which sentences of a test set are in other corpora."),
        ),
        (
            "encoders",
            CompareEncoders,
            tr("Compare two encoders…"),
            "",
            tr("Find sentences whose neighbours change, pairs gained and lost."),
        ),
    ):
        made[name] = add_action(
            view, text, partial(jobs.ask, struct), keys=keys, hint=hint
        )
    made["check_all"] = add_action(
        view,
        tr("Check all sentences"),
        jobs.check_all,
        hint=tr(
            "Look for other languages, damage and boilerplate everywhere, at once."
        ),
    )
    return (
        made
        | _make_selection_actions(view)
        | _make_list_actions(view)
        | _make_export_actions(view)
    )


def _make_selection_actions(view: "QualityView") -> dict[str, QAction]:
    """Make what hides and shows the chosen sentences."""
    tr, jobs = view.tr, view.jobs
    return {
        "hide": add_action(
            view,
            tr("Hide"),
            partial(jobs.hide_chosen, "hidden"),
            keys="H",
            hint=tr("Leave the chosen sentences out of everything."),
        ),
        "hide_other": add_action(
            view,
            tr("Hide the one beside it"),
            jobs.hide_others,
            keys="Shift+H",
            hint=tr("Keep the sentence on the left, and leave the other one out."),
        ),
        "remove": add_action(
            view,
            tr("Remove"),
            partial(jobs.hide_chosen, "removed"),
            keys="Shift+Del",
            hint=tr("Take the chosen sentences out of the tables too."),
        ),
        "show": add_action(
            view,
            tr("Show again"),
            jobs.show_chosen,
            keys="S",
            hint=tr("Let the chosen sentences, and those beside them, take part."),
        ),
    }


def _make_list_actions(view: "QualityView") -> dict[str, QAction]:
    """Make what hides and shows all that a list tells of."""
    tr, jobs = view.tr, view.jobs
    return {
        "hide_all": add_action(
            view,
            tr("Hide all shown"),
            partial(jobs.hide_all, "hidden"),
            keys="Ctrl+H",
            hint=tr("Leave every sentence of this list out of everything."),
        ),
        "remove_all": add_action(
            view,
            tr("Remove all shown"),
            partial(jobs.hide_all, "removed"),
            hint=tr("Take every sentence of this list out of the tables too."),
        ),
        "show_all": add_action(
            view,
            tr("Show all again"),
            jobs.show_all,
            hint=tr("Let all sentences of this list, left and right, take part again."),
        ),
    }


def _make_export_actions(view: "QualityView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "place": add_action(
            view,
            tr("Show in its corpus"),
            jobs.place,
            keys="Ctrl+Return",
            hint=tr("Show the sentence where it stands."),
        ),
        "place_other": add_action(
            view,
            tr("Show the one beside it in its corpus"),
            jobs.place_other,
            keys="Ctrl+Shift+Return",
            hint=tr("Show the other sentence where it stands."),
        ),
        "export": add_action(
            view,
            tr("Export findings…"),
            jobs.ask_export,
            keys="Ctrl+E",
            hint=tr("Write the list that is shown as a table."),
        ),
        "again": add_action(
            view,
            tr("Search again…"),
            jobs.ask_again,
            hint=tr("Search with the same settings, or with some changed."),
        ),
        "copy": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that searches so in a terminal."),
        ),
    }


def refresh_actions(view: "QualityView") -> None:
    """Enable what can be done with what is shown."""
    project, page, search = view.state.project, view.page, view.page.search
    can_write = project is not None and not project.is_read_only
    chosen = page.table.current
    has_rows = page.table.findings.rowCount() > 0
    has_params = search is not None and search.params is not None
    for name, is_possible in {
        **dict.fromkeys((*START_ACTIONS, "check_all"), can_write),
        **dict.fromkeys(("hide", "remove", "show"), can_write and chosen is not None),
        "hide_other": can_write and chosen is not None and chosen.other is not None,
        **dict.fromkeys(("hide_all", "remove_all", "show_all"), can_write and has_rows),
        "place": chosen is not None and chosen.sentence is not None,
        "place_other": chosen is not None and chosen.other is not None,
        "export": has_rows,
        "again": can_write and has_params,
        "copy": has_params,
    }.items():
        view.todo[name].setEnabled(is_possible)


HiddenState = Literal["hidden", "removed"]
FindingSide = Literal["sentence", "other", "both"]
Places = NDArray[np.int64]
PAGE_SIZE = 128  # findings read at once for a table


class QualityController(QObject):
    """Does what the actions of the care view say."""

    def __init__(self, view: "QualityView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._expected: list[RunState] = []  # the last one that ends is shown
        self._state.run_finished.connect(self._on_run_finished)

    # --- searches ---

    def ask(self, struct: type[TaskParams], values: TaskParams | None = None) -> None:
        """Ask what to look for, and where."""
        project = self._state.project
        if project is None or not project.corpora:
            self._say(self.tr("There is nothing to look at: import texts first."))
            return
        if struct is CompareEncoders and len(self._state.encoders.cards) == 1:
            self._say_one_encoder()
            return
        values = values or self._first_values(struct)
        QualityDialog(self._state, values, self.run, self._view).open()

    def ask_again(self) -> None:
        """Ask with the settings of the search that is shown."""
        search = self._view.page.search
        if search is not None and search.params is not None:
            self.ask(type(search.params), search.params)

    def check_all(self) -> None:
        """Check all sentences with the usual settings."""
        self.run(CheckCorpus())

    def run(self, params: Params) -> None:
        """Search; what it finds is shown when it is done."""
        self._expected.append(self._state.run(params))

    def _say_one_encoder(self) -> None:
        """Show what to do before encoders can be compared, and offer to go there."""
        book = self._state.encoders
        words = self.tr(
            "Two encoders are compared, and {name} is the only one here: train "
            "another, or add one in Encoders."
        )
        button = make_button(
            self.tr("Open Encoders"),
            self.tr("Show the encoders, and what adds one."),
            book.view_wanted.emit,
        )
        text = words.format(name=book.cards[0].name)
        self._view.messages.post(text, buttons=[button])

    def _first_values(self, struct: type[TaskParams]) -> TaskParams:
        """Return what a form begins with: constructors check nothing."""
        project = self._state.project
        assert project is not None
        names = [name_corpus(project.corpora, row) for row in project.corpora]
        if struct is FindLeakage:
            return FindLeakage(corpus=names[0], within=tuple(names[1:]))
        if struct is CompareEncoders:
            book = self._state.encoders
            others = [one.name for one in book.cards if one.name != book.chosen]
            return CompareEncoders(encoders=(book.chosen, *others[:1]))
        return struct()

    # --- hiding ---

    def hide_chosen(self, state: HiddenState) -> None:
        """Leave the chosen sentences out; the next one is chosen."""
        self._hide(self._view.page.table.chosen_places, state)
        self._view.page.table.step_on()

    def hide_others(self) -> None:
        """Leave out the sentences beside the chosen ones."""
        self._hide(self._view.page.table.chosen_places, "hidden", side="other")
        self._view.page.table.step_on()

    def hide_all(self, state: HiddenState) -> None:
        """Leave out every sentence of the list."""
        self._hide(self._view.page.table.findings.places, state)

    def show_chosen(self) -> None:
        """Bring back the chosen sentences, and those beside them."""
        self._show(self._view.page.table.chosen_places)

    def show_all(self) -> None:
        """Bring back every sentence of the list, and those beside them."""
        self._show(self._view.page.table.findings.places)

    def _hide(
        self, places: Places, state: HiddenState, *, side: FindingSide = "sentence"
    ) -> None:
        """Hide or remove what stands at places of the search."""
        search = self._view.page.search
        if search is None or not len(places):
            return
        found = self._found(search.id, places, side)
        reason = describe_check(search.run.task)
        change = HideSentences(found=found, state=state, reason=reason)
        self._edit(change, self.tr("These sentences are left out already."))

    def _show(self, places: Places) -> None:
        search = self._view.page.search
        if search is not None and len(places):
            change = ShowSentences(found=self._found(search.id, places, "both"))
            self._edit(change, self.tr("These sentences take part already."))

    def _found(self, run: int, places: Places, side: FindingSide) -> FoundSentences:
        named, file = ids_or_file(self._state, places)
        return FoundSentences(run=run, places=named, file=file, side=side)

    def _edit(self, change: HideSentences | ShowSentences, nothing: str) -> None:
        """Make a change; a message says what it did and offers to undo it."""

        def _tell(answer: dict[str, Any] | ErrorInfo) -> None:
            if isinstance(answer, ErrorInfo):
                self._state.error_posted.emit(answer)
            elif answer.get("id") == 0:
                self._say(nothing)
            else:
                hint = self.tr("Take it back (Ctrl+Z).")
                text = str(answer.get("text", ""))
                offer_undo(self._state, self._view.messages, text, hint)

        self._state.edit(change, _tell)

    # --- taking along ---

    def place(self) -> None:
        """Show the sentence in its corpus."""
        shown = self._view.page.table.current
        if shown is not None and shown.sentence is not None:
            self._state.place_wanted.emit(shown.sentence.id)

    def place_other(self) -> None:
        """Show the one beside it in its corpus."""
        shown = self._view.page.table.current
        if shown is not None and shown.other is not None:
            self._state.place_wanted.emit(shown.other.id)

    def ask_export(self) -> None:
        """Ask where to write the list."""
        ask_path(
            self._view,
            self.tr("Export findings"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / "findings.tsv",
            filters=self.tr("Tab-separated (*.tsv);;Comma-separated (*.csv)"),
        )

    def export_to(self, file: Path) -> None:
        """Write the list."""
        export_table(self._state, file, self._lines())

    def copy_command(self) -> None:
        """Copy the command of the search that is shown."""
        project, search = self._state.project, self._view.page.search
        if project is None or search is None or search.params is None:
            self._say(self.tr("Another version of Isogloss made this."))
            return
        copy_text(command_text(search.params, project.folder))
        self._say(self.tr("The command is copied."))

    def _lines(self) -> Iterator[Sequence[str]]:
        places = [f"{side}{name}" for side in ("", "other_") for name in _COLUMNS]
        yield ("found", *places, "cosine", "similarity", "reason")
        project, search = self._state.project, self._view.page.search
        if project is None or search is None:
            return
        shown = self._view.page.table.findings.places
        names = {corpus.id: corpus.name for corpus in project.corpora}
        for start in range(0, len(shown), PAGE_SIZE):
            wanted = shown[start : start + PAGE_SIZE]
            for one in read_shown_findings(project.store, search.id, wanted.tolist()):
                if one is None:
                    continue
                finding = one.finding
                cells = [finding.kind]
                sides = (one.sentence, one.state), (one.other, one.other_state)
                for row, state in sides:
                    if row is None:
                        cells += [""] * len(_COLUMNS)
                        continue
                    corpus = names.get(corpus_of(row.id), "")
                    cells += [
                        str(row.id),
                        row.language,
                        corpus,
                        str(row.line),
                        row.text,
                        state,
                    ]
                numbers = (finding.cosine, finding.similarity)
                cells += ["" if value is None else f"{value:.4f}" for value in numbers]
                yield (*cells, finding.detail)

    # --- what happens ---

    def _on_run_finished(self, run: RunState, _result: dict[str, Any]) -> None:
        if run in self._expected and isinstance(run.params, CHECKS):
            self._expected = [one for one in self._expected if one is not run]
            self._view.show_search(run.id)

    def _say(self, text: str) -> None:
        self._state.notice_posted.emit(text)


_COLUMNS = ("sentence", "language", "corpus", "line", "text", "state")
