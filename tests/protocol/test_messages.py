"""The protocol: what is sent comes back; what is wrong is refused, field named."""

import json
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import ErrorInfo
from app.params.corpora import ImportCorpus
from app.params.vectors import Search
from app.protocol.base import MAX_LINE, encode_line
from app.protocol.commands import (
    Ask,
    Command,
    Edit,
    OpenProject,
    Run,
    check_command,
    decode_command,
    read_ticket,
)
from app.protocol.edits.general import SetNote
from app.protocol.events import (
    Event,
    Failed,
    Hello,
    Log,
    Metric,
    Opened,
    Progress,
    decode_event,
)
from app.protocol.queries.search import NearestQuery
from tests.strategies import values_of

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
often = settings(
    max_examples=200, deadline=None, suppress_health_check=list(HealthCheck)
)


@often
@given(values_of(Command))
def test_every_command_comes_back_as_it_was(command: Command) -> None:
    assert decode_command(encode_line(command)) == command


@often
@given(values_of(Event))
def test_every_event_comes_back_as_it_was(event: Event) -> None:
    assert decode_event(encode_line(event)) == event


@given(ANY_TEXT)
def test_a_message_is_one_line_whatever_its_text_holds(text: str) -> None:
    line = encode_line(Log(level="info", logger="engine", text=text))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")


@pytest.mark.parametrize("path", ["/a b/ø/語.tmx", "C:\\Users\\Zoë\\x.csv", "."])
def test_a_path_stays_a_path(path: str) -> None:
    back = decode_command(encode_line(OpenProject(ticket=1, path=Path(path))))
    assert isinstance(back, OpenProject)
    assert back.path == Path(path)
    assert isinstance(back.path, Path)


def test_a_line_of_256_kb_passes_and_a_longer_one_does_not() -> None:
    def log(n: int) -> Log:
        return Log(level="info", logger="engine", text="a" * n)

    room = MAX_LINE - len(encode_line(log(0)))
    assert len(encode_line(log(room))) == MAX_LINE
    with pytest.raises(ValueError, match=f"at most {MAX_LINE:,}"):
        encode_line(log(room + 1))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_metric_that_is_not_finite_becomes_null(value: float) -> None:
    sent = Metric(run=1, step=2, values={"loss": value, "lr": 0.5})
    back = decode_event(encode_line(sent))
    assert back == Metric(run=1, step=2, values={"loss": None, "lr": 0.5})


@pytest.mark.parametrize(
    "message",
    [
        OpenProject(ticket=1, path=Path("caf\udce9")),
        Run(ticket=1, params=ImportCorpus(files=(Path("\ud800"),), languages=("en",))),
        Ask(ticket=1, query=NearestQuery(text="\udfff")),
        Log(level="info", logger="engine", text="half a pair: \ud83d"),
    ],
)
def test_a_lone_surrogate_is_refused_at_the_sender(message: Command | Event) -> None:
    with pytest.raises(ValueError, match="surrogates not allowed"):
        encode_line(message)


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"type": "OpenProject", "ticket": "1", "path": "x"}, "ticket"),
        ({"type": "OpenProject", "ticket": 1, "path": "x", "mode": "new"}, "mode"),
        ({"type": "OpenProject", "ticket": 1}, "path"),
        ({"type": "Cancel", "run": None}, "run"),
        ({"type": "Edit", "ticket": 1, "change": {"change": "SetNote"}}, "sentence"),
        (
            {"type": "Run", "ticket": 1, "params": {"task": "search", "text": ""}},
            "text",
        ),
        ({"type": "Run", "ticket": 1, "params": {"task": "fly"}}, "task"),
        ({"type": "Ask", "ticket": 1, "query": {"query": "WarmQuery", "k": 1}}, "k"),
        ({"type": "Quit", "ticket": 1, "sure": True}, "sure"),
        ({"type": "Dance"}, "type"),
        ({"ticket": 1}, "type"),
    ],
)
def test_a_wrong_command_is_refused_with_the_field_named(
    message: dict[str, Any], place: str
) -> None:
    with pytest.raises(msgspec.ValidationError, match=place):
        decode_command(json.dumps(message).encode())


@pytest.mark.parametrize("line", [b"", b"\n", b"hello\n", b'{"type": "Quit"', b"[]\n"])
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode_event(line)


def test_bytes_that_are_not_utf8_are_refused() -> None:
    line = b'{"type":"Log","level":"info","logger":"x","text":"caf\xe9"}'
    with pytest.raises((msgspec.MsgspecError, UnicodeDecodeError)):
        decode_event(line)


def test_a_constructor_checks_no_bounds_but_the_receiver_does() -> None:
    line = encode_line(Run(ticket=1, params=Search(text="tea", k=0)))
    with pytest.raises(msgspec.ValidationError, match=r"\$\.params\.k"):
        decode_command(line)


def test_a_note_that_is_too_long_is_refused() -> None:
    line = encode_line(Edit(ticket=1, change=SetNote(sentence=1, text="a" * 20_001)))
    with pytest.raises(msgspec.ValidationError, match=r"\$\.change\.text"):
        decode_command(line)


def test_messages_cannot_be_changed() -> None:
    hello = Hello(protocol=1, version="0")
    with pytest.raises(AttributeError):
        hello.version = "u"  # type: ignore[misc] # what is tested


def test_what_an_event_leaves_out_has_its_default() -> None:
    sent = {"type": "Progress", "run": 1, "stage": "s", "done": 1, "total": 2}
    back = decode_event(json.dumps({**sent, "note": ""}).encode())
    assert back == Progress(run=1, stage="s", done=1, total=2, note="")


def test_an_error_crosses_with_its_traceback() -> None:
    error = ErrorInfo("bug", "Internal error in Isogloss (KeyError: 1).", "Traceback …")
    back = decode_event(encode_line(Failed(run=3, error=error)))
    assert back == Failed(run=3, error=error)


def test_opened_names_a_folder_of_any_letters() -> None:
    opened = Opened(1, Path("/data/проект.isogloss"), 1, False, ["a notice"], [4])
    assert decode_event(encode_line(opened)) == opened


def test_a_valid_command_has_nothing_to_refuse() -> None:
    note = SetNote(sentence=1, text="語" * 20_000)
    assert check_command(Edit(ticket=1, change=note)) is None


def test_a_command_is_checked_before_it_is_sent() -> None:
    note = SetNote(sentence=1, text="a" * 20_001)
    error = check_command(Edit(ticket=1, change=note))
    assert error is not None
    assert error.message == (
        "The text is too long: shorten it to 20,000 characters (change.text)."
    )


@pytest.mark.parametrize(
    ("line", "ticket"),
    [
        (b'{"type":"Dance","ticket":12,"x":[1]}', 12),
        (b'{"type":"Edit","ticket":12,"change":{"chan', 12),
        (b'{"type":"Edit","ticket":"12"}', None),
        (b'{"type":"Cancel","run":12}', None),
        (b"[12]", None),
        (b"\xff\xfe", None),
        (b"", None),
    ],
)
def test_the_ticket_is_read_of_what_can_not_be_decoded(
    line: bytes, ticket: int | None
) -> None:
    assert read_ticket(line) == ticket
