"""Events: what the engine sends to the window."""

from pathlib import Path
from typing import Any

import msgspec

from app.errors import ErrorInfo
from app.params import decode_hook
from app.protocol.base import Message


class Hello(Message, frozen=True):
    """The first line: who speaks which protocol."""

    protocol: int
    version: str


class Devices(Message, frozen=True):
    """The devices that can compute, and the chosen one, once torch is imported."""

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
    newer_encoder: str = ""  # to offer: the project's vectors are by an earlier one


class Accepted(Message, frozen=True):
    """The run has a row."""

    ticket: int
    run: int


class Progress(Message, frozen=True):
    """How far a run's stage is; total 0 = unknown."""

    run: int
    stage: str
    done: int
    total: int
    note: str
    memory: int = 0  # bytes that the engine process holds
    device: str = ""


class Metric(Message, frozen=True):
    """One point of each named curve; null where a value is not finite."""

    run: int
    step: int
    values: dict[str, float | None]


class Changed(Message, frozen=True):
    """A commit changed this row: read it again."""

    kind: str
    id: int


class Finished(Message, frozen=True):
    """The run is done.

    Attributes:
        result: the JSON values of the task's result; the window converts what it needs
            to a struct (`app.results.jobs`).
    """

    run: int
    result: Any


class Failed(Message, frozen=True):
    """The run ended by an error."""

    run: int
    error: ErrorInfo


class Cancelled(Message, frozen=True):
    """The run ended because it was asked to."""

    run: int


class Paused(Message, frozen=True):
    """The run was paused as asked: it is kept as interrupted and can be resumed."""

    run: int


class Answer(Message, frozen=True):
    """The answer to an Ask, Edit or CloseProject.

    Attributes:
        value: a struct of the type that the query declares; the client decodes it.
    """

    ticket: int
    value: Any


class Refused(Message, frozen=True):
    """A command failed; error kind "superseded": a newer one replaced it.

    Attributes:
        ticket: None where the command could not be decoded far enough to read it.
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
