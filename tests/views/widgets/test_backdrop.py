"""A dialog dims its window, in either theme, and has a shadow."""

from collections.abc import Iterator
from typing import Literal

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.shell.main_window import MainWindow
from app.views.widgets.backdrop import Backdrop
from app.views.widgets.dialogs import ask_question
from app.views.widgets.theme import Theme

SIZE = (800, 600)
FAR, NEAR = QPoint(20, 20), QPoint(190, 250)  # from the dialog at (200, 200)


@pytest.fixture
def dimmed_window(theme: Theme, qtbot: QtBot) -> Iterator[QWidget]:
    window = QWidget()
    window.setObjectName("centre")
    qtbot.addWidget(window)
    window.resize(*SIZE)
    Backdrop(window)
    window.show()
    yield window
    theme.apply(Settings(theme="light"))


def colour(window: QWidget, place: QPoint) -> QColor:
    QApplication.processEvents()
    return window.grab().toImage().pixelColor(place)


def open_dialog(window: QWidget) -> QDialog:
    dialog = QDialog(window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setGeometry(200, 200, 300, 200)
    dialog.open()
    return dialog


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_dialog_dims_the_window_until_it_is_closed(
    dimmed_window: QWidget, theme: Theme, scheme: Literal["light", "dark"]
) -> None:
    window = dimmed_window
    theme.apply(Settings(theme=scheme))
    before = colour(window, FAR)
    dialog = open_dialog(window)
    dimmed = colour(window, FAR)
    assert dimmed.lightness() < 0.8 * before.lightness()
    assert colour(window, NEAR).lightness() < dimmed.lightness(), "the shadow"
    dialog.move(500, 300)
    assert colour(window, NEAR) == dimmed, "the shadow follows its dialog"
    dialog.close()
    assert colour(window, FAR) == before


def test_a_dialog_over_a_dialog_leaves_the_window_dimmed(
    dimmed_window: QWidget,
) -> None:
    window = dimmed_window
    before = colour(window, FAR)
    dialog = open_dialog(window)
    dimmed = colour(window, FAR)
    box = ask_question(dialog, "Replace the file?", {"Replace": lambda: None})
    assert colour(window, FAR) == dimmed
    box.close()
    assert colour(window, FAR) == dimmed
    dialog.close()
    assert colour(window, FAR) == before


def test_the_palette_dims_the_window_in_its_new_size(open_window: MainWindow) -> None:
    open_window.resize(1200, 800)
    open_window.menus.show_palette()
    QApplication.processEvents()
    assert open_window.backdrop.isVisible()
    open_window.resize(1300, 850)
    assert open_window.backdrop.size() == open_window.size()
    (palette,) = open_window.findChildren(QDialog, "palette")
    palette.close()
    assert open_window.backdrop.isHidden()
