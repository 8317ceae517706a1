"""The evaluate view after a switch to another project."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.views.evaluate.view import EvaluateView
from tests.views.clipping import press_everything
from tests.views.stage import Stage, build_project


def test_every_action_works_after_a_switch_to_an_empty_project(
    view: EvaluateView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    assert len(view.page.shown) == 1
    other = build_project(tmp_path / "other.isogloss")
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    view.refresh()
    assert view.page.shown == []
    assert view.empty_state.isVisible()
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    press_everything(view)
    assert not errors
    assert not stage.client.runs()
