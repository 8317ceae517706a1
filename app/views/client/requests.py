"""Track requests and edits until they are answered, and what can be undone."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import shiboken6
from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.protocol import commands
from app.protocol.base import A
from app.protocol.commands import Command
from app.protocol.edits import Change
from app.protocol.edits.encoders import DropVectors
from app.protocol.edits.general import AddSearch, DropRun, Redo, SaveViewState, Undo
from app.views.client.engine_client import EngineClient

if TYPE_CHECKING:
    from app.views.client.state import AppState

Callback = Callable[[dict[str, Any] | ErrorInfo], None]
AnswerCallback = Callable[[A | ErrorInfo], None]
SUPERSEDED = ErrorInfo("superseded", "A newer question of this kind came.")


class _Request(NamedTuple):
    """A command that is not answered yet.

    Attributes:
        answer_type: the type that the answer is decoded to.
    """

    callback: Callable[[Any], None]
    answer_type: Any


class RequestTracker:
    """Sends commands that get an answer; each callback is called exactly once.

    (Unless the widget whose method it is has been deleted.)
    """

    def __init__(self, client: EngineClient) -> None:
        self._client = client
        self._requests: dict[int, _Request] = {}
        self._newest: dict[Hashable, int] = {}

    def send(
        self,
        make_command: Callable[[int], Command],
        callback: AnswerCallback[A],
        *,
        answer_type: type[A] | Any = dict[str, Any],
        kind: Hashable = None,
    ) -> None:
        """Send a command made of its ticket; an older one of its kind is superseded.

        Args:
            make_command: makes the command from its ticket.
            callback: receives the answer, or the error.
            answer_type: what the answer is decoded to.
            kind: the newest request of a kind replaces older ones; None: all count.
        """
        ticket = self._client.next_ticket()
        self._requests[ticket] = _Request(callback, answer_type)
        if kind is not None:
            older = self._newest.get(kind)
            self._newest[kind] = ticket
            if older is not None:
                self.settle(older, SUPERSEDED)
        try:
            self._client.send(make_command(ticket))
        except ValueError:
            del self._requests[ticket]
            raise

    def settle(self, ticket: int, value: object) -> bool:
        """Pass an answer or an ErrorInfo to the callback of a ticket.

        Returns:
            Whether the ticket was open.
        """
        request = self._requests.pop(ticket, None)
        if request is None:
            return False
        if _is_alive(request.callback):
            if not isinstance(value, ErrorInfo):
                value = msgspec.convert(value, request.answer_type)
            request.callback(value)
        return True


def _is_alive(callback: Callable[[Any], None]) -> bool:
    """Return whether the object whose method this is has not been deleted by Qt."""
    function = callback.func if isinstance(callback, partial) else callback
    owner = getattr(function, "__self__", None)
    return not isinstance(owner, QObject) or shiboken6.isValid(owner)


# The journal holds no line of these: see `app.engine.edits.journal`.
NOT_UNDOABLE = AddSearch | SaveViewState | DropRun | DropVectors


class EditQueue(QObject):
    """Sends changes; the engine makes them in the order they are sent.

    So a change can be undone from the moment it is sent, and before anything is said
    about it.
    """

    undo_changed = Signal()
    sent = Signal()  # a change of the journal: the next undo takes back this one

    def __init__(self, state: "AppState", requests: RequestTracker):
        super().__init__(state)
        self._state, self._requests = state, requests
        self._on_way: dict[int, Change] = {}  # by ticket
        self._is_held = False
        for signal in (state.project_opened, state.project_closed):
            signal.connect(lambda: self.hold(False))

    @property
    def can_undo(self) -> bool:
        """Return whether a change can be taken back, or will be once it is made."""
        project = self._state.project
        if project is None or project.is_read_only:
            return False
        return project.can_undo or any(
            not isinstance(change, Undo | NOT_UNDOABLE)
            for change in self._on_way.values()
        )

    @property
    def can_redo(self) -> bool:
        """Return whether a change can be made again, or will be."""
        project = self._state.project
        if project is None or project.is_read_only:
            return False
        return project.can_redo or any(
            isinstance(change, Undo) for change in self._on_way.values()
        )

    @property
    def is_settled(self) -> bool:
        """Return whether the store has every change that was made."""
        waiting = (
            not isinstance(change, NOT_UNDOABLE) for change in self._on_way.values()
        )
        return not self._is_held and not any(waiting)

    def edit(self, change: Change, callback: Callback | None = None) -> None:
        """Send a change; without a callback a refusal is shown in the window."""
        tickets: list[int] = []

        def _make(ticket: int) -> commands.Edit:
            tickets.append(ticket)
            return commands.Edit(ticket, change)

        self._requests.send(_make, callback or self._show_refusal)
        self._on_way[tickets[0]] = change
        self.undo_changed.emit()
        if not isinstance(change, NOT_UNDOABLE):
            self.sent.emit()

    def hold(self, is_held: bool) -> None:
        """Undo nothing while somebody keeps changes back: another would be undone."""
        self._is_held = is_held

    def undo(self, n: int = 1) -> None:
        """Take the newest changes back."""
        self._repeat(Undo(n))

    def redo(self) -> None:
        """Make the newest undone change again."""
        self._repeat(Redo())

    def settle(self, ticket: int, value: dict[str, Any] | None) -> None:
        """Take the answer to a change; None: it is not made."""
        if self._on_way.pop(ticket, None) is None:
            return
        project = self._state.project
        if project is not None and value is not None and "can_undo" in value:
            project.can_undo, project.can_redo = value["can_undo"], value["can_redo"]
        self.undo_changed.emit()

    def _repeat(self, change: Undo | Redo) -> None:
        if self._is_held:
            words = self.tr(
                "The last judgements are being saved again: undo when they are saved."
            )
            self._state.notice_posted.emit(words)
        else:
            self.edit(change, self._say_done)

    def _say_done(self, value: dict[str, Any] | ErrorInfo) -> None:
        if isinstance(value, ErrorInfo):
            self._show_refusal(value)
        elif value.get("text"):
            self._state.change_told.emit(value["text"])

    def _show_refusal(self, value: dict[str, Any] | ErrorInfo) -> None:
        if isinstance(value, ErrorInfo):
            self._state.post(value)
