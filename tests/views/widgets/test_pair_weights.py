"""The input for the weights of pair files: names, numbers, adding and removing."""

from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.views.widgets.pair_weights import PairWeights


def test_weights_are_added_changed_and_removed(qtbot: QtBot) -> None:
    weights = PairWeights("Weights of pair files")
    qtbot.addWidget(weights)
    weights.show()
    assert weights.read() == []
    weights.add_button.click()
    (row,) = weights.rows
    assert weights.read() == [], "without a name it applies to no file"
    QTest.keyClicks(row.name, "eng-deu*")
    with qtbot.waitSignal(weights.changed):
        row.weight.setValue(0.5)
    assert weights.read() == ["eng-deu*:0.5"]
    weights.add_button.click()
    QTest.keyClicks(weights.rows[1].name, "*.words")
    assert weights.read() == ["eng-deu*:0.5", "*.words:1"]
    remove = weights.rows[0].findChild(QPushButton)
    assert isinstance(remove, QPushButton)
    with qtbot.waitSignal(weights.changed):
        remove.click()
    assert weights.read() == ["*.words:1"]


def test_weights_of_another_training_are_shown(qtbot: QtBot) -> None:
    weights = PairWeights("Weights of pair files")
    qtbot.addWidget(weights)
    written = ["eng-deu*:0.5", "a:b:1000", "*:0.001"]
    weights.write(written)
    assert weights.read() == written
    weights.write(["eng-deu*"])  # refused when the training was started
    assert weights.read() == ["eng-deu*:1"]
    weights.write(())
    assert weights.rows == []


def test_the_names_of_the_files_are_offered(qtbot: QtBot) -> None:
    files = [Path("/data/eng-deu.tsv.xz"), Path("/data/eng-spa.tsv"), "fra-deu.tsv"]
    weights = PairWeights("Weights of pair files", lambda: files)
    qtbot.addWidget(weights)
    weights.show()
    weights.add_button.click()
    (row,) = weights.rows
    row.box.showPopup()
    shown = [row.box.itemText(index) for index in range(row.box.count())]
    assert shown == ["eng-deu", "eng-spa", "fra-deu"]
    assert row.text == ""
    row.box.setCurrentIndex(1)
    row.box.hidePopup()
    row.weight.setValue(0.5)
    assert weights.read() == ["eng-spa:0.5"]
    row.name.setText("eng-*")
    row.box.showPopup()
    row.box.hidePopup()
    assert weights.read() == ["eng-*:0.5"]
