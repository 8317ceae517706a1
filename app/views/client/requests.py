"""Track requests until they are answered, and edits until they can be undone."""

from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
import shiboken6
from PySide6.QtCore import QObject, Signal

from app.errors import ErrorInfo
from app.protocol import commands
from app.protocol.answers.edits import EditAnswer
from app.protocol.base import A, BaseQuery, answer_type
from app.protocol.commands import Command
from app.protocol.edits import Change
from app.protocol.edits.encoders import DropVectors
from app.protocol.edits.general import AddSearch, DropRun, Redo, SaveViewState, Undo
from app.protocol.queries import Query, query_kind
from app.views.client.engine_client import EngineClient
from app.views.client.project_reader import ProjectReader

CurrentProject = Callable[[], ProjectReader | None]
AnswerCallback = Callable[[A | ErrorInfo], None]
SUPERSEDED = ErrorInfo("superseded", "A newer query has replaced this one.")


class _Request(NamedTuple):
    """A command without an answer so far.

    Attributes:
        answer_type: the type that the answer is decoded to.
        command: the command that was sent.
    """

    callback: Callable[[Any], None]
    answer_type: Any
    command: Command


def folder_of(project: ProjectReader | None) -> Path | None:
    """Return the folder that commands for a project name."""
    return None if project is None else project.folder


class RequestTracker:
    """Sends commands and passes on their answers; calls each callback exactly once.

    A callback isn't called if Qt has deleted an object that it uses, such as a view.
    """

    def __init__(
        self,
        client: EngineClient,
        current_project: CurrentProject,
        on_success: Callable[[Command], object],
    ) -> None:
        """Send through a client; `on_success` gets each command that succeeded."""
        self._client, self._on_success = client, on_success
        self._current_project = current_project
        self._requests: dict[int, _Request] = {}
        self._newest: dict[Hashable, int] = {}

    def send(
        self,
        make_command: Callable[[int], Command],
        callback: AnswerCallback[A],
        *,
        answer_type: type[A] | Any,
        kind: Hashable = None,
    ) -> None:
        """Send a command; it supersedes an older request of its kind.

        Args:
            make_command: makes the command from its ticket.
            callback: receives the answer, or the error.
            answer_type: the type that the answer is decoded to.
            kind: the newest request of a kind replaces older ones; None replaces none.
        """
        ticket = self._client.next_ticket()
        command = make_command(ticket)
        self._requests[ticket] = _Request(callback, answer_type, command)
        if kind is not None:
            older = self._newest.get(kind)
            self._newest[kind] = ticket
            if older is not None:
                self.settle(older, SUPERSEDED)
        self._client.send(command)

    def ask(self, query: BaseQuery[A], callback: AnswerCallback[A]) -> None:
        """Send a query; the callback receives its typed answer, or an ErrorInfo.

        The newest query of a kind wins: an older one gets the error kind "superseded".
        """
        asked = cast("Query", query)
        project = folder_of(self._current_project())
        self.send(
            lambda ticket: commands.Ask(ticket, asked, project),
            callback,
            answer_type=answer_type(type(query)),
            kind=query_kind(asked),
        )

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
        if not isinstance(value, ErrorInfo):
            self._on_success(request.command)
        return True


def _is_alive(callback: Callable[[Any], None]) -> bool:
    """Return whether Qt has deleted no object that a callback is a method of or uses.

    The views of a project are deleted when another project is opened, and answers to
    their queries can arrive later.
    """
    function = callback.func if isinstance(callback, partial) else callback
    cells = getattr(function, "__closure__", None) or ()
    used = [
        getattr(function, "__self__", None),
        *(cell.cell_contents for cell in cells),
    ]
    return all(shiboken6.isValid(one) for one in used if isinstance(one, QObject))


# The journal has no entry for these: see `app.engine.edits.journal`.
NOT_UNDOABLE = AddSearch | SaveViewState | DropRun | DropVectors
EditCallback = AnswerCallback[EditAnswer]


