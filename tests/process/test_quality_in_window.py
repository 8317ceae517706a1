"""The real window over the real engine: find duplicates, hide them, undo."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.store.corpora import first_sentence_id
from app.params.quality import FindDuplicates
from app.protocol.edits.corpora import EditSentence, HideSentences
from app.protocol.edits.general import SetNote
from app.views.quality.view import QualityView
from tests.engine.search.made import add_corpus
from tests.process.windows import Windows
from tests.views.stage import selected

WAIT_MS = 60_000
TEXTS = [
    "The ferry will not sail tomorrow because of the storm.",
    "The wind has been in the north-west since noon.",
    "The ferry will not sail tomorrow because of the storm.",
    "The ferry will not sail tomorow because of the storm.",
    "So we are staying one more night.",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        add_corpus(project, "Letters", "en", TEXTS)
    return folder


def test_undo_names_the_other_view_in_which_a_change_was_made(
    folder: Path, qtbot: QtBot, windows: Windows
) -> None:
    window = windows.open(folder, "quality")
    state = window.state
    first = first_sentence_id(1)
    entry = next(one for title, one in window.menus.actions if title == "Edit")

    def is_named(text: str) -> None:
        qtbot.waitUntil(lambda: entry.text() == text, timeout=WAIT_MS)

    named = "the sentence “The ferry will not sail tomorrow…”"
    state.edit(HideSentences(sentences=(first,)))
    is_named(f"Undo: hide {named}")
    window.show_view("corpora")
    is_named(f"Undo in Quality: hide {named}")
    state.edit(SetNote(sentence=first, text="storm"))
    is_named(f"Undo: write a note on {named}")
    state.undo()
    is_named(f"Undo in Quality: hide {named}")
    window.show_view("quality")
    is_named(f"Undo: hide {named}")
    state.redo()
    is_named(f"Undo in Corpora: write a note on {named}")
    state.undo()
    is_named(f"Undo: hide {named}")
    state.edit(EditSentence(sentence=first + 4, text="We stay."))  # the id of the note
    is_named("Undo: edit the sentence “We stay.”")
    window.close()
    window = windows.open(folder, "corpora")
    entry = next(one for title, one in window.menus.actions if title == "Edit")
    is_named("Undo: edit the sentence “We stay.”")  # from an earlier window


def place_buttons(page: QWidget) -> list[QRect]:
    """Return the places of the visible buttons."""
    buttons = page.findChildren(QPushButton)
    return [
        QRect(one.mapTo(page, QPoint()), one.size())
        for one in buttons
        if one.isVisible()
    ]


def test_duplicates_are_found_hidden_and_shown_again(
    folder: Path, qtbot: QtBot, windows: Windows
) -> None:
    window = windows.open(folder, "quality")
    view = window.view
    assert isinstance(view, QualityView)
    table = view.page.table
    view.controller.run(FindDuplicates())
    qtbot.waitUntil(lambda: table.findings.rowCount() == 2, timeout=WAIT_MS)
    first = table.current
    assert first is not None
    assert first.finding.kind == "equal"
    assert first.sentence is not None
    assert first.sentence.id == first_sentence_id(1) + 2
    assert selected(window.state) == first.sentence.id
    assert window.inspector_dock.isVisible()
    window.show_view("corpora")
    assert selected(window.state) is None
    assert window.inspector_dock.isVisible()  # beside sentences to select
    window.show_view("quality")
    assert selected(window.state) == first.sentence.id
    unresolved = view.page.unresolved
    qtbot.waitUntil(lambda: unresolved.text() == "2 unresolved", timeout=WAIT_MS)
    assert not unresolved.isEnabled()
    before = place_buttons(view.page)

    view.controller.actions["hide"].trigger()
    qtbot.waitUntil(lambda: state_of(view, 0) == "hidden", timeout=WAIT_MS)
    assert table.currentIndex().row() == 1
    assert state_of(view, 1) == ""
    qtbot.waitUntil(lambda: view.messages.text == "1 sentence is hidden.")
    hiding = "hide the sentence “The ferry will not sail tomorrow…”"
    edit_menu = [one for title, one in window.menus.actions if title == "Edit"]
    qtbot.waitUntil(lambda: edit_menu[0].text() == f"Undo: {hiding}")
    qtbot.waitUntil(lambda: unresolved.text() == "1 unresolved", timeout=WAIT_MS)
    unresolved.click()
    qtbot.waitUntil(lambda: table.findings.rowCount() == 1, timeout=WAIT_MS)
    assert unresolved.text() == "Show all findings"
    assert place_buttons(view.page) == before
    assert state_of(view, 0) == ""
    view.controller.actions["hide"].trigger()
    qtbot.waitUntil(lambda: state_of(view, 0) == "hidden", timeout=WAIT_MS)
    view.page.kind_filter.changed.emit()  # reads the unresolved findings again: none
    qtbot.waitUntil(lambda: table.findings.rowCount() == 0, timeout=WAIT_MS)
    assert selected(window.state) is None
    assert window.inspector_dock.isVisible()  # the page keeps its width
    window.state.undo()
    qtbot.waitUntil(lambda: table.findings.rowCount() == 1, timeout=WAIT_MS)
    unresolved.click()
    assert table.findings.rowCount() == 2

    window.state.undo()
    qtbot.waitUntil(lambda: state_of(view, 0) == "", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not unresolved.isEnabled(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: edit_menu[0].text() == "Undo")
    assert edit_menu[1].text() == f"Redo: {hiding}"

    view.controller.actions["hide_all"].trigger()
    qtbot.waitUntil(lambda: state_of(view, 1) == "hidden", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: view.messages.text == "2 sentences are hidden.")
    with qtbot.waitSignal(window.state.notice_posted) as told:
        view.controller.actions[
            "hide_all"
        ].trigger()  # an undo now would take back another step
    assert told.args == ["These sentences are already hidden."]
    view.controller.run(FindDuplicates())  # what is hidden takes no part
    qtbot.waitUntil(lambda: len(view.list.ids) == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: table.findings.rowCount() == 0, timeout=WAIT_MS)
    assert view.list.rows[1].facts.startswith("no findings")
    view.list.choose(view.list.ids[0])
    assert table.findings.rowCount() == 2
    view.controller.actions["restore_all"].trigger()
    qtbot.waitUntil(lambda: state_of(view, 1) == "", timeout=WAIT_MS)


def state_of(view: QualityView, row: int) -> str:
    shown = view.page.table.findings.finding_at(row)
    assert shown is not None
    return shown.state
