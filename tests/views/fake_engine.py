"""A small engine for tests of the window: speaks the protocol, computes nothing.

How it behaves is said by what it is asked: see `answer`. Run as a script; the first
argument changes the greeting: wrong-token, wrong-protocol, mute, dies.
"""

import os
import signal
import socket
import sys
from pathlib import Path

from app.errors import ErrorInfo
from app.params.vectors import Encode
from app.protocol import messages
from app.protocol.messages import PORT_VARIABLE, PROTOCOL, TOKEN_VARIABLE

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


class FakeEngine:
    """Answers each command at once."""

    def __init__(self, greeting: str):
        address = ("127.0.0.1", int(os.environ[PORT_VARIABLE]))
        self._socket = socket.create_connection(address)
        self._n_runs = 0
        token = "wrong" if greeting == "wrong-token" else os.environ[TOKEN_VARIABLE]
        protocol = 99 if greeting == "wrong-protocol" else PROTOCOL
        self._send(messages.Hello(token, protocol, "0.0.0"))
        self._send(messages.Devices(["cpu"], "cpu"))

    def serve(self) -> None:
        for line in self._socket.makefile("rb"):
            command = messages.decode_command(line)
            if isinstance(command, messages.Quit):
                return
            self._answer(command)

    def _answer(self, command: messages.Command) -> None:
        match command:
            case messages.OpenProject(path=path) if "refused" in path.name:
                self._refuse(command.ticket, f"{path} is no project.")
            case messages.OpenProject():
                self._send(
                    messages.Opened(command.ticket, command.path, 1, False, [], [])
                )
            case messages.Run():
                self._run(command)
            case messages.Cancel():
                if command.run != HANGING_RUN:
                    self._send(messages.Cancelled(command.run))
            case messages.Ask(query=messages.WordsQuery(text="die")):
                die()
            case messages.Ask(query=messages.WordsQuery(text="never")):
                pass
            case messages.Ask():
                query = command.query
                text = getattr(query, "text", "")
                self._send(messages.Answer(command.ticket, {"text": text}))
            case messages.Edit(change=messages.SetNote(text="refused")):
                self._refuse(command.ticket, "This note is refused.")
            case messages.Edit():
                self._send(messages.Answer(command.ticket, {"id": 7}))
            case messages.CloseProject():
                self._send(messages.Answer(command.ticket, {}))

    def _run(self, command: messages.Run) -> None:
        """Do what the encoder's name says: done, slow, hang, fail, refuse, die."""
        assert isinstance(command.params, Encode)
        how = command.params.encoder
        if how == "refuse":
            self._refuse(command.ticket, "The corpus has no sentences.")
            return
        self._n_runs += 1
        run = HANGING_RUN if how == "hang" else self._n_runs
        self._send(messages.Accepted(command.ticket, run))
        self._send(messages.Progress(run, "Encoding", 50, 100, "", 10**9, "cpu"))
        self._send(messages.Metric(run, 1, {"loss": 0.5}))
        if how == "done":
            self._send(messages.Finished(run, {"n": 100}))
        elif how == "fail":
            self._send(messages.Failed(run, ErrorInfo("user", "The disk is full.")))
        elif how == "die":
            sys.stdout.write("last words\n")
            sys.stdout.flush()
            die()

    def _refuse(self, ticket: int, text: str) -> None:
        self._send(messages.Refused(ticket, ErrorInfo("user", text)))

    def _send(self, event: messages.Event) -> None:
        self._socket.sendall(messages.encode_line(event))


HANGING_RUN = 1000


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
