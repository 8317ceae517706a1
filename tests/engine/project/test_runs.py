"""Runs: the interrupted run that an equal command resumes."""

from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from app.engine.project.project import Project, create_project, open_project
from app.engine.project.runs import (
    RecordingSink,
    find_interrupted,
    perform_run,
    queue_run,
)
from app.engine.runtime.report import Report, SilentSink
from app.engine.store import schema
from app.engine.store.runs import (
    read_measurements,
    read_metric_page,
    read_run,
    write_measurements,
)
from app.errors import UserError
from app.params.probing import Probe
from app.params.vectors import Encode
from app.results.measurements import SpaceMeasured


def test_an_equal_command_takes_an_interrupted_run_up_again(tmp_path: Path) -> None:
    params, other = Encode(corpora=("a",)), Encode(corpora=("b",))
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, params)
        assert find_interrupted(project, params) is None
    with open_project(tmp_path / "p") as project:  # marks it, as after a kill
        assert find_interrupted(project, other) is None
        resumed = queue_run(project, params, resume=find_interrupted(project, params))
        assert resumed == run
        with project.store.connect() as connection:
            assert connection.scalar(select(func.count()).select_from(schema.run)) == 1


def test_the_first_point_of_a_resumed_run_replaces_all_later_ones(
    tmp_path: Path,
) -> None:
    with create_project(tmp_path / "p") as project:
        runs = [queue_run(project, Encode(corpora=(name,))) for name in "ab"]
        for run in runs:
            report = Report(RecordingSink(project, run, SilentSink()), run=run)
            for step in (10, 20, 30):
                report.metric(step, loss=1.0, error=0.5)
            report.changed("metric", run)
        resumed = Report(RecordingSink(project, runs[0], SilentSink()), run=runs[0])
        resumed.metric(20, loss=2.0)
        resumed.changed("metric", runs[0])
        resumed.metric(15, loss=3.0)  # only its first points replace others
        resumed.changed("metric", runs[0])
        found = [
            [(row.step, row.name, row.value) for row in page]
            for page in (read_metric_page(project.store, run, n=9) for run in runs)
        ]
    kept = [(10, "error", 0.5), (10, "loss", 1.0)]
    assert found[0] == [*kept, (15, "loss", 3.0), (20, "error", 0.5), (20, "loss", 2.0)]
    assert len(found[1]) == 6


def end(project: Project, run: int, state: str) -> None:
    values = update(schema.run).where(schema.run.c.id == run).values(state=state)
    with project.store.begin() as connection:
        connection.execute(values)


def test_only_a_task_that_keeps_its_parts_goes_on_after_a_cancel(
    tmp_path: Path,
) -> None:
    probing, encoding = Probe(data=(Path("a.tsv"),)), Encode(corpora=("a",))
    with create_project(tmp_path / "p") as project:
        for params in (probing, encoding):
            end(project, queue_run(project, params), "cancelled")
        assert find_interrupted(project, probing) == 1
        assert find_interrupted(project, encoding) is None
        end(project, queue_run(project, probing), "finished")
        assert find_interrupted(project, probing) is None  # it was done since


def set_run(project: Project, run: int, **values: object) -> None:
    statement = update(schema.run).where(schema.run.c.id == run).values(**values)
    with project.store.begin() as connection:
        connection.execute(statement)


def elapsed_s(project: Project, run: int) -> float:
    row = read_run(project.store, run)
    assert row is not None
    return row.elapsed_s


def test_only_the_time_in_which_a_run_worked_is_counted(tmp_path: Path) -> None:
    params = Encode(corpora=("a",))
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, params)
        set_run(project, run, started_at=1_000.0)
        assert elapsed_s(project, run) == 0  # it waits
        set_run(project, run, state="interrupted", started_at=1_000.0, ended_at=1_030.0)
        assert elapsed_s(project, run) == 30
        queue_run(project, params, resume=run)  # much later
        set_run(project, run, started_at=5_000.0)
        assert elapsed_s(project, run) == 30  # it waits for another one
        with pytest.raises(UserError):  # there is no corpus
            perform_run(project, params, Report(run=run))
        assert 30 <= elapsed_s(project, run) < 90


def test_what_was_measured_of_other_contents_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "a.tsv"
    params = Probe(data=(file,))
    row = SpaceMeasured(encoder="one", measure="isotropy", first="de", n=1, value=1.0)
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, params)
        left = []
        for text in ("a", "a", "b"):
            file.write_text(text, encoding="utf-8")
            with pytest.raises(UserError):  # it has no splits
                perform_run(project, params, Report(run=run))
            left.append(len(read_measurements(project.store, run)))
            write_measurements(project.store, run, [row])
    assert left == [0, 1, 0]
