"""Delete a run with Undo, or after a confirmation if progress would be lost."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from app.engine.store.runs import RunRow, can_discard
from app.protocol.edits.general import DropRun, SetRunState
from app.views.client.runs import can_resume
from app.views.client.state import AppState
from app.views.widgets.dialogs import ask_question
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.undo_messages import delete_with_undo

_tr = partial(QCoreApplication.translate, "run_deletion")


def delete_run(state: AppState, messages: MessageBar, run: RunRow, name: str) -> None:
    """Delete a run that has ended; ask first if it could be resumed.

    Args:
        messages: message bar of the view, which offers Undo.
        name: displayed name of the run.
    """
    if state.project is None:
        return
    change = SetRunState(runs=(run.id,), state="deleted")
    is_incomplete = can_discard(state.project.store, run)
    words = _tr("Deleted: {name}.")
    if is_incomplete:
        words = _tr("Deleted: {name}, with its checkpoints and incomplete data.")
    text = words.format(name=name)

    def _delete() -> None:
        if is_incomplete:
            state.edit(DropRun(run.id))
        delete_with_undo(state, messages, change, text)

    if not can_resume(run):
        _delete()
        return
    ask_deletion(messages.window(), name, _delete)


def ask_deletion(
    window: QWidget, name: str, delete: Callable[[], object]
) -> QMessageBox:
    """Ask for confirmation before deleting a run that could be resumed."""
    return ask_question(
        window,
        _tr("Delete {name} with what it has saved?").format(name=name),
        {_tr("Delete"): delete},
        details=_tr(
            "Its checkpoints and incomplete data are removed from the disk. Undo "
            "brings back its entry in the list, but not these."
        ),
    )
