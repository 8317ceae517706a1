"""The status bar names the job that runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.params.projection import ProjectMap
from app.views.shell.status_bar import StatusBar
from tests.views.stage import Stage, build_project


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    stage.open(qtbot)
    yield stage
    stage.close()


def test_a_job_that_has_not_begun_is_named_in_words(stage: Stage, qtbot: QtBot) -> None:
    bar = StatusBar(stage.state)
    qtbot.addWidget(bar)
    run = stage.state.run(ProjectMap(corpora=("1",)))
    assert bar.text.startswith("The map is waiting for the engine")
    run.stage = "load encoder"
    stage.state.runs_changed.emit()
    assert bar.text.startswith("Load encoder"), "stages begin with a capital"
    stage.state.cancel(run)
    assert bar.text.startswith("The map is being cancelled…")
