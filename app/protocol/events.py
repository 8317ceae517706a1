"""Events: what the engine sends to the window."""

from pathlib import Path
from typing import Any

import msgspec

from app.errors import ErrorInfo
from app.params import decode_hook
from app.protocol.base import Message


class Hello(Message, frozen=True):
    """The first line: program, version and protocol."""

    protocol: int
    version: str


class Devices(Message, frozen=True):
    """The available devices and the chosen one, sent when torch is imported."""

    devices: list[str]
    chosen: str
    note: str = ""


class Opened(Message, frozen=True):
    """The project is open (schema migrated): the window may connect to its store."""

    ticket: int
    path: Path
    schema: int
    is_read_only: bool
    notices: list[str]
    interrupted: list[int]  # ids of runs that can be resumed
    newer_encoder: str = ""  # to offer, since the vectors are by an earlier encoder


class Accepted(Message, frozen=True):
    """The run has a row."""

    ticket: int
    run: int


class Progress(Message, frozen=True):
    """The progress of a run's stage; total 0: unknown."""

    run: int
    stage: str
    done: int
    total: int
    note: str
    memory: int = 0  # bytes used by the engine process
    device: str = ""


class Metric(Message, frozen=True):
    """One point of each named curve; null for values that are not finite."""

    run: int
    step: int
    values: dict[str, float | None]


class Changed(Message, frozen=True):
    """A commit changed this row, which must be read again."""

    kind: str
    id: int


class Finished(Message, frozen=True):
    """The run has finished.

    Attributes:
        result: JSON values of the task's result; the window converts them to
            structs as needed (`app.results.jobs`).
    """

    run: int
    result: Any


class Failed(Message, frozen=True):
    """The run ended with an error."""

    run: int
    error: ErrorInfo


class Cancelled(Message, frozen=True):
    """The run ended because it was asked to."""

    run: int


class Paused(Message, frozen=True):
    """The run was paused on request: it is stored as interrupted and can be resumed."""

    run: int


class Answer(Message, frozen=True):
    """The answer to an Ask, Edit or CloseProject.

    Attributes:
        value: struct of the type that the query declares; the client decodes it.
    """

    ticket: int
    value: Any


class Refused(Message, frozen=True):
    """A command failed; error kind "superseded": a newer one replaced it.

    Attributes:
        ticket: ticket of the command; None if it could not be decoded.
    """

    ticket: int | None
    error: ErrorInfo


class Log(Message, frozen=True):
    """A line for the log panel."""

    level: str
    logger: str
    text: str


Event = (
    Hello
    | Devices
    | Opened
    | Accepted
    | Progress
    | Metric
    | Changed
    | Finished
    | Failed
    | Cancelled
    | Paused
    | Answer
    | Refused
    | Log
)

_event_decoder = msgspec.json.Decoder(Event, dec_hook=decode_hook)


def decode_event(line: bytes) -> Event:
    """Read an event; raises msgspec.ValidationError or DecodeError."""
    event: Event = _event_decoder.decode(line)
    return event
