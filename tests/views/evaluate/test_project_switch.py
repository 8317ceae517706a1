"""The evaluate view after a switch to another project, and with large text."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.evaluate.view import EvaluateView
from tests.views.clipping import clipped_texts, press_everything
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


def test_nothing_is_clipped_in_a_small_window_with_large_text(
    view: EvaluateView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1100, 700)
    qtbot.waitUntil(lambda: view.size().width() == 1100)
    view.grab()
    qtbot.waitUntil(lambda: not clipped_texts(view))
    stage.theme.apply(Settings(theme="light"))
