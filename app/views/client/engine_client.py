"""Start, connect, restart and end the engine process."""

import logging
import sys
from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path

import msgspec
from PySide6.QtCore import (
    QCoreApplication,
    QObject,
    QProcess,
    QProcessEnvironment,
    QTimer,
    Signal,
)

from app.errors import ErrorInfo
from app.protocol import commands, events
from app.protocol.base import PROTOCOL
from app.protocol.commands import Command, check_command
from app.protocol.events import Event
from app.views.client.engine_channel import EngineChannel

_tr = partial(QCoreApplication.translate, "engine_process")

_WITHOUT_TICKET = commands.Cancel | commands.Steer


class PendingWork:
    """Tracks open runs and tickets, so that a dead engine leaves none open."""

    def __init__(self) -> None:
        self._tickets: set[int] = set()
        self._runs: set[int] = set()

    def add(self, command: Command) -> None:
        """Record a command that expects an answer."""
        if not isinstance(command, _WITHOUT_TICKET | commands.Quit):
            self._tickets.add(command.ticket)

    def note(self, event: Event) -> None:
        """Record the run or ticket that an event begins or settles."""
        match event:
            case events.Accepted():
                self._tickets.discard(event.ticket)
                self._runs.add(event.run)
            case events.Answer() | events.Refused() | events.Opened():
                if event.ticket is not None:
                    self._tickets.discard(event.ticket)
            case (
                events.Finished()
                | events.Failed()
                | events.Cancelled()
                | events.Paused()
            ):
                self._runs.discard(event.run)

    def fail_all(self, error: ErrorInfo) -> list[Event]:
        """Return the event that ends each open run and ticket, and forget them."""
        ends: list[Event] = [events.Failed(run, error) for run in sorted(self._runs)]
        ends += [events.Refused(ticket, error) for ticket in sorted(self._tickets)]
        self._runs.clear()
        self._tickets.clear()
        return ends


