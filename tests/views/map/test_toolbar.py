"""The toolbar of a map: its room, its icons, and the menu of comparisons."""

from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.map.toolbar import MapToolbar
from app.views.map.view import MapView
from app.views.widgets.theme import DARK, LIGHT
from tests.views.map.opened import add_map, open_view, wait_ready
from tests.views.stage import Stage

WIDTH = 600  # pixels: less than at 1440 × 900 beside the inspector


@pytest.fixture
def view(stage: Stage, folder: Path, qtbot: QtBot) -> MapView:
    """The view with a map; another one is of another encoder."""
    add_map(folder, name="Other", encoder="other", fingerprint="e" * 64)
    add_map(folder, name="First")
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    return view


def toolbar_of(view: MapView) -> MapToolbar:
    toolbar = view.page.findChild(MapToolbar)
    assert toolbar is not None
    return toolbar


def entries(view: MapView) -> dict[str, QAction]:
    """Open the menu of comparisons and return its entries."""
    menu = toolbar_of(view).comparing.menu()
    menu.aboutToShow.emit()
    return {one.text(): one for one in menu.actions() if not one.isSeparator()}


def test_all_buttons_fit_one_row(view: MapView) -> None:
    toolbar = toolbar_of(view)
    assert toolbar.heightForWidth(WIDTH) == toolbar.sizeHint().height()
    buttons = [one for one in toolbar.findChildren(QAbstractButton) if one.isVisible()]
    assert len(buttons) == 11


def test_the_menu_compares_maps(view: MapView, qtbot: QtBot) -> None:
    assert list(entries(view)) == ["Other", "Compare neighbours", "Close comparison"]
    assert not entries(view)["Compare neighbours"].isEnabled()
    assert not entries(view)["Close comparison"].isEnabled()
    entries(view)["Other"].trigger()
    qtbot.waitUntil(lambda: view.page.other.colouring is not None)
    assert entries(view)["Other"].isChecked()
    qtbot.waitUntil(lambda: entries(view)["Compare neighbours"].isEnabled())
    entries(view)["Close comparison"].trigger()
    assert view.page.other.isHidden()
    assert not entries(view)["Other"].isChecked()


def test_icons_have_the_colours_of_the_theme(view: MapView, stage: Stage) -> None:
    pan = view.controller.actions["pan"]

    def colours() -> set[str]:
        image = pan.icon().pixmap(24).toImage()
        indices = [(x, y) for x in range(24) for y in range(24)]
        found = [image.pixelColor(x, y) for x, y in indices]
        return {one.name().upper() for one in found if one.alpha() == 255}

    assert colours() == {LIGHT.secondary}
    stage.theme.apply(Settings(theme="dark"))
    assert colours() == {DARK.secondary}
