"""Runs: which interrupted one an equal command takes up again."""

from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from app.engine.project.project import Project, create_project, open_project
from app.engine.project.runs import find_interrupted, perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.runs import read_measurements, read_run, write_measurements
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
