"""The engine process: reads commands and works in two lanes until the window closes.

The main thread reads commands. Runs go through the job lane, one at a time; opening,
queries and edits go through the query lane, where the latest Ask of a kind wins.
Nothing heavy is imported before the first line is sent.
"""

import faulthandler
import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from app import VERSION
from app.engine.process.channel import Channel
from app.engine.process.lanes import Job, Lane
from app.engine.runtime.report import Report
from app.errors import Cancelled, ErrorInfo, Paused, UserError, describe_error
from app.protocol import commands, events
from app.protocol.base import CHANNEL_VARIABLE, OPENING, PROTOCOL
from app.protocol.queries import query_kind
from app.protocol.queries.corpora import PreviewQuery

if TYPE_CHECKING:
    from app.engine.process.session import ProjectSession

log = logging.getLogger("engine")


def main() -> int:
    """Run the engine until the window closes the connection or sends Quit."""
    faulthandler.enable()
    logging.basicConfig(
        level=logging.INFO, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("alembic").setLevel(logging.WARNING)
    try:
        channel = Channel(os.environ.pop(CHANNEL_VARIABLE))
    except (KeyError, ValueError, OSError) as error:
        sys.stderr.write(f"Only the window starts the engine ({error!r}).\n")
        return 2
    channel.send(events.Hello(PROTOCOL, VERSION))
    server = Server(channel)
    server.serve()
    # Runs are not asked to stop: they stay "running" in the store, and the next
    # opening finds them interrupted and offers to resume them at the last shard.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


class Server:
    """Carries out commands: the channel, the lanes, the open project, its runs."""

    def __init__(self, channel: Channel):
        self._channel = channel
        self._jobs = Lane("jobs")
        self._queries = Lane("queries")
        self._session: ProjectSession | None = None
        self._reports: dict[int, Report] = {}
        self._device = ""
        self._opening: Report | None = None

    def serve(self) -> None:
        """Carry out commands until the connection ends."""
        threading.Thread(target=self._find_devices, daemon=True).start()
        for command in self._channel.commands():
            if isinstance(command, commands.Quit):
                return
            self._dispatch(command)

    def _dispatch(self, command: commands.Command) -> None:
        match command:
            case commands.Cancel():
                self._cancel(command.run)
            case commands.Steer():
                self._steer(command)
            case commands.Ask():
                report = Report()
                self._queries.put(
                    Job(
                        lambda: self._execute(command, report),
                        kind=query_kind(command.query),
                        drop=lambda: self._refuse(command.ticket, _SUPERSEDED),
                        stop=report.cancel,
                    )
                )
            case commands.Quit():
                return
            case _:
                self._queries.put(Job(lambda: self._execute(command, Report())))

    def _cancel(self, run: int) -> None:
        if run == OPENING and self._opening is not None:
            self._opening.cancel()
        report = self._reports.get(run)
        if report is not None:
            report.cancel()

    def _steer(self, command: commands.Steer) -> None:
        report = self._reports.get(command.run)
        if report is not None:
            report.request = command.request

    def _execute(self, command: Any, report: Report) -> None:
        """Carry out a command in the query lane: answer it, or refuse it."""
        try:
            match command:
                case commands.OpenProject():
                    self._open(command)
                case commands.Run():
                    self._queue_run(command)
                case commands.CloseProject():
                    self._close()
                    self._answer(command.ticket, None)
                case commands.RenameProject():
                    from app.engine.project.renaming import rename_project

                    rename_project(command.path, command.target)
                    self._answer(command.ticket, None)
                case commands.Ask(query=PreviewQuery() as query) if not self._session:
                    from app.engine.exchange.import_preview import preview_bounded

                    # Check before a project is created for the files.
                    self._answer(command.ticket, preview_bounded(query.params))
                case commands.Ask():
                    answer = self._session_of(command).ask(command.query, report)
                    self._answer(command.ticket, answer)
                case commands.Edit():
                    session = self._session_of(command)
                    value = session.edit(command.change, self._send_changed)
                    self._answer(command.ticket, value)
        except Cancelled:
            is_open = isinstance(command, commands.OpenProject)
            cancelled = ErrorInfo("user", "Cancelled.")
            self._refuse(command.ticket, cancelled if is_open else _SUPERSEDED)
        except Exception as error:  # noqa: BLE001 - it refuses this command; the lane continues
            self._refuse(command.ticket, describe_error(error))

    def _open(self, command: commands.OpenProject) -> None:
        from app.engine.process.session import open_session

        self._close()
        sink = ChannelSink(OPENING, self._channel, "")
        self._opening = Report(sink)
        try:
            session = open_session(command, self._opening)
        finally:
            self._opening = None
        self._session = session
        self._channel.send(
            events.Opened(
                command.ticket,
                session.project.folder,
                session.schema,
                session.project.is_read_only,
                session.project.notices,
                session.interrupted,
                session.project.newer_encoder,
            )
        )
        threading.Thread(target=session.back_up, name="backup", daemon=True).start()

    def _close(self) -> None:
        if self._reports:
            raise UserError("A job is running. Cancel it before you close the project.")
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _queue_run(self, command: commands.Run) -> None:
        from app.engine.project.runs import queue_run

        session = self._session_of(command)
        run = queue_run(session.project, command.params, resume=command.resume)
        sink = ChannelSink(run, self._channel, self._device)
        report = Report(session.record(run, sink), run=run)
        self._reports[run] = report
        self._channel.send(events.Accepted(command.ticket, run))
        self._send_changed("run", run)
        self._jobs.put(Job(lambda: self._perform(session, command.params, report)))

    def _perform(self, session: "ProjectSession", params: Any, report: Report) -> None:
        """Perform a run in the job lane; its last event reports how it ended."""
        run = report.run
        assert run is not None
        event: events.Event
        try:
            event = events.Finished(run, session.perform(params, report, self._device))
        except Cancelled:
            event = events.Cancelled(run)
        except Paused:
            event = events.Paused(run)
        except Exception as error:  # noqa: BLE001 - it fails this run; the lane continues
            info = describe_error(error)
            if info.kind == "bug":
                log.error("run %d failed\n%s", run, info.traceback)
            event = events.Failed(run, info)
        self._reports.pop(run, None)
        self._channel.send(event)

    def _session_of(
        self, command: commands.Run | commands.Ask | commands.Edit
    ) -> "ProjectSession":
        """Return the open project, if a command is meant for it.

        Raises:
            UserError: the command is for another project, or no project is open.
            Cancelled: the same for a query, whose answer is no longer needed.
        """
        if self._session is None:
            raise UserError("No project is open. Open one first.")
        meant, opened = command.project, self._session.project.folder
        if meant == opened:
            return self._session
        if isinstance(command, commands.Ask):
            raise Cancelled
        if meant is None:
            raise UserError(
                "The action was not done, because no project was open yet. Try it "
                "again."
            )
        raise UserError(
            f"The action was not done in {meant.name}, because {opened.name} was "
            f"opened before it started. Open {meant.name}, and try again."
        )

    def _send_changed(self, kind: str, row_id: int) -> None:
        self._channel.send(events.Changed(kind, row_id))

    def _answer(self, ticket: int, value: object) -> None:
        self._channel.send(events.Answer(ticket, value))

    def _refuse(self, ticket: int, error: ErrorInfo) -> None:
        if error.kind == "bug":
            log.error("refused for a fault\n%s", error.traceback)
        self._channel.send(events.Refused(ticket, error))

    def _find_devices(self) -> None:
        """Report the devices; in the background, because it may import torch."""
        from app.engine.runtime.devices import choose_device, describe_devices
        from app.engine.runtime.nvidia_driver import torch_build_note
        from app.paths import settings_file
        from app.settings import load_settings

        try:
            wanted = load_settings(settings_file()).device
            self._device = str(choose_device(wanted))
            devices, note = describe_devices(), torch_build_note()
        except Exception as error:  # noqa: BLE001 - a damaged torch raises anything: report it
            devices, note = [], f"No device can be used: {error}"
        self._channel.send(events.Devices(devices, self._device, note))


_SUPERSEDED = ErrorInfo("superseded", "A newer query has replaced this one.")


class ChannelSink:
    """Sends the report of a run to the window."""

    def __init__(self, run: int, channel: Channel, device: str):
        self._run, self._channel, self._device = run, channel, device

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Send Progress with the memory that the engine uses."""
        import psutil

        memory = psutil.Process().memory_info().rss
        self._channel.send(
            events.Progress(self._run, stage, done, total, note, memory, self._device)
        )

    def metric(self, step: int, values: dict[str, float]) -> None:
        """Send Metric; JSON carries a number that is not finite as null."""
        self._channel.send(events.Metric(self._run, step, dict(values)))

    def changed(self, kind: str, row_id: int) -> None:
        """Send Changed."""
        self._channel.send(events.Changed(kind, row_id))
