"""Settings are checked, kept, and take effect at once."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QKeySequenceEdit, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.settings import Settings, load_settings
from app.views.client.engine_client import EngineClient
from app.views.client.state import AppState
from app.views.shell.main_window import MainWindow
from app.views.shell.settings_dialog import SettingsDialog
from app.views.shell.shortcut_overview import ShortcutOverview
from app.views.shell.view_registry import list_views
from app.views.widgets.controls import add_action
from tests.views.dialog_design import design_faults

KEYED = ("View", "Concordance")  # a task is called so too


@pytest.fixture
def dialog(window: MainWindow) -> SettingsDialog:
    dialog = SettingsDialog(window.state, window.menus.actions, window)
    dialog.show()
    return dialog


def press(dialog: SettingsDialog, text: str) -> None:
    next(b for b in dialog.findChildren(QPushButton) if b.text() == text).click()


def field(dialog: SettingsDialog, name: str) -> Any:
    return dialog.form.field(name).widget


def key_edit(dialog: SettingsDialog, name: str) -> QKeySequenceEdit:
    edits = dialog.findChildren(QKeySequenceEdit)
    return next(edit for edit in edits if edit.accessibleName() == name)


def undo(window: MainWindow) -> QAction:
    return next(a for _, a in window.menus.actions if a.text() == "Undo")


def test_the_settings_and_the_overview_of_keys_have_the_design_of_dialogs(
    window: MainWindow, dialog: SettingsDialog
) -> None:
    assert design_faults(dialog) == []
    overview = ShortcutOverview(window.menus.actions, window)
    overview.open()
    assert design_faults(overview) == []
    overview.reject()


def test_saved_settings_are_told(window: MainWindow, dialog: SettingsDialog) -> None:
    field(dialog, "text_scale").setValue(150)
    field(dialog, "user_name").setText("Ana")
    press(dialog, "Save settings")
    assert window.state.settings.text_scale == 150
    assert window.state.settings.user_name == "Ana"


def test_given_up_settings_change_nothing(
    window: MainWindow, dialog: SettingsDialog
) -> None:
    field(dialog, "user_name").setText("Ana")
    press(dialog, "Cancel")
    assert window.state.settings == Settings()


def test_keys_can_be_remapped(window: MainWindow, dialog: SettingsDialog) -> None:
    key_edit(dialog, "Undo").setKeySequence(QKeySequence("Ctrl+U"))
    press(dialog, "Save settings")
    assert undo(window).shortcut().toString() == "Ctrl+U"
    assert window.state.settings.shortcuts == {"undo": "Ctrl+U"}


def test_saving_takes_no_keys_from_views_that_are_called_as_tasks_are(
    state: AppState, qtbot: QtBot
) -> None:
    window = MainWindow(state, list_views(state), make_inspector=QWidget)
    qtbot.addWidget(window)
    names = [action.objectName() for _, action in window.menus.actions]
    assert len(set(names)) == len(names)
    dialog = SettingsDialog(state, window.menus.actions, window)
    press(dialog, "Save settings")
    assert state.settings.shortcuts == {}
    shown = next(a for m, a in window.menus.actions if (m, a.text()) == KEYED)
    assert shown.shortcut().toString() == "Ctrl+4"


def test_keys_of_a_view_that_is_made_later_are_the_users(
    window: MainWindow, folder: Path, qtbot: QtBot
) -> None:
    keys = {"one: do it in one": "Ctrl+Y"}
    window.state.change_settings(Settings(shortcuts=keys))
    with qtbot.waitSignal(window.state.project_opened, timeout=5_000):
        window.state.open_project(folder)
    (action,) = window.views["one"].actions()
    assert action.shortcut().toString() == "Ctrl+Y"


def test_keys_of_two_actions_may_not_be_the_same(
    window: MainWindow, dialog: SettingsDialog
) -> None:
    key_edit(dialog, "Undo").setKeySequence(QKeySequence("Ctrl+K"))
    press(dialog, "Save settings")
    assert dialog.isVisible()
    assert undo(window).shortcut().toString() == "Ctrl+Z"
    dialog.close()


def test_two_views_may_use_the_same_keys(window: MainWindow) -> None:
    views = [QWidget(window), QWidget(window)]
    actions = [add_action(view, "Rename", slot=int, keys="F2") for view in views]
    for number, action in enumerate(actions):
        action.setObjectName(f"{number}: rename")
    named = [*window.menus.actions, ("One", actions[0]), ("Two", actions[1])]
    dialog = SettingsDialog(window.state, named, window)
    dialog.show()
    press(dialog, "Save settings")
    assert not dialog.isVisible()


def test_a_view_may_not_use_the_keys_of_the_window(window: MainWindow) -> None:
    action = add_action(QWidget(window), "Mine", slot=int, keys="Ctrl+K")
    action.setObjectName("mining: mine")
    named = [*window.menus.actions, ("Mine", action)]
    dialog = SettingsDialog(window.state, named, window)
    dialog.show()
    press(dialog, "Save settings")
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert (
        "Ctrl+K is assigned to two actions: Help: All actions… and Mine: Mine." in texts
    )
    dialog.close()


def test_changed_settings_are_kept_in_the_file(
    client: EngineClient, tmp_path: Path
) -> None:
    file = tmp_path / "settings.json"
    state = AppState(client, settings_path=file)
    state.change_settings(Settings(theme="dark"))
    assert load_settings(file).theme == "dark"
    state.deleteLater()


def test_the_device_is_chosen_among_those_there_are(
    window: MainWindow, dialog: SettingsDialog
) -> None:
    window.state.devices = ["cuda:0 H200, 140 GB", "cpu 2 threads"]
    window.state.devices_changed.emit()
    box = field(dialog, "device")
    titles = [box.itemText(i) for i in range(box.count())]
    assert titles == ["Automatic", "H200, 140 GB (cuda:0)", "CPU, 2 threads"]
    box.setCurrentIndex(2)
    press(dialog, "Save settings")
    assert window.state.settings.device == "cpu"


def test_a_device_that_is_gone_stays_the_choice(window: MainWindow) -> None:
    window.state.settings = Settings(device="cuda:1")
    dialog = SettingsDialog(window.state, window.menus.actions, window)
    assert field(dialog, "device").currentText() == "cuda:1 (not found)"
    press(dialog, "Save settings")
    assert window.state.settings.device == "cuda:1"
