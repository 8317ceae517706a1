"""Run tasks and record them: params, input files, metrics and result."""

import hashlib
import importlib
import json
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Engine, delete, insert, select, update

from app import VERSION
from app.engine.project.project import Project
from app.engine.runtime.hashing import hash_file
from app.engine.runtime.report import Report, ReportSink
from app.engine.store import schema
from app.engine.store.runs import RunRow, read_run, write_measurements
from app.engine.store.schema import run_file
from app.engine.text.readers.file_sets import list_folder
from app.errors import Cancelled, Paused, ResourceError, UserError, describe_error
from app.params import command_name, encode_hook, params_to_json
from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.results.jobs import UnfinishedRun, read_unfinished, write_unfinished

MAX_FILES_RECORDED = 1_000  # files of a folder that are recorded one by one
FIELDS_WITHOUT_FILES = (
    "out",
    "name",
    "title",
    "text",
)  # fields that contain no input file


def record_files(
    store: Engine, run: int, params: TaskParams, report: Report
) -> dict[str, str]:
    """Record the SHA-256 of each file that params name; returns them by name.

    Of a folder that is imported these are the files in it, without the hidden ones.
    Unreadable files are left to the task, which reports the error.
    """
    hashes: dict[str, str] = {}
    for file in files_of(params):
        with suppress(OSError):
            hashes[str(file)] = hash_file(file, report)
    for folder in params.files if isinstance(params, ImportCorpus) else ():
        if folder.is_dir():
            hashes |= _hash_folder(folder, report)
    rows = [{"run_id": run, "file": f, "sha256": h} for f, h in hashes.items()]
    with store.begin() as connection:
        connection.execute(delete(run_file).where(run_file.c.run_id == run))
        if rows:
            connection.execute(insert(run_file), rows)
    return hashes


def _hash_folder(folder: Path, report: Report) -> dict[str, str]:
    """Hash the files of a folder: the first 1,000 by themselves, the others as a list.

    The hash of the others is that of their lines "SHA-256, size in bytes, name", parted
    by tabs, in the order in which they are imported: it shows whether one has changed,
    and a folder of 100,000 files does not fill the record.
    """
    hashes: dict[str, str] = {}
    others, n_others = hashlib.sha256(), 0
    with suppress(ResourceError):  # the import reports it, like non-UTF-8 names
        for file in list_folder(folder):
            with suppress(OSError, UnicodeEncodeError):
                name, found = str(file), hash_file(file, report)
                line = f"{found}\t{file.stat().st_size}\t{name}\n".encode()
                if len(hashes) < MAX_FILES_RECORDED:
                    hashes[name] = found
                    continue
                others.update(line)
                n_others += 1
    if n_others:
        hashes[f"{folder} ({n_others:,} more files)"] = others.hexdigest()
    return hashes


def read_files(store: Engine, run: int) -> dict[str, str]:
    """Return the SHA-256 of each file that a run read, by its name."""
    query = select(run_file.c.file, run_file.c.sha256).where(run_file.c.run_id == run)
    with store.connect() as connection:
        return {row.file: row.sha256 for row in connection.execute(query)}


def files_of(params: TaskParams) -> Iterator[Path]:
    """Find the input files that params name, also as NAME=FILE."""
    for name, value in msgspec.structs.asdict(params).items():
        if name in FIELDS_WITHOUT_FILES:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            yield from _files_in(one)


def _files_in(value: object) -> Iterator[Path]:
    if isinstance(value, Path):
        texts = [str(value)]
    elif isinstance(value, str) and value:
        texts = [value, value.partition("=")[2]]
    else:
        return
    for text in texts:
        try:
            if text and Path(text).is_file():
                yield Path(text)
                return
        except (OSError, ValueError):  # a text that can't be a path
            continue


Task = Callable[[Project | None, Any, Report], Any]
RECORDED_PACKAGES = ("torch", "numpy", "sentencepiece", "faiss-cpu")


def import_task(params_type: type[TaskParams]) -> Task:
    """Import the task that params name: ImportCorpus → tasks/import_corpus.py."""
    name = command_name(params_type).replace("-", "_")
    module = importlib.import_module(f"app.engine.tasks.{name}")
    function: Task = getattr(module, name)
    return function


def queue_run(
    project: Project, params: TaskParams, *, resume: int | None = None
) -> int:
    """Insert the record of a run, or reuse the record of an interrupted run.

    Raises:
        UserError: the project is read-only, or a file's name is not UTF-8.
    """
    if project.is_read_only:
        raise UserError(
            f"{project.folder.name} is open for reading only, because its folder "
            "can't be written to. Copy it to another place."
        )
    record = _params_record(params)
    earlier = read_run(project.store, resume) if resume is not None else None
    values = {
        "task": command_name(type(params)),
        "params": record,
        "state": "queued",
        "versions": json.dumps(versions()),
        "started_at": time.time(),
        "ended_at": None,
        "error": "",
    }
    with project.store.begin() as connection:
        if resume is not None:
            table = schema.run
            if earlier is not None:
                values["result"] = _earlier_runs(earlier)
            connection.execute(
                update(table).where(table.c.id == resume).values(**values)
            )
            return resume
        key = connection.execute(insert(schema.run).values(**values))
        return int(key.lastrowid)


def _earlier_runs(row: RunRow) -> str:
    """Return the data to keep from the resumed run, as JSON."""
    before = read_unfinished(row.result)
    resumed = msgspec.structs.replace(before, is_paused=False, earlier_s=row.elapsed_s)
    return write_unfinished(resumed)


