"""The mine view after a switch to another project."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.views.mining.view import MiningView
from tests.views import mined
from tests.views.clipping import press_everything
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
