"""Texts read side by side in the real window, over the real engine and encoder."""

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.params.mining import AlignDocuments
from app.paths import resource_dir
from app.views.read.session import ReadingSource
from app.views.read.view import ReadView
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.label_menu import LabelMenu
from app.views.widgets.note_dialog import NoteDialog
from tests.engine.alignment.made import read_samples
from tests.engine.search.made import add_corpus
from tests.process.windows import WAIT_MS, Windows

N = 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two papers, linked sentence by sentence; the tenth has no translation."""
    samples = resource_dir() / "samples"
    german, english = (read_samples(samples, code)[0][:N] for code in ("de", "en"))
    with create_project(tmp_path / "papers.isogloss") as project:
        add_corpus(project, "Der Anzeiger", "de", german)
        add_corpus(project, "The Gazette", "en", english)
        links = [
            {
                "source_id": first_sentence_id(1) + row,
                "target_id": first_sentence_id(2) + row,
                "kind": "imported",
            }
            for row in range(N)
            if row != 9
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
    return tmp_path / "papers.isogloss"


def test_texts_are_read_and_a_sentence_comes_back_from_its_corpus(
    windows: Windows, folder: Path, qtbot: QtBot
) -> None:
    window = windows.open(folder, "read")
    view = window.view
    assert isinstance(view, ReadView)
    rows = view.session
    view.session.open(ReadingSource(1))  # the second text may be easier to read
    qtbot.waitUntil(
        lambda: rows.rows.n_rows == N + 1 and rows.rows.corpora[0].id == 1,
        timeout=WAIT_MS,
    )
    assert view.header.counts.text().startswith("31 rows · 2 with a gap")
    window.activateWindow()
    qtbot.waitUntil(view.board.hasFocus, timeout=WAIT_MS)
    QTest.keyClick(view.board, Qt.Key.Key_B)
    assert view.board.selection.row == 9
    QTest.keyClick(view.board, Qt.Key.Key_Up)
    sentence = view.board.sentence
    assert sentence == first_sentence_id(1) + 8
    QTest.keyClick(view.board, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: bool(view.words.description), timeout=WAIT_MS)
    assert "from 29 linked sentences" in view.words.description
    QTest.keyClick(view.board, Qt.Key.Key_O)
    assert window.view_name == "corpora"
    action = next(
        one
        for _, one in window.menus.actions
        if one.text() == "Read with its translations"
    )
    action.trigger()
    assert window.view_name == "read"
    assert view.board.sentence == sentence


def test_a_sentence_is_labelled_and_noted_and_both_are_undone(
    windows: Windows, folder: Path, qtbot: QtBot
) -> None:
    window = windows.open(folder, "read")
    view, state = window.view, window.state
    assert isinstance(view, ReadView)
    qtbot.waitUntil(lambda: view.session.rows.n_rows == N + 1, timeout=WAIT_MS)
    state.labels.add_class("weather")
    state.labels.add_class("harbour & sea")
    window.activateWindow()
    qtbot.waitUntil(view.board.hasFocus, timeout=WAIT_MS)
    board, sentence = view.board, view.board.sentence
    assert sentence is not None

    def is_marked(expected: str) -> bool:
        board.viewport().repaint()
        return board.describe_marks(sentence) == expected

    assert is_marked("")
    QTest.keyClick(board, Qt.Key.Key_L)
    (menu,) = board.findChildren(LabelMenu)
    qtbot.waitUntil(menu.isVisible, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: len(menu.actions()) == 5, timeout=WAIT_MS)
    assert [one.text() for one in menu.actions()] == [
        "&1  weather",
        "&2  harbour && sea",
        "New class…",
        "",
        "&0  Remove label",
    ]
    assert not menu.actions()[-1].isEnabled()  # nothing is labelled yet
    before = board.grab().toImage()
    QTest.keyClick(menu, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: is_marked("Label: harbour & sea"), timeout=WAIT_MS)
    assert board.grab().toImage() != before
    assert menu.isHidden()
    window.activateWindow()
    qtbot.waitUntil(board.hasFocus, timeout=WAIT_MS)
    QTest.keyClick(board, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: is_marked("Label: weather"), timeout=WAIT_MS)
    QTest.keyClick(board, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    (dialog,) = view.findChildren(NoteDialog)
    QTest.keyClicks(dialog.field, "Compare line 3")
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(dialog.field, Qt.Key.Key_Return, control)
    both = "Label: weather\nNote: Compare line 3"
    qtbot.waitUntil(lambda: is_marked(both), timeout=WAIT_MS)
    window.activateWindow()
    qtbot.waitUntil(board.hasFocus, timeout=WAIT_MS)
    QTest.keyClick(board, Qt.Key.Key_L)
    qtbot.waitUntil(menu.isVisible, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: menu.actions()[-1].isEnabled(), timeout=WAIT_MS)
    menu.actions()[2].trigger()
    menu.close()
    (ask,) = board.findChildren(TextInputDialog)
    QTest.keyClicks(ask.field, "tides")
    QTest.keyClick(ask.field, Qt.Key.Key_Return)
    tides = "Label: tides\nNote: Compare line 3"
    qtbot.waitUntil(lambda: is_marked(tides), timeout=WAIT_MS)
    window.activateWindow()
    qtbot.waitUntil(board.hasFocus, timeout=WAIT_MS)
    for expected in (both, "Label: weather", "Label: harbour & sea", ""):
        QTest.keyClick(board, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(partial(is_marked, expected), timeout=WAIT_MS)


def test_imported_links_stay_beside_an_alignment_of_some_lines(
    windows: Windows, folder: Path, qtbot: QtBot
) -> None:
    window = windows.open(folder, "read")
    view, state = window.view, window.state
    assert isinstance(view, ReadView)
    view.session.open(ReadingSource(1))
    qtbot.waitUntil(lambda: view.session.rows.n_rows == N + 1, timeout=WAIT_MS)
    names = "Der Anzeiger", "The Gazette"
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(
            AlignDocuments(
                source=names[0],
                target=names[1],
                source_lines="1-10",
                target_lines="1-10",
            )
        )
    qtbot.waitUntil(lambda: view.session.partners[0].has_choice, timeout=WAIT_MS)
    assert view.header.counts.text().startswith("31 rows · 2 with a gap")
    (box,) = (
        one
        for one in view.header.findChildren(QComboBox)
        if one.findText("Imported links") >= 0
    )
    box.setCurrentIndex(1)
    assert box.currentText() == "Der Anzeiger – The Gazette (aligned, lines 1–10)"
    box.activated.emit(1)
    qtbot.waitUntil(lambda: view.session.rows.n_rows == N, timeout=WAIT_MS)
    assert view.header.counts.text() == (
        "30 rows · 0 with a gap · 0 with several sentences · "
        "The Gazette: 9 imported links are replaced by the alignment"
    )
