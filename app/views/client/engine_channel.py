"""The window's end of the channel: only this window and its engine can use it."""

import secrets
import socket
import sys
from collections import deque
from functools import partial

from PySide6.QtCore import QObject, QProcess, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.protocol.base import CHANNEL_VARIABLE, MAX_LINE, encode_line
from app.protocol.commands import Command

CHUNK = 64 * 1024  # bytes to read at once


class EngineChannel(QObject):
    """The connection to one engine process.

    On Linux and macOS it is a socket pair without an address, which the engine
    inherits. On Windows it is a named pipe with a random name that only the user's
    account can open; the engine opens it twice, first to read and then to write.
    """

    line_arrived = Signal()
    ended = Signal()

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._events: QLocalSocket | None = None  # for reading
        self._commands: QLocalSocket | None = None  # for writing; the same on POSIX
        self._server: QLocalServer | None = None  # only on Windows
        self._lines: deque[bytes] = deque()
        self._part = b""  # of an incomplete line

    def start(self, process: QProcess) -> None:
        """Start the engine with its end of a new channel.

        Raises:
            OSError: the system refuses a channel; the process is not started.
        """
        if sys.platform == "win32":
            self._listen(process)
            process.start()
            return
        window_end, engine_end = socket.socketpair()
        with engine_end:
            both = self._watch(QLocalSocket(self))
            both.setSocketDescriptor(window_end.detach())
            self._commands = both
            # Inheritable only while the engine is started, which starts no thread.
            engine_end.set_inheritable(True)
            _set_address(process, str(engine_end.fileno()))
            process.start()

    @property
    def has_ended(self) -> bool:
        """Return whether the channel is closed."""
        state = QLocalSocket.LocalSocketState.UnconnectedState
        return self._events is None or self._events.state() == state

    @property
    def has_line(self) -> bool:
        """Return whether a complete line has arrived."""
        while not self._lines and not self.is_line_too_long:
            # Reading from a socket that the other end has closed makes Qt warn.
            if self._events is None or not self._events.bytesAvailable():
                return False
            chunk = bytes(self._events.read(CHUNK).data())
            if not chunk:
                return False
            first, *others = chunk.split(b"\n")
            self._part += first
            if others:
                self._lines.append(self._part)
                self._lines.extend(others[:-1])
                self._part = others[-1]
        return bool(self._lines)

    @property
    def is_line_too_long(self) -> bool:
        """Return whether more bytes have arrived than a line may have."""
        return len(self._part) > MAX_LINE

    def read_line(self) -> bytes:
        """Return the next line that has arrived, without its end; see `has_line`."""
        return self._lines.popleft()

    def write(self, command: Command) -> None:
        """Send a command."""
        assert self._commands is not None
        self._commands.write(encode_line(command))

    def abort(self) -> None:
        """Close the channel at once; what has arrived is dropped."""
        for end in {self._events, self._commands} - {None}:
            assert end is not None
            end.abort()
        self._lines.clear()

    def _watch(self, events: QLocalSocket) -> QLocalSocket:
        # Without a limit, Qt would store everything that an engine sends.
        events.setReadBufferSize(2 * MAX_LINE)
        events.readyRead.connect(self.line_arrived)
        events.disconnected.connect(self.ended)
        self._events = events
        return events

    def _listen(self, process: QProcess) -> None:
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(partial(self._on_connected, server))
        if not server.listen(f"isogloss-{secrets.token_hex(16)}"):
            raise OSError(server.errorString())
        self._server = server
        _set_address(process, server.fullServerName())

    def _on_connected(self, server: QLocalServer) -> None:
        while server.hasPendingConnections() and self._events is None:
            end = server.nextPendingConnection()
            end.setParent(self)
            if self._commands is None:
                self._commands = end
                continue
            self._watch(end)
            server.close()
            self.line_arrived.emit()


def _set_address(process: QProcess, address: str) -> None:
    environment = process.processEnvironment()
    environment.insert(CHANNEL_VARIABLE, address)
    process.setProcessEnvironment(environment)
