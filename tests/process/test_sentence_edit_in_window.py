"""Correct a sentence in the real window: every view shows and finds the new text."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.encode import encode
from app.params.projection import ProjectMap
from app.params.vectors import Encode
from app.settings import Settings
from app.views.concordance.view import ConcordanceView
from app.views.corpora.view import CorporaView
from app.views.map.view import MapView
from app.views.read.session import ReadingSource
from app.views.read.view import ReadView
from app.views.search.view import SearchView
from app.views.shell.application import make_window
from app.views.shell.inspector import Inspector
from app.views.shell.main_window import MainWindow
from app.views.widgets.search_query import SearchQuery
from app.views.widgets.sentence_editor import SentenceDialog
from app.views.widgets.theme import Theme
from app.views.widgets.view_protocol import TextLookup
from tests.engine.search.made import add_corpus
from tests.process.windows import WAIT_MS

ENGLISH = ["The ferry leaves at noon.", "A hous by the sea.", "The harbour sleeps."]
GERMAN = ["Die Fähre legt mittags ab.", "Ein Haus am Meer.", "Der Hafen schläft."]
OLD, NEW = ENGLISH[1], "A house by the sea."
V = TypeVar("V")
SENTENCE = first_sentence_id(1) + 1


@pytest.fixture
def folder(tmp_path: Path, data_dir: Path) -> Path:
    """Two encoded corpora, linked line by line; one sentence has a typing error."""
    with create_project(tmp_path / "a.isogloss") as project:
        add_corpus(project, "Logs", "en", ENGLISH)
        add_corpus(project, "Hafen", "de", GERMAN)
        links = [
            {
                "source_id": first_sentence_id(1) + n,
                "target_id": first_sentence_id(2) + n,
                "kind": "gold",
            }
            for n in range(3)
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.link), links)
        encode(project, Encode(corpora=("Logs", "Hafen")), Report())
    return tmp_path / "a.isogloss"


@pytest.fixture
def window(
    qtbot: QtBot, qapp: QApplication, data_dir: Path, folder: Path
) -> Iterator[MainWindow]:
    """The window of the program, with its inspector, over the real engine."""
    settings = Settings(theme="light")
    theme = Theme(qapp, settings)
    window = make_window(settings, theme)
    window.show()
    open_project(window, qtbot, folder)
    yield window
    window.close()
    qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)
    window.deleteLater()
    theme.deleteLater()


def open_project(window: MainWindow, qtbot: QtBot, folder: Path) -> None:
    with qtbot.waitSignal(window.state.project_opened, timeout=WAIT_MS):
        window.state.open_project(folder)
    window.show_view("corpora")
    qtbot.waitUntil(
        lambda: isinstance(window.view, CorporaView) and len(shown(window.view)) == 3,
        timeout=WAIT_MS,
    )


def view_of(window: MainWindow, kind: type[V]) -> V:
    view = window.view
    assert isinstance(view, kind)
    return view


def open_dialog(window: MainWindow, action: QAction | None = None) -> SentenceDialog:
    """Open the dialog by an action, else by that of the palette."""
    named = [one for _, one in window.menus.actions if one.text() == "Edit sentence…"]
    assert len(named) == 1
    (action or named[0]).trigger()
    (dialog,) = [one for one in window.findChildren(SentenceDialog) if one.isVisible()]
    return dialog


def correct(window: MainWindow, qtbot: QtBot, dialog: SentenceDialog, to: str) -> None:
    """Type a text, press Enter, and wait until the views know."""
    dialog.field.selectAll()
    dialog.field.insertPlainText(to)
    with (
        qtbot.waitSignal(window.state.texts_changed, timeout=WAIT_MS),
        qtbot.waitSignal(dialog.destroyed, timeout=WAIT_MS),
    ):
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)


def undo(window: MainWindow, qtbot: QtBot, name: str = "Undo") -> None:
    action = window.menus._undo if name == "Undo" else window.menus._redo
    named = re.compile(f"{name}( in [A-Z][a-z]+)?: edit the sentence “")
    qtbot.waitUntil(lambda: bool(named.match(action.text())), timeout=WAIT_MS)
    with qtbot.waitSignal(window.state.texts_changed, timeout=WAIT_MS):
        action.trigger()


def wait_for_hits(view: SearchView, qtbot: QtBot, best: str, query: str) -> None:
    """Wait until the best hit has a text; the query has one too."""

    def _are_shown() -> bool:
        hits = [column.hits[0] for column in view.columns.columns if column.hits]
        is_best = best in [hit.sentence.text for hit in hits]
        return is_best and view.controller.query.text == query

    qtbot.waitUntil(_are_shown, timeout=WAIT_MS)


def wait_for_lines(view: ConcordanceView, qtbot: QtBot, n: int) -> None:
    qtbot.waitUntil(lambda: view.table.lines.rowCount() == n, timeout=WAIT_MS)


def inspected(window: MainWindow) -> str:
    (inspector,) = window.findChildren(Inspector)
    labels = inspector.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisible())


def header_of(view: CorporaView) -> str:
    labels = view.header.findChildren(QLabel)
    return "\n".join(label.text() for label in labels if label.isVisible())


def shown(view: CorporaView) -> list[str]:
    model = view.page.table.page_model
    return [model.index(row, 1).data() for row in range(model.rowCount())]


def test_a_sentence_is_corrected_in_its_corpus_and_back_after_a_project_switch(
    window: MainWindow, qtbot: QtBot, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "b.isogloss"
    shutil.copytree(folder, other)
    for project in (folder, other, folder):
        open_project(window, qtbot, project)
        view = view_of(window, CorporaView)
        view.show_sentence(SENTENCE)
        qtbot.waitUntil(lambda: OLD in inspected(window), timeout=WAIT_MS)
        correct(window, qtbot, open_dialog(window), NEW)
        assert shown(view) == [ENGLISH[0], NEW, ENGLISH[2]]
        assert "1 sentence edited" in header_of(view)
        assert window.state.selection == SENTENCE
        assert view.page.table.current_id == SENTENCE
        assert NEW in inspected(window)
        assert OLD not in inspected(window)
        undo(window, qtbot)
        assert shown(view) == ENGLISH
        assert "edited" not in header_of(view)
        undo(window, qtbot, "Redo")
        assert shown(view)[1] == NEW
        undo(window, qtbot)
    dialog = open_dialog(window)
    with qtbot.waitSignal(dialog.destroyed, timeout=WAIT_MS):
        open_project(window, qtbot, other)


def test_a_map_names_how_many_of_its_sentences_changed_after_it_was_made(
    window: MainWindow, qtbot: QtBot
) -> None:
    params = ProjectMap(corpora=("Logs",), method="pca", name="Meaning")
    with qtbot.waitSignal(window.state.run_finished, timeout=WAIT_MS):
        window.state.run(params)
    window.show_view("map")
    pane = view_of(window, MapView).page.pane
    qtbot.waitUntil(lambda: pane.colouring is not None, timeout=WAIT_MS)
    assert not pane.edits.isVisible()
    for sentence, new in ((SENTENCE, NEW), (first_sentence_id(2), f"{GERMAN[0]}!")):
        window.show_view("corpora")
        view_of(window, CorporaView).show_sentence(sentence)
        correct(window, qtbot, open_dialog(window), new)
        window.show_view("map")
        changed = "1 sentence changed after this map was made. Make it again."
        qtbot.waitUntil(pane.edits.isVisible, timeout=WAIT_MS)
        assert pane.edits.text() == changed  # the German one is not on the map
    undo(window, qtbot)
    undo(window, qtbot)
    qtbot.waitUntil(pane.edits.isHidden, timeout=WAIT_MS)


def test_read_search_and_concordance_show_the_new_text(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.state.view_requests.concordance_requested.emit(TextLookup("hous"))
    concordance = view_of(window, ConcordanceView)
    wait_for_lines(concordance, qtbot, 1)
    window.show_view("search")
    search = view_of(window, SearchView)
    sentence = search.controller.find_sentence(SENTENCE)
    assert sentence is not None
    search.controller.search_sentence(sentence, SearchQuery())
    wait_for_hits(search, qtbot, GERMAN[1], OLD)
    window.show_view("read")
    read = view_of(window, ReadView)
    read.session.open(ReadingSource(1))
    qtbot.waitUntil(lambda: read.session.rows.n_rows == 3, timeout=WAIT_MS)
    QTest.keyClick(read.board, Qt.Key.Key_Down)
    assert read.board.sentence == SENTENCE
    (action,) = [one for one in read.board.actions() if one.text() == "Edit sentence…"]
    correct(window, qtbot, open_dialog(window, action), NEW)
    row = read.board.read_sentence(SENTENCE)
    assert row is not None
    assert row.text == NEW
    wait_for_lines(concordance, qtbot, 0)
    wait_for_hits(search, qtbot, GERMAN[1], NEW)
    search.controller.send(SearchQuery(text="hous", words=True))
    qtbot.waitUntil(lambda: not search.results.shows_hits, timeout=WAIT_MS)
    search.controller.send(SearchQuery(text="house", words=True))
    wait_for_hits(search, qtbot, NEW, "house")
    window.state.view_requests.concordance_requested.emit(TextLookup("house"))
    wait_for_lines(concordance, qtbot, 1)


def test_a_line_whose_hit_does_not_move_shows_the_new_text_and_that_after_undo(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.state.view_requests.concordance_requested.emit(TextLookup("A"))
    concordance = view_of(window, ConcordanceView)
    lines = concordance.table.lines
    wait_for_lines(concordance, qtbot, 1)

    def _text() -> str:
        row = lines.row_at(0)
        return row.sentence.text if row is not None else ""

    assert _text() == OLD
    window.state.select_sentence(SENTENCE)
    correct(window, qtbot, open_dialog(window), NEW)
    qtbot.waitUntil(lambda: _text() == NEW, timeout=WAIT_MS)
    undo(window, qtbot)
    qtbot.waitUntil(lambda: _text() == OLD, timeout=WAIT_MS)
