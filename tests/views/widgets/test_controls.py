"""Buttons: the keys that press them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDialog, QLineEdit, QVBoxLayout
from pytestqt.qtbot import QtBot

from app.views.widgets.controls import make_button, make_tool_button
from app.views.widgets.dialogs import lay_out_buttons


class ExportDialog(QDialog):
    """A dialog with a field, another button, a flat button, Cancel and Export."""

    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[str] = []
        self.field = QLineEdit()
        other = make_button("Change", "Change it.", lambda: self.note("Change"))
        action = QAction("Undo", self)
        action.triggered.connect(lambda: self.note("Undo"))
        primary = make_button("Export", "Export it.", lambda: self.note("Export"))
        layout = QVBoxLayout(self)
        for widget in (self.field, other, make_tool_button(action)):
            layout.addWidget(widget)
        layout.addLayout(lay_out_buttons(self, primary))
        self.rejected.connect(lambda: self.note("Cancel"))

    def note(self, name: str) -> None:
        self.pressed.append(name)

    def button(self, name: str) -> QAbstractButton:
        buttons = self.findChildren(QAbstractButton)
        return next(one for one in buttons if one.text() == name)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
@pytest.mark.parametrize("name", ["Change", "Undo", "Cancel", "Export"])
def test_a_key_presses_the_button_with_the_focus(
    qtbot: QtBot, key: Qt.Key, name: str
) -> None:
    dialog = ExportDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.button(name).setFocus()
    QTest.keyClick(dialog.button(name), key)
    assert dialog.pressed == [name]


def test_enter_in_a_field_presses_the_default_button(qtbot: QtBot) -> None:
    dialog = ExportDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.pressed == ["Export"]
