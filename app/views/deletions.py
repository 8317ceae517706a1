"""A deletion, what is told of it, and the button that brings back what went."""

from typing import Any

from PySide6.QtCore import QCoreApplication

from app.errors import ErrorInfo
from app.messages import Change
from app.views.state import AppState
from app.views.widgets.controls import make_button
from app.views.widgets.message_bar import MessageBar


def delete(state: AppState, messages: MessageBar, change: Change, text: str) -> None:
    """Delete something, and say so with Undo; or say why it can't be.

    Args:
        state: of the window.
        messages: of the view: older ones go.
        change: the deletion.
        text: what was deleted.
    """

    def _tell(answer: dict[str, Any] | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            state.error_posted.emit(answer)
            return
        undo = make_button(_tr("Undo"), _tr("Bring it back (Ctrl+Z)."), state.undo)
        messages.clear()
        messages.post(text, buttons=[undo])

    state.edit(change, _tell)


def _tr(text: str) -> str:
    return QCoreApplication.translate("deletions", text)
