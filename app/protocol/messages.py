"""Commands and events between window and engine, one JSON line each."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.errors import ErrorInfo
from app.params import Params, decode_hook, encode_hook
from app.protocol.base import BaseChange
from app.protocol.edits.alignments import AlignmentChange
from app.protocol.edits.corpora import CorpusChange
from app.protocol.edits.encoders import DropVectors, EncoderChange
from app.protocol.edits.labels import LabelChange
from app.protocol.edits.maps import MapChange
from app.protocol.edits.pairs import PairChange
from app.protocol.queries.general import EncodersQuery as EncodersQuery
from app.protocol.queries.general import NearestQuery as NearestQuery
from app.protocol.queries.general import OrderQuery as OrderQuery
from app.protocol.queries.general import PreviewQuery as PreviewQuery
from app.protocol.queries.general import Query as Query
from app.protocol.queries.general import RecipeQuery as RecipeQuery
from app.protocol.queries.general import WarmQuery as WarmQuery
from app.protocol.queries.general import WordsQuery as WordsQuery
from app.protocol.queries.general import query_kind as query_kind

PROTOCOL = 2
MAX_LINE = 64 * 1024  # bytes; rows and matrices go through the store
PORT_VARIABLE = "ISOGLOSS_ENGINE_PORT"
TOKEN_VARIABLE = "ISOGLOSS_ENGINE_TOKEN"
OPENING = 0  # the run in Progress and Cancel while a project is being opened

Name = Annotated[str, Meta(min_length=1, max_length=200)]


class _Message(
    msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True
):
    """Base of every message."""


# --- what Edit carries: small writes, each with an inverse ---


class RenameCorpus(BaseChange, frozen=True):
    """Give a corpus another name."""

    corpus: int
    name: Name


class SetCorpusState(BaseChange, frozen=True):
    """Delete corpora (a mark) or bring them back."""

    corpora: tuple[int, ...]
    state: Literal["ready", "deleted"]


class SetCorpusLanguage(BaseChange, frozen=True):
    """Correct the language of a corpus."""

    corpus: int
    language: str


class SetNote(BaseChange, frozen=True):
    """Write the note on a sentence; empty text takes it away."""

    sentence: int
    text: Annotated[str, Meta(max_length=20_000)]


class Undo(BaseChange, frozen=True):
    """Take the newest changes back that are not undone, all at once or none."""

    n: Annotated[int, Meta(ge=1)] = 1


class Redo(BaseChange, frozen=True):
    """Make the newest undone change again."""


class AddSearch(BaseChange, frozen=True):
    """Keep a query in the history (not undoable)."""

    text: Annotated[str, Meta(min_length=1, max_length=10_000)]
    filters: dict[str, Any]


class SaveViewState(BaseChange, frozen=True):
    """Keep the window's state; id None begins a new session (not undoable)."""

    id: int | None
    state: dict[str, Any]


class DropRun(BaseChange, frozen=True):
    """Give an interrupted run up: what it left half-done is removed."""

    run: int


Change = (
    RenameCorpus
    | SetCorpusState
    | SetCorpusLanguage
    | SetNote
    | EncoderChange
    | PairChange
    | AlignmentChange
    | LabelChange
    | MapChange
    | CorpusChange
    | DropVectors
    | Undo
    | Redo
    | AddSearch
    | SaveViewState
    | DropRun
)


# --- commands: window → engine ---


class OpenProject(_Message, frozen=True):
    """Open a project; `create` makes a new one, `demo` builds the demo when missing."""

    ticket: int
    path: Path
    mode: Literal["open", "create", "demo"] = "open"


class CloseProject(_Message, frozen=True):
    """Close the open project."""

    ticket: int


class Quit(_Message, frozen=True):
    """End the engine."""

    ticket: int


class Run(_Message, frozen=True):
    """Queue a task; `resume` goes on with an interrupted run of the same params."""

    ticket: int
    params: Params
    resume: int | None = None


class Cancel(_Message, frozen=True):
    """Ask a run to stop."""

    run: int


class Steer(_Message, frozen=True):
    """Ask a training to pause, or to finish now with what it has."""

    run: int
    wish: Literal["pause", "finish"]


class Ask(_Message, frozen=True):
    """Ask for a short read."""

    ticket: int
    query: Query


class Edit(_Message, frozen=True):
    """Make a small change."""

    ticket: int
    change: Change


Command = OpenProject | CloseProject | Quit | Run | Cancel | Steer | Ask | Edit


# --- events: engine → window ---


class Hello(_Message, frozen=True):
    """The first line: who speaks which protocol."""

    token: str
    protocol: int
    version: str


class Devices(_Message, frozen=True):
    """The devices that can compute, and the chosen one, once torch is imported."""

    devices: list[str]
    chosen: str
    note: str = ""


class Opened(_Message, frozen=True):
    """The project is open (schema migrated): the window may connect to its store."""

    ticket: int
    path: Path
    schema: int
    is_read_only: bool
    notices: list[str]
    interrupted: list[int]  # ids of runs that can be resumed


class Accepted(_Message, frozen=True):
    """The run has a row."""

    ticket: int
    run: int


class Progress(_Message, frozen=True):
    """How far a run's stage is; total 0 = unknown."""

    run: int
    stage: str
    done: int
    total: int
    note: str
    memory: int = 0  # bytes that the engine process holds
    device: str = ""


class Metric(_Message, frozen=True):
    """One point of each named curve; null where a value is not finite."""

    run: int
    step: int
    values: dict[str, float | None]


class Changed(_Message, frozen=True):
    """A commit changed this row: read it again."""

    kind: str
    id: int


class Finished(_Message, frozen=True):
    """The run is done."""

    run: int
    result: dict[str, Any]


class Failed(_Message, frozen=True):
    """The run ended by an error."""

    run: int
    error: ErrorInfo


class Cancelled(_Message, frozen=True):
    """The run ended because it was asked to."""

    run: int


class Paused(_Message, frozen=True):
    """The run was paused as asked: it is kept as interrupted and can be resumed."""

    run: int


class Answer(_Message, frozen=True):
    """The answer to an Ask, Edit or CloseProject.

    Attributes:
        value: a struct of the type that the query declares; the client decodes it.
    """

    ticket: int
    value: Any


class Refused(_Message, frozen=True):
    """A command that was not met; error kind "superseded": a newer one came."""

    ticket: int
    error: ErrorInfo


class Log(_Message, frozen=True):
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

_encoder = msgspec.json.Encoder(enc_hook=encode_hook)
_command_decoder = msgspec.json.Decoder(Command, dec_hook=decode_hook)
_event_decoder = msgspec.json.Decoder(Event, dec_hook=decode_hook)


def encode_line(message: Command | Event) -> bytes:
    """Write a message as one line.

    Raises:
        ValueError: the line is over 64 KB, or a text holds lone surrogates.
    """
    line = _encoder.encode(message) + b"\n"
    if len(line) > MAX_LINE:
        raise ValueError(f"a message of {len(line)} bytes is over {MAX_LINE}")
    return line


def decode_command(line: bytes) -> Command:
    """Read a command; raises msgspec.ValidationError or DecodeError."""
    command: Command = _command_decoder.decode(line)
    return command


def decode_event(line: bytes) -> Event:
    """Read an event; raises msgspec.ValidationError or DecodeError."""
    event: Event = _event_decoder.decode(line)
    return event
