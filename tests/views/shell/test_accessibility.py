"""Every control has a tooltip and an accessible name, and the keyboard reaches it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPushButton,
    QScrollBar,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.errors import ErrorInfo
from app.params.training.encoder import TrainEncoder
from app.views.client.state import AppState
from app.views.shell.command_palette import CommandPalette
from app.views.shell.main_window import MainWindow
from app.views.shell.session import SessionDialog
from app.views.shell.settings_dialog import SettingsDialog
from app.views.shell.shortcut_overview import ShortcutOverview
from app.views.shell.view_registry import list_views, make_inspector
from app.views.widgets.dialogs import ErrorDialog
from app.views.widgets.task_dialog import TaskDialog

DIALOGS = ("settings", "sessions", "palette", "keys", "error", "task")


def controls(root: QWidget) -> Iterator[QWidget]:
    """Return the widgets that take the keyboard, without Qt's own inner parts."""
    for widget in root.findChildren(QWidget):
        parent = widget.parentWidget()
        is_inner = isinstance(widget, QScrollBar | QTabBar) or (
            isinstance(widget, QLineEdit)
            and isinstance(parent, QAbstractSpinBox | QComboBox)
        )
        is_inner |= widget.objectName().startswith("qt_")
        inner_owners = ("QKeySequenceEdit", "QComboBoxPrivateContainer")
        is_inner |= parent is not None and class_name(parent) in inner_owners
        is_inner |= isinstance(parent, QComboBox | QTabBar)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not is_inner:
            yield widget


def class_name(widget: QWidget) -> str:
    """Name the class in Qt: inner classes have no Python name."""
    return str(widget.metaObject().className())


def faults(root: QWidget) -> list[str]:
    found = []
    for widget in controls(root):
        if type(widget).__name__ in ("QScrollArea", "QMenuBar", "QTabWidget"):
            continue
        name = f"{type(widget).__name__} {widget.objectName()}"
        if not widget.accessibleName():
            found.append(f"{name} has no accessible name")
        has_own_tips = isinstance(widget, QAbstractItemView)  # its rows have them
        if not widget.toolTip() and not has_own_tips:
            found.append(f"{name} {widget.accessibleName()} has no tooltip")
    return found


def make_dialog(name: str, state: AppState, window: MainWindow) -> QDialog:
    actions = window.menus.actions
    match name:
        case "settings":
            return SettingsDialog(state, actions, window)
        case "sessions":
            return SessionDialog(window.session, {}, window)
        case "palette":
            return CommandPalette(actions, window)
        case "keys":
            return ShortcutOverview(actions, window)
        case "error":
            return ErrorDialog(ErrorInfo("bug", "A fault.", "trace"), window)
        case _:
            return TaskDialog(state, TrainEncoder, parent=window)


def test_window_names_every_control(open_window: MainWindow) -> None:
    assert faults(open_window) == []


class WindowsShown(QObject):
    """Notes the class of every window that is shown."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.classes: list[str] = []
        parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at what is shown."""
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            self.classes += [class_name(watched)] * watched.isWindow()
        return False


@pytest.fixture
def real_window(state: AppState, folder: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window with the real views, which are deleted before the state they use."""
    window = MainWindow(
        state, list_views(state), make_inspector=lambda: make_inspector(state)
    )
    with qtbot.waitSignal(state.project_opened, timeout=5_000):
        state.open_project(folder)
    yield window
    window.deleteLater()


def test_real_views_name_every_control_and_share_no_keys_with_the_window(
    state: AppState, real_window: MainWindow, qapp: QApplication
) -> None:
    window = real_window
    shown = WindowsShown(qapp)
    for entry in window.entries:
        window.show_view(entry.name)
    assert shown.classes == [], "a part without a parent is a window for a moment"
    qapp.removeEventFilter(shown)
    assert len(window.views) == len(window.entries)
    assert faults(window) == []
    dialog = SettingsDialog(state, window.menus.actions, window)
    dialog.open()
    next(
        b for b in dialog.findChildren(QPushButton) if b.text() == "Save settings"
    ).click()
    assert not dialog.isVisible(), "keys clash: nobody could save the settings"


@pytest.mark.parametrize("name", DIALOGS)
def test_dialog_names_every_control(
    name: str, state: AppState, window: MainWindow
) -> None:
    dialog = make_dialog(name, state, window)
    assert faults(dialog) == []
    dialog.deleteLater()


def test_every_action_says_what_it_does(open_window: MainWindow) -> None:
    for category, action in open_window.menus.actions:
        if category not in ("One", "Two"):
            assert action.statusTip().endswith("."), action.text()


def test_no_two_actions_have_the_same_keys(open_window: MainWindow) -> None:
    keys = [
        action.shortcut().toString()
        for _, action in open_window.menus.actions
        if not action.shortcut().isEmpty()
    ]
    assert len(keys) == len(set(keys))


def test_tab_reaches_every_control_of_the_first_page(
    window: MainWindow, qtbot: QtBot
) -> None:
    wanted = {w for w in controls(window.welcome) if w.isVisible() and w.isEnabled()}
    assert wanted
    # Each control notes its own focus: PySide can give the object of a deleted item for
    # a widget that Qt returns, such as the next one in the focus chain.
    reached: set[QWidget] = set()
    with qtbot.waitActive(window):
        window.activateWindow()
    next(iter(wanted)).setFocus()
    for _ in range(500):
        reached |= {w for w in wanted if w.hasFocus()}
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
        if reached == wanted:
            break
    assert wanted <= reached
