"""The navigation: groups with names, or icons in a narrow window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.client.state import AppState
from app.views.shell.navigation import Navigation
from app.views.shell.view_registry import list_views
from app.views.widgets.theme import Theme

HEIGHT = 615  # between menu bar and foot of a window of 700 pixels, text at 150 %
NARROW, WIDE = 1100, 1600


@pytest.fixture
def navigation(state: AppState, qtbot: QtBot) -> Navigation:
    navigation = Navigation(state, list_views(state))
    qtbot.addWidget(navigation)
    navigation.resize(navigation.width(), HEIGHT)
    navigation.show()
    return navigation


def view_list(navigation: Navigation) -> QListWidget:
    views = navigation.findChild(QListWidget, "views")
    assert views is not None
    return views


def shown_items(navigation: Navigation) -> list[QListWidgetItem]:
    views = view_list(navigation)
    items = [views.item(row) for row in range(views.count())]
    return [item for item in items if not item.isHidden()]


def texts(navigation: Navigation) -> list[str]:
    return [item.text() for item in shown_items(navigation)]


def assert_centred(views: QListWidget, item: QListWidgetItem) -> None:
    """Fail unless the icon of an item is drawn in the middle of its row."""
    image = views.viewport().grab(views.visualItemRect(item)).toImage()
    ground = image.pixelColor(image.width() - 3, 3)
    drawn = [
        (x, y)
        for x in range(8, image.width())  # after the mark of the current one
        for y in range(image.height())
        if image.pixelColor(x, y) != ground
    ]
    xs, ys = zip(*drawn, strict=True)
    assert abs((min(xs) + max(xs)) / 2 - image.width() / 2) <= 3
    assert abs((min(ys) + max(ys)) / 2 - image.height() / 2) <= 3


def test_every_view_is_listed_in_its_group(navigation: Navigation) -> None:
    navigation.fit(WIDE)
    assert texts(navigation)[:7] == [
        *("Texts", "Corpora", "Search", "Read", "Concordance", "Words", "Pairs")
    ]
    search = shown_items(navigation)[2]
    assert search.toolTip().startswith("Search: ")
    assert search.toolTip().endswith("(Ctrl+2)")


def test_all_icons_fit_a_low_window_with_large_text(
    navigation: Navigation, theme: Theme
) -> None:
    theme.apply(Settings(theme="light", text_scale=150))
    try:
        navigation.fit(NARROW)
        views = view_list(navigation)
        QTest.qWait(50)
        assert set(texts(navigation)) == {""}
        assert views.verticalScrollBar().maximum() == 0
        assert views.iconSize().width() >= 30, "icons grow with the text"
        names = [
            item.data(Qt.ItemDataRole.AccessibleTextRole)
            for item in shown_items(navigation)
        ]
        assert names.count(None) == 3, "lines between four groups"
        assert_centred(views, shown_items(navigation)[1])
        found = navigation.findChildren(QPushButton)
        (actions,) = [button for button in found if button.isVisible()]
        assert actions.accessibleName() == "All actions   Ctrl+K"
        assert not actions.icon().isNull()
        navigation.fit(WIDE)
        assert actions.text() == "All actions   Ctrl+K"
        assert "Pairs" in texts(navigation)
    finally:
        theme.apply(Settings(theme="light"))


def test_names_become_icons_where_they_take_much_of_the_window(
    navigation: Navigation, theme: Theme
) -> None:
    try:
        for text_scale, has_names in ((100, True), (125, True), (200, False)):
            theme.apply(Settings(theme="light", text_scale=text_scale))
            navigation.fit(1440)
            assert ("Corpora" in texts(navigation)) is has_names
    finally:
        theme.apply(Settings(theme="light"))


def test_names_are_closer_together_in_a_low_window(navigation: Navigation) -> None:
    heights = []
    for room in (1_000, 755):
        navigation.fit(1424, room)
        navigation.resize(navigation.width(), room)
        QTest.qWait(0)
        assert "Corpora" in texts(navigation)
        views = view_list(navigation)
        assert views.verticalScrollBar().maximum() == 0
        heights.append(views.visualItemRect(shown_items(navigation)[1]).height())
    assert heights[1] < heights[0]


def test_names_become_icons_where_not_all_fit_the_height(
    navigation: Navigation,
) -> None:
    for room, has_names in ((1_000, True), (600, False), (1_000, True)):
        navigation.fit(WIDE, room)
        navigation.resize(navigation.width(), room)
        QTest.qWait(0)
        assert ("Corpora" in texts(navigation)) is has_names
        assert view_list(navigation).verticalScrollBar().maximum() == 0


def test_the_demo_offers_to_import_own_texts(
    open_state: AppState, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    navigation = Navigation(open_state, list_views(open_state))
    qtbot.addWidget(navigation)
    navigation.show()
    buttons = {b.text(): b for b in navigation.findChildren(QPushButton)}
    button = buttons["Import your texts…"]
    assert not button.isVisible()
    assert open_state.project is not None
    folder = open_state.project.folder
    monkeypatch.setattr("app.views.shell.navigation.demo_project_dir", lambda: folder)
    navigation.fit(WIDE)
    assert button.isVisible()
    with qtbot.waitSignal(navigation.import_requested):
        button.click()
    navigation.fit(NARROW - 200)
    assert not button.isVisible(), "there are only icons"
