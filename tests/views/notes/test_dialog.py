"""The list of notes: what it shows, finds, follows and exports."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.protocol import events
from app.protocol.edits import Change
from app.protocol.edits.general import SetNote
from app.protocol.edits.labels import LabelSentences
from app.protocol.edits.pairs import JudgePairs
from app.protocol.queries.classify import LabelCountsQuery
from app.views.notes import dialog as module
from app.views.notes.dialog import NotesDialog
from app.views.shell.main_window import MainWindow
from app.views.widgets.note_dialog import NoteDialog
from app.views.widgets.view_protocol import ReadingRequest
from tests.engine.review.made import edit
from tests.views.reviewing import make_pairs, pair_id
from tests.views.stage import Stage, link, sentence_id

FERRY = "The last ferry leaves at 9:30 in the evening. (0)"


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    folder = tmp_path / "p.isogloss"
    mining = make_pairs(folder, 4)
    pair = pair_id(mining, 1)
    write(folder, SetNote(sentence_id(1, 0), "Which harbour?"))
    write(folder, JudgePairs(pairs=(pair,), verdict="flag", note="Two boats?"))
    stage = Stage(folder)
    stage.open(qtbot)
    yield stage
    stage.close()


def write(folder: Path, change: Change) -> None:
    with open_project(folder) as project:
        edit(project, change)


@pytest.fixture
def dialog(stage: Stage, qtbot: QtBot) -> Iterator[NotesDialog]:
    window = QPushButton()
    qtbot.addWidget(window)
    dialog = NotesDialog(stage.state, window)
    dialog.show()
    yield dialog
    window.deleteLater()


def test_notes_on_sentences_and_pairs_are_listed_with_their_places(
    dialog: NotesDialog,
) -> None:
    assert dialog.shown_rows == [
        [
            "Two boats?",
            "The storm tore two boats loose. (1) – "
            "Der Sturm hat zwei Boote losgerissen. (1)",
            *("flagged", "Letters", "just now"),
        ],
        ["Which harbour?", FERRY, "", "Harbour letters · line 1", "just now"],
    ]


def test_the_ages_of_notes_are_updated(
    dialog: NotesDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = time.time() + 300
    monkeypatch.setattr("app.views.widgets.number_format.time.time", lambda: later)
    dialog._show_ages()
    items = [dialog.table.item(row, module.WHEN) for row in range(2)]
    assert [item.text() for item in items if item] == ["5 minutes ago"] * 2
    assert dialog.shown_rows[0][-1] == "5 minutes ago"


def test_notes_are_found_by_their_words_texts_and_places(dialog: NotesDialog) -> None:
    for typed, found in (
        ("harbour", ["Which harbour?"]),
        ("ferry LINE", ["Which harbour?"]),
        ("losgerissen", ["Two boats?"]),
        ("flagged", ["Two boats?"]),
        ("xyzzy", []),
    ):
        dialog.find_field.setText(typed)
        assert [row[0] for row in dialog.shown_rows] == found
    assert dialog._empty.text() == "No note contains this."
    assert not dialog.open_button.isEnabled()


def test_a_note_leads_to_its_pair_or_sentence(
    stage: Stage, dialog: NotesDialog, qtbot: QtBot
) -> None:
    reviewed = QSignalSpy(stage.state.view_requests.review_requested)
    placed = QSignalSpy(stage.state.view_requests.place_requested)
    assert dialog.open_button.text() == "Open in Review"
    dialog.open_button.click()
    mining = stage.state.minings[0].id
    assert reviewed.at(0) == [mining, pair_id(mining, 1)]
    dialog.table.selectRow(1)
    assert dialog.open_button.text() == "Show in corpus"  # nothing is linked
    QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    assert placed.at(0) == [sentence_id(1, 0)]


def test_a_note_on_a_linked_sentence_leads_to_read(
    stage: Stage, dialog: NotesDialog, qtbot: QtBot
) -> None:
    link(stage.folder, [(sentence_id(1, 0), sentence_id(2, 0))])
    write(stage.folder, SetNote(sentence_id(1, 2), "Jonas?"))
    read = QSignalSpy(stage.state.view_requests.reading_requested)
    stage.client.event_received.emit(events.Changed("note", sentence_id(1, 2)))
    qtbot.waitUntil(lambda: len(dialog.shown_rows) == 3)
    dialog.table.selectRow(0)
    assert dialog.open_button.text() == "Open in Read"
    dialog.open_button.click()
    assert read.at(0) == [ReadingRequest(sentence_id(1, 2))]


def test_the_note_on_a_sentence_is_edited(
    stage: Stage, dialog: NotesDialog, qtbot: QtBot
) -> None:
    dialog.table.selectRow(1)
    dialog._edit.click()
    (question,) = dialog.findChildren(NoteDialog)
    assert question.field.toPlainText() == "Which harbour?"
    question.field.setPlainText("Husum.")
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(question.field, Qt.Key.Key_Return, control)
    assert stage.client.changes() == [SetNote(sentence_id(1, 0), "Husum.")]


def test_the_note_on_a_pair_is_edited(stage: Stage, dialog: NotesDialog) -> None:
    dialog.table.selectRow(0)
    row = dialog._notes[0]
    assert row.pair_id
    dialog._edit.click()
    (question,) = dialog.findChildren(NoteDialog)
    assert question.field.toPlainText() == row.text
    question.field.setPlainText("Ask again.")
    question.done_button.click()
    change = JudgePairs(pairs=(row.pair_id,), note="Ask again.")
    assert stage.client.changes() == [change]


def test_ctrl_enter_saves_an_empty_note_which_removes_it(
    stage: Stage, dialog: NotesDialog, qtbot: QtBot
) -> None:
    dialog.table.selectRow(1)
    dialog._edit.click()
    (question,) = dialog.findChildren(NoteDialog)
    assert question.windowTitle() == "Note"
    (save,) = [
        one for one in question.findChildren(QPushButton) if one.text() == "Save note"
    ]
    assert "Ctrl+Enter" in save.toolTip()
    question.field.clear()
    qtbot.waitUntil(question.isActiveWindow)
    QTest.keyClick(
        question.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier
    )
    assert stage.client.changes() == [SetNote(sentence_id(1, 0), "")]


def test_the_shown_notes_are_exported(
    stage: Stage, dialog: NotesDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog.find_field.setText("harbour?")
    export = dialog.ask_export()
    assert export.preview.count.text() == "1 row."
    with qtbot.waitSignal(stage.state.file_written):
        export.export_to(tmp_path / "notes.tsv")
    head, row = (tmp_path / "notes.tsv").read_text("utf-8").splitlines()
    assert head.split("\t") == ["note", "sentence", "mark", "place", "time", "who"]
    assert row.split("\t")[:4] == [
        *("Which harbour?", FERRY, "", "Harbour letters · line 1"),
    ]


@pytest.fixture
def labelled(stage: Stage) -> None:
    for index, name in enumerate(("sea", "wind", "sea")):
        ids = (sentence_id(1, index),)
        write(stage.folder, LabelSentences(sentences=ids, class_name=name))
    counts = [{"id": 1, "n_labelled": 3, "n_classes": 2}]
    classes = [("sea", 2), ("wind", 1)]
    answer = {"corpora": [counts[0] | {"classes": classes}]}
    stage.client.answers[LabelCountsQuery] = lambda _: answer


def choose(dialog: NotesDialog, words: str) -> None:
    index = dialog.choice.findText(words)
    dialog.choice.setCurrentIndex(index)
    dialog.choice.activated.emit(index)


def test_labels_are_listed_and_chosen_by_class(
    stage: Stage, labelled: None, dialog: NotesDialog, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: dialog.choice.count() == 4)
    choose(dialog, "All labels")
    assert [row[2] for row in dialog.shown_rows] == ["sea", "wind", "sea"]
    assert dialog._count.text() == "3 labels"
    assert dialog.table.isColumnHidden(0)  # the notes
    choose(dialog, "Label: wind")
    (row,) = dialog.shown_rows
    assert row[2:4] == ["wind", "Harbour letters · line 2"]
    dialog.find_field.setText("xyzzy")
    assert dialog._empty.text() == "No label contains this."
    dialog.find_field.clear()
    placed = QSignalSpy(stage.state.view_requests.place_requested)
    dialog.open_button.click()
    assert placed.at(0) == [sentence_id(1, 1)]
    choose(dialog, "Notes and flags")
    assert [row[0] for row in dialog.shown_rows] == ["Two boats?", "Which harbour?"]


def test_older_pages_are_shown_and_exported(
    stage: Stage,
    labelled: None,
    dialog: NotesDialog,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 2)
    qtbot.waitUntil(lambda: dialog.choice.count() == 4)
    assert not dialog.older_button.isVisible()
    choose(dialog, "All labels")
    assert dialog._count.text() == "2 labels from 1 to 2, newest first"
    assert not dialog.newer_button.isVisible()
    dialog.older_button.click()
    assert dialog._count.text() == "1 label from 3 to 3, newest first"
    assert [row[1] for row in dialog.shown_rows] == [FERRY]
    assert not dialog.older_button.isVisible()
    export = dialog.ask_export()
    export.rows_box.setCurrentIndex(1)
    assert export.preview.count.text() == "3 rows."
    with qtbot.waitSignal(stage.state.file_written):
        export.export_to(tmp_path / "labels.tsv")
    rows = (tmp_path / "labels.tsv").read_text("utf-8").splitlines()[1:]
    assert [row.split("\t")[2] for row in rows] == ["sea", "wind", "sea"]
    dialog.newer_button.click()
    assert len(dialog.shown_rows) == 2


def test_the_list_is_opened_from_the_menu_and_closes_with_the_project(
    open_window: MainWindow, qtbot: QtBot
) -> None:
    action = next(
        action
        for category, action in open_window.menus.actions
        if (category, action.text()) == ("View", "Notes…")
    )
    action.trigger()
    action.trigger()
    (dialog,) = open_window.findChildren(NotesDialog)
    assert "No notes yet." in dialog._empty.text()
    assert dialog._empty.isVisible()
    open_window.state.close_project()
    qtbot.waitUntil(lambda: not open_window.findChildren(NotesDialog))
