"""The engine's end of the channel: reads commands, sends events from any thread.

The window creates the channel and starts the engine with it. On Linux and macOS it is a
socket pair without an address, inherited by number, so no other process can connect to
it. On Windows it is a named pipe that only the user's account can open.
"""

import logging
import os
import socket
import stat
import struct
import sys
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
MAX_MESSAGE_CHARACTERS = 2_000  # characters, of a result that is too long to be sent


class Channel:
    """A connection to the window; `send` may be called from any thread."""

    def __init__(self, address: str):
        """Open the engine's end.

        Args:
            address: the value of `CHANNEL_VARIABLE`.

        Raises:
            ValueError: the address is not that of a channel of this user's window.
            OSError: the channel can't be opened.
        """
        read_end, write_end = _open_ends(address)
        self._reader = os.fdopen(read_end, "rb")
        self._write_end = write_end
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
                _write_all(self._write_end, line)
        except OSError as error:
            log.debug("the window is gone: %s", error)

    def commands(self) -> Iterator[Command]:
        """Yield the commands as they come, until the window closes the connection.

        A command that can't be decoded is answered here: it is refused.
        """
        while True:
            try:
                line, n_bytes = _read_line(self._reader)
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
        self._reader.close()
        os.close(self._write_end)


def _write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes; one call may write only some of them."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


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
    info = ErrorInfo("bug", f"Internal error in Isogloss: {error}.")
    if isinstance(event, events.Failed):
        return events.Failed(event.run, info)
    if isinstance(event, events.Answer | events.Refused):
        return events.Refused(event.ticket, info)
    return events.Log("error", "engine", info.message)


if sys.platform == "win32":

    def _open_ends(address: str) -> tuple[int, int]:
        """Open the pipe once for reading and once for writing, in this order.

        Windows blocks a write while another thread reads from the same handle.
        """
        return (
            os.open(address, os.O_RDONLY | os.O_BINARY),
            os.open(address, os.O_WRONLY | os.O_BINARY),
        )
else:

    def _open_ends(address: str) -> tuple[int, int]:
        """Check the inherited socket and return descriptors to read and to write."""
        descriptor = int(address)
        if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            raise ValueError(f"descriptor {descriptor} is not a socket")
        os.set_inheritable(descriptor, False)
        with socket.socket(fileno=os.dup(descriptor)) as end:
            _check_peer(end)
        return descriptor, os.dup(descriptor)

    def _check_peer(end: socket.socket) -> None:
        """Check that a socket is one of a pair that this user created.

        Raises:
            ValueError: another kind of socket, or another user's.
        """
        has_address = end.family != socket.AF_UNIX or end.getsockname()
        if has_address or end.getpeername():
            raise ValueError("the socket is not one of a pair")
        if sys.platform == "linux":
            size = struct.calcsize("3i")
            found = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
            _process, user, _group = struct.unpack("3i", found)
            if user != os.geteuid():
                raise ValueError(f"the socket belongs to user {user}")
