"""The engine's end of the socket: nobody waits for what is too long to be sent."""

import socket
from collections.abc import Iterator

import pytest

from app.engine.process.channel import Channel
from app.errors import ErrorInfo
from app.protocol import events
from app.protocol.base import MAX_LINE
from app.protocol.events import Event

LONG = "x" * MAX_LINE


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        channel = Channel(server.getsockname()[1])
        window, _ = server.accept()
    window.settimeout(10)
    with window:
        yield channel, window
    channel.close()


@pytest.mark.parametrize(
    ("event", "expected", "name"),
    [
        (events.Finished(7, {"text": LONG}), events.Finished, "run"),
        (events.Failed(7, ErrorInfo("bug", LONG)), events.Failed, "run"),
        (events.Answer(7, {"text": LONG}), events.Refused, "ticket"),
        (events.Refused(7, ErrorInfo("user", "\udcff")), events.Refused, "ticket"),
    ],
)
def test_what_can_not_be_sent_has_a_stand_in(
    ends: tuple[Channel, socket.socket],
    event: Event,
    expected: type[Event],
    name: str,
) -> None:
    channel, window = ends
    channel.send(event)
    received = events.decode_event(window.makefile("rb").readline())
    assert isinstance(received, expected)
    assert getattr(received, name) == 7


def test_a_long_result_is_still_told_in_its_sentence(
    ends: tuple[Channel, socket.socket],
) -> None:
    channel, window = ends
    told = {"message": "Written to words.tsv."}
    channel.send(events.Finished(7, {"rows": LONG, **told}))
    received = events.decode_event(window.makefile("rb").readline())
    assert received == events.Finished(7, told)
