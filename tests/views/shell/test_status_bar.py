"""The status bar names the job that runs, or shows a message."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.params.projection import ProjectMap
from app.settings import Settings
from app.views.client.runs import RunState
from app.views.shell.main_window import MainWindow
from app.views.shell.status_bar import StatusBar, WindowFoot, format_progress
from app.views.widgets.controls import make_button
from app.views.widgets.message_bar import HEIGHT, MessageLabel
from app.views.widgets.theme import Theme
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


def test_a_message_with_five_buttons_keeps_the_height_of_the_bar(
    window: MainWindow, theme: Theme, qtbot: QtBot
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    try:
        window.resize(1100, 700)
        names = ["Search sentences", "Open Read", "Mine pairs", "Align", "Show report"]
        pressed: list[str] = []
        buttons = [
            make_button(name, name, partial(pressed.append, name)) for name in names
        ]
        said = "Der Anzeiger and The Gazette were imported: 96 sentences, 48 links."
        bar = window.message_bar
        bar.post(said, buttons=buttons)
        label, foot = bar.findChild(MessageLabel), window.findChild(WindowFoot)
        assert label is not None
        assert foot is not None
        qtbot.waitUntil(lambda: 2 * label.width() >= bar.width())
        assert foot.height() == HEIGHT
        assert label.toolTip() in ("", said)
        shown = [one for one in buttons if one.isVisible()]
        assert all(bar.rect().contains(one.geometry()) for one in shown)
        (menu,) = [one.menu() for one in bar.findChildren(QPushButton) if one.menu()]
        entries = [one.text() for one in menu.actions()]
        assert [one.text() for one in shown] + entries == names
        menu.actions()[-1].trigger()
        assert pressed == ["Show report"]
        assert bar.text == "", "pressing a button closes its message"
        assert foot.height() == HEIGHT
    finally:
        theme.apply(Settings(theme="light"))
