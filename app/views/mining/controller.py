"""Actions on pair sets: mine, score, evaluate, review, export, rename, delete."""

from collections.abc import Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.sets import PairSetRow
from app.params import build_params
from app.params.base import TaskParams
from app.params.mining import EvaluateMining, MinePairs, ScorePairs
from app.params.vectors import Encode
from app.protocol.edits.pairs import RenameMining, SetMiningState
from app.protocol.queries.pairs import QueueQuery
from app.results.jobs import MadePairSet
from app.views.client.runs import RunState, read_run_params
from app.views.client.state import AppState
from app.views.mining.dialog import MiningDialog, ScoringDialog
from app.views.mining.evaluations import MiningEvaluation
from app.views.mining.page import MiningPage
from app.views.widgets.controls import add_action, add_synonyms
from app.views.widgets.corpus_choices import (
    corpus_choices,
    find_corpus,
    linked_pairs,
    missing_vectors,
    name_corpus,
    single_choices,
    suggest_params,
    suggest_sides,
    swap_titles,
)
from app.views.widgets.dialogs import ask_new_name, copy_text
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.number_format import pluralize
from app.views.widgets.pair_export_dialog import PairChoice, PairExportDialog
from app.views.widgets.run_results import ResultGate
from app.views.widgets.task_dialog import TaskDialog, copy_command
from app.views.widgets.undo_messages import delete_with_undo
from app.views.widgets.unlinking import add_unlinking, ask_unlinking

SHOWN_ACTIONS = ("review", "find", "export", "copy_pair")  # require a pair set


