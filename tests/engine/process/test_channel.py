"""The engine's end of the socket: nobody waits for what is too long to be sent."""

import socket
from collections.abc import Iterator

import pytest

from app.engine.process.channel import Channel
from app.errors import ErrorInfo
from app.protocol import messages
from app.protocol.messages import Event

LONG = "x" * messages.MAX_LINE


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
        (messages.Finished(7, {"text": LONG}), messages.Finished, "run"),
        (messages.Failed(7, ErrorInfo("bug", LONG)), messages.Failed, "run"),
        (messages.Answer(7, {"text": LONG}), messages.Refused, "ticket"),
        (messages.Refused(7, ErrorInfo("user", "\udcff")), messages.Refused, "ticket"),
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
    received = messages.decode_event(window.makefile("rb").readline())
    assert isinstance(received, expected)
    assert getattr(received, name) == 7


def test_a_long_result_is_still_told_in_its_sentence(
    ends: tuple[Channel, socket.socket],
) -> None:
    channel, window = ends
    told = {"message": "Written to words.tsv."}
    channel.send(messages.Finished(7, {"rows": LONG, **told}))
    received = messages.decode_event(window.makefile("rb").readline())
    assert received == messages.Finished(7, told)
