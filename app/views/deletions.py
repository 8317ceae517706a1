"""A deletion, what is told of it, and the button that brings back what went."""

from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

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
        offer_undo(state, messages, text, _tr("Bring it back (Ctrl+Z)."))

    state.edit(change, _tell)


def offer_undo(state: AppState, messages: MessageBar, text: str, hint: str) -> None:
    """Say what was done, with a button that takes it back; older messages go.

    The offer goes too as soon as there is another change: the button would undo that.
    """
    undo = make_button(_tr("Undo"), hint, state.undo)
    offer = _Offer(messages, text, undo)
    state.changes.sent.connect(offer.withdraw)
    messages.clear()
    messages.post(text, buttons=[undo])


class _Offer(QObject):
    """A message that lives as long as its button, and can be withdrawn until then."""

    def __init__(self, messages: MessageBar, text: str, button: QObject):
        super().__init__(button)
        self._messages, self._text = messages, text

    def withdraw(self) -> None:
        """Take the message away."""
        self._messages.withdraw(self._text)


def _tr(text: str) -> str:
    return QCoreApplication.translate("deletions", text)
