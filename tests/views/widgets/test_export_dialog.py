"""The dialog that exports a table: preview, count, format, file, errors."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.params.projects import SaveCopy
from app.protocol import events
from app.views.client.state import AppState
from app.views.widgets.cells import ALIGN_LEFT
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.export_dialog import (
    ExportDialog,
    ExportedRows,
    ask_rows_export,
    ask_table_export,
)

N = 7


def table() -> Iterator[Sequence[str]]:
    yield ("word", "count", "language")
    for number in range(N):
        yield (f"word {number}", str(number), "en")


@pytest.fixture
def dialog(state: AppState, qtbot: QtBot) -> Iterator[ExportDialog]:
    parent = QWidget()
    qtbot.addWidget(parent)
    yield ask_table_export(state, parent, "Export words", "some words", table, N)
    parent.close()


def cells(dialog: ExportDialog) -> list[list[str]]:
    shown = dialog.preview.table
    items = [
        [shown.item(row, column) for column in range(shown.columnCount())]
        for row in range(shown.rowCount())
    ]
    return [[item.text() for item in row if item is not None] for row in items]


def test_the_first_five_rows_and_the_count_are_shown(dialog: ExportDialog) -> None:
    assert dialog.preview.count.text() == "7 rows."
    assert cells(dialog) == [[f"word {n}", str(n), "en"] for n in range(5)]
    assert dialog.file.path == Path.home() / "some-words.tsv"


def test_the_preview_looks_like_the_tables_of_the_views(dialog: ExportDialog) -> None:
    shown = dialog.preview.table
    assert not shown.showGrid()
    assert shown.horizontalHeader().defaultAlignment() == ALIGN_LEFT


def test_a_table_without_a_header_has_no_rows(dialog: ExportDialog) -> None:
    dialog.preview.show_table(lambda: iter(()), 0)
    assert dialog.preview.count.text() == "0 rows."
    assert dialog.preview.table.rowCount() == dialog.preview.table.columnCount() == 0


def test_latex_has_the_figures_as_shown(
    state: AppState, qtbot: QtBot, tmp_path: Path
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    values, shown = [["x"], ["0.123456"]], [["X"], ["12.3"]]
    rows = ExportedRows("", lambda: iter(values), 1, lambda: iter(shown))
    dialog = ask_rows_export(state, parent, "Export", "some words", [rows])
    assert cells(dialog) == [["0.123456"]]
    with qtbot.waitSignal(state.file_written):
        dialog.export_to(tmp_path / "t.tex")
    assert cells(dialog) == [["12.3"]]
    text = (tmp_path / "t.tex").read_text("utf-8")
    assert "\nX \\\\\n" in text
    assert "\n12.3 \\\\\n" in text
    parent.close()


def test_the_format_and_the_suffix_follow_each_other(dialog: ExportDialog) -> None:
    box = dialog.file.format_box
    box.setCurrentIndex(box.findData(".jsonl"))
    assert dialog.file.line.text().endswith("some-words.jsonl")
    dialog.file.line.setText("/tmp/other.csv")
    assert dialog.file.suffix == ".csv"
    dialog.file.line.setText("/tmp/version 1.2")
    assert dialog.file.path == Path("/tmp/version 1.2.csv")
    dialog.file.line.setText("bare")
    assert dialog.file.path == Path.home() / "bare.csv"  # where it was proposed


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_control_enter_exports(
    dialog: ExportDialog, key: Qt.Key, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "words.tsv"
    dialog.file.line.setText(str(file))
    QTest.keyClick(dialog.file.line, key, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(file.exists)


def test_csv_says_that_formulas_get_an_apostrophe(dialog: ExportDialog) -> None:
    def notes() -> list[str]:
        labels = [one for one in dialog.findChildren(QLabel) if one.isVisible()]
        return [one.text() for one in labels if "apostrophe" in one.text()]

    dialog.show()
    assert notes() == []
    dialog.file.format_box.setCurrentIndex(dialog.file.format_box.findData(".csv"))
    assert len(notes()) == 1


def test_a_file_that_exists_is_replaced_only_after_a_question(
    dialog: ExportDialog, state: AppState, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "w.csv"
    file.write_text("mine", encoding="utf-8")
    dialog.export_to(file)
    (box,) = dialog.findChildren(QMessageBox)
    assert file.read_text(encoding="utf-8") == "mine"
    with qtbot.waitSignal(state.file_written) as written:
        box.buttons()[0].click()
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["word,count,language", "word 0,0,en"]
    assert len(lines) == N + 1
    assert written.args == [file, f"7 rows were written to {file}."]


def test_the_folder_of_the_last_export_is_proposed(
    dialog: ExportDialog, state: AppState, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    with qtbot.waitSignal(state.file_written):
        dialog.export_to(folder / "w.csv")
    assert state.settings.export_folder == str(folder)
    assert suggest_path(state, "w", ".csv") == folder / "w-2.csv"
    (folder / "w.csv").unlink()
    folder.rmdir()
    assert suggest_path(state, "w", ".csv").parent == Path.home()


def test_the_folder_that_a_job_wrote_to_is_proposed(
    state: AppState, tmp_path: Path
) -> None:
    run = state.run(SaveCopy(out=tmp_path / "copy.zip"))
    run.id = 7
    state.client.event_received.emit(events.Finished(7, {"message": "Done."}))
    assert suggest_path(state, "w", ".csv").parent == tmp_path


@pytest.mark.parametrize("name", ["", "nowhere/w.tsv", "folder.tsv"])
def test_a_place_that_cannot_be_written_is_explained_and_the_input_stays(
    dialog: ExportDialog, tmp_path: Path, name: str
) -> None:
    (tmp_path / "folder.tsv").mkdir()
    text = str(tmp_path / name) if name else ""
    dialog.file.line.setText(text)
    dialog.export()
    assert dialog.isVisible()
    assert dialog.error
    assert dialog.file.line.text() == text


def test_a_failure_while_writing_opens_the_dialog_again(
    dialog: ExportDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / ("long" * 80 + ".tsv")  # no file system takes such a name
    dialog.export_to(file)
    qtbot.waitUntil(lambda: bool(dialog.error))
    assert dialog.isVisible()
    assert "can't be written" in dialog.error
    assert dialog.file.path == file