def engine_command() -> list[str]:
    """Return the command that starts the engine of this installation."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "engine"]
    return [sys.executable, "-m", "app", "engine"]


def make_process(command: Sequence[str]) -> QProcess:
    """Prepare the process; its output is log text, the protocol has its own channel."""
    process = QProcess()
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("PYTHONUNBUFFERED", "1")
    environment.insert("PYTHONIOENCODING", "utf-8:replace")
    process.setProcessEnvironment(environment)
    # `-m app` must find this package, not an `app` in the user's folder.
    process.setWorkingDirectory(str(Path(__file__).resolve().parents[3]))
    process.setStandardInputFile(QProcess.nullDevice())
    process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
    process.setProgram(command[0])
    process.setArguments(list(command[1:]))
    return process


def explain_end(process: QProcess) -> str:
    """Return how the process ended, in words that stay true after a restart."""
    if process.exitStatus() == QProcess.ExitStatus.CrashExit:
        how = _tr("The engine crashed (signal {code}).")
        if process.exitCode() == KILLED:
            how = _tr("The system ended the engine, perhaps because memory ran out.")
    else:
        how = _tr("The engine stopped unexpectedly (exit code {code}).")
    kept = _tr("Your saved work is safe. You can continue working.")
    return f"{how.format(code=process.exitCode())} {kept}"


log = logging.getLogger("window.engine")

HELLO_TIMEOUT_MS = 30_000  # the first start after an installation scans many files
QUIT_TIMEOUT_MS = 3_000
KILLED = 9  # number of the signal
LAST_LINES = 40  # of stdout and stderr, for the report of a crash
EVENTS_PER_TURN = 64  # then the window paints and takes input
_NO_GREETING = "The program that was started is not an engine of Isogloss."


class EngineClient(QObject):
    """One engine process and the connection to it.

    The process starts at the first command, and again at the next command after it
    died. Every open run and ticket then gets its Failed or Refused from here, so that
    the window has one path for every end.

    Attributes:
        reopen: sent before anything else when the engine starts again.
    """

    event_received = Signal(object)
    engine_started = Signal()
    engine_stopped = Signal(str)  # why, in a sentence; empty: it was asked to
    log_received = Signal(str)  # a line that the engine printed

    def __init__(
        self, parent: QObject | None = None, *, command: Sequence[str] | None = None
    ):
        super().__init__(parent)
        self.reopen: commands.OpenProject | None = None
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._command = list(command or engine_command())
        self._tickets = count(1)
        self._queue: deque[Command] = deque()
        self._work = PendingWork()
        self._process: QProcess | None = None
        self._channel: EngineChannel | None = None
        self._is_ready = False  # Hello came and, after a crash, the project is open
        self._is_quitting = False
        self._reason = ""
        self._has_finished = False
        self._hello_timer = QTimer(self, singleShot=True, interval=HELLO_TIMEOUT_MS)
        self._hello_timer.timeout.connect(self._on_hello_late)
        self._quit_timer = QTimer(self, singleShot=True, interval=QUIT_TIMEOUT_MS)
        self._quit_timer.timeout.connect(self.kill)

    @property
    def is_running(self) -> bool:
        """Return whether an engine process exists."""
        return self._process is not None

    @property
    def is_ready(self) -> bool:
        """Return whether the engine takes commands now: the project is open again."""
        return self._is_ready

    @property
    def is_quitting(self) -> bool:
        """Return whether the engine was asked to end."""
        return self._is_quitting

    def next_ticket(self) -> int:
        """Return a number that no other command of this window has."""
        return next(self._tickets)

    def send(self, command: Command) -> None:
        """Send a command; starts the engine if it is not running.

        After `quit`, commands wait for the next start(): otherwise a window that closes
        would start another engine. A command that is not valid is not sent: it is
        refused here, by the same event as from the engine.
        """
        error = check_command(command)
        if error is not None:
            log.error("%s is not valid: %s", type(command).__name__, error.message)
            ticket = None if isinstance(command, _WITHOUT_TICKET) else command.ticket
            refuse = partial(self.event_received.emit, events.Refused(ticket, error))
            QTimer.singleShot(0, self, refuse)
            return
        self._work.add(command)
        self._queue.append(command)
        if self._is_ready:
            self._flush()
        elif not self._is_quitting:
            self.start()

    def start(self) -> None:
        """Start the engine now (Hello arrives in about 0.3 s)."""
        if self._process is not None:
            return
        self._reason, self._has_finished, self._is_ready = "", False, False
        self._is_quitting = False
        channel = EngineChannel(self)
        channel.line_arrived.connect(self._on_line_arrived)
        channel.ended.connect(self._settle_end)
        process = make_process(self._command)
        process.setParent(self)
        process.readyReadStandardOutput.connect(self._on_output)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_process_error)
        self._process, self._channel = process, channel
        self._hello_timer.start()
        try:
            channel.start(process)
        except OSError as error:
            self._reason = f"The engine can't start: {error.strerror or error}."
            QTimer.singleShot(0, self, self._on_finished)

    def quit(self) -> None:
        """Ask the engine to end; it is killed when it does not within 3 s."""
        self._is_quitting = True
        if self._process is None:
            return
        if self._is_ready and self._channel is not None:
            self._channel.write(commands.Quit(self.next_ticket()))
            self._quit_timer.start()
        else:
            self.kill()

    def kill(self, reason: str = "") -> None:
        """End the engine at once; open runs fail and can be resumed."""
        self._reason = self._reason or reason
        if self._process is not None:
            self._process.kill()

    def _flush(self) -> None:
        assert self._channel is not None
        while self._queue:
            self._channel.write(self._queue.popleft())

    def _on_line_arrived(self) -> None:
        channel = self._channel
        for _ in range(EVENTS_PER_TURN):
            if channel is None or channel is not self._channel:
                return
            if not channel.has_line:
                if channel.is_line_too_long:
                    self._refuse("The engine sent a message that is too long.")
                return
            self._take_line(channel.read_line())
        QTimer.singleShot(0, self, self._on_line_arrived)

    def _take_line(self, line: bytes) -> None:
        try:
            event = events.decode_event(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if self._is_greeted:
                log.error("an event is not understood: %s", error)
            else:
                self._refuse(_NO_GREETING)
            return
        if isinstance(event, events.Hello) or not self._is_greeted:
            self._check_hello(event)
            return
        self._work.note(event)
        is_reopened = self._is_answer_to_reopen(event)
        self.event_received.emit(event)
        if is_reopened:
            self._become_ready()

    @property
    def _is_greeted(self) -> bool:
        return not self._hello_timer.isActive()

    def _check_hello(self, event: Event) -> None:
        if not isinstance(event, events.Hello):
            self._refuse(_NO_GREETING)
            return
        if event.protocol != PROTOCOL:
            self._refuse(
                f"The engine ({event.version}) uses protocol {event.protocol}, but "
                f"this window uses {PROTOCOL}. Reinstall Isogloss."
            )
            return
        self._hello_timer.stop()
        self.event_received.emit(event)
        self.engine_started.emit()
        if self.reopen is None:
            self._become_ready()
            return
        self.reopen = msgspec.structs.replace(self.reopen, ticket=self.next_ticket())
        self._work.add(self.reopen)
        assert self._channel is not None
        self._channel.write(self.reopen)

    def _is_answer_to_reopen(self, event: Event) -> bool:
        if self._is_ready or self.reopen is None:
            return False
        is_answer = isinstance(event, events.Opened | events.Refused)
        return is_answer and getattr(event, "ticket", None) == self.reopen.ticket

    def _become_ready(self) -> None:
        self._is_ready = True
        self._flush()

    def _refuse(self, reason: str) -> None:
        log.error(reason)
        self.kill(reason)
        if self._channel is not None:
            self._channel.abort()

    def _on_hello_late(self) -> None:
        self.kill("The engine did not answer within 30 seconds and was stopped.")

    def _on_output(self) -> None:
        if self._process is None:
            return
        text = bytes(self._process.readAllStandardOutput().data()).decode(
            "utf-8", "replace"
        )
        for line in text.splitlines():
            self.last_lines.append(line)
            self.log_received.emit(line)

    def _on_process_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self._reason = f"The engine can't start: {self._process.errorString()}."
            self._on_finished()

    def _on_finished(self) -> None:
        """Note the end of the process; it is final once the channel is read."""
        self._on_output()
        self._has_finished = True
        self._hello_timer.stop()
        self._quit_timer.stop()
        if self._channel is None or self._channel.has_ended:
            self._settle_end()

    def _settle_end(self) -> None:
        if not self._has_finished or self._process is None:
            return
        if self._channel is not None and self._channel.has_line:
            self._on_line_arrived()
            QTimer.singleShot(0, self, self._settle_end)
            return
        reason = self._reason or explain_end(self._process)
        if self._is_quitting:
            reason = ""
        self._clear()
        error = ErrorInfo("crash", reason, "\n".join(self.last_lines))
        for event in self._work.fail_all(error):
            self.event_received.emit(event)
        self.engine_stopped.emit(reason)

    def _clear(self) -> None:
        for item in (self._process, self._channel):
            if item is not None:
                item.deleteLater()
        self._process = self._channel = None
        self._is_ready = False
        self._queue.clear()


class EngineRestarter(QObject):
    """Ends the engine, and starts it again after its process ended."""

    def __init__(self, client: EngineClient, parent: QObject):
        super().__init__(parent)
        self._client = client
        self._starts_again = False
        client.engine_stopped.connect(self._on_engine_stopped)

    def begin(self) -> None:
        """Restart the engine, if it runs."""
        if self._client.is_running:
            self._starts_again = True
            self._client.quit()

    def _on_engine_stopped(self) -> None:
        if self._starts_again:
            self._starts_again = False
            self._client.start()
