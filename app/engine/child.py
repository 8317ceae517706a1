"""Run a function in a child process that Cancel kills and that dies with its parent.

Native calls that cannot be interrupted (training a vocabulary, building an index) go
here: the function is named by text, its arguments are plain values and paths.
"""

import importlib
import multiprocessing
import multiprocessing.connection
import os
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

import msgspec

from app.engine.report import Report
from app.errors import ErrorInfo, ResourceError, UserError, describe_error

POLL_S = 0.1


class ChildCall(msgspec.Struct, frozen=True):
    """A call to make in a child: `module:function` and its keyword arguments."""

    function: str
    arguments: dict[str, Any]


class _Answer(msgspec.Struct, frozen=True):
    """What the child sends back, once."""

    value: Any = None
    error: ErrorInfo | None = None


def run_in_child(call: ChildCall, report: Report, *, stage: str, note: str = "") -> Any:
    """Call a function in a fresh process and wait for its result.

    Args:
        call: the function must return what msgspec can write as JSON.
        report: shows the stage with the elapsed time; its Cancel kills the child.
        stage: what is shown while the child works.
        note: size of the input, shown beside the elapsed time.

    Returns:
        The function's result as plain values.

    Raises:
        Cancelled: the run was asked to stop; the child is dead by then.
        UserError, ResourceError: the function raised one.
        RuntimeError: the function failed otherwise, or the child died.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=_child_main,
        args=(call.function, call.arguments, sender),
        name=stage,
        daemon=True,
    )
    process.start()
    sender.close()
    try:
        answer = _wait(receiver, report, stage, note)
    finally:
        process.kill()
        process.join()
        receiver.close()
    if answer is None:
        raise RuntimeError(f"{stage}: the child process ended with {process.exitcode}")
    if answer.error is None:
        return answer.value
    if answer.error.kind == "user":
        raise UserError(answer.error.message)
    if answer.error.kind == "resource":
        raise ResourceError(answer.error.message)
    raise RuntimeError(answer.error.traceback)


def _wait(
    receiver: Connection, report: Report, stage: str, note: str
) -> _Answer | None:
    """Wait for the child's answer; None if it died without one."""
    begun = time.monotonic()
    has_answer = False
    while not has_answer:
        has_answer = receiver.poll(POLL_S)
        elapsed_s = time.monotonic() - begun
        report.step(stage, 0, 0, f"{elapsed_s:.0f} s" + (f", {note}" if note else ""))
    try:
        return msgspec.json.decode(receiver.recv_bytes(), type=_Answer)
    except EOFError:
        return None


def _child_main(function: str, arguments: dict[str, Any], sender: Connection) -> None:
    """Run in the child: watch the parent, call, and send the answer."""
    threading.Thread(target=_die_with_parent, daemon=True).start()
    module_name, _, function_name = function.partition(":")
    try:
        called = getattr(importlib.import_module(module_name), function_name)
        answer = _Answer(value=called(**arguments))
    except Exception as error:  # noqa: BLE001 - the border of a process
        answer = _Answer(error=describe_error(error))
    sender.send_bytes(msgspec.json.encode(answer))


def _die_with_parent() -> None:
    """Leave at once when the parent is gone, by kill -9 too (any system)."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
