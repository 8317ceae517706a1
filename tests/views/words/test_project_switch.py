"""The words view after a switch to another project, and with large text."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.protocol.queries.words import (
    CollocatesQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
    TranslationsQuery,
)
from app.settings import Settings
from app.views.words.settings import PAGES, PageName, WordListSettings
from app.views.words.view import WordsView
from tests.views.clipping import clipped_texts, press_everything
from tests.views.listed_words import (
    collocates,
    equivalents,
    frequencies,
    keyness,
    translations,
)
from tests.views.stage import Stage, build_project


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    stage.client.answers |= {
        FrequenciesQuery: frequencies,
        CollocatesQuery: collocates,
        KeynessQuery: keyness,
        EquivalentsQuery: equivalents,
        TranslationsQuery: translations,
    }
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> WordsView:
    view = WordsView(stage.state)
    qtbot.addWidget(view)
    view.resize(1100, 700)
    with qtbot.waitSignal(view.list_shown):
        view.show()
    return view


def test_every_action_works_after_a_switch_to_another_project(
    view: WordsView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    press_everything(view)
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(build_project(tmp_path / "other.isogloss"))
    with qtbot.waitSignal(view.list_shown):
        view.ask(WordListSettings())
    press_everything(view)
    assert not errors


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_clipped_in_a_small_window_with_large_text(
    view: WordsView, stage: Stage, qtbot: QtBot, page: PageName
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1100, 700)
    settings = WordListSettings(
        page=page,
        text="wind",
        target_language="de",
        corpora=(1,),
        against=(2,),
        map="en-de",
    )
    with qtbot.waitSignal(view.list_shown):
        view.ask(settings)
    qtbot.waitUntil(lambda: view.size().width() == 1100)
    view.grab()
    qtbot.waitUntil(lambda: not clipped_texts(view))
    stage.theme.apply(Settings(theme="light"))


def test_columns_are_fitted_again_after_a_change_of_text_size(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    def _widths() -> list[int]:
        view.resize(601, 700)
        QTest.qWait(0)
        view.resize(600, 700)  # too narrow for all columns
        QTest.qWait(0)
        columns = range(1, len(view.table.words.columns))
        return [view.table.columnWidth(column) for column in columns]

    with qtbot.waitSignal(view.list_shown):
        view.ask(WordListSettings(corpora=(1,)))
    before = _widths()
    try:
        stage.theme.apply(Settings(theme="light", text_scale=150))
        larger = _widths()
        assert all(new >= 1.3 * old for new, old in zip(larger, before, strict=True))
    finally:
        stage.theme.apply(Settings(theme="light"))
    assert _widths() == before


def test_the_score_and_share_of_equivalents_fit_next_to_the_inspector(
    view: WordsView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(725, 620)  # of a window of 1,100 × 700, with the inspector
    settings = WordListSettings(page="equivalents", text="wind", target_language="de")
    with qtbot.waitSignal(view.list_shown):
        view.ask(settings)
    table = view.table
    titles = [column.title for column in table.words.columns]
    share = titles.index("Share")

    def is_whole() -> bool:
        end = table.columnViewportPosition(share) + table.columnWidth(share)
        return end <= table.viewport().width() < 500

    qtbot.waitUntil(is_whole)
    assert view.details.isVisible()
    stage.theme.apply(Settings(theme="light"))
