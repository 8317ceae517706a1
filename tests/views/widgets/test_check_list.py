"""A list with check boxes."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.views.widgets.boxes import make_column
from app.views.widgets.check_list import CheckList
from app.views.widgets.theme import Theme


@pytest.mark.parametrize("is_on_box", [False, True])
def test_a_click_on_the_title_or_the_box_ticks(
    is_on_box: bool, qtbot: QtBot, theme: Theme
) -> None:
    boxes = CheckList("Corpora", "Corpora to train on.")
    qtbot.addWidget(boxes)
    boxes.set_choices([("1", "English"), ("2", "French"), ("3", "German")])
    boxes.resize(600, 100)
    boxes.show()
    place = boxes.visualItemRect(boxes.item(1))
    point = place.center()
    if is_on_box:
        point = QPoint(place.left() + 14, place.center().y())
    changes: list[list[str]] = []
    boxes.changed.connect(lambda: changes.append(boxes.ticked))
    for _ in range(2):
        QTest.mouseClick(
            boxes.viewport(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
            point,
        )
    assert changes == [["2"], []]


def test_ctrl_enter_is_left_to_the_dialog(qtbot: QtBot, theme: Theme) -> None:
    pressed: list[int] = []

    class _Dialog(QWidget):
        def keyPressEvent(self, event: QKeyEvent) -> None:
            pressed.append(event.key())

    dialog = _Dialog()
    qtbot.addWidget(dialog)
    boxes = CheckList("Corpora", "Corpora to train on.")
    make_column(boxes, parent=dialog)
    boxes.set_choices([("1", "English"), ("2", "French")])
    boxes.tick(["1", "2"])
    dialog.show()
    boxes.setFocus()
    boxes.setCurrentRow(1)
    qtbot.waitUntil(boxes.hasFocus)
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(boxes, Qt.Key.Key_Return, control)
    assert boxes.ticked == ["1", "2"]
    assert pressed[-1:] == [Qt.Key.Key_Return]  # after Ctrl itself
    QTest.keyClick(boxes, Qt.Key.Key_Space, control)
    assert boxes.ticked == ["2"]
