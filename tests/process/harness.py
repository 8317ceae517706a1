"""Drive a real engine process over a private socket pair, as the window does."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any, Literal, TypeVar

import msgspec

from app.protocol import commands, events
from app.protocol.answers.edits import EditAnswer
from app.protocol.base import CHANNEL_VARIABLE, encode_line
from app.protocol.commands import Command
from app.protocol.edits import Change
from app.protocol.events import Event
from app.protocol.queries import Query

TIMEOUT_S = 60.0
T = TypeVar("T")


class EngineProcess:
    """An engine process, its socket, and the events it sent.

    Attributes:
        hello: its first line.
        hello_s: seconds from the start of the process to that line.
        project: folder of the open project; commands name it.
    """

    def __init__(
        self,
        data_dir: Path,
        arguments: tuple[str, ...] = ("-m", "app", "engine"),
        *,
        early: bytes = b"",
    ):
        """Start it.

        Args:
            data_dir: the user's data folder.
            arguments: of Python.
            early: sent before the process starts.
        """
        self._socket, end = socket.socketpair()
        environment = os.environ | {
            CHANNEL_VARIABLE: str(end.fileno()),
            "ISOGLOSS_DATA": str(data_dir),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        self._socket.sendall(early)
        started = time.monotonic()
        with end:
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[end.fileno()],
            )
        self._socket.settimeout(TIMEOUT_S)
        self._reader: IO[bytes] = self._socket.makefile("rb")
        hello = self.next_event()
        self.hello_s = time.monotonic() - started
        assert isinstance(hello, events.Hello)
        self.hello = hello
        self.events: list[Event] = []
        self._ticket = 0
        self.project: Path | None = None

    def ticket(self) -> int:
        """Make a new ticket."""
        self._ticket += 1
        return self._ticket

    def send(self, command: Command) -> None:
        """Send a command."""
        self._socket.sendall(encode_line(command))

    def send_raw(self, line: bytes) -> None:
        """Send bytes as they are."""
        self._socket.sendall(line)

    def shut_down(self, how: int) -> None:
        """Close one direction of the channel."""
        self._socket.shutdown(how)

    def next_event(self) -> Event:
        """Wait for the next event; ConnectionError when the process is gone."""
        line = self._reader.readline()
        if not line:
            raise ConnectionError("the engine closed the connection")
        return events.decode_event(line)

    def wait_for(self, kind: type[T], ticket: int | None = None) -> T:
        """Wait for an event of a kind (and ticket); Refused fails the wait."""
        while True:
            event = self.next_event()
            self.events.append(event)
            matches = ticket is None or getattr(event, "ticket", None) == ticket
            if isinstance(event, kind) and matches:
                return event
            if isinstance(event, events.Refused) and event.ticket == ticket:
                raise AssertionError(event.error.message)

    def open(
        self, folder: Path, mode: Literal["open", "create", "demo"] = "open"
    ) -> events.Opened:
        """Open a project."""
        ticket = self.ticket()
        self.send(commands.OpenProject(ticket, folder, mode))
        opened = self.wait_for(events.Opened, ticket)
        self.project = opened.path
        return opened

    def run(self, params: Any, resume: int | None = None) -> int:
        """Queue a run and give its id."""
        ticket = self.ticket()
        self.send(commands.Run(ticket, params, resume, self.project))
        return self.wait_for(events.Accepted, ticket).run

    def edit(self, change: Change) -> EditAnswer:
        """Make a change and wait for its answer."""
        ticket = self.ticket()
        self.send(commands.Edit(ticket, change, self.project))
        return msgspec.convert(self.wait_for(events.Answer, ticket).value, EditAnswer)

    def ask(self, query: Query) -> dict[str, object]:
        """Ask and wait for the answer."""
        ticket = self.ticket()
        self.send(commands.Ask(ticket, query, self.project))
        return dict(self.wait_for(events.Answer, ticket).value)

    def close(self) -> int:
        """Close the connection and wait for the process to leave."""
        self._reader.close()
        self._socket.close()
        output = self.process.communicate(timeout=TIMEOUT_S)[0]
        self.output = output.decode(errors="replace")
        return self.process.returncode

    def __enter__(self) -> "EngineProcess":
        """Use it for a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process whatever happened."""
        if self.process.poll() is None:
            self.process.kill()
        self.close()
