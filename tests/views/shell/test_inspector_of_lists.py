"""The inspector beside the list of the Corpora view: selection, way back, find."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.views.corpora.view import CorporaView
from app.views.shell.inspector import Inspector
from app.views.shell.main_window import MainWindow
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.view_protocol import ViewEntry
from tests.views.conftest import PlainView
from tests.views.stage import Stage, build_project, copy_built, link, sentence_id

FERRY = "The ferry will not sail tomorrow because of the storm."
HINT = "Select a sentence to see its translations, context, neighbours and note here."
STAY = "So we are staying one more night."


@pytest.fixture
def window(tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window at Corpora, with another view and the real inspector."""
    stage = Stage(copy_built(tmp_path / "p.isogloss", _build))

    def _make_corpora(parent: QWidget) -> QWidget:
        return CorporaView(stage.state, parent)

    entries = [
        ViewEntry("corpora", "Corpora", "corpora", "Texts.", _make_corpora),
        ViewEntry("two", "Two", "search", "Two.", lambda _: PlainView("Two")),
    ]
    window = MainWindow(
        stage.state, entries, make_inspector=lambda: Inspector(stage.state)
    )
    window.show()
    stage.open(qtbot)
    window.show_view("corpora")
    yield window
    window.closer.may_close = True
    window.close()
    window.deleteLater()
    stage.close()


def _build(folder: Path) -> None:
    build_project(folder)
    link(folder, [(sentence_id(1, 1), sentence_id(2, 1))])


def corpora_view(window: MainWindow) -> CorporaView:
    assert isinstance(window.view, CorporaView)
    return window.view


def shown_texts(window: MainWindow) -> str:
    """Return what the inspector shows."""
    labels = window.inspector_dock.findChildren(QLabel)
    texts = [label.text() for label in labels if label.isVisible()]
    return "\n".join(filter(None, texts))


def selected(window: MainWindow) -> int | None:
    return window.state.selection


def click_row(window: MainWindow, row: int) -> None:
    table = corpora_view(window).page.table
    index = table.visualRect(table.page_model.index(row, 1)).center()
    button = Qt.MouseButton.LeftButton
    QTest.mouseClick(table.viewport(), button, pos=index)


def get_focus_back(window: MainWindow) -> None:
    """Give the table the focus as the end of a menu does."""
    event = QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.PopupFocusReason)
    QCoreApplication.sendEvent(corpora_view(window).page.table, event)


def test_a_click_on_a_row_shows_its_sentence(window: MainWindow, qtbot: QtBot) -> None:
    assert shown_texts(window) == HINT
    click_row(window, 1)
    qtbot.waitUntil(lambda: FERRY in shown_texts(window))


def test_another_corpus_empties_it(window: MainWindow) -> None:
    click_row(window, 1)
    corpora_view(window).list.choose([3])
    assert selected(window) is None
    assert shown_texts(window) == HINT


def test_another_corpus_empties_it_on_a_card_too(window: MainWindow) -> None:
    click_row(window, 1)
    window.state.select_sentence(sentence_id(2, 1))
    corpora_view(window).list.choose([3])
    assert shown_texts(window) == HINT


def test_a_second_click_on_the_row_goes_back_from_a_card(window: MainWindow) -> None:
    click_row(window, 1)
    window.state.select_sentence(sentence_id(2, 1))
    click_row(window, 1)
    assert selected(window) == sentence_id(1, 1)


def test_a_selected_row_that_is_still_listed_stays(window: MainWindow) -> None:
    click_row(window, 1)
    corpora_view(window).list.choose([1, 3])
    assert selected(window) == sentence_id(1, 1)


def test_no_selection_empties_it(window: MainWindow) -> None:
    click_row(window, 1)
    corpora_view(window).page.table.clearSelection()
    assert shown_texts(window) == HINT


def test_the_end_of_a_menu_selects_nothing(window: MainWindow) -> None:
    click_row(window, 1)
    corpora_view(window).list.choose([3])
    get_focus_back(window)
    assert selected(window) is None
    assert corpora_view(window).page.table.current_id is None
    assert shown_texts(window) == HINT


def test_the_view_that_is_shown_again_keeps_its_selection(window: MainWindow) -> None:
    click_row(window, 1)
    window.show_view("two")
    window.show_view("corpora")
    click_row(window, 2)
    window.show_view("corpora")  # as Import does
    assert selected(window) == sentence_id(1, 2)
    assert STAY in shown_texts(window)


def test_a_list_that_changes_while_hidden_leaves_other_views_alone(
    window: MainWindow, qtbot: QtBot
) -> None:
    click_row(window, 1)
    view = corpora_view(window)
    window.show_view("two")
    window.state.select_sentence(sentence_id(1, 2))
    view.show_corpora([3])  # as after an import
    assert selected(window) == sentence_id(1, 2)
    window.show_view("corpora")
    assert selected(window) is None
    qtbot.waitUntil(lambda: shown_texts(window) == HINT)


def card_of(window: MainWindow, qtbot: QtBot) -> SentenceCard:
    """Select the row that has a translation, and return its card in the inspector."""
    click_row(window, 1)
    qtbot.waitUntil(window.inspector_dock.isVisible)
    cards = window.inspector_dock.findChildren(SentenceCard)
    return next(card for card in cards if card.isVisible())


def press_in_window(window: MainWindow, keys: str) -> None:
    """Press keys where the keyboard is."""
    QTest.keySequence(QApplication.focusWidget() or window, keys)


def back_buttons(window: MainWindow) -> list[QToolButton]:
    buttons = window.inspector_dock.findChildren(QToolButton)
    return [one for one in buttons if one.text() == "Back" and one.isEnabled()]


def test_find_works_after_a_click_on_a_card(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    card = card_of(window, qtbot)
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert selected(window) == sentence_id(2, 1)
    press_in_window(window, "Ctrl+F")
    field = corpora_view(window).page.find_field
    assert field.hasFocus()
    QTest.keyClicks(field, "storm")
    assert field.text() == "storm"


@pytest.mark.parametrize("by_key", [False, True])
def test_back_shows_the_sentence_before_the_card(
    window: MainWindow, qtbot: QtBot, by_key: bool
) -> None:
    window.activateWindow()
    card = card_of(window, qtbot)
    assert back_buttons(window) == []
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    (back,) = back_buttons(window)
    if by_key:
        press_in_window(window, "Alt+Left")
    else:
        QTest.mouseClick(back, Qt.MouseButton.LeftButton)
    assert selected(window) == sentence_id(1, 1)
    assert FERRY in shown_texts(window)
    assert back_buttons(window) == []


def test_a_row_of_the_list_ends_the_way_back(window: MainWindow, qtbot: QtBot) -> None:
    QTest.mouseClick(card_of(window, qtbot), Qt.MouseButton.LeftButton)
    click_row(window, 2)
    assert back_buttons(window) == []
