"""The engine's end of the channel: messages that it rejects or can't send."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.process.channel import Channel
from app.errors import ErrorInfo
from app.protocol import events
from app.protocol.base import MAX_LINE
from app.protocol.events import Event

LONG = "x" * MAX_LINE


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    window, engine = socket.socketpair()
    channel = Channel(str(engine.detach()))
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


def test_a_socket_with_an_address_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        loopback = socket.create_connection(server.getsockname())
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        named = socket.socket(socket.AF_UNIX)
        named.connect(str(tmp_path / "s"))
    for end in (loopback, named):
        with end, pytest.raises(ValueError, match="not one of a pair"):
            Channel(str(end.fileno()))


def test_what_is_no_socket_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        with pytest.raises(ValueError, match="is not a socket"):
            Channel(str(file.fileno()))
        number = file.fileno()
    with pytest.raises(OSError, match="Bad file descriptor"):
        Channel(str(number))
    with pytest.raises(ValueError, match="invalid literal"):
        Channel("\\\\.\\pipe\\isogloss")


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root can change its user"
)
def test_the_socket_of_another_user_is_refused() -> None:
    window, engine = socket.socketpair()
    code = (
        "import os, sys; from app.engine.process.channel import Channel; "
        "os.setgroups([]); os.setgid(65534); os.setuid(65534); Channel(sys.argv[1])"
    )
    with window, engine:
        done = subprocess.run(
            [sys.executable, "-c", code, str(engine.fileno())],
            pass_fds=[engine.fileno()],
            capture_output=True,
            text=True,
        )
    assert "ValueError: the socket belongs to user 0" in done.stderr