class EditQueue(QObject):
    """Sends edits; the engine applies them in the order they are sent.

    An edit can therefore be undone as soon as it is sent, before its answer arrives.
    """

    undo_changed = Signal()
    started = Signal(int)  # ticket of any edit
    ended = Signal(int, object)  # ticket, ErrorInfo if it was refused
    sent = Signal()  # an undoable edit: the next undo undoes this one
    added = Signal()  # a new undoable edit: no undo or redo
    reverted = Signal(str)  # what an undo or redo did
    refused = Signal(object)  # ErrorInfo of an edit without a callback
    held_back = Signal(str)  # why nothing was undone

    def __init__(
        self, requests: RequestTracker, current_project: CurrentProject, parent: QObject
    ):
        super().__init__(parent)
        self._requests, self._current_project = requests, current_project
        self._pending: dict[int, Change] = {}  # by ticket
        self._is_held = False

    @property
    def can_undo(self) -> bool:
        """Return whether an edit can be undone, or will be once it is applied."""
        project = self._current_project()
        if project is None or project.is_read_only:
            return False
        return project.can_undo or any(
            not isinstance(change, Undo | NOT_UNDOABLE)
            for change in self._pending.values()
        )

    @property
    def can_redo(self) -> bool:
        """Return whether an edit can be redone, or will be."""
        project = self._current_project()
        if project is None or project.is_read_only:
            return False
        return project.can_redo or any(
            isinstance(change, Undo) for change in self._pending.values()
        )

    @property
    def is_settled(self) -> bool:
        """Return whether the store contains every edit that was sent."""
        waiting = (
            not isinstance(change, NOT_UNDOABLE) for change in self._pending.values()
        )
        return not self._is_held and not any(waiting)

    def edit(self, change: Change, callback: EditCallback | None = None) -> None:
        """Send an edit; without a callback, the window shows why it was rejected."""
        project = folder_of(self._current_project())

        def _make(ticket: int) -> commands.Edit:
            self._pending[ticket] = change
            self.started.emit(ticket)
            return commands.Edit(ticket, change, project)

        self._requests.send(
            _make, callback or self._show_refusal, answer_type=EditAnswer
        )
        self.undo_changed.emit()
        if not isinstance(change, NOT_UNDOABLE):
            self.sent.emit()
        if not isinstance(change, Undo | Redo | NOT_UNDOABLE):
            self.added.emit()

    def hold(self, is_held: bool) -> None:
        """Suspend undo while a view has unsent edits: it would undo an older edit."""
        self._is_held = is_held

    def undo(self, n: int = 1) -> None:
        """Undo the newest edits."""
        self._repeat(Undo(n))

    def redo(self) -> None:
        """Redo the last undone edit."""
        self._repeat(Redo())

    def settle(self, ticket: int, value: object) -> None:
        """Record the answer to an edit, or the ErrorInfo of its refusal."""
        change = self._pending.pop(ticket, None)
        if change is None:
            return
        project = self._current_project()
        error = value if isinstance(value, ErrorInfo) else None
        if project is not None and error is None:
            answer = msgspec.convert(value, EditAnswer)
            project.can_undo, project.can_redo = answer.can_undo, answer.can_redo
            if not isinstance(change, NOT_UNDOABLE):
                project.read_next_changes()
        self.undo_changed.emit()
        self.ended.emit(ticket, error)

    def _repeat(self, change: Undo | Redo) -> None:
        if self._is_held:
            words = self.tr(
                "The last judgements are still being saved. Try again in a moment."
            )
            self.held_back.emit(words)
        else:
            self.edit(change, self._on_reverted)

    def _on_reverted(self, answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self.refused.emit(answer)
        elif answer.text:
            self.reverted.emit(answer.text)

    def _show_refusal(self, answer: EditAnswer | ErrorInfo) -> None:
        if isinstance(answer, ErrorInfo):
            self.refused.emit(answer)
