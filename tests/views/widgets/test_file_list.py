"""The input for several files: lines, names, adding and removing."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.views.widgets.file_list import FileList


def lines(files: FileList) -> list[QLineEdit]:
    return [line for line in files.findChildren(QLineEdit) if line.isVisible()]


def named_button(files: FileList, text: str) -> QPushButton:
    return next(b for b in files.findChildren(QPushButton) if b.text() == text)


def test_files_are_typed_added_and_removed(qtbot: QtBot, tmp_path: Path) -> None:
    files = FileList("Texts", "One sentence per line.")
    qtbot.addWidget(files)
    files.show()
    assert files.values == []
    (line,) = lines(files)
    with qtbot.waitSignal(files.changed):
        line.setText("a; b.txt")
    assert files.values == ["a; b.txt"], "a semicolon is part of a name"
    named_button(files, "Add…").click()
    (dialog,) = files.findChildren(QFileDialog)
    assert dialog.fileMode() == QFileDialog.FileMode.ExistingFiles
    dialog.filesSelected.emit([str(tmp_path / "c.txt"), str(tmp_path / "d.txt")])
    dialog.reject()
    assert files.values == [
        "a; b.txt",
        *(str(tmp_path / name) for name in ("c.txt", "d.txt")),
    ]
    removals = [b for b in files.findChildren(QPushButton) if b.text() == "Remove"]
    qtbot.waitUntil(lambda: all(button.isVisible() for button in removals))
    with qtbot.waitSignal(files.changed):
        removals[1].click()
    assert files.values == ["a; b.txt", str(tmp_path / "d.txt")]
    removals[0].click()
    assert files.values == [str(tmp_path / "d.txt")]
    assert not removals[2].isVisible(), "of a single file"
    (line,) = lines(files)
    files.setFocus()
    assert files.focusProxy() is line
    files.write([])
    assert files.values == []


def test_a_file_can_have_a_name(qtbot: QtBot) -> None:
    files = FileList("Data", "", has_names=True)
    qtbot.addWidget(files)
    files.show()
    written = ["en=/tmp/a.tsv", "/tmp/b=1/c.tsv", "plain.tsv"]
    files.write(written)
    assert files.values == written
    qtbot.waitUntil(lambda: len(lines(files)) == 6)
    texts = [line.text() for line in lines(files)]
    assert texts == ["en", "/tmp/a.tsv", "", "/tmp/b=1/c.tsv", "", "plain.tsv"]
