"""Commands: what the window sends to the engine.

Each command with a ticket gets exactly one reply: Opened, Accepted, Answer or Refused.
Cancel and Steer have none of their own: the run's last event replies to them.

Run, Ask and Edit name the folder of their project. The engine refuses them if another
project has been opened in the meantime.
"""

import re
from pathlib import Path
from typing import Literal

import msgspec

from app.errors import ErrorInfo
from app.params import Params, decode_hook
from app.protocol.base import Message, encode_line
from app.protocol.edits import Change
from app.protocol.queries import Query


class OpenProject(Message, frozen=True):
    """Open a project.

    Attributes:
        mode: `create` creates a new project; `demo` unpacks the demo if it is missing,
            `samples` imports only its texts; `copy` first copies the data of `source`
            into a new project.
    """

    ticket: int
    path: Path
    mode: Literal["open", "create", "demo", "samples", "copy"] = "open"
    source: Path | None = None


class CloseProject(Message, frozen=True):
    """Close the open project."""

    ticket: int


class RenameProject(Message, frozen=True):
    """Rename the folder of a project that is closed.

    Attributes:
        path: the folder.
        target: the folder's new path.
    """

    ticket: int
    path: Path
    target: Path


class Quit(Message, frozen=True):
    """End the engine."""

    ticket: int


class Run(Message, frozen=True):
    """Queue a task; `resume` continues an interrupted run of the same params."""

    ticket: int
    params: Params
    resume: int | None = None
    project: Path | None = None


class Cancel(Message, frozen=True):
    """Ask a run to stop."""

    run: int


class Steer(Message, frozen=True):
    """Ask a training to pause, or to finish now with its current state."""

    run: int
    request: Literal["pause", "finish"]


class Ask(Message, frozen=True):
    """Ask for a short read."""

    ticket: int
    query: Query
    project: Path | None = None


class Edit(Message, frozen=True):
    """Make a small change."""

    ticket: int
    change: Change
    project: Path | None = None


Command = (
    OpenProject
    | CloseProject
    | RenameProject
    | Quit
    | Run
    | Cancel
    | Steer
    | Ask
    | Edit
)

_command_decoder = msgspec.json.Decoder(Command, dec_hook=decode_hook)


def decode_command(line: bytes) -> Command:
    """Read a command; raises msgspec.ValidationError or DecodeError."""
    command: Command = _command_decoder.decode(line)
    return command


def check_command(command: Command) -> ErrorInfo | None:
    """Return why the engine would refuse a command, or None if it is valid."""
    try:
        decode_command(encode_line(command))
    except ValueError as error:
        return describe_invalid(error)
    return None


class _Ticketed(msgspec.Struct):
    """The ticket of any command, ignoring its other fields."""

    ticket: int | None = None


_TICKET = re.compile(rb'\{"type":"\w{1,40}","ticket":(\d{1,18})[,}]')


def read_ticket(line: bytes) -> int | None:
    """Return the ticket of a command that can't be decoded; None if it has none.

    Of a line that is cut off or not JSON, only the beginning is read.
    """
    try:
        return msgspec.json.decode(line, type=_Ticketed).ticket
    except ValueError:
        found = _TICKET.match(line)
        return int(found[1]) if found else None


_TOO_LONG = re.compile(r"Expected `str` of length <= (\d+)")


def describe_invalid(error: ValueError) -> ErrorInfo:
    """Describe why and where a command can't be encoded or decoded."""
    if isinstance(error, UnicodeError):
        return ErrorInfo(
            "user",
            "A text or a file name contains characters that are not valid Unicode. "
            "Remove them, or rename the file.",
        )
    what, _, where = str(error).partition(" - at `$")
    place = where.strip("`.")
    too_long = _TOO_LONG.match(what)
    if too_long:
        limit = int(too_long[1])
        return ErrorInfo(
            "user",
            f"The text is too long: shorten it to {limit:,} characters ({place}).",
        )
    at = f" (at {place})" if place else ""
    return ErrorInfo("user", f"The command is not valid: {what}{at}.")