class MiningController(QObject):
    """Runs the actions of the mine view.

    Attributes:
        actions: the actions by name.
        gate: decides whether a finished run may replace the current page.
    """

    pair_set_made = Signal(object)  # id of a requested pair set to show
    evaluation_made = Signal(object)  # id of the run

    def __init__(
        self, state: AppState, page: MiningPage, messages: MessageBar, parent: QWidget
    ):
        super().__init__(parent)
        self._state, self._page, self._messages = state, page, messages
        self._parent = parent
        self._shown: PairSetRow | MiningEvaluation | None = None
        self._mine_after: list[tuple[RunState, MinePairs]] = []
        self._expected: list[RunState] = []  # shown when finished
        self.gate = ResultGate(state, self._read_shown, self)
        self.actions: dict[str, QAction] = {
            **self._make_task_actions(),
            **self._make_page_actions(),
            **self._make_set_actions(),
        }
        words = self.tr("tmx tsv csv xlsx translation memory save download")
        add_synonyms(self.actions["export"], words)
        page.recipe_requested.connect(self.mine_with)
        state.run_started.connect(self._on_run_started)
        state.run_finished.connect(self._on_run_finished)

    def show(self, shown: PairSetRow | MiningEvaluation | None) -> None:
        """Set the target of the actions, and enable the available actions."""
        self._shown = shown
        project, actions = self._state.project, self.actions
        n_corpora = len(project.corpora) if project is not None else 0
        can_write = self._state.can_write
        row = shown if isinstance(shown, PairSetRow) else None
        actions["mine"].setEnabled(can_write and n_corpora > 0)
        actions["mine_suggested"].setEnabled(can_write and n_corpora > 0)
        actions["score"].setEnabled(can_write and n_corpora > 1)
        actions["evaluate"].setEnabled(can_write)
        for name in SHOWN_ACTIONS:
            actions[name].setEnabled(row is not None)
        for name in ("rename", "delete"):
            actions[name].setEnabled(row is not None and can_write)
        is_mined = row is not None and row.kind == "mined"
        actions["mine_again"].setEnabled(is_mined and can_write)
        has_run = row is not None and row.run_id is not None
        is_scored = row is not None and row.kind == "scored"
        actions["unlink_rejected"].setVisible(is_scored)
        actions["unlink_rejected"].setEnabled(is_scored and can_write)
        actions["copy_command"].setEnabled(
            has_run or isinstance(shown, MiningEvaluation)
        )

    def _read_shown(self) -> object:
        return type(self._shown), self._shown.id if self._shown is not None else None

    @property
    def _row(self) -> PairSetRow:
        assert isinstance(self._shown, PairSetRow), "the actions are disabled"
        return self._shown

    def _make_task_actions(self) -> dict[str, QAction]:
        add, tr = partial(add_action, self._parent), self.tr
        return {
            "mine": add(
                tr("Mine pairs…"),
                tr(
                    "Find sentences of two corpora that are translations of each other."
                ),
                self.ask_mining,
                "Ctrl+Shift+M",
            ),
            "mine_suggested": add(
                tr("Mine with default settings"),
                tr("Mine the first two languages with the default settings."),
                self.mine_suggested,
            ),
            "score": add(
                tr("Score a parallel text…"),
                tr("Score the quality of the linked pairs of two corpora."),
                self.ask_scoring,
            ),
            "evaluate": add(
                tr("Evaluate mining with a gold standard…"),
                tr("Measure precision, recall and F1 on files of known pairs."),
                self.ask_evaluation,
            ),
        }

    def _make_page_actions(self) -> dict[str, QAction]:
        add, tr = partial(add_action, self._parent), self.tr
        return {
            "review": add(
                tr("Review pairs"),
                tr("Judge these pairs one by one."),
                self.review,
                "Ctrl+Return",
            ),
            "find": add(
                tr("Find pairs"),
                tr("Show only pairs that contain a text."),
                self._page.find,
                QKeySequence.StandardKey.Find,
            ),
            "copy_pair": add(
                tr("Copy pair"),
                tr("Copy both texts of the current pair, separated by a tab."),
                self.copy_pair,
                QKeySequence.StandardKey.Copy,
            ),
        }

    def _make_set_actions(self) -> dict[str, QAction]:
        add, tr = partial(add_action, self._parent), self.tr
        return {
            "mine_again": add(
                tr("Mine again…"),
                tr("Mine with the same settings, or change some of them."),
                self.ask_again,
            ),
            "export": add(
                tr("Export pairs…"),
                tr("Write the pairs as a translation memory, table or texts."),
                self.ask_export,
                "Ctrl+E",
            ),
            "rename": add(
                tr("Rename pair set…"),
                tr("Change the name of this pair set."),
                self.rename,
                "F2",
            ),
            "unlink_rejected": add_unlinking(self._parent, self.ask_unlinking),
            "copy_command": add(
                tr("Copy as command"),
                tr("Copy the command that produces this result in a terminal."),
                self.copy_command,
            ),
            "delete": add(
                tr("Delete pair set"),
                tr("Delete this pair set. You can undo this."),
                self.delete,
                QKeySequence.StandardKey.Delete,
                is_local=True,  # active in the list only, not in the table of pairs
            ),
        }

    # --- current pair ---

    def review(self) -> None:
        """Review the pairs listed by the threshold, starting at the current pair."""
        pairs = self._page.pairs
        lowest, highest = pairs.score_bounds
        query = QueueQuery(
            mining=self._row.id,
            descending=not pairs.threshold.lists_below,
            which="unjudged",
            lowest=lowest,
            highest=highest,
        )
        self._state.view_requests.queue_requested.emit(query, pairs.table.current_id)

    def copy_pair(self) -> None:
        """Copy both texts of the current pair."""
        found = self._page.pairs.table.current_pair
        if found is not None:
            copy_text(f"{found.source.text}\t{found.target.text}")
            self._post(self.tr("Pair copied."))

    # --- mining ---

    def ask_mining(self) -> None:
        """Ask for corpora and settings for mining."""
        project = self._state.project
        values = suggest_params(project) if project is not None else None
        if project is None or (values is None and not project.corpora):
            self._post(self.tr("Mining compares corpora. Import texts first."))
            return
        if values is None:
            name = name_corpus(project.corpora, project.corpora[0])
            values = MinePairs(source=name)
        self._show_mining(values)

    def mine_suggested(self) -> None:
        """Mine the suggested corpora with default settings, or ask for the corpora."""
        project = self._state.project
        values = suggest_params(project) if project is not None else None
        if project is None or values is None:
            return
        if values.target and suggest_sides(project, is_new=True) is None:
            self._show_mining(values)  # already linked, or sizes differ too much
        else:
            self.mine(values)

    def ask_again(self) -> None:
        """Ask for the settings of another mining run, based on existing ones."""
        self._show_mining(self.settings_of(self._row))

    def mine_with(self, lines: Sequence[str]) -> None:
        """Mine again with another recipe."""
        values = self.settings_of(self._row)
        self.mine(msgspec.structs.replace(values, filters=tuple(lines)))

    def mine(self, params: MinePairs) -> None:
        """Start mining, after encoding corpora without vectors."""
        project, encoders = self._state.project, self._state.encoders
        card = encoders.find(params.encoder) or encoders.in_use
        missing = []
        if project is not None and card is not None:
            names = [params.source, params.target or params.source]
            missing = missing_vectors(project, names, card.fingerprint)
        if missing:
            ids = tuple(str(row.id) for row in missing)
            run = self._state.run(Encode(corpora=ids, encoder=params.encoder))
            self._mine_after.append((run, params))
        else:
            self._expected.append(self._state.run(params))

    def settings_of(self, row: PairSetRow) -> MinePairs:
        """Return the params of a mined set, with a new name."""
        project = self._state.project
        assert project is not None
        values = read_run_params(project.store, row.run_id)
        if not isinstance(values, MinePairs):
            values = self._settings_from(row)
        name = self._free_name(row.name)
        settings: MinePairs = msgspec.structs.replace(values, name=name)
        return settings

    def _settings_from(self, row: PairSetRow) -> MinePairs:
        corpora = self._state.corpora
        source = find_corpus(corpora, str(row.source_corpus_id))
        target = find_corpus(corpora, str(row.target_corpus_id))
        fields = ("source_language", "target_language", "k", "margin", "retrieval")
        values = {name: getattr(row, name) for name in fields}
        values |= {
            "source": name_corpus(corpora, source) if source else "?",
            "target": name_corpus(corpora, target) if target else "",
            "threshold": row.threshold,
            "filters": tuple(row.filters),
        }
        made: MinePairs = build_params(MinePairs, values)
        return made

    def _free_name(self, name: str) -> str:
        """Number a name if it is in use: German – English 2."""
        project = self._state.project
        taken = {row.name for row in project.minings} if project is not None else set()
        stem, _, number = name.rpartition(" ")
        stem = stem if number.isdigit() and stem else name
        n = 2
        while f"{stem} {n}" in taken:
            n += 1
        return f"{stem} {n}"

    def _show_mining(self, values: MinePairs) -> None:
        MiningDialog(self._state, values, self.mine, self._parent).open()

    def _on_run_started(self, run: RunState) -> None:
        """Show the results of a resumed run when it finishes."""
        if run.id and isinstance(run.params, MinePairs):
            self._expected.append(run)

    def _on_run_finished(self, run: RunState, result: object) -> None:
        self._mine_encoded(run)
        if isinstance(run.params, EvaluateMining) and self.gate.may_show(run):
            self.evaluation_made.emit(run.id)
            self.gate.accept_shown()
        if not isinstance(run.params, MinePairs | ScorePairs):
            return
        mining = msgspec.convert(result, MadePairSet).mining
        if mining is not None:
            is_expected = run in self._expected or isinstance(run.params, ScorePairs)
            self._expected = [one for one in self._expected if one is not run]
            if is_expected and self.gate.may_show(run):
                self.pair_set_made.emit(mining)
                self.gate.accept_shown()

    def _mine_encoded(self, run: RunState) -> None:
        """Start the mining that waited for an encoding run."""
        waiting, self._mine_after = self._mine_after, []
        for encoding, params in waiting:
            if encoding is run:
                self._expected.append(self._state.run(params))
            elif encoding.is_open:  # otherwise, it failed
                self._mine_after.append((encoding, params))

    # --- scoring and evaluating ---

    def ask_scoring(self, heading: str = "") -> None:
        """Ask which linked corpora to score; `heading` is for the dialog."""
        project = self._state.project
        linked = linked_pairs(project) if project is not None else []
        if project is None or len(linked) < 2:
            self._post(
                self.tr(
                    "No linked corpora. Import a parallel text, such as a TMX file."
                )
            )
            return
        single = {name for name, _ in single_choices(project)}
        linked_choices = corpus_choices(project, linked)
        choices = swap_titles(one for one in linked_choices if one[0] in single)
        values = ScorePairs(source=choices[0][1], target=choices[1][1])
        note = self.tr(
            "Scores every linked pair. The list begins with the lowest scores, which "
            "are most likely to be wrong."
        )
        dialog = ScoringDialog(
            self._state,
            values,
            heading=heading or self.tr("Score a parallel text"),
            note=note,
            parent=self._parent,
        )
        for side in ("source", "target"):
            dialog.form.set_choices(side, choices)
        dialog.open()

    def ask_for_wrong_pairs(self) -> None:
        """Ask in which parallel text to find incorrect pairs."""
        self.ask_scoring(self.tr("Find wrong pairs"))

    def ask_evaluation(self) -> None:
        """Ask for the files to evaluate."""
        note = self.tr(
            "Each line of the text files is: id, tab, text. Each line of the gold "
            "standard is: source id, tab, target id. Files can be compressed (.xz). "
            "With a training set, the threshold is chosen there and applied to the "
            "files, as in BUCC."
        )
        self._show_task(EvaluateMining, None, note=note)

    def _show_task(
        self,
        struct: type[TaskParams],
        values: TaskParams | None,
        *,
        skip: Sequence[str] = (),
        note: str = "",
    ) -> TaskDialog:
        dialog = TaskDialog(
            self._state, struct, values, skip=skip, note=note, parent=self._parent
        )
        dialog.open()
        return dialog

    # --- pair set ---

    def ask_export(self) -> None:
        """Ask how to export the pairs."""
        choice = PairChoice(self._page.pairs.threshold.threshold)
        PairExportDialog(self._state, self._row, choice, self._parent).open()

    def ask_unlinking(self) -> None:
        """Ask whether to remove the links of rejected pairs."""
        ask_unlinking(self._state, self._messages, self._row.id, self._parent)

    def rename(self) -> None:
        """Ask for a new name."""
        row = self._row
        ask_new_name(
            self._state,
            self._parent,
            row.name,
            lambda name: RenameMining(mining=row.id, name=name),
        )

    def delete(self) -> None:
        """Delete the pair set, and offer to undo it."""
        row = self._row
        pairs = pluralize(row.n_pairs, self.tr("1 pair"), self.tr("{n} pairs"))
        text = self.tr("Deleted {name} ({pairs}).").format(name=row.name, pairs=pairs)
        change = SetMiningState(minings=(row.id,), state="deleted")
        delete_with_undo(self._state, self._messages, change, text)

    def copy_command(self) -> None:
        """Copy the command of the current pair set or evaluation."""
        project, shown = self._state.project, self._shown
        params = shown.params if isinstance(shown, MiningEvaluation) else None
        if isinstance(shown, PairSetRow) and project is not None:
            params = read_run_params(project.store, shown.run_id)
        if params is None or project is None:
            self._post(
                self.tr(
                    "Can't copy the command, because another version of Isogloss made "
                    "this result."
                )
            )
            return
        copy_command(self._state, params)

    def _post(self, text: str) -> None:
        self._state.notice_posted.emit(text)
