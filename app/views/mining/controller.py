"""Actions on sets of pairs: mine, score, evaluate, export, rename, delete."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from app.engine.store.pairs.sets import PairSetRow
from app.params import build_params
from app.params.base import TaskParams
from app.params.flags import command_text
from app.params.mining import EvaluateMining, MinePairs, ScorePairs
from app.params.vectors import Encode
from app.protocol.edits.pairs import RenameMining, SetMiningState
from app.views.client.runs import RunState, read_run_params
from app.views.mining.dialog import MiningDialog
from app.views.widgets.controls import add_action
from app.views.widgets.corpus_choices import (
    corpus_choices,
    find_corpus,
    linked_pairs,
    missing_vectors,
    name_corpus,
    single_choices,
    suggest_params,
    swap_titles,
)
from app.views.widgets.dialogs import ask_name, copy_text
from app.views.widgets.number_format import pluralize
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.undo_messages import delete_with_undo

if TYPE_CHECKING:
    from app.views.mining.view import MiningView


def make_mining_actions(view: "MiningView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    return _make_mining(view) | _make_view_actions(view) | _make_manage_actions(view)


def _make_mining(view: "MiningView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    return {
        "mine": add_action(
            view,
            tr("Mine pairs…"),
            jobs.ask_mining,
            keys="Ctrl+Shift+M",
            hint=tr("Find sentences of two corpora that are translations."),
        ),
        "mine_suggested": add_action(
            view,
            tr("Mine what is proposed"),
            jobs.mine_suggested,
            hint=tr("Mine the first two languages with the usual settings."),
        ),
        "score": add_action(
            view,
            tr("Score a bitext…"),
            jobs.ask_scoring,
            hint=tr("Score how good the linked pairs of two corpora are."),
        ),
        "evaluate": add_action(
            view,
            tr("Evaluate mining with a gold standard…"),
            jobs.ask_evaluation,
            hint=tr("Measure precision, recall and F1 on files of known pairs."),
        ),
    }


def _make_view_actions(view: "MiningView") -> dict[str, QAction]:
    tr = view.tr
    return {
        "review": add_action(
            view,
            tr("Review"),
            view.review,
            keys="Ctrl+Return",
            hint=tr("Judge these pairs, one after the other."),
        ),
        "find": add_action(
            view,
            tr("Find in the pairs"),
            lambda: view.page.find(),
            keys=QKeySequence.StandardKey.Find,
            hint=tr("Find words in the texts of the pairs."),
        ),
        "copy_pair": add_action(
            view,
            tr("Copy the pair"),
            view.copy_pair,
            keys=QKeySequence.StandardKey.Copy,
            hint=tr("Copy both texts of the current pair, a tab between them."),
        ),
    }


def _make_manage_actions(view: "MiningView") -> dict[str, QAction]:
    tr, jobs = view.tr, view.jobs
    made = {
        "again": add_action(
            view,
            tr("Mine these pairs again…"),
            jobs.ask_again,
            hint=tr("Mine with the settings of these pairs, or with some changed."),
        ),
        "export": add_action(
            view,
            tr("Export the pairs…"),
            jobs.ask_export,
            keys="Ctrl+E",
            hint=tr("Write the pairs as a translation memory, a table or texts."),
        ),
        "rename": add_action(
            view,
            tr("Rename the pairs…"),
            jobs.rename,
            keys="F2",
            hint=tr("Give this set of pairs another name."),
        ),
        "copy": add_action(
            view,
            tr("Copy as command"),
            jobs.copy_command,
            hint=tr("Copy the command that finds these pairs in a terminal."),
        ),
        "delete": add_action(
            view,
            tr("Delete the pairs"),
            jobs.delete,
            keys=QKeySequence.StandardKey.Delete,
            hint=tr("Delete this set of pairs; this can be undone."),
        ),
    }
    # Only in the list: among pairs Del must not delete all of them.
    made["delete"].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    return made


def refresh_mining_actions(
    actions: dict[str, QAction],
    row: PairSetRow | None,
    *,
    can_write: bool,
    n_corpora: int,
) -> None:
    """Enable what can be done with the set of pairs that is shown."""
    actions["mine"].setEnabled(can_write and n_corpora > 0)
    actions["mine_suggested"].setEnabled(can_write and n_corpora > 0)
    actions["score"].setEnabled(can_write and n_corpora > 1)
    actions["evaluate"].setEnabled(can_write)
    for name in ("review", "find", "export", "copy_pair"):
        actions[name].setEnabled(row is not None)
    for name in ("rename", "delete"):
        actions[name].setEnabled(row is not None and can_write)
    is_mined = row is not None and row.kind == "mined"
    actions["again"].setEnabled(is_mined and can_write)
    actions["copy"].setEnabled(row is not None and row.run_id is not None)


class MiningController(QObject):
    """Does what the actions of the mine view say."""

    def __init__(self, view: "MiningView"):
        super().__init__(view)
        self._view, self._state = view, view.state
        self._mine_after: list[tuple[RunState, MinePairs]] = []
        self._state.run_finished.connect(self._on_run_finished)

    @property
    def _row(self) -> PairSetRow:
        row = self._view.row
        assert row is not None, "the actions are disabled without pairs"
        return row

    # --- mining ---

    def ask_mining(self) -> None:
        """Ask between which corpora, and how."""
        project = self._state.project
        values = suggest_params(project) if project is not None else None
        if project is None or (values is None and not project.corpora):
            self._say(self.tr("Mining compares corpora: import texts first."))
            return
        if values is None:
            name = name_corpus(project.corpora, project.corpora[0])
            values = MinePairs(source=name)
        self._show_mining(values)

    def mine_suggested(self) -> None:
        """Mine what is proposed, at once."""
        project = self._state.project
        values = suggest_params(project) if project is not None else None
        if values is not None:
            self.mine(values)

    def ask_again(self) -> None:
        """Ask with the settings of the pairs that are shown."""
        self._show_mining(self.settings_of(self._row))

    def mine_with(self, lines: Sequence[str]) -> None:
        """Mine the pairs that are shown again, with another recipe."""
        values = self.settings_of(self._row)
        self.mine(msgspec.structs.replace(values, filters=tuple(lines)))

    def mine(self, params: MinePairs) -> None:
        """Mine; corpora without vectors are encoded first."""
        project, book = self._state.project, self._state.encoders
        card = book.find(params.encoder) or book.in_use
        missing = []
        if project is not None and card is not None:
            names = [params.source, params.target or params.source]
            missing = missing_vectors(project, names, card.fingerprint)
        if missing:
            ids = tuple(str(row.id) for row in missing)
            run = self._state.run(Encode(corpora=ids, encoder=params.encoder))
            self._mine_after.append((run, params))
        else:
            self._view.expect(self._state.run(params))

    def settings_of(self, row: PairSetRow) -> MinePairs:
        """Return the params that a set was mined with, under a name of its own."""
        project = self._state.project
        assert project is not None
        values = read_run_params(project.store, row.run_id)
        if not isinstance(values, MinePairs):
            values = self._settings_from(row)
        name = self._free_name(row.name)
        settings: MinePairs = msgspec.structs.replace(values, name=name)
        return settings

    def _settings_from(self, row: PairSetRow) -> MinePairs:
        project = self._state.project
        corpora = project.corpora if project is not None else []
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
        """Number a name that is taken: German – English 2."""
        project = self._state.project
        taken = {row.name for row in project.minings} if project is not None else set()
        stem, _, number = name.rpartition(" ")
        stem = stem if number.isdigit() and stem else name
        n = 2
        while f"{stem} {n}" in taken:
            n += 1
        return f"{stem} {n}"

    def _show_mining(self, values: MinePairs) -> None:
        MiningDialog(self._state, values, self.mine, self._view).open()

    def _on_run_finished(self, run: RunState, _result: dict[str, Any]) -> None:
        waiting, self._mine_after = self._mine_after, []
        for encoding, params in waiting:
            if encoding is run:
                self._view.expect(self._state.run(params))
            elif encoding.is_open:  # else it failed, and so there is nothing to mine
                self._mine_after.append((encoding, params))

    # --- scoring and evaluating ---

    def ask_scoring(self) -> None:
        """Ask which linked corpora to score."""
        project = self._state.project
        linked = linked_pairs(project) if project is not None else []
        if project is None or len(linked) < 2:
            self._say(
                self.tr(
                    "No two corpora are linked: import a parallel text, such as a TMX."
                )
            )
            return
        single = {name for name, _ in single_choices(project)}
        wanted = corpus_choices(project, linked)
        choices = swap_titles(one for one in wanted if one[0] in single)
        values = ScorePairs(source=choices[0][1], target=choices[1][1])
        note = self.tr("The pairs and their scores are kept, to be looked at here.")
        dialog = self._show_task(ScorePairs, values, skip=("out",), note=note)
        for side in ("source", "target"):
            dialog.form.set_choices(side, choices)

    def ask_evaluation(self) -> None:
        """Ask for the files of a gold standard."""
        note = self.tr(
            "The files hold lines of id, tab, text; the gold standard lines of source "
            "id, tab, target id. Each may be packed as .xz."
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
            self._state, struct, values, skip=skip, note=note, parent=self._view
        )
        dialog.offer_encoders()
        dialog.open()
        return dialog

    # --- keeping ---

    def ask_export(self) -> None:
        """Ask what to write, and where."""
        threshold = self._view.page.pairs.threshold.threshold
        PairExportDialog(self._state, self._row, threshold, self._view).open()

    def rename(self) -> None:
        """Ask for another name."""
        row = self._row
        ask_name(
            self._view,
            self.tr("What shall {name} be called?").format(name=row.name),
            row.name,
            lambda name: self._state.edit(RenameMining(mining=row.id, name=name)),
        )

    def delete(self) -> None:
        """Delete the set of pairs; a message offers to undo it."""
        row = self._row
        pairs = pluralize(row.n_pairs, self.tr("1 pair"), self.tr("{n} pairs"))
        text = self.tr("Deleted {name} ({pairs}).").format(name=row.name, pairs=pairs)
        change = SetMiningState(minings=(row.id,), state="deleted")
        delete_with_undo(self._state, self._view.messages, change, text)

    def copy_command(self) -> None:
        """Copy the command of what is shown."""
        project, row = self._state.project, self._view.row
        shown = self._view.evaluation
        params: Any = shown.params if shown is not None else None
        if row is not None and project is not None:
            params = read_run_params(project.store, row.run_id)
        if params is None or project is None:
            self._say(self.tr("Another version of Isogloss made this."))
            return
        copy_text(command_text(params, project.folder))
        self._say(self.tr("The command is copied."))

    def _say(self, text: str) -> None:
        self._state.notice_posted.emit(text)
