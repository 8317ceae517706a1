"""The mine view after a switch to another project, and with large text."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.mining.view import MiningView
from tests.views import mined
from tests.views.clipping import clipped_texts, press_everything
from tests.views.stage import Stage, build_project


def test_every_action_works_after_a_switch_to_another_project(
    view: MiningView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    press_everything(view)
    other = build_project(tmp_path / "other.isogloss")
    mined.add_mining(other, mined.MINING._replace(name="Other"))
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    view.refresh()
    qtbot.waitUntil(lambda: view.row is not None and view.row.name == "Other")
    press_everything(view)
    assert not errors


def test_nothing_is_clipped_in_a_small_window_with_large_text(
    view: MiningView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1100, 700)
    qtbot.waitUntil(lambda: view.size().width() == 1100)
    view.grab()
    qtbot.waitUntil(lambda: not clipped_texts(view))
    stage.theme.apply(Settings(theme="light"))
