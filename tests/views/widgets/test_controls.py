"""Buttons: the keys that press them."""

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDialog, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.views.widgets.boxes import make_column, make_tabs
from app.views.widgets.controls import make_button, make_tool_button
from app.views.widgets.dialogs import lay_out_buttons
from app.views.widgets.page_layout import make_scroll_area


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


@pytest.mark.parametrize("is_flat", [False, True])
def test_arrow_keys_on_a_button_scroll_the_page_and_leave_the_focus(
    qtbot: QtBot, *, is_flat: bool
) -> None:
    page = QWidget()
    page.setMinimumHeight(2_000)
    one = make_tool_button(QAction("One", page)) if is_flat else make_button("One", "")
    make_column(one, make_button("Other", ""), parent=page)
    area = make_scroll_area(page)
    qtbot.addWidget(area)
    with qtbot.waitActive(area):
        area.show()
        area.activateWindow()
    one.setFocus()
    QTest.keyClick(one, Qt.Key.Key_Down)
    QTest.keyClick(one, Qt.Key.Key_Down)
    assert one.hasFocus()
    assert area.verticalScrollBar().value() > 0
    QTest.keyClick(one, Qt.Key.Key_Right)
    assert one.hasFocus()


def test_the_wheel_over_tabs_switches_no_tab(qtbot: QtBot) -> None:
    tabs = make_tabs()
    qtbot.addWidget(tabs)
    for title in ("Errors", "Comparison"):
        tabs.addTab(QWidget(), title)
    tabs.show()
    place = QPointF(tabs.tabBar().tabRect(0).center())
    wheel = QWheelEvent(
        place,
        tabs.tabBar().mapToGlobal(place),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # not inverted
    )
    QCoreApplication.sendEvent(tabs.tabBar(), wheel)
    assert tabs.currentIndex() == 0
    assert not wheel.isAccepted(), "the page around the tabs scrolls"