def find_interrupted(project: Project, params: TaskParams) -> int | None:
    """Find the run of equal params that a crash or a kill interrupted last.

    For a task that saves its finished parts, it is also the newest run, if that was
    cancelled: its finished parts need not be repeated.
    """
    table = schema.run
    equal = table.c.params == _params_record(params)
    query = select(table.c.id, table.c.state).where(equal).order_by(table.c.id.desc())
    with project.store.connect() as connection:
        runs = connection.execute(query).all()
    if type(params).keeps_parts and runs and runs[0].state == "cancelled":
        return int(runs[0].id)
    return next((int(run.id) for run in runs if run.state == "interrupted"), None)


def perform_run(
    project: Project, params: TaskParams, report: Report, *, device: str = ""
) -> dict[str, Any]:
    """Call a task whose row exists, and record how it ended.

    Returns:
        The result as plain JSON values.

    Raises:
        Exception: whatever the task raised, after it was recorded.
    """
    assert report.run is not None, "perform_run needs a run row"
    report.begun = time.monotonic()
    # The run may have waited for others since it was queued.
    started = {"state": "running", "started_at": time.time()}
    _set_run(project, report.run, device=device, **started)
    report.changed("run", report.run)
    report.on_saved = partial(_record_checkpoint, project, report)
    end: dict[str, Any] = {"state": "cancelled"}
    try:
        _update_file_hashes(project, report.run, params, report)
        result = call_task(project, params, report)
        end = {"state": "finished", "result": msgspec.json.encode(result).decode()}
    except (Cancelled, KeyboardInterrupt):
        if report.saved_at is not None:
            end["result"] = _unfinished_run(project, report, is_paused=False)
        raise
    except Paused:
        paused = _unfinished_run(project, report, is_paused=True)
        end = {"state": "interrupted", "result": paused}
        raise
    except BaseException as error:
        record = msgspec.json.encode(describe_error(error)).decode()
        end = {"state": "failed", "error": record}
        raise
    finally:
        _set_run(project, report.run, ended_at=time.time(), **end)
        report.changed("run", report.run)
    return result


def _record_checkpoint(project: Project, report: Report) -> None:
    """Record the steps of a checkpoint, which are known after a kill too."""
    if report.run is not None:
        at = _unfinished_run(project, report, is_paused=False)
        _set_run(project, report.run, result=at)


def _unfinished_run(project: Project, report: Report, *, is_paused: bool) -> str:
    """Return the progress of a resumable run when it stopped, as JSON."""
    query = select(schema.run.c.result).where(schema.run.c.id == report.run)
    with project.store.connect() as connection:
        before = read_unfinished(connection.scalar(query) or "")
    n_done, n_total = report.saved_at or report.position
    stopped = UnfinishedRun(
        is_paused=is_paused, n_done=n_done, n_total=n_total, earlier_s=before.earlier_s
    )
    return write_unfinished(stopped)


def call_task(
    project: Project | None, params: TaskParams, report: Report
) -> dict[str, Any]:
    """Call a task without a record; the result is plain JSON values."""
    if type(params).needs_project and project is None:
        raise UserError(
            f"{command_name(type(params))} needs a project. Open one first."
        )
    result = import_task(type(params))(project, params, report)
    plain: dict[str, Any] = msgspec.to_builtins(
        result, enc_hook=encode_hook, str_keys=True
    )
    return plain


class RecordingSink:
    """Forwards the report of a run and saves its metrics in table `metric`.

    A resumed run continues at a checkpoint: its first point replaces all later ones.
    """

    FLUSH_S = 1.0

    def __init__(self, project: Project, run: int, sink: ReportSink):
        self._project, self._run, self._sink = project, run, sink
        self._points: dict[tuple[int, str], float] = {}
        self._has_written = False
        self._flushed_at = time.monotonic()

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        """Forward the progress."""
        self._sink.progress(stage, done, total, note)

    def metric(self, step: int, values: dict[str, float]) -> None:
        """Forward it and save it."""
        self._sink.metric(step, values)
        self._points.update({(step, name): value for name, value in values.items()})
        if time.monotonic() - self._flushed_at >= self.FLUSH_S:
            self._flush()

    def changed(self, kind: str, row_id: int) -> None:
        """Forward it after all points are in the store, so that readers see them."""
        self._flush()
        self._sink.changed(kind, row_id)

    def _flush(self) -> None:
        """Write the buffered points."""
        points, self._points = self._points, {}
        self._flushed_at = time.monotonic()
        if not points:
            return
        rows = [
            {"run_id": self._run, "step": step, "name": name, "value": value}
            for (step, name), value in points.items()
        ]
        statement = insert(schema.metric).prefix_with("OR REPLACE")
        with self._project.store.begin() as connection:
            if not self._has_written:
                self._has_written = True
                first, table = min(step for step, _ in points), schema.metric
                is_later = (table.c.run_id == self._run) & (table.c.step > first)
                connection.execute(delete(table).where(is_later))
            connection.execute(statement, rows)


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    found = {"isogloss": VERSION, "python": platform.python_version()}
    for package in RECORDED_PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _update_file_hashes(
    project: Project, run: int, params: TaskParams, report: Report
) -> None:
    """Record the files of a run; drop measurements of files that have changed."""
    before = read_files(project.store, run)
    if record_files(project.store, run, params, report) != before and before:
        write_measurements(project.store, run, ())


def _params_record(params: TaskParams) -> str:
    try:
        return params_to_json(params)
    except UnicodeEncodeError as error:
        raise UserError(
            f"A name in these settings is not valid UTF-8 ({error.object!r}). Rename "
            "the file."
        ) from error


def _set_run(project: Project, run: int, **values: Any) -> None:
    statement = update(schema.run).where(schema.run.c.id == run).values(**values)
    with project.store.begin() as connection:
        connection.execute(statement)
