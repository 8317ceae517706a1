"""The engine's end of the socket: reads commands, sends events from any thread."""

import logging
import socket
import threading
from collections.abc import Iterator
from typing import BinaryIO

from app.errors import ErrorInfo
from app.protocol import events
from app.protocol.base import MAX_LINE, encode_line
from app.protocol.commands import (
    Command,
    decode_command,
    describe_invalid,
    read_ticket,
)
from app.protocol.events import Event

log = logging.getLogger("engine")
CONNECT_TIMEOUT_S = 10.0
MAX_MESSAGE_CHARACTERS = 2_000  # characters, of a result that is too long to be sent


class Channel:
    """A connection to the window; `send` may be called from any thread."""

    def __init__(self, port: int):
        address = ("127.0.0.1", port)
        self._socket = socket.create_connection(address, timeout=CONNECT_TIMEOUT_S)
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lock = threading.Lock()

    def send(self, event: Event) -> None:
        """Send an event; `commands` notices when the window is gone."""
        try:
            line = encode_line(event)
        except ValueError as error:
            log.error("%s is not sent: %s", type(event).__name__, error)
            event = _replacement(event, error)
            line = encode_line(event)
        try:
            with self._lock:
                self._socket.sendall(line)
        except OSError as error:
            log.debug("the window is gone: %s", error)

    def commands(self) -> Iterator[Command]:
        """Yield the commands as they come, until the window closes the connection.

        A command that can't be decoded is answered here: it is refused.
        """
        reader = self._socket.makefile("rb")
        while True:
            try:
                line, n_bytes = _read_line(reader)
            except OSError:
                return
            if not line:
                return
            try:
                if n_bytes > MAX_LINE:
                    raise ValueError(f"{n_bytes:,} bytes, at most {MAX_LINE:,}")
                command = decode_command(line)
            except ValueError as error:
                log.error("a command can't be decoded: %s", error)
                self.send(events.Refused(read_ticket(line), describe_invalid(error)))
                continue
            yield command

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _read_line(reader: BinaryIO) -> tuple[bytes, int]:
    """Read a line; if it is too long, keep only the beginning in memory.

    Returns:
        The line, or its beginning, and its length in bytes.
    """
    line = part = reader.readline(MAX_LINE + 1)
    n_bytes = len(line)
    while len(part) > MAX_LINE and not part.endswith(b"\n"):
        part = reader.readline(MAX_LINE + 1)
        n_bytes += len(part)
    return line, n_bytes


def _replacement(event: Event, error: ValueError) -> Event:
    """Return the event to send instead of one that can't be sent."""
    if isinstance(event, events.Finished):  # table `run` has the result
        sentence = event.result.get("message")
        is_short = isinstance(sentence, str) and len(sentence) <= MAX_MESSAGE_CHARACTERS
        return events.Finished(event.run, {"message": sentence} if is_short else {})
    info = ErrorInfo("bug", f"Isogloss has a fault: {error}.")
    if isinstance(event, events.Failed):
        return events.Failed(event.run, info)
    if isinstance(event, events.Answer | events.Refused):
        return events.Refused(event.ticket, info)
    return events.Log("error", "engine", info.message)
