"""Actions of the quality view: run checks, hide sentences, export findings."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.engine.store.corpora import corpus_of
from app.engine.store.findings import finding_places
from app.engine.store.sentences import SentenceRow
from app.errors import ErrorInfo
from app.params import Params
from app.params.base import TaskParams
from app.params.quality import CheckCorpus, CompareEncoders, FindDuplicates, FindLeakage
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits.corpora import FoundSentences, HideSentences, ShowSentences
from app.views.client.runs import RunState
from app.views.client.state import AppState
from app.views.quality.dialog import QualityDialog
from app.views.quality.finding_table import FindingTable, read_shown_findings
from app.views.quality.text import CHECKS, QualityCheck, describe_check
from app.views.widgets.controls import add_action, add_synonyms, make_button
from app.views.widgets.corpus_choices import name_corpus
from app.views.widgets.export_dialog import ExportDialog, ask_table_export
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import pluralize
from app.views.widgets.task_dialog import copy_command
from app.views.widgets.undo_messages import ids_or_file, offer_undo

CHECK_ACTIONS = ("duplicates", "check", "wrong_pairs", "leakage", "encoders")
HIDING_ACTIONS = ("hide", "hide_other", "remove", "restore")
HIDING_ALL_ACTIONS = ("hide_all", "remove_all", "restore_all")
HiddenState = Literal["hidden", "removed"]
FindingSide = Literal["sentence", "other", "both"]
Indices = NDArray[np.int64]
PAGE_SIZE = 128  # findings per read during an export
SENTENCE_COLUMNS = ("sentence", "language", "corpus", "line", "text", "state")


class QualityController(QObject):
    """Makes and performs the actions of the quality view.

    Attributes:
        actions: by name.
        check: check of the displayed findings, or None.
    """

    check_finished = Signal(object)  # RunState of a check started by this controller

    def __init__(
        self,
        state: AppState,
        table: FindingTable,
        messages: MessageBar,
        parent: QWidget,
    ):
        """Make the actions.

        Args:
            messages: shows the number of hidden sentences, with Undo.
        """
        super().__init__(parent)
        self._state, self._table, self._messages = state, table, messages
        self._parent = parent
        self.check: QualityCheck | None = None
        self._started: list[RunState] = []
        self.actions: dict[str, QAction] = {}
        self._add_check_actions()
        self._add_selection_actions()
        self._add_list_actions()
        for name in CHECK_ACTIONS:
            add_synonyms(self.actions[name], self.tr("find issues problems errors"))
        state.run_finished.connect(self._on_run_finished)

    # --- actions ---

    def refresh_actions(self) -> None:
        """Enable the actions that apply to the displayed check and finding."""
        check, current = self.check, self._table.current
        can_write = self._state.can_write
        has_rows = self._table.findings.rowCount() > 0
        has_params = check is not None and check.params is not None
        has_other = current is not None and current.other is not None
        can_hide = check is None or check.has_faults
        for name in (*HIDING_ACTIONS, *HIDING_ALL_ACTIONS):
            self.actions[name].setVisible(can_hide)
        can_hide &= can_write
        for name, is_possible in {
            **dict.fromkeys((*CHECK_ACTIONS, "check_all"), can_write),
            **dict.fromkeys(HIDING_ACTIONS, can_hide and current is not None),
            "hide_other": can_hide and has_other,
            **dict.fromkeys(HIDING_ALL_ACTIONS, can_hide and has_rows),
            "place": current is not None and current.sentence is not None,
            "place_other": has_other,
            "export": has_rows,
            "again": can_write and has_params,
            "copy": has_params,
        }.items():
            self.actions[name].setEnabled(is_possible)

    def _add_check_actions(self) -> None:
        add, tr = partial(add_action, self._parent), self.tr
        self.actions |= {
            "duplicates": add(
                tr("Find duplicates…"),
                tr(
                    "Find equal and similar sentences, and translations that are not "
                    "linked."
                ),
                partial(self.open_dialog, FindDuplicates),
                "Ctrl+Shift+U",
            ),
            "check": add(
                tr("Check sentences…"),
                tr("Find wrong languages, corrupted characters and boilerplate."),
                partial(self.open_dialog, CheckCorpus),
            ),
            "leakage": add(
                tr("Find test-set leakage…"),
                tr("Find sentences of a test set that occur in other corpora."),
                partial(self.open_dialog, FindLeakage),
            ),
            "wrong_pairs": add(
                tr("Find wrong pairs in a parallel text…"),
                tr("Score the linked pairs of two corpora in Mine."),
                self._state.view_requests.scoring_requested.emit,
            ),
            "encoders": add(
                tr("Compare two encoders…"),
                tr(
                    "Find sentences whose neighbours change, and pairs gained and lost."
                ),
                partial(self.open_dialog, CompareEncoders),
            ),
            "check_all": add(
                tr("Check all sentences"),
                tr(
                    "Check every corpus for wrong languages, corruption and "
                    "boilerplate, and find duplicates within and across languages."
                ),
                self.check_all,
            ),
        }

    def _add_selection_actions(self) -> None:
        add, tr = partial(add_action, self._parent), self.tr
        self.actions |= {
            "hide": add(
                tr("Hide"),
                tr("Exclude the selected sentences from every task."),
                partial(self.hide_selected, "hidden"),
                "H",
            ),
            "hide_other": add(
                tr("Hide the other sentence"),
                tr("Keep the sentence on the left and hide the one on the right."),
                self.hide_others,
                "Shift+H",
            ),
            "remove": add(
                tr("Remove"),
                tr("Exclude the selected sentences from every task and from tables."),
                partial(self.hide_selected, "removed"),
                "Shift+Del",
            ),
            "restore": add(
                tr("Restore"),
                tr("Restore the selected sentences on both sides."),
                self.restore_selected,
                "S",
            ),
            "place": add(
                tr("Show in corpus"),
                tr("Show the sentence in its corpus."),
                self.show_in_corpus,
                "Ctrl+Return",
            ),
            "place_other": add(
                tr("Show the other sentence in its corpus"),
                tr("Show the sentence on the right in its corpus."),
                self.show_other_in_corpus,
                "Ctrl+Shift+Return",
            ),
        }

    def _add_list_actions(self) -> None:
        add, tr = partial(add_action, self._parent), self.tr
        self.actions |= {
            "hide_all": add(
                tr("Hide all shown"),
                tr(
                    "Hide the sentence on the left of every finding shown. "
                    "Translations are skipped if the list has other findings."
                ),
                partial(self.hide_all, "hidden"),
                "Ctrl+H",
            ),
            "remove_all": add(
                tr("Remove all shown"),
                tr("Remove the sentence on the left of every finding shown."),
                partial(self.hide_all, "removed"),
            ),
            "restore_all": add(
                tr("Restore all shown"),
                tr("Restore the sentences on both sides of every finding shown."),
                self.restore_all,
            ),
            "export": add(
                tr("Export findings…"),
                tr("Export the findings shown as a table."),
                self.ask_export,
                "Ctrl+E",
            ),
            "again": add(
                tr("Run again…"),
                tr("Run the check again, with the same or other settings."),
                self.run_again,
            ),
            "copy": add(
                tr("Copy as command"),
                tr("Copy the terminal command that runs this check."),
                self.copy_command,
            ),
        }

    # --- checks ---

    def open_dialog(
        self, struct: type[TaskParams], values: TaskParams | None = None
    ) -> None:
        """Open the dialog of a check."""
        project = self._state.project
        if project is None or not project.corpora:
            self._notify(self.tr("The project has no corpus yet. Import one first."))
            return
        if struct is CompareEncoders and len(self._state.encoders.cards) == 1:
            self._explain_single_encoder()
            return
        values = values or self._default_values(struct)
        QualityDialog(self._state, values, self.run, self._parent).open()

    def run_again(self) -> None:
        """Open the dialog with the settings of the displayed check."""
        if self.check is not None and self.check.params is not None:
            self.open_dialog(type(self.check.params), self.check.params)

    def run(self, params: Params) -> None:
        """Run a check, and emit `check_finished` at the end."""
        self._started.append(self._state.run(params))

    def check_all(self) -> None:
        """Run the checks without settings on all corpora, and show duplicates."""
        self.run(CheckCorpus())
        self.run(FindDuplicates(across=True))

    def _explain_single_encoder(self) -> None:
        """Show that a comparison needs a second encoder, with a button to add one."""
        encoders = self._state.encoders
        words = self.tr(
            "A comparison needs two encoders, but this project has only {name}. "
            "Train or add another one in Encoders."
        )
        button = make_button(
            self.tr("Open Encoders"),
            self.tr("Show the encoders, where you can add one."),
            encoders.view_requested.emit,
        )
        text = words.format(name=encoders.cards[0].name)
        self._messages.post(text, buttons=[button], topic="encoders")

    def _default_values(self, struct: type[TaskParams]) -> TaskParams:
        """Return the initial values of a form without validation."""
        project = self._state.project
        assert project is not None
        texts = project.texts or project.corpora
        names = [name_corpus(project.corpora, row) for row in texts]
        if struct is FindLeakage:
            return FindLeakage(corpus=names[0], within=tuple(names[1:]))
        if struct is CompareEncoders:
            encoders = self._state.encoders
            others = [one.name for one in encoders.cards if one.name != encoders.chosen]
            return CompareEncoders(encoders=(encoders.chosen, *others[:1]))
        return struct()

    def _on_run_finished(self, run: RunState, _result: object) -> None:
        if run in self._started and isinstance(run.params, CHECKS):
            self._started = [one for one in self._started if one is not run]
            self.check_finished.emit(run)

    # --- hiding ---

    def hide_selected(self, state: HiddenState) -> None:
        """Hide or remove the selected sentences, and select the next finding."""
        self._hide(self._table.chosen_places, state)
        self._table.step_on()

    def hide_others(self) -> None:
        """Hide the second sentences of the selected findings."""
        self._hide(self._table.chosen_places, "hidden", side="other")
        self._table.step_on()

    def hide_all(self, state: HiddenState) -> None:
        """Hide or remove all sentences in the list.

        Translations are not duplicates of each other, so they are left out if the list
        also has other findings.
        """
        indices = self._table.findings.places
        if self.check is None:
            return
        translated = finding_places(self.check.run.counts, ("translation",))
        others = indices[~np.isin(indices, translated)]
        n = len(indices) - len(others)
        if not len(others) or not n:
            self._hide(indices, state)
            return
        note = pluralize(
            n,
            self.tr(
                "1 translation was skipped. To include it, show only translations."
            ),
            self.tr(
                "{n} translations were skipped. To include them, show only "
                "translations."
            ),
        )
        self._hide(others, state, note=note)

    def restore_selected(self) -> None:
        """Restore both sentences of the selected findings."""
        self._restore(self._table.chosen_places)

    def restore_all(self) -> None:
        """Restore both sentences of all findings in the list."""
        self._restore(self._table.findings.places)

    def _hide(
        self,
        indices: Indices,
        state: HiddenState,
        *,
        side: FindingSide = "sentence",
        note: str = "",
    ) -> None:
        if self.check is None or not len(indices):
            return
        change = HideSentences(
            found=self._found(self.check.id, indices, side),
            state=state,
            reason=describe_check(self.check.run.task),
        )
        self._edit(change, self.tr("These sentences are already hidden."), note)

    def _restore(self, indices: Indices) -> None:
        if self.check is not None and len(indices):
            change = ShowSentences(found=self._found(self.check.id, indices, "both"))
            self._edit(change, self.tr("None of these sentences is hidden."))

    def _found(self, run: int, indices: Indices, side: FindingSide) -> FoundSentences:
        named, file = ids_or_file(self._state, indices)
        return FoundSentences(run=run, places=named, file=file, side=side)

    def _edit(
        self, change: HideSentences | ShowSentences, no_effect: str, note: str = ""
    ) -> None:
        """Send an edit, then show its effect with Undo, or that nothing changed."""
        self._state.edit(change, partial(self._on_edited, no_effect, note))

    def _on_edited(
        self, no_effect: str, note: str, answer: EditAnswer | ErrorInfo
    ) -> None:
        if isinstance(answer, ErrorInfo):
            self._state.error_posted.emit(answer)
        elif answer.id == 0:
            self._notify(no_effect)
        else:
            hint = self.tr("Undo this change (Ctrl+Z).")
            text = f"{answer.text} {note}".strip()
            offer_undo(self._state, self._messages, text, hint)

    # --- navigation, export, command ---

    def show_in_corpus(self) -> None:
        """Show the sentence in its corpus."""
        self._show_place("sentence")

    def show_other_in_corpus(self) -> None:
        """Show the second sentence in its corpus."""
        self._show_place("other")

    def _show_place(self, side: Literal["sentence", "other"]) -> None:
        current = self._table.current
        if current is not None:
            row = current.sentence if side == "sentence" else current.other
            if row is not None:
                self._state.view_requests.place_requested.emit(row.id)

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export the displayed findings."""
        places = self._table.findings.places
        return ask_table_export(
            self._state,
            self._parent,
            self.tr("Export findings"),
            self.tr("findings"),
            partial(self._export_rows, self.check, places),
            len(places),
        )

    def copy_command(self) -> None:
        """Copy the command that runs the displayed check."""
        check = self.check
        if check is None or check.params is None:
            self._notify(self.tr("Another version of Isogloss made this result."))
            return
        copy_command(self._state, check.params)

    def _export_rows(
        self, check: QualityCheck | None, indices: NDArray[np.int64]
    ) -> Iterator[Sequence[str]]:
        sides = [
            f"{side}{name}" for side in ("", "other_") for name in SENTENCE_COLUMNS
        ]
        yield ("found", *sides, "cosine", "similarity", "reason")
        project = self._state.project
        if project is None or check is None:
            return
        names = {corpus.id: corpus.name for corpus in project.corpora}
        for start in range(0, len(indices), PAGE_SIZE):
            page = indices[start : start + PAGE_SIZE].tolist()
            for one in read_shown_findings(project.store, check.id, page):
                if one is None:
                    continue
                numbers = (one.finding.cosine, one.finding.similarity)
                yield (
                    one.finding.kind,
                    *_sentence_cells(one.sentence, one.state, names),
                    *_sentence_cells(one.other, one.other_state, names),
                    *("" if value is None else f"{value:.4f}" for value in numbers),
                    one.finding.detail,
                )

    def _notify(self, text: str) -> None:
        self._state.notice_posted.emit(text)


def _sentence_cells(
    row: SentenceRow | None, state: str, corpus_names: dict[int, str]
) -> tuple[str, ...]:
    """Return the cells of SENTENCE_COLUMNS; empty cells for a deleted sentence."""
    if row is None:
        return ("",) * len(SENTENCE_COLUMNS)
    corpus = corpus_names.get(corpus_of(row.id), "")
    return (str(row.id), row.language, corpus, str(row.line), row.text, state)
