"""Dialogs whose job is refused or fails at its start, over the real engine."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QDialog, QLabel, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.store.runs import list_runs
from app.params.vectors import Encode
from app.params.words import ImportDictionary
from app.protocol.edits.general import RenameCorpus
from app.views.corpora.import_dialog import ImportDialog
from app.views.shell.main_window import MainWindow
from app.views.widgets import submission
from app.views.widgets.dialogs import ask_name
from app.views.widgets.task_dialog import TaskDialog
from tests.engine.search.made import add_corpus
from tests.process.windows import WAIT_MS, Windows
from tests.views.dialog_design import design_faults


def open_window(windows: Windows, folder: Path) -> MainWindow:
    with create_project(folder) as project:
        add_corpus(project, "Harbour", "en", ["The ferry leaves.", "The sea is calm."])
        add_corpus(
            project, "Hafen", "de", ["Die Fähre legt ab.", "Das Meer ist still."]
        )
    return windows.open(folder, "corpora")


def shown_texts(dialog: QDialog) -> str:
    labels = dialog.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisible())


def named_button(widget: QWidget, text: str) -> QPushButton:
    buttons = [one for one in widget.findChildren(QPushButton) if one.isVisible()]
    (button,) = [one for one in buttons if one.text() == text]
    return button


def test_a_dialog_shows_why_its_job_failed_and_keeps_its_input(
    windows: Windows,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = open_window(windows, tmp_path / "p.isogloss")
    state, file = window.state, tmp_path / "words.tsv"
    values = ImportDictionary(
        file=file, source_language="en", target_language="de", name="Sea words"
    )
    dialog = TaskDialog(state, ImportDictionary, values, parent=window)
    dialog.open()
    with qtbot.waitSignal(state.run_failed, timeout=WAIT_MS) as failed:
        dialog.run_button.click()
        assert dialog.isHidden()
    message = failed.args[1].message
    assert dialog.isVisible()
    assert shown_texts(dialog).count(message) == 1, "at the field"
    assert not window.message_bar.text
    assert dialog.form.values() == values
    # A later failure doesn't interrupt: the message has a button.
    monkeypatch.setattr(submission, "START_S", 0.0)
    with qtbot.waitSignal(state.run_failed, timeout=WAIT_MS):
        dialog.run_button.click()
    assert dialog.isHidden()
    named_button(window, "Change settings…").click()
    assert dialog.isVisible()
    assert dialog.form.values() == values
    file.write_text("ferry\tFähre\n", encoding="utf-8", newline="\n")
    with (
        qtbot.waitSignal(state.run_finished, timeout=WAIT_MS),
        qtbot.waitSignal(dialog.destroyed, timeout=WAIT_MS),
    ):
        dialog.run_button.click()


def interrupt_import(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    """Import a large file, and kill the engine while it is read."""
    view: Any = window.view
    state = window.state
    words = "The ferry will not sail tomorrow because of the storm in the north"
    lines = (f"{words}, says letter {number}.\n" for number in range(100_000))
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    view.imports.ask([file])
    (dialog,) = view.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    dialog.ok.click()
    qtbot.waitUntil(lambda: bool(state.runs and state.runs[0].done), timeout=WAIT_MS)
    with (
        qtbot.waitSignal(state.run_failed, timeout=WAIT_MS),
        qtbot.waitSignal(dialog.destroyed, timeout=WAIT_MS),
        qtbot.waitSignal(state.engine_reopened, timeout=WAIT_MS),
    ):
        state.client.kill()


def test_an_import_that_a_crash_interrupts_is_resumed_and_encoded(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window(windows, tmp_path / "p.isogloss")
    state = window.state
    interrupt_import(window, qtbot, tmp_path / "big.en")
    assert "The import of big.en was interrupted" in window.message_bar.text
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        named_button(window.message_bar, "Resume").click()
    assert "interrupted" not in window.message_bar.text
    (encoding,) = state.runs
    assert isinstance(encoding.params, Encode)
    qtbot.waitUntil(lambda: len(state.corpora) == 3, timeout=WAIT_MS)
    assert state.corpora[-1].n_sentences == 100_000
    state.cancel(encoding)
    qtbot.waitUntil(lambda: not state.is_busy, timeout=WAIT_MS)


def test_an_interrupted_job_is_deleted_from_its_message_after_a_question(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window(windows, tmp_path / "p.isogloss")
    interrupt_import(window, qtbot, tmp_path / "big.en")
    bar, words = window.message_bar, "The import of big.en was interrupted"
    for answer in "Cancel", "Delete":
        qtbot.waitUntil(lambda: words in bar.text, timeout=WAIT_MS)
        named_button(bar, "Delete").click()
        box = window.findChildren(QMessageBox)[-1]
        assert box.text() == "Delete the import of big.en with what it has saved?"
        named_button(box, answer).click()
    project = window.state.project
    assert project is not None
    qtbot.waitUntil(lambda: list_runs(project.store) == [], timeout=WAIT_MS)
    assert "interrupted" not in bar.text


def test_an_import_and_an_edit_that_fail_keep_their_input(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window(windows, tmp_path / "p.isogloss")
    view: Any = window.view
    file = tmp_path / "letters.txt"
    file.write_text("The ferry will not sail.\n" * 4, encoding="utf-8", newline="\n")
    view.imports.ask([file])
    (dialog,) = view.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    with qtbot.waitSignal(dialog.preview_shown, timeout=WAIT_MS):
        dialog.form.sides[0].language.setText("fr")
        dialog.form.sides[0].language.textEdited.emit("fr")
    assert design_faults(dialog) == []
    file.unlink()
    with qtbot.waitSignal(window.state.run_failed, timeout=WAIT_MS) as failed:
        dialog.ok.click()
    assert dialog.isVisible()
    assert dialog.params().languages == ("fr",)
    assert failed.args[1].message in shown_texts(dialog)
    dialog.reject()
    ids = [999, 1]  # the first is of no corpus
    question = ask_name(
        window.state,
        view,
        "New name",
        "Port",
        lambda name: window.state.edit(RenameCorpus(ids.pop(0), name)),
    )
    with qtbot.waitSignal(window.state.error_posted, timeout=WAIT_MS) as refused:
        named_button(question, "Save name").click()
    assert question.isVisible()
    assert question.field.text() == "Port"
    assert refused.args[0].message in shown_texts(question)
    with qtbot.waitSignal(question.destroyed, timeout=WAIT_MS):
        named_button(question, "Save name").click()
    assert not ids
