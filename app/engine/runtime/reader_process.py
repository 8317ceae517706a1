"""Read foreign files in a child process with a budget, which Cancel kills.

The child sends its results in parts, so that neither process contains a whole file. A
child that has finished is used again: a preview then starts without delay.
"""

import importlib
import logging
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, TypeVar, cast

import msgspec

from app.engine.runtime.blocking_calls import POLL_S, ChildCall, exit_with_parent
from app.engine.runtime.budget import (
    FILE_BUDGET,
    MB,
    OUT_OF_MEMORY,
    OUT_OF_TIME,
    Budget,
    start_meter,
)
from app.errors import ErrorInfo, ResourceError, UserError, describe_error

_log = logging.getLogger("engine")
_VALUE, _END = b"V", b"."  # the first byte of a message
MAX_IDLE = 1
Part = TypeVar("Part")
Wait = Callable[[], None]


class UnexpectedReadError(UserError):
    """A fault of a reader; its cause is for the log, its message for the user."""


class _Request(msgspec.Struct, frozen=True):
    call: ChildCall
    budget: Budget


class _Ending(msgspec.Struct, frozen=True):
    """The last message of a call; a process that has grown is not used again."""

    has_grown: bool
    error: ErrorInfo | None = None


def no_wait() -> None:
    """Do nothing while the child works."""


def stream_from_reader(
    call: ChildCall,
    kind: Any,
    *,
    name: str,
    wait: Wait = no_wait,
    budget: Budget = FILE_BUDGET,
) -> Generator[Any]:
    """Call a generator in a reader process and yield what it yields.

    Args:
        call: its generator must yield what msgspec can write.
        kind: type of each part.
        name: of the file, for messages.
        wait: called ten times a second while the child works; may raise Cancelled.
        budget: what the call may take.

    Raises:
        UserError, ResourceError: the generator raised one, or used up its budget.
        RuntimeError: it failed otherwise.
    """
    decoder = msgspec.msgpack.Decoder(kind)
    reader = _take_reader()
    is_reusable = False
    try:
        reader.send(_Request(call, budget))
        while True:
            mark, data = reader.receive(wait, name, budget)
            if mark == _VALUE:
                yield decoder.decode(data)
                continue
            end = msgspec.msgpack.decode(data, type=_Ending)
            is_reusable = not end.has_grown
            if end.error is not None:
                _raise(end.error)
            return
    finally:
        _give_back(reader) if is_reusable else reader.kill()


def call_reader(
    call: ChildCall,
    kind: type[Part],
    *,
    name: str,
    wait: Wait = no_wait,
    budget: Budget = FILE_BUDGET,
) -> Part:
    """Call a function in a reader process and return its result.

    See `stream_from_reader`; the function is not a generator.
    """
    parts = stream_from_reader(call, kind, name=name, wait=wait, budget=budget)
    (result,) = parts
    return cast("Part", result)


def _raise(error: ErrorInfo) -> None:
    if error.kind == "user":
        if error.traceback:
            _log.error("%s\n%s", error.message, error.traceback)
        raise UserError(error.message)
    if error.kind == "resource":
        raise ResourceError(error.message)
    raise RuntimeError(error.traceback)


class _Reader:
    """A child process that waits for calls."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(
            target=_reader_main, args=(other,), name="reader", daemon=True
        )
        self._process.start()
        other.close()

    @property
    def is_alive(self) -> bool:
        """Return whether the process can be called."""
        return self._process.is_alive()

    def send(self, request: _Request) -> None:
        """Send a call; a child that has died answers it by its end."""
        with suppress(OSError):
            self._connection.send_bytes(msgspec.msgpack.encode(request))

    def receive(self, wait: Wait, name: str, budget: Budget) -> tuple[bytes, bytes]:
        """Wait for the next message: its mark and its data."""
        while not self._connection.poll(POLL_S):
            wait()
        try:
            message = self._connection.recv_bytes()
        except (EOFError, OSError):
            self._process.join()
            raise _describe_death(self._process.exitcode, name, budget) from None
        return message[:1], message[1:]

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.join()
        self._connection.close()


_idle: list[_Reader] = []
_lock = threading.Lock()


def _take_reader() -> _Reader:
    with _lock:
        while _idle:
            reader = _idle.pop()
            if reader.is_alive:
                return reader
            reader.kill()
    return _Reader()


def _give_back(reader: _Reader) -> None:
    with _lock:
        if len(_idle) < MAX_IDLE:
            _idle.append(reader)
            return
    reader.kill()


def _describe_death(code: int | None, name: str, budget: Budget) -> UserError:
    over_time = -getattr(signal, "SIGXCPU", 0) or None
    if code in (OUT_OF_TIME, over_time):
        return UserError(
            f"{name} takes too long to read for its size (more than "
            f"{budget.seconds:.0f}\u00a0s, and {budget.seconds_per_mb:.0f}\u00a0s for "
            "each MB). Split it, or save it in a simpler format."
        )
    if code == OUT_OF_MEMORY:
        return memory_error(name, budget)
    _log.error("The reader of %s ended with code %s", name, code)
    return UserError(
        f"{name} can't be read: the process that read it ended unexpectedly (code "
        f"{code}), perhaps because memory ran out. Save it in a simpler format."
    )


def memory_error(name: str, budget: Budget = FILE_BUDGET) -> UserError:
    """Return the error for a file that fills the memory."""
    return UserError(
        f"{name} needs more than {budget.memory // MB:,}\u00a0MB of memory to read. "
        "Split it into smaller files, or save it in a simpler format."
    )


def _reader_main(connection: Connection) -> None:
    """Run in the child: answer calls until the parent is gone."""
    threading.Thread(target=exit_with_parent, daemon=True).start()
    meter = start_meter()
    while True:
        try:
            request = msgspec.msgpack.decode(connection.recv_bytes(), type=_Request)
        except EOFError:
            return
        meter.begin(request.budget)
        error = _answer(request, connection)
        ending = _Ending(meter.has_grown, error)
        connection.send_bytes(_END + msgspec.msgpack.encode(ending))


def _answer(request: _Request, connection: Connection) -> ErrorInfo | None:
    """Send the parts of a result; return the error of the call, if any."""
    encoder = msgspec.msgpack.Encoder()
    module_name, _, function_name = request.call.function.partition(":")
    try:
        called = getattr(importlib.import_module(module_name), function_name)
        found: Any = called(**request.call.arguments)
        for part in found if isinstance(found, Iterator) else (found,):
            connection.send_bytes(_VALUE + encoder.encode(part))
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
    except Exception as error:  # noqa: BLE001 - no error crosses a process: the parent raises it
        info = describe_error(error)
        if isinstance(error, UnexpectedReadError):
            fault = describe_error(error.__cause__ or error)
            info = msgspec.structs.replace(info, traceback=fault.traceback)
        return info
    return None
