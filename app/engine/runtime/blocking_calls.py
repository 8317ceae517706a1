"""Run blocking calls in a thread or a child process so that Cancel works.

Native calls that cannot be interrupted (training a vocabulary, building an index) go
here: the function is named by text, its arguments are plain values and paths.
"""

import importlib
import multiprocessing
import multiprocessing.connection
import os
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

import msgspec

from app.engine.runtime.report import Report
from app.errors import ErrorInfo, ResourceError, UserError, describe_error

POLL_S = 0.1
Result = TypeVar("Result")


def run_in_thread(work: Callable[[], Result], report: Report, stage: str) -> Result:
    """Run work of several seconds without steps (sorts, corpus reads) in a thread.

    Args:
        work: must not write, since after a cancel it runs to its end unobserved.

    Raises:
        Cancelled: the run was asked to stop.
        Exception: what `work` raised.
    """
    task = _ThreadTask(work)
    begun = time.monotonic()
    while True:
        report.step(stage, 0, 0, f"{time.monotonic() - begun:.0f}\u00a0s")
        if task.is_done.wait(POLL_S):
            return task.result()


class _ThreadTask(Generic[Result]):
    """Work in a daemon thread."""

    def __init__(self, work: Callable[[], Result]):
        self.is_done = threading.Event()
        self._work = work
        self._found: list[Result] = []
        self._error: Exception | None = None
        threading.Thread(target=self._run, name="patience", daemon=True).start()

    def result(self) -> Result:
        """Return the result of the work, or raise its exception."""
        if self._error is not None:
            raise self._error
        return self._found[0]

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except Exception as error:  # noqa: BLE001 - no error leaves a thread: result() raises it
            self._error = error
        self.is_done.set()


Progress = Callable[[], tuple[int, int]]  # done and total; total 0: unknown


def unknown_progress() -> tuple[int, int]:
    """Return an unknown progress."""
    return 0, 0


class ChildCall(msgspec.Struct, frozen=True):
    """A call to make in a child: `module:function` and its keyword arguments."""

    function: str
    arguments: dict[str, Any]


class ChildDiedError(RuntimeError):
    """The child ended without an answer: killed, or out of memory.

    Attributes:
        code: its exit code; negative: the signal.
    """

    def __init__(self, stage: str, code: int | None):
        """Set the message from the stage and the exit code."""
        super().__init__(f"{stage}: the child process ended with {code}")
        self.code = code


class _Answer(msgspec.Struct, frozen=True):
    """The answer of the child."""

    value: Any = None
    error: ErrorInfo | None = None


def run_in_child(
    call: ChildCall,
    report: Report,
    *,
    stage: str,
    note: str = "",
    progress: Progress = unknown_progress,
) -> Any:
    """Call a function in a fresh process and wait for its result.

    Args:
        call: the function must return what msgspec can write as JSON.
        report: shows the stage with the elapsed time; its Cancel kills the child.
        stage: the text to show while the child works.
        note: size of the input, shown next to the elapsed time.
        progress: returns done and total while the child works.

    Returns:
        The function's result as plain values.

    Raises:
        Cancelled: the run was asked to stop; the child is dead by then.
        UserError, ResourceError: the function raised one.
        ChildDiedError: the child ended without an answer.
        RuntimeError: the function failed otherwise.
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
        answer = _wait_for_answer(receiver, report, stage, note, progress)
    finally:
        process.kill()
        process.join()
        receiver.close()
    if answer is None:
        raise ChildDiedError(stage, process.exitcode)
    if answer.error is None:
        return answer.value
    if answer.error.kind == "user":
        raise UserError(answer.error.message)
    if answer.error.kind == "resource":
        raise ResourceError(answer.error.message)
    raise RuntimeError(answer.error.traceback)


def _wait_for_answer(
    receiver: Connection, report: Report, stage: str, note: str, progress: Progress
) -> _Answer | None:
    """Wait for the child's answer; None if it died without one."""
    begun = time.monotonic()
    has_answer = False
    while not has_answer:
        has_answer = receiver.poll(POLL_S)
        elapsed_s = time.monotonic() - begun
        elapsed = f"{elapsed_s:.0f}\u00a0s" + (f", {note}" if note else "")
        report.step(stage, *progress(), elapsed)
    try:
        return msgspec.json.decode(receiver.recv_bytes(), type=_Answer)
    except EOFError:
        return None


def _child_main(function: str, arguments: dict[str, Any], sender: Connection) -> None:
    """Run in the child: watch the parent, call, and send the answer."""
    threading.Thread(target=exit_with_parent, daemon=True).start()
    module_name, _, function_name = function.partition(":")
    try:
        called = getattr(importlib.import_module(module_name), function_name)
        answer = _Answer(value=called(**arguments))
    except Exception as error:  # noqa: BLE001 - no error crosses a process: the parent raises it
        answer = _Answer(error=describe_error(error))
    sender.send_bytes(msgspec.json.encode(answer))


def exit_with_parent() -> None:
    """Exit as soon as the parent is gone, also by kill -9 (any system)."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
