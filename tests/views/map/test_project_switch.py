"""The map view after a switch to another project, and with large text."""

from pathlib import Path

from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.map.view import MapView
from app.views.widgets.theme import GRID
from tests.views.clipping import clipped_texts, press_everything
from tests.views.map import mapped
from tests.views.map.opened import N_EACH, add_map, lasso, wait_ready
from tests.views.stage import Stage


def test_every_action_works_after_a_switch_to_another_project(
    view: MapView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    lasso(view, 1)
    press_everything(view)
    other = mapped.build_corpora(tmp_path / "other.isogloss", N_EACH)
    add_map(other, name="Other")
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    view.refresh()
    qtbot.waitUntil(lambda: view.page.pane.caption.text().startswith("Other"))
    wait_ready(view, qtbot)
    press_everything(view)
    assert not errors


def test_nothing_is_clipped_in_a_small_window_with_large_text(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1100, 700)
    lasso(view, 1)
    qtbot.waitUntil(lambda: view.size().width() == 1100)
    view.grab()
    qtbot.waitUntil(lambda: not clipped_texts(view))
    page = view.page
    assert page.canvas.height() >= 2 * page.sentences.height(), "most of the room"
    view.resize(740, 620)  # beside the inspector and a guided path
    view.grab()
    buttons = [one for one in page.findChildren(QToolButton) if one.isVisible()]
    assert len(buttons) >= 9
    assert all(one.width() >= one.sizeHint().width() for one in buttons)
    assert page.canvas.height() >= 25 * GRID
    stage.theme.apply(Settings(theme="light"))
