"""The inspector is open for what is selected, or can be, in the current view."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from app.protocol.queries.search import NearestQuery
from app.settings import Settings
from app.views.shell.inspector import ASK_AFTER_MS, Inspector
from app.views.shell.inspector_dock import WIDTH as INSPECTOR_WIDTH
from app.views.shell.main_window import MainWindow
from app.views.shell.navigation import COMPACT_WIDTH, WIDTH
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.sentence_label import ContextLabel
from app.views.widgets.theme import Theme
from tests.views.conftest import PLAIN_VIEWS
from tests.views.stage import Stage, build_project, link, nearest, sentence_id

FERRY = "The ferry will not sail tomorrow because of the storm."


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window with two views and the real inspector, a project open."""
    folder = build_project(tmp_path / "p.isogloss")
    link(folder, [(sentence_id(1, 1), sentence_id(2, 1))])
    stage = Stage(folder)
    stage.client.answers[NearestQuery] = nearest
    window = MainWindow(
        stage.state, PLAIN_VIEWS, make_inspector=lambda: Inspector(stage.state)
    )
    window.show()
    stage.open(qtbot)
    yield window
    window.closer.may_close = True
    window.close()
    window.deleteLater()
    stage.close()


def shown_texts(window: MainWindow) -> str:
    labels = window.inspector_dock.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisible())


def is_open(window: MainWindow) -> bool:
    return window.inspector_dock.isVisible()


def selected(window: MainWindow) -> int | None:
    return window.state.selection


def test_it_takes_no_room_while_nothing_is_selected(window: MainWindow) -> None:
    assert not is_open(window)
    window.state.select_sentence(sentence_id(1, 1))
    assert is_open(window)
    window.state.select_sentence(None)
    assert not is_open(window)


def test_it_waits_beside_a_page_whose_sentences_can_be_selected(
    window: MainWindow, qtbot: QtBot
) -> None:
    view = window.views["one"]
    page, next_page = QLabel("page", view), QLabel("next page", view)
    for one in (page, next_page):
        one.hide()
        window.state.inspectable_made.emit(one)
    page.show()
    QTest.qWait(0)
    assert is_open(window)
    width = view.width()
    for sentence in (sentence_id(1, 1), None):
        window.state.select_sentence(sentence)
        QTest.qWait(0)
        assert is_open(window)
        assert view.width() == width
    page.hide()
    next_page.show()
    qtbot.wait(1)
    assert is_open(window)
    window.show_view("corpora")
    assert not is_open(window)
    window.show_view("one")
    assert is_open(window)
    next_page.hide()
    qtbot.waitUntil(lambda: not is_open(window))


def test_each_view_has_its_own_selection(window: MainWindow) -> None:
    window.show_view("one")
    window.state.select_sentence(sentence_id(1, 1))
    assert FERRY in shown_texts(window)
    window.show_view("corpora")
    assert selected(window) is None
    assert not is_open(window)
    window.state.select_sentence(sentence_id(2, 0))
    window.show_view("one")
    assert selected(window) == sentence_id(1, 1)
    assert FERRY in shown_texts(window)
    window.show_view("corpora")
    assert selected(window) == sentence_id(2, 0)


def test_it_stays_closed_after_the_user_closed_it(window: MainWindow) -> None:
    window.state.select_sentence(sentence_id(1, 1))
    toggle = window.inspector_dock.toggleViewAction()
    toggle.trigger()
    window.state.select_sentence(sentence_id(1, 2))
    assert not is_open(window)
    assert window.save_state()["inspector"] is False
    toggle.trigger()
    window.state.select_sentence(sentence_id(1, 0))
    assert is_open(window)


def test_translations_are_above_the_context(window: MainWindow) -> None:
    window.state.select_sentence(sentence_id(1, 1))
    QTest.qWait(0)
    (card,) = window.inspector_dock.findChildren(SentenceCard)
    lines = window.inspector_dock.findChildren(ContextLabel)
    origin = card.rect().topLeft()
    assert all(
        card.mapToGlobal(origin).y() < line.mapToGlobal(origin).y() for line in lines
    )


def test_neighbours_that_come_later_move_nothing(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.state.select_sentence(sentence_id(1, 1))
    QTest.qWait(0)
    inspector = window.inspector_dock.widget()
    assert isinstance(inspector, Inspector)
    before = inspector.note.mapTo(inspector, QPoint())
    with qtbot.waitSignal(inspector.neighbours_shown):
        inspector.ask_neighbours()
    qtbot.wait(1)
    assert inspector.neighbours
    assert inspector.note.mapTo(inspector, QPoint()) == before


def test_a_narrow_window_shows_the_navigation_as_icons(window: MainWindow) -> None:
    window.resize(1400, 700)
    assert window.navigation.width() == WIDTH
    window.resize(1000, 700)
    assert window.width() == 1000
    assert window.navigation.width() == COMPACT_WIDTH
    window.resize(1400, 700)
    assert window.navigation.width() == WIDTH


def test_it_leaves_three_quarters_of_a_narrow_window_to_the_view(
    window: MainWindow, theme: Theme
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    try:
        window.resize(1100, 700)
        window.state.select_sentence(sentence_id(1, 1))
        QTest.qWait(0)
        assert window.inspector_dock.width() <= 1100 / 4
        (area,) = window.inspector_dock.findChildren(QScrollArea)
        content = area.widget()
        assert content is not None
        QTest.qWait(ASK_AFTER_MS)
        assert content.width() <= area.viewport().width(), "nothing is cut off"
    finally:
        theme.apply(Settings(theme="light"))
    window.resize(1600, 900)
    QTest.qWait(50)
    assert window.inspector_dock.width() == INSPECTOR_WIDTH


def test_the_width_to_which_it_is_dragged_is_remembered(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1300, 700)
    window.state.select_sentence(sentence_id(1, 1))
    QTest.qWait(0)
    dock, left = window.inspector_dock, Qt.MouseButton.LeftButton
    before = dock.width()
    edge = QPoint(dock.x() - 3, dock.y() + 200)
    QTest.mousePress(window, left, pos=edge)
    for step in (20, 60):
        QTest.mouseMove(window, edge - QPoint(step, 0))
        QTest.qWait(20)
    QTest.mouseRelease(window, left, pos=edge - QPoint(60, 0))
    assert dock.width() == before + 60
    with qtbot.waitSignal(window.state.settings_changed):
        pass
    assert window.state.settings.inspector_width == before + 60
    toggle = dock.toggleViewAction()
    toggle.trigger()
    window.resize(1600, 700)
    toggle.trigger()
    assert dock.width() == before + 60
