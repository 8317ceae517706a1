"""The concordance over the real engine: type, sort, turn lines into more; undo."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.labels import read_label
from app.engine.store.pairs.sets import first_pair_id, list_pair_sets, read_pairs
from app.engine.store.words.hit_lists import list_hit_lists
from app.params.corpora import ImportCorpus
from app.params.vectors import Encode
from app.params.words import MoveHits
from app.views.client.state import AppState
from app.views.concordance.dialogs import ConcordanceExportDialog, HitListDialog
from app.views.concordance.view import ConcordanceView
from app.views.review.view import ReviewView
from app.views.shell.main_window import MainWindow
from app.views.widgets.dialogs import ReportDialog
from tests.engine.search.made import add_corpus
from tests.process.windows import WAIT_MS, Windows

ENGLISH = [
    "The old harbour sleeps.",
    "A ferry left the new harbour 🚢 early.",
    "Nobody saw the harbour again.",
    "The ferry is late.",
]
GERMAN = [
    "Der alte Hafen schläft.",
    "Eine Fähre verließ früh den neuen Hafen.",
    "Niemand sah den Hafen wieder.",
    "Die Fähre ist spät.",
]
ARABIC = ["وصلت السفينة إلى الميناء القديم.", "نام الميناء في الليل."]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three languages, two of them linked line by line; nothing is indexed yet."""
    folder = tmp_path / "port.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "Logs", "en", ENGLISH)
        add_corpus(project, "Hafen", "de", GERMAN)
        add_corpus(project, "ميناء", "ar", ARABIC)
        links = [
            {
                "source_id": first_sentence_id(1) + n,
                "target_id": first_sentence_id(2) + n,
                "kind": "gold",
            }
            for n in (0, 2)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
    return folder


CONTAINS = Qt.MatchFlag.MatchContains


def has_minings(state: AppState) -> bool:
    return state.project is not None and bool(state.project.minings)


def view_of(window: MainWindow) -> ConcordanceView:
    view = window.view
    assert isinstance(view, ConcordanceView)
    return view


def type_and_enter(view: ConcordanceView, qtbot: QtBot, text: str) -> None:
    view.bar.field.clear()
    view.bar.field.insert(text)
    QTest.keyClick(view.bar.field, Qt.Key.Key_Return)
    wait(view, qtbot)


def wait(view: ConcordanceView, qtbot: QtBot) -> None:
    """Wait for the lines of what was asked, indexed."""

    def _is_there() -> bool:
        shown = view.session.shown
        is_waiting = view.session.is_waiting or view.session.indexing is not None
        return not is_waiting and (shown is None or not shown.not_indexed)

    qtbot.waitUntil(_is_there, timeout=WAIT_MS)


def press(view: ConcordanceView, qtbot: QtBot, key: Qt.Key) -> None:
    """Press a key on the lines, in the window that is active."""
    view.window().activateWindow()
    view.table.setFocus()
    qtbot.waitUntil(view.table.hasFocus, timeout=WAIT_MS)
    QTest.keyClick(view.table, key)


def write_lines(view: ConcordanceView, qtbot: QtBot, out: Path) -> int:
    """Export what is shown by the dialog; gives the rows with their header."""
    view.result_actions.export()
    export = view.findChildren(ConcordanceExportDialog)[-1]
    export.form.write({"out": out, "near": []})
    with qtbot.waitSignal(view.state.run_finished, timeout=WAIT_MS):
        export.run_button.click()
        for box in export.findChildren(QMessageBox):
            assert box.text() == f"{out} exists."
            box.defaultButton().click()
    return len(out.read_text(encoding="utf-8").splitlines())


def buttons_of(window: MainWindow) -> list[str]:
    return [one.text() for one in window.message_bar.findChildren(QPushButton)]


def shown(view: ConcordanceView) -> list[str]:
    """Return what the table shows, hits in brackets."""
    model = view.table.lines
    return [str(model.index(row, 3).data()) for row in range(model.rowCount())]


def test_lines_are_found_sorted_and_turned_into_more(
    folder: Path, windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    window = windows.open(folder, "concordance")
    view, state = view_of(window), window.state
    assert state.project is not None
    store = state.project.store
    qtbot.waitUntil(lambda: bool(state.encoders.cards), timeout=WAIT_MS)
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(Encode(corpora=("1", "2", "3")))
    view.neighbour_languages.choose(("de",))

    type_and_enter(view, qtbot, "harbour")
    assert shown(view) == [
        "The old [harbour] sleeps.",
        "A ferry left the new [harbour] 🚢 early.",
        "Nobody saw the [harbour] again.",
    ]
    assert view.bar.count.text().startswith("3 hits in 3 of 10 sentences")
    view.table.select_row(0)
    press(view, qtbot, Qt.Key.Key_Left)
    wait(view, qtbot)
    assert [line.split("[")[0].split()[-1] for line in shown(view)] == [
        *("new", "old", "the")
    ]
    assert view.table.currentIndex().row() == 1  # the current line moved along

    def _is_near() -> bool:
        return view.neighbours.near(first_sentence_id(1)) is not None

    qtbot.waitUntil(_is_near, timeout=WAIT_MS)
    (near,) = view.neighbours.near(first_sentence_id(1)) or ()
    assert (near.id, near.is_translation) == (first_sentence_id(2), True)
    press(view, qtbot, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: bool(list_pair_sets(store)), timeout=WAIT_MS)
    (row,) = list_pair_sets(store)
    (pair,) = read_pairs(store, [first_pair_id(row.id)])
    assert pair is not None
    assert (pair.source_id, pair.target_id) == (
        first_sentence_id(1),
        first_sentence_id(2),
    )
    qtbot.waitUntil(lambda: has_minings(state), timeout=WAIT_MS)
    told = view.page.messages
    qtbot.waitUntil(lambda: "Added the pair to review" in told.text, timeout=WAIT_MS)
    state.undo()  # and what offers to review it goes with the pair
    qtbot.waitUntil(lambda: not told.text, timeout=WAIT_MS)
    state.redo()
    qtbot.waitUntil(lambda: has_minings(state), timeout=WAIT_MS)
    state.view_requests.review_requested.emit(row.id, pair.id)
    assert isinstance(window.view, ReviewView)
    review = window.view
    qtbot.waitUntil(lambda: review.session.shown is not None, timeout=WAIT_MS)

    window.show_view("concordance")
    state.labels.add_class("sea")
    view.table.select_row(1)
    press(view, qtbot, Qt.Key.Key_1)
    qtbot.waitUntil(
        lambda: read_label(store, first_sentence_id(1)) == "sea", timeout=WAIT_MS
    )
    qtbot.waitUntil(lambda: not view.table.isColumnHidden(4))
    state.undo()
    qtbot.waitUntil(
        lambda: read_label(store, first_sentence_id(1)) == "", timeout=WAIT_MS
    )

    view.table.select_row(1)
    press(view, qtbot, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: len(shown(view)) == 2, timeout=WAIT_MS)
    state.undo()
    qtbot.waitUntil(lambda: len(shown(view)) == 3, timeout=WAIT_MS)


def test_scripts_expressions_and_errors(
    folder: Path, windows: Windows, qtbot: QtBot
) -> None:
    window = windows.open(folder, "concordance")
    view = view_of(window)
    type_and_enter(view, qtbot, "الميناء")
    assert shown(view) == [
        "وصلت السفينة إلى [الميناء] القديم.",
        "نام [الميناء] في الليل.",
    ]
    view.bar.switch_mode()
    type_and_enter(view, qtbot, r"🚢\s\w+")
    assert shown(view) == ["A ferry left the new harbour [🚢 early]."]
    type_and_enter(view, qtbot, "(ferry")
    assert "is not a valid regular expression" in view.bar.error.text()
    assert shown(view) == []
    assert not view.actions_by_name["save"].isEnabled()
    assert [(one.text, one.mode) for one in view.history.queries()] == [
        ("(ferry", "regex"),
        (r"🚢\s\w+", "regex"),
        ("الميناء", "regex"),
        ("الميناء", "words"),
    ]


def test_hits_are_kept_opened_renamed_moved_and_written(
    folder: Path, windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    window = windows.open(folder, "concordance")
    view, state = view_of(window), window.state
    assert state.project is not None
    store = state.project.store
    type_and_enter(view, qtbot, "harbour")
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        view.result_actions.save_as("Harbours")
    type_and_enter(view, qtbot, "ferry")
    view.result_actions.show_lists()
    (dialog,) = view.findChildren(HitListDialog)
    assert [(row.name, row.n_hits) for row in dialog.rows] == [("Harbours", 3)]
    dialog.open_chosen()
    assert view.session.shows_saved_list
    assert [line.split("[")[1][:7] for line in shown(view)] == ["harbour"] * 3
    assert view.bar.count.text().startswith("Harbours: 3 hits, saved")
    kept = tmp_path / "kept.tsv"
    assert write_lines(view, qtbot, kept) == 4
    qtbot.waitUntil(lambda: "Show in folder" in buttons_of(window), timeout=WAIT_MS)
    assert "Open" in buttons_of(window)
    kept.write_text("older", encoding="utf-8")
    assert write_lines(view, qtbot, kept) == 4, "after a question"

    dialog = HitListDialog(state, view)
    dialog.delete()
    qtbot.waitUntil(lambda: not dialog.rows, timeout=WAIT_MS)
    state.undo()
    qtbot.waitUntil(lambda: len(dialog.rows) == 1, timeout=WAIT_MS)
    dialog.close()

    file = tmp_path / "again.txt"
    corrected = ["Added.", *ENGLISH[:2], "Everything else is gone."]
    file.write_text("\n".join(corrected), encoding="utf-8", newline="\n")
    again = ImportCorpus(files=(file,), languages=("en",), names=("Logs 2",))
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        state.run(again)
    with qtbot.waitSignal(state.run_finished, timeout=WAIT_MS):
        view.result_actions.move_hits(MoveHits(hits="Harbours", corpus="Logs 2"))
    assert [row.n_hits for row in list_hit_lists(store)] == [3, 2]
    (report,) = view.findChildren(ReportDialog)
    assert report.sentence
    assert "line 1 → 2: The old harbour sleeps." in report.report
    assert "line 3, lost: Nobody saw the harbour again." in report.report
    report.close()
    dialog = HitListDialog(state, view)
    tree, corpora = dialog.tree, ["Logs 2", ""]  # the newest first
    qtbot.waitUntil(
        lambda: [one.text(3) for one in tree.findItems("", CONTAINS)] == corpora,
        timeout=WAIT_MS,
    )
    dialog.close()

    type_and_enter(view, qtbot, "early")
    assert write_lines(view, qtbot, tmp_path / "lines.tsv") == 3

    client = state.client  # and its engine ends in the middle of a question
    with qtbot.waitSignal(client.engine_stopped, timeout=WAIT_MS):
        view.bar.field.setText("ferry")
        view.bar.submitted.emit()
        client.kill()
    qtbot.waitUntil(lambda: not view.session.is_waiting, timeout=WAIT_MS)
    assert view.bar.error.text() == "The engine stopped. Search again."
    assert view.page.retry_button.isVisible()
    view.page.retry_button.click()
    wait(view, qtbot)
    assert len(shown(view)) == 3
    type_and_enter(view, qtbot, "nobody ever wrote this")
    assert view.page.retry_button.isHidden()
    type_and_enter(view, qtbot, "ferry")
    assert len(shown(view)) == 3  # one of them in the corrected file
