"""A small engine for tests of the window: speaks the protocol, computes nothing.

How it behaves is said by what it is asked: see `answer`. Run as a script; the first
argument changes the greeting: no-hello, nonsense, endless, wrong-protocol, mute, dies.
"""

import os
import signal
import socket
import sys
from pathlib import Path

import msgspec

from app.errors import ErrorInfo
from app.params.vectors import Encode
from app.protocol import commands, events
from app.protocol.answers.edits import EditAnswer
from app.protocol.answers.search import WarmUpAnswer
from app.protocol.base import CHANNEL_VARIABLE, PROTOCOL, encode_line
from app.protocol.edits.general import SetNote
from app.protocol.queries.encoders import WarmQuery
from app.protocol.queries.search import KeywordQuery, NearestQuery

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


class FakeEngine:
    """Answers each command at once."""

    def __init__(self, greeting: str):
        self._socket = socket.socket(fileno=int(os.environ[CHANNEL_VARIABLE]))
        self._n_runs = 0
        protocol = 99 if greeting == "wrong-protocol" else PROTOCOL
        if greeting == "nonsense":
            self._socket.sendall(b"SSH-2.0\n")
        if greeting == "endless":
            while True:
                self._socket.sendall(b"x" * 100_000)
        if greeting != "no-hello":
            self._send(events.Hello(protocol, "0.0.0"))
        self._send(events.Devices(["cpu"], "cpu"))

    def serve(self) -> None:
        for line in self._socket.makefile("rb"):
            command = commands.decode_command(line)
            if isinstance(command, commands.Quit):
                return
            self._answer(command)

    def _answer(self, command: commands.Command) -> None:
        match command:
            case commands.OpenProject(path=path) if "refused" in path.name:
                self._refuse(command.ticket, f"{path} is no project.")
            case commands.OpenProject():
                self._send(
                    events.Opened(command.ticket, command.path, 1, False, [], [])
                )
            case commands.Run():
                self._run(command)
            case commands.Cancel():
                if command.run != HANGING_RUN:
                    self._send(events.Cancelled(command.run))
            case commands.Ask(query=KeywordQuery(text="die")):
                die()
            case commands.Ask(query=KeywordQuery(text="never")):
                pass
            case commands.Ask(query=KeywordQuery(text="burst")):
                for step in range(BURST):
                    self._send(events.Metric(HANGING_RUN, step, {"loss": 0.5}))
                self._send(events.Answer(command.ticket, None))
            case commands.Ask(query=WarmQuery()):
                warm = WarmUpAnswer("", "", 8, 0, [], 0.1)
                value = msgspec.to_builtins(warm)
                self._send(events.Answer(command.ticket, value))
            case commands.Ask(query=NearestQuery() | KeywordQuery()):
                hit = {"sentence": 1, "language": getattr(command.query, "text", "")}
                value = {"hits": [hit], "n_searched": 1, "elapsed_s": 0.1}
                self._send(events.Answer(command.ticket, value))
            case commands.Ask():
                error = ErrorInfo("superseded", "This engine answers only searches.")
                self._send(events.Refused(command.ticket, error))
            case commands.Edit(change=SetNote(text="refused")):
                self._refuse(command.ticket, "This note is refused.")
            case commands.Edit():
                self._send(
                    events.Answer(command.ticket, EditAnswer(7, "", True, False))
                )
            case commands.RenameProject(target=target) if "refused" in target.name:
                self._refuse(command.ticket, f"{target} already exists.")
            case commands.RenameProject():
                command.path.rename(command.target)
                self._send(events.Answer(command.ticket, None))
            case commands.CloseProject():
                self._send(events.Answer(command.ticket, None))

    def _run(self, command: commands.Run) -> None:
        """Do what the encoder's name says: done, slow, hang, fail, refuse, die."""
        assert isinstance(command.params, Encode)
        how = command.params.encoder
        if how == "refuse":
            self._refuse(command.ticket, "The corpus has no sentences.")
            return
        self._n_runs += 1
        run = HANGING_RUN if how == "hang" else self._n_runs
        self._send(events.Accepted(command.ticket, run))
        self._send(events.Progress(run, "Encoding", 50, 100, "", 10**9, "cpu"))
        self._send(events.Metric(run, 1, {"loss": 0.5}))
        if how == "done":
            self._send(events.Finished(run, {"n": 100}))
        elif how == "fail":
            self._send(events.Failed(run, ErrorInfo("user", "The disk is full.")))
        elif how == "die":
            sys.stdout.write("last words\n")
            sys.stdout.flush()
            die()

    def _refuse(self, ticket: int, text: str) -> None:
        self._send(events.Refused(ticket, ErrorInfo("user", text)))

    def _send(self, event: events.Event) -> None:
        self._socket.sendall(encode_line(event))


HANGING_RUN = 1000
BURST = 20_000  # events


def die() -> None:
    """End as a crash does."""
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGTERM if os.name == "nt" else signal.SIGKILL)


if __name__ == "__main__":
    how = sys.argv[1] if len(sys.argv) > 1 else ""
    if how == "dies":
        sys.stderr.write("no such module\n")
        sys.exit(5)
    if how == "mute":
        sys.stdin.read()
    FakeEngine(how).serve()
