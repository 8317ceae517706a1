"""The command palette finds actions by letters, and runs them."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QScrollArea, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from app.views.shell.command_palette import (
    CATEGORY_WIDTH,
    PADDING,
    CommandPalette,
    match_score,
)
from app.views.shell.shortcut_overview import ShortcutOverview
from app.views.widgets.controls import add_synonyms
from app.views.widgets.theme import colours_of, scaled

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


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("png", "Next pair not judged"),
        ("projector", "Add averaged word vectors of the project…"),
        ("notes", "Normal text size"),
    ],
)
def test_letters_spread_over_many_words_do_not_match(typed: str, name: str) -> None:
    assert match_score(typed, name) is None


def test_beginnings_of_words_win() -> None:
    exact, spread = (
        match_score("se", "Search"),
        match_score("se", "Save a copy, please"),
    )
    assert exact is not None
    assert spread is not None
    assert exact > spread


def test_typed_words_that_begin_the_name_win_over_the_same_words_within_it() -> None:
    first = match_score("return judge", "Return judgements…", "Review")
    within = match_score("return judge", "Merge returned judgements…", "Review")
    assert first is not None
    assert within is not None
    assert first > within


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


def test_beginnings_of_words_come_before_parts_and_these_before_letters(
    actions: Actions,
) -> None:
    parent = actions[0][1].parent()
    names = ("Please aim right", "Imparted", "New part", "Part: other", "Nothing")
    named = [("Map", QAction(name, parent)) for name in names]
    window = actions[0][1].parent()
    assert isinstance(window, QWidget)
    palette = CommandPalette([*named, ("Part", QAction("Remove", parent))], window)
    (line,) = palette.findChildren(QLineEdit)
    line.setText("part")
    assert palette.names == [
        *("Map: Part: other", "Map: New part", "Part: Remove", "Map: Imparted"),
        "Map: Please aim right",
    ]
    line.setText("part new")
    assert palette.names == ["Map: New part"]
    palette.close()


def test_actions_chosen_lately_come_first_among_equal_matches(actions: Actions) -> None:
    window = actions[0][1].parent()
    assert isinstance(window, QWidget)
    named = [("Map", QAction(f"Export {name}", window)) for name in "abc"]
    for _, action in named:
        action.setObjectName(action.text().lower())
    recent = ("export c", "export b", "gone")
    palette = CommandPalette([*actions, *named], window, recent=recent)
    assert palette.names[:3] == ["Map: Export c", "Map: Export b", "File: Save a copy…"]
    (line,) = palette.findChildren(QLineEdit)
    line.setText("exp")
    assert palette.names == ["Map: Export c", "Map: Export b", "Map: Export a"]
    palette.close()


def test_an_exact_name_comes_before_actions_chosen_lately(actions: Actions) -> None:
    window = actions[0][1].parent()
    assert isinstance(window, QWidget)
    named = [
        ("Map", QAction("Export map…", window)),
        ("View", QAction("Map", window)),
        ("Map", QAction("Show the map beside the view", window)),
    ]
    named[0][1].setObjectName("export map")
    palette = CommandPalette(named, window, recent=("export map",))
    (line,) = palette.findChildren(QLineEdit)
    for typed in ("map", "view: map", "View:Map"):  # also as the list shows it
        line.setText(typed)
        assert palette.names[0] == "View: Map"
    line.setText("map: export")
    assert palette.names == ["Map: Export map…"]
    palette.close()


def test_disabled_actions_are_last_with_the_reason(actions: Actions) -> None:
    window = actions[0][1].parent()
    assert isinstance(window, QWidget)
    actions[0][1].setEnabled(False)
    palette = CommandPalette(
        actions, window, explain=lambda category, _: f"No project in {category}"
    )
    assert palette.names == ["View: Search", "Edit: Undo", "File: Save a copy…"]
    (shown,) = palette.findChildren(QTreeView)
    model = shown.model()
    assert [model.index(row, 1).data() for row in range(3)] == [
        *("Ctrl+2", "", "No project in File")
    ]
    palette.close()


def test_synonyms_find_an_action_from_their_beginning(actions: Actions) -> None:
    add_synonyms(actions[1][1], "look up query")
    palette = make_palette(actions)
    (line,) = palette.findChildren(QLineEdit)
    for typed in ("query", "look up", "search query"):
        line.setText(typed)
        assert palette.names == ["View: Search"]
    line.setText("uery")
    assert palette.names == []
    palette.close()


def test_no_match_is_said_with_what_can_be_typed(actions: Actions) -> None:
    palette = make_palette(actions)
    (line,) = palette.findChildren(QLineEdit)
    (list_,) = palette.findChildren(QTreeView)
    (label,) = palette.findChildren(QLabel)
    assert not label.isVisible()
    line.setText("resume")
    assert label.text().startswith("No action matches “resume”. Type a word of")
    assert label.isVisible()
    assert not list_.isVisible()
    line.setText("undo")
    assert not label.isVisible()
    assert list_.isVisible()
    palette.close()


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


def test_cheat_sheet_begins_with_the_keys_of_the_view(actions: Actions) -> None:
    parent = actions[0][1].parent()
    assert isinstance(parent, QWidget)
    second = QAction("Accept pair", parent)
    second.setShortcut("A")
    sheet = ShortcutOverview([*actions, ("Review", second)], parent, first="Review")
    texts = [label.text() for label in sheet.findChildren(QLabel)]
    assert texts[1:4] == ["Review", "A", "Accept pair"]
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


def test_the_category_is_set_apart_from_the_name(actions: Actions) -> None:
    palette = make_palette(actions)
    (shown,) = palette.findChildren(QTreeView)
    colours = colours_of(palette)
    row = shown.visualRect(shown.model().index(1, 0))  # View: Search
    picture = shown.viewport().grab(row).toImage()
    place = scaled(PADDING // 2 + CATEGORY_WIDTH)
    found = [
        {
            picture.pixelColor(x, y).name().upper()
            for x in columns
            for y in range(row.height())
        }
        for columns in (range(place), range(place, picture.width()))
    ]
    assert colours.secondary in found[0]
    assert colours.text not in found[0]
    assert colours.text in found[1]
    palette.close()
