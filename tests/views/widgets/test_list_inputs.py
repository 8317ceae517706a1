"""Inputs for several texts and several numbers."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.params.classify import TrainClassifier
from app.views.client.state import AppState
from app.views.widgets.list_inputs import NumberList, TextList
from app.views.widgets.task_dialog import TaskDialog
from app.views.widgets.theme import GRID

Key = Qt.Key


def buttons_of(widget: QWidget) -> dict[str, QPushButton]:
    """Return the buttons that can be clicked, by their texts."""
    QCoreApplication.processEvents()  # a layout shows what it was given
    buttons = widget.findChildren(QPushButton)
    return {b.text(): b for b in buttons if not b.isHidden() and b.isEnabled()}


def test_texts_are_added_by_enter_and_by_a_click_and_removed(qtbot: QtBot) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    texts = TextList("Tags", offered=("legal", "free"))
    QVBoxLayout(dialog).addWidget(texts)
    dialog.show()
    QTest.keyClicks(texts.field, "sea")
    QTest.keyClick(texts.field, Key.Key_Return)
    assert (texts.items, texts.field.text()) == (["sea"], "")
    assert dialog.isVisible(), "Enter adds the text and does not close the dialog"
    buttons_of(texts)["+ free"].click()
    assert texts.read() == ["sea", "free"]
    assert "+ free" not in buttons_of(texts)
    QTest.keyClicks(texts.field, "wind,")
    assert texts.items == ["sea", "free", "wind"]
    buttons_of(texts)["sea ×"].click()
    QTest.keyClick(texts.field, Key.Key_Backspace)
    assert texts.items == ["free"]
    QTest.keyClicks(texts.field, "bay")
    assert texts.read() == ["free", "bay"], "what is typed counts too"


def test_a_text_in_use_is_completed(qtbot: QtBot) -> None:
    texts = TextList("Tags", offered=("legal", "free"))
    qtbot.addWidget(texts)
    completer = texts.field.completer()
    assert completer is not None
    texts.field.setText("Leg")
    completer.setCompletionPrefix("Leg")
    assert completer.currentCompletion() == "legal"
    texts.field.setText("legal")
    completer.activated.emit("legal")
    qtbot.waitUntil(lambda: texts.items == ["legal"])


def test_numbers_are_added_changed_and_removed(qtbot: QtBot) -> None:
    numbers = NumberList("Sizes", "Sizes of layers.", low=1, high=512)
    numbers.write([4])
    margins = numbers.boxes[0].lineEdit().textMargins()
    assert margins.left() == GRID, "as in other fields"
    numbers.write(())
    qtbot.addWidget(numbers)
    numbers.show()
    numbers.add_button.click()
    numbers.boxes[0].selectAll()
    QTest.keyClicks(numbers.boxes[0], "384")
    numbers.add_button.click()
    assert numbers.read() == [384, 384]
    numbers.boxes[1].selectAll()
    QTest.keyClicks(numbers.boxes[1], "9999")
    assert numbers.read()[1] <= 512
    numbers.boxes[1].setValue(128)
    assert numbers.boxes[1].accessibleName() == "Sizes, number 2"
    QCoreApplication.processEvents()
    removes = [b for b in numbers.findChildren(QPushButton) if b.text() == "×"]
    next(b for b in removes if b.accessibleName() == "Remove number 1").click()
    assert numbers.read() == [128]


def test_hidden_layers_are_numbers_with_boxes(
    open_state: AppState, qtbot: QtBot
) -> None:
    values = TrainClassifier(name="A", train=("1",), hidden=(512, 384))
    dialog = TaskDialog(open_state, TrainClassifier, values)
    qtbot.addWidget(dialog)
    hidden = dialog.form.field("hidden").widget
    assert isinstance(hidden, NumberList)
    assert [box.text() for box in hidden.boxes] == ["512", "384"]
    hidden.boxes[1].setValue(100)
    made = dialog.form.values()
    assert isinstance(made, TrainClassifier)
    assert made.hidden == (512, 100)
