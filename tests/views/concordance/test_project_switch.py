"""The concordance view after a switch to another project, and with large text."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.concordance.model import LINE, NUMBER, PLACE
from app.views.concordance.settings import ConcordanceSettings
from app.views.concordance.view import ConcordanceView
from tests.views.clipping import clipped_texts, press_everything
from tests.views.concordance.made import Lines, type_and_enter
from tests.views.stage import Stage, build_project


def test_every_action_works_after_a_switch_to_another_project(
    view: ConcordanceView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    type_and_enter(view, qtbot, "ferry")
    press_everything(view)
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(build_project(tmp_path / "other.isogloss"))
    view.ask(ConcordanceSettings(text="storm"))
    qtbot.waitUntil(lambda: not view.session.is_waiting)
    assert view.table.lines.rowCount() == 3
    press_everything(view)
    assert not errors


def test_every_action_works_in_a_project_without_corpora(
    view: ConcordanceView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(build_project(tmp_path / "empty.isogloss", {}))
    view.clear()
    press_everything(view)
    assert not errors


def test_nothing_is_clipped_in_a_small_window_with_large_text(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1100, 700)
    type_and_enter(view, qtbot, "ferry")
    view.toggle_breakdown()
    qtbot.waitUntil(lambda: view.size().width() == 1100)
    view.grab()
    qtbot.waitUntil(lambda: not clipped_texts(view))
    stage.theme.apply(Settings(theme="light"))


def test_line_numbers_stay_in_a_small_window_with_large_text(
    view: ConcordanceView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(980, 620)  # the view in a window of 1,100 × 700
    type_and_enter(view, qtbot, "ferry")
    table = view.table
    qtbot.waitUntil(lambda: table.viewport().width() > 900)
    assert not table.isColumnHidden(LINE)
    assert not table.isColumnHidden(PLACE)
    assert table.isColumnHidden(NUMBER)
    stage.theme.apply(Settings(theme="light"))


def test_a_small_window_with_large_text_is_left_to_the_hits_and_their_corpus(
    view: ConcordanceView, stage: Stage, lines: Lines, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(740, 620)  # the view in a window of 1,100 × 700, with the inspector
    lines.n = 30
    type_and_enter(view, qtbot, "ferry")
    table = view.table
    qtbot.waitUntil(lambda: 600 < table.viewport().width() < 700)
    assert not table.isColumnHidden(PLACE)
    view.toggle_breakdown()
    qtbot.waitUntil(lambda: table.viewport().width() < 500)
    assert view.page.keys.isHidden()
    assert table.horizontalHeader().isHidden()
    assert table.viewport().height() >= 4 * table.rowHeight(0)
    stage.theme.apply(Settings(theme="light"))
    view.resize(740, 620)
    qtbot.waitUntil(lambda: not view.page.keys.isHidden())
