"""Runs: which interrupted one an equal command takes up again."""

from pathlib import Path

from sqlalchemy import func, select

from app.engine.project import create_project, open_project
from app.engine.runs import find_interrupted, queue_run
from app.engine.store import schema
from app.params import Encode


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
