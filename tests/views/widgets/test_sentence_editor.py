"""The dialog that edits a sentence: one line, its direction, what it refuses."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import insert, update

from app.engine.project.project import open_project
from app.engine.store import schema
from app.protocol.edits.corpora import EditSentence
from app.views.widgets.sentence_editor import SentenceDialog, ask_sentence_text
from tests.views.dialog_design import design_faults
from tests.views.editing import EditingClient
from tests.views.stage import Stage, build_project, sentence_id

FERRY = "The ferry will not sail tomorrow because of the storm."


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss"))
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(1000, 700)
    parent.show()
    return parent


def ask(stage: Stage, parent: QWidget, corpus: int = 1) -> SentenceDialog:
    stage.state.select_sentence(sentence_id(corpus, 1))
    ask_sentence_text(stage.state, parent)
    return parent.findChildren(SentenceDialog)[-1]


def edits(stage: Stage) -> list[object]:
    changes = stage.client.changes()
    return [change for change in changes if isinstance(change, EditSentence)]


def words(dialog: SentenceDialog) -> str:
    labels = dialog.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisible())


def paste(dialog: SentenceDialog, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    dialog.field.selectAll()
    dialog.field.insertFromMimeData(data)


def test_the_dialog_shows_the_sentence_with_its_place(
    stage: Stage, parent: QWidget
) -> None:
    dialog = ask(stage, parent)
    assert dialog.field.toPlainText() == FERRY
    assert "Harbour letters · line 2" in words(dialog)
    assert design_faults(dialog) == []
    dialog.close()


@pytest.mark.parametrize(
    ("corpus", "direction"),
    [
        (1, Qt.LayoutDirection.LeftToRight),
        (3, Qt.LayoutDirection.RightToLeft),
        (4, Qt.LayoutDirection.LeftToRight),
    ],
)
def test_the_text_has_the_direction_of_its_language(
    stage: Stage, parent: QWidget, corpus: int, direction: Qt.LayoutDirection
) -> None:
    dialog = ask(stage, parent, corpus)
    option = dialog.field.document().defaultTextOption()
    assert option.textDirection() == direction
    dialog.field.moveCursor(QTextCursor.MoveOperation.Start)
    starts_on_the_right = dialog.field.cursorRect().x() > dialog.field.width() / 2
    assert starts_on_the_right == (direction == Qt.LayoutDirection.RightToLeft)
    dialog.close()


def test_pasted_line_breaks_become_spaces_and_enter_saves(
    stage: Stage, parent: QWidget
) -> None:
    dialog = ask(stage, parent)
    paste(dialog, "The ferry\nwill sail\r\ntomorrow. ")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isHidden()
    text = "The ferry will sail tomorrow."
    assert edits(stage) == [EditSentence(sentence=sentence_id(1, 1), text=text)]


def test_an_empty_and_a_long_text_are_refused_while_typing(
    stage: Stage, parent: QWidget
) -> None:
    dialog = ask(stage, parent)
    paste(dialog, "  ")
    assert "A sentence can't be empty. Enter its text, or hide it." in words(dialog)
    assert not dialog.save_button.isEnabled()
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    paste(dialog, "x" * 20_001)
    assert "20,001 characters. Shorten it to 20,000 or fewer." in words(dialog)
    paste(dialog, "The ferry will sail.")
    assert "Shorten" not in words(dialog)
    assert dialog.save_button.isEnabled()
    dialog.reject()
    assert edits(stage) == []


def test_the_same_text_is_not_sent(stage: Stage, parent: QWidget) -> None:
    dialog = ask(stage, parent)
    paste(dialog, f" {FERRY}\n")
    dialog.save_button.click()
    assert dialog.isHidden()
    assert edits(stage) == []


def test_a_refused_text_is_not_lost(
    tmp_path: Path, parent: QWidget, qtbot: QtBot
) -> None:
    client = EditingClient()
    stage = Stage(build_project(tmp_path / "q.isogloss", is_encoded=False), client)
    with open_project(stage.folder) as client.project:
        values = {"task": "mine-pairs", "params": "{}", "state": "running"}
        with client.project.store.begin() as connection:
            connection.execute(insert(schema.run).values(**values, started_at=0.0))
        stage.open(qtbot)
        dialog = ask(stage, parent)
        paste(dialog, "The ferry sails.")
        dialog.save_button.click()
        problem = "A task is running. Edit the sentence when it has finished."
        qtbot.waitUntil(lambda: problem in words(dialog))
        assert dialog.field.toPlainText() == "The ferry sails."
        with client.project.store.begin() as connection:
            connection.execute(update(schema.run).values(state="finished"))
        with qtbot.waitSignal(dialog.destroyed):
            QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    stage.close()


def test_without_a_sentence_or_in_a_read_only_project_a_message_says_so(
    stage: Stage, parent: QWidget
) -> None:
    notices: list[str] = []
    stage.state.notice_posted.connect(notices.append)
    ask_sentence_text(stage.state, parent)
    assert stage.state.project is not None
    stage.state.select_sentence(sentence_id(1, 1))
    stage.state.project.is_read_only = True
    ask_sentence_text(stage.state, parent)
    assert notices == ["Select a sentence first.", "This project is read-only."]
    assert parent.findChildren(SentenceDialog) == []
