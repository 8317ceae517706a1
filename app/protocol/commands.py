"""Commands: what the window sends to the engine."""

from pathlib import Path
from typing import Literal

import msgspec

from app.params import Params, decode_hook
from app.protocol.base import Message
from app.protocol.edits import Change
from app.protocol.queries import Query


class OpenProject(Message, frozen=True):
    """Open a project; `create` makes a new one, `demo` builds the demo when missing."""

    ticket: int
    path: Path
    mode: Literal["open", "create", "demo"] = "open"


class CloseProject(Message, frozen=True):
    """Close the open project."""

    ticket: int


class Quit(Message, frozen=True):
    """End the engine."""

    ticket: int


class Run(Message, frozen=True):
    """Queue a task; `resume` goes on with an interrupted run of the same params."""

    ticket: int
    params: Params
    resume: int | None = None


class Cancel(Message, frozen=True):
    """Ask a run to stop."""

    run: int


class Steer(Message, frozen=True):
    """Ask a training to pause, or to finish now with what it has."""

    run: int
    wish: Literal["pause", "finish"]


class Ask(Message, frozen=True):
    """Ask for a short read."""

    ticket: int
    query: Query


class Edit(Message, frozen=True):
    """Make a small change."""

    ticket: int
    change: Change


Command = OpenProject | CloseProject | Quit | Run | Cancel | Steer | Ask | Edit

_command_decoder = msgspec.json.Decoder(Command, dec_hook=decode_hook)


def decode_command(line: bytes) -> Command:
    """Read a command; raises msgspec.ValidationError or DecodeError."""
    command: Command = _command_decoder.decode(line)
    return command
