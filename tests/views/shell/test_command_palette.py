"""The command palette finds actions by letters, and runs them."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.views.shell.command_palette import CommandPalette, match_score
from app.views.shell.shortcut_overview import ShortcutOverview

Actions = list[tuple[str, QAction]]


@pytest.fixture
def actions(qtbot: QtBot) -> Iterator[Actions]:
    parent = QWidget()
    parent.resize(900, 700)
    named = [("File", "Save a copy…"), ("View", "Search"), ("Edit", "Undo")]
    made = [(category, QAction(text, parent)) for category, text in named]
    made[1][1].setShortcut("Ctrl+2")
    yield made
    parent.deleteLater()


def make_palette(actions: Actions) -> CommandPalette:
    parent = actions[0][1].parent()
    assert isinstance(parent, QWidget)
    palette = CommandPalette(actions, parent)
    palette.open()
    return palette


@pytest.mark.parametrize(
    ("typed", "name"), [("sac", "Save a copy"), ("SRCH", "Search"), ("", "Undo")]
)
def test_letters_in_order_match(typed: str, name: str) -> None:
    assert match_score(typed, name) is not None


def test_letters_out_of_order_do_not_match() -> None:
    assert match_score("hcr", "Search") is None


def test_beginnings_of_words_win() -> None:
    exact, spread = (
        match_score("se", "Search"),
        match_score("se", "Save a copy, please"),
    )
    assert exact is not None
    assert spread is not None
    assert exact > spread


def test_all_actions_are_listed_at_first(actions: Actions) -> None:
    palette = make_palette(actions)
    assert palette.names == ["File: Save a copy…", "View: Search", "Edit: Undo"]
    palette.close()


def test_typing_and_enter_run_the_best(actions: Actions) -> None:
    palette = make_palette(actions)
    spy = QSignalSpy(actions[1][1].triggered)
    (line,) = palette.findChildren(QLineEdit)
    QTest.keyClicks(line, "sear")
    assert palette.names[0] == "View: Search"
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert spy.count() == 1
    assert palette.isHidden()


def test_arrows_move_and_disabled_actions_do_not_run(actions: Actions) -> None:
    palette = make_palette(actions)
    actions[1][1].setEnabled(False)
    spy = QSignalSpy(actions[1][1].triggered)
    (line,) = palette.findChildren(QLineEdit)
    QTest.keyClick(line, Qt.Key.Key_Down)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert spy.count() == 0
    palette.close()


def test_cheat_sheet_lists_actions_with_keys_only(actions: Actions) -> None:
    parent = actions[0][1].parent()
    assert isinstance(parent, QWidget)
    sheet = ShortcutOverview(actions, parent)
    texts = [label.text() for label in sheet.findChildren(QLabel)]
    assert "Ctrl+2" in texts
    assert "Search" in texts
    assert "Undo" not in texts
    sheet.deleteLater()


def test_cheat_sheet_with_more_keys_than_fit_stays_within_the_window(
    qtbot: QtBot,
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 700)
    named = [("Map", QAction(f"Turn {n}", window)) for n in range(99)]
    for number, (_, action) in enumerate(named):
        action.setShortcut(f"Ctrl+{number // 10},{number % 10}")
    sheet = ShortcutOverview(named, window)
    assert sheet.height() < window.height()
    area = sheet.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    page = area.widget()
    assert page is not None
    assert page.sizeHint().height() > window.height()
