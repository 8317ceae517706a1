"""The status bar names the job that runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.params.projection import ProjectMap
from app.views.client.runs import RunState
from app.views.shell.status_bar import StatusBar, format_progress
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
    run.stage = "loading the encoder"
    stage.state.runs_changed.emit()
    assert bar.text.startswith("Loading the encoder"), "stages begin with a capital"
    stage.state.cancel(run)
    assert bar.text.startswith("The map is being cancelled…")


def test_a_rate_has_a_unit_where_it_is_known(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: RunState = stage.state.run(ProjectMap(corpora=("1",)))
    monkeypatch.setattr(RunState, "rate", 11_683_100.0)
    monkeypatch.setattr(RunState, "seconds_left", None)
    run.done, run.total = 5_000_000, 20_000_000
    for name, words in (
        ("Reading the files", ("5.0 MB / 20", "12 MB/s")),
        ("Encoding voices.en", ("5,000,000 / 20,000,000", "11,683,100 sentences/s")),
        ("Importing", ("5,000,000 / 20,000,000", "11,683,100 lines/s")),
    ):
        run.stage = name
        found = format_progress(run).replace("\u00a0", " ")
        assert all(part in found for part in words), found


def test_a_job_without_a_total_counts_from_its_first_item(stage: Stage) -> None:
    run: RunState = stage.state.run(ProjectMap(corpora=("1",)))
    run.stage, run.done, run.total = "Loading the encoder", 0, 0
    assert "0" not in format_progress(run)
    run.done = 1_200
    assert format_progress(run).startswith("1,200")
