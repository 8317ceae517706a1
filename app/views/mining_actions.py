"""What can be done in the mine view: actions, enabled when they are possible."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence

from app.engine.store.pair_rows import MiningRow
from app.views.widgets.controls import add_action

if TYPE_CHECKING:
    from app.views.mining_view import MiningView


def make_actions(view: "MiningView") -> dict[str, QAction]:
    """Make the actions of the view, by name."""
    return _make_mining(view) | _make_reading(view) | _make_keeping(view)


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


def _make_reading(view: "MiningView") -> dict[str, QAction]:
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


def _make_keeping(view: "MiningView") -> dict[str, QAction]:
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


def refresh_actions(
    actions: dict[str, QAction],
    row: MiningRow | None,
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
