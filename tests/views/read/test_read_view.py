"""The read view: rows side by side, find, breaks, words, and places elsewhere."""

import re
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QMessageBox,
    QPushButton,
    QStyleOptionComboBox,
)
from pytestqt.qtbot import QtBot
from sqlalchemy import insert, update

from app.engine.process.queries import answer_query
from app.engine.project.project import Project, open_project
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import first_pair_id
from app.engine.store.subcorpora import add_subcorpus, write_subcorpus_ids
from app.engine.tasks.export_pairs import export_pairs
from app.protocol.edits.pairs import JudgePairs
from app.protocol.queries.pairs import PairExportQuery
from app.protocol.queries.reading import (
    LinkedCorporaQuery,
    ReadingQuery,
    WordLinksQuery,
)
from app.protocol.queries.search import OrderQuery
from app.settings import Settings
from app.views.mining.pairs import PairsPage
from app.views.read.layout import HEADING_HEIGHT
from app.views.read.model import Place
from app.views.read.session import ReadingSource
from app.views.read.view import ReadView
from app.views.widgets.corpus_choices import rank_language
from app.views.widgets.note_dialog import NoteDialog
from app.views.widgets.pair_export_dialog import PairExportDialog
from app.views.widgets.theme import colours_of, scaled
from app.views.widgets.view_protocol import ReadingRequest
from tests.engine.search.made import WordEncoder, use_encoder
from tests.views.clipping import clipped_texts, press_everything
from tests.views.editing import EditingClient, add_alignment
from tests.views.mined import MINING, add_mining
from tests.views.stage import Stage, build_project, copy_built, link, painted_svg

ENGLISH = ["the red boat", "the red house", "a blue boat", "a blue house", "the end"]
GERMAN = ["das rote boot", "das rote haus", "ein blaues boot", "ein blaues haus"]
ARABIC = ["القارب الأحمر", "البيت الأحمر", "قارب أزرق"]
# English 2 and 3 are one German sentence; English 4 and German 3 have no translation.
PAIRS = [(0, 0), (1, 1), (2, 2), (3, 2)]
Key = Qt.Key


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copy_built(tmp_path / "p.isogloss", _build)


def _build(folder: Path) -> None:
    build_project(
        folder,
        {"Boats": ("en", ENGLISH), "Boote": ("de", GERMAN), "قوارب": ("ar", ARABIC)},
    )
    one, two, three = (first_sentence_id(id_) for id_ in (1, 2, 3))
    link(folder, [(one + i, two + j) for i, j in PAIRS])
    link(folder, [(one, three + 1), (one + 1, three)])


@pytest.fixture
def project(folder: Path) -> Iterator[Project]:
    with open_project(folder) as project:
        yield project


@pytest.fixture
def stage(
    folder: Path, project: Project, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    """A stage whose queries the engine's own functions answer."""
    use_encoder(monkeypatch, WordEncoder())
    client = EditingClient()
    client.project = project
    stage = Stage(folder, client)
    session = SearchSession(project)
    kinds = (LinkedCorporaQuery, ReadingQuery, WordLinksQuery, OrderQuery)
    for kind in (*kinds, PairExportQuery):
        stage.client.answers[kind] = lambda query: answer_query(session, query)
    yield stage
    stage.close()


def open_view(stage: Stage, qtbot: QtBot) -> ReadView:
    stage.open(qtbot)
    view = ReadView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 640)
    view.show()
    qtbot.waitUntil(lambda: view.session.rows.n_rows > 0)
    view.focus_first()
    return view


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> ReadView:
    return open_view(stage, qtbot)


def rows_of(view: ReadView) -> list[list[list[int]]]:
    """Return the positions of the sentences in each row, column by column."""
    rows = view.session.rows
    return [
        [[id_ & 0xFFFFFFFF for id_ in rows.ids(row, c)] for c in range(rows.n_columns)]
        for row in range(rows.n_rows)
    ]


def test_the_first_linked_corpora_are_read_in_rows(view: ReadView) -> None:
    assert view.header.lead.currentText() == "Boats · English · 5"
    assert view.board.names.names == ["Boats · English", "Boote · German"]
    assert rows_of(view) == [
        [[0], [0]],
        [[1], [1]],
        [[2, 3], [2]],
        [[4], []],
        [[], [3]],
    ]
    assert view.header.counts.text() == (
        "5 rows · 2 with a gap · 1 with several sentences"
    )
    assert view.board.visible == [0, 1, 2, 3, 4]


def test_a_first_visit_says_that_rows_are_read(stage: Stage, qtbot: QtBot) -> None:
    stage.open(qtbot)
    view = ReadView(stage.state)
    qtbot.addWidget(view)
    assert view.header.counts.text() == "Reading the rows…"
    qtbot.waitUntil(lambda: view.header.counts.text().startswith("5 rows"))


def test_texts_in_languages_that_are_easy_to_read_come_first(
    tmp_path: Path, request: pytest.FixtureRequest, qtbot: QtBot
) -> None:
    texts = {"قوارب": ("ar", ARABIC), "Boote": ("de", GERMAN), "Boats": ("en", ENGLISH)}
    folder = build_project(tmp_path / "r.isogloss", texts)
    one, two, three = (first_sentence_id(id_) for id_ in (1, 2, 3))
    link(folder, [(one, two), (one, three), (two, three)])
    with open_project(folder) as project:
        request.getfixturevalue("monkeypatch").setattr(
            QLocale, "uiLanguages", lambda _: ["C"]
        )
        stage = Stage(folder)
        session = SearchSession(project)
        for kind in (LinkedCorporaQuery, ReadingQuery):
            stage.client.answers[kind] = lambda query: answer_query(session, query)
        view = open_view(stage, qtbot)
        assert view.board.names.names == ["Boats · English", "Boote · German"]
    stage.close()


def test_the_languages_of_the_system_come_before_english(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QLocale, "uiLanguages", lambda _: ["de-DE", "de"])
    codes = ["ja", "fr", "en", "de-CH"]
    assert sorted(codes, key=rank_language) == ["de-CH", "en", "fr", "ja"]


def test_keys_move_from_sentence_to_sentence(view: ReadView) -> None:
    board = view.board
    assert view.state.selection == first_sentence_id(1)
    for key in (Key.Key_Down, Key.Key_Down, Key.Key_Down):
        QTest.keyClick(board, key)
    assert board.selection == Place(2, 0, 1)
    QTest.keyClick(board, Key.Key_Right)
    assert view.state.selection == first_sentence_id(2) + 2
    QTest.keyClick(board, Key.Key_End)
    QTest.keyClick(board, Key.Key_Left)
    assert board.selection.row == 4
    assert board.sentence is None


def test_the_selected_row_is_whole_where_there_is_no_room_for_others(
    view: ReadView, qtbot: QtBot
) -> None:
    board = view.board
    highest = max(board.layout_.height_of(row) for row in range(5))
    above = board.height() - board.viewport().height()
    board.setFixedHeight(ceil(highest) + above + 6)
    qtbot.waitUntil(lambda: board.viewport().height() == ceil(highest) + 6)
    for row in range(1, 5):
        while board.selection.row < row:
            QTest.keyClick(board, Key.Key_Down)
        height = board.viewport().height()
        y = dict(board.layout_.visible(height))[row]
        assert -0.5 <= y <= height - board.layout_.height_of(row) + 0.5


def test_breaks_are_visited_in_turn(view: ReadView) -> None:
    visited = []
    for _ in range(3):
        QTest.keyClick(view.board, Key.Key_B)
        visited.append(view.board.selection.row)
    assert visited == [2, 3, 4]
    QTest.keyClick(view.board, Key.Key_B, Qt.KeyboardModifier.ShiftModifier)
    assert view.board.selection.row == 3


def test_all_linked_corpora_are_read_and_swapped_sentences_share_a_row(
    view: ReadView, qtbot: QtBot
) -> None:
    view.header.partners.choose(())
    qtbot.waitUntil(lambda: view.session.rows.n_columns == 3)
    assert rows_of(view)[0] == [[0, 1], [0, 1], [0, 1]]
    assert rows_of(view)[1] == [[2, 3], [2], []]


def test_a_text_is_found_in_one_column_or_all(view: ReadView, qtbot: QtBot) -> None:
    QTest.keyClick(view.board, Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.find_bar.isVisibleTo(view)
    QTest.keyClicks(view.find_bar.field, "bo")
    qtbot.waitUntil(lambda: view.find_bar.count.text() == "1 of 4")
    QTest.keyClick(view.find_bar.field, Key.Key_Return)
    assert view.find_bar.count.text() == "2 of 4"
    assert view.board.selection == Place(0, 1, 0)
    view.find_bar.column.setCurrentIndex(2)
    view.find_bar.column.activated.emit(2)
    qtbot.waitUntil(lambda: view.find_bar.count.text() == "1 of 2")
    QTest.keyClick(
        view.find_bar.field, Key.Key_Return, Qt.KeyboardModifier.ShiftModifier
    )
    assert view.board.selection == Place(2, 1, 0)
    QTest.keyClick(view.find_bar.field, Key.Key_Escape)
    assert not view.find_bar.isVisibleTo(view)


def test_the_find_bar_has_its_place_above_the_columns(
    view: ReadView, qtbot: QtBot
) -> None:
    def place() -> QRect:
        return QRect(view.board.mapTo(view, QPoint()), view.board.size())

    before = place()
    QTest.keyClick(view.board, Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(view.find_bar.isVisible)
    view.grab()
    assert place() == before
    assert not view.header.counts.isVisible()
    QTest.keyClick(view.find_bar.field, Key.Key_Escape)
    view.grab()
    assert place() == before
    assert view.header.counts.isVisible()


def test_find_names_the_column_without_the_text_and_begins_with_all(
    view: ReadView, qtbot: QtBot
) -> None:
    bar = view.find_bar
    bar.open()
    bar.column.setCurrentIndex(1)
    QTest.keyClicks(bar.field, "rote")
    qtbot.waitUntil(lambda: bar.count.text() == "Not found in this column")
    QTest.keyClick(bar.field, Key.Key_Escape)
    bar.open()
    assert bar.column.currentText() == "All columns"
    QTest.keyClicks(bar.field, "rote")
    qtbot.waitUntil(lambda: bar.count.text() == "1 of 2")


def test_the_selected_sentence_stays_visible_in_a_smaller_window(
    view: ReadView, qtbot: QtBot
) -> None:
    view.board.select(Place(4, 1))
    assert view.board.visible == [0, 1, 2, 3, 4]
    view.resize(700, 300)
    qtbot.waitUntil(lambda: view.board.visible != [0, 1, 2, 3, 4])
    assert 4 in view.board.visible


def test_a_sentence_is_opened_from_elsewhere(view: ReadView, qtbot: QtBot) -> None:
    view.read_from(ReadingRequest(first_sentence_id(1) + 3))
    assert view.board.selection == Place(2, 0, 1)
    view.read_from(ReadingRequest(first_sentence_id(3), (first_sentence_id(1),)))
    qtbot.waitUntil(lambda: view.board.names.names[0] == "قوارب · Arabic")
    assert view.state.selection == first_sentence_id(3)


def test_the_translations_of_a_word_are_marked(view: ReadView, qtbot: QtBot) -> None:
    board = view.board
    (cell,) = [
        cell
        for row, y in board.layout_.visible(board.viewport().height())
        for cell in board.layout_.cells(row, y)
        if cell.place == Place(0, 0, 0)
    ]
    assert cell.layout is not None
    before, _ = cast("tuple[float, int]", cell.layout.lineAt(0).cursorToX(9))
    x = cell.text.left() + before + 2  # in "boat"
    point = QPointF(x, cell.text.top() + 6).toPoint()
    QTest.mouseMove(board.viewport(), QPoint(2, 2))
    QTest.mouseMove(board.viewport(), point)
    qtbot.waitUntil(lambda: "boat →" in described(view))
    assert "Boote · German: boot" in described(view)
    QTest.keyClick(board, Key.Key_W)
    qtbot.waitUntil(lambda: "the →" in described(view))
    QTest.keyClick(board, Key.Key_W)
    assert "red → Boote · German: rote" in described(view)
    assert "rote" in view.translations.text()
    QTest.keyClick(board, Key.Key_Down)  # another sentence: nothing of it is marked
    assert view.board.sentence == first_sentence_id(1) + 1
    assert view.translations.text() == ""
    QTest.keyClick(board, Key.Key_W)
    qtbot.waitUntil(lambda: "the →" in described(view))
    view.header.partners.choose([str(3)])
    view.header.partners.changed.emit()
    qtbot.waitUntil(lambda: view.board.names.names[1].endswith("Arabic"))
    assert view.translations.text() == ""


def test_the_next_word_is_scrolled_to(view: ReadView, qtbot: QtBot) -> None:
    board = view.board
    view.resize(700, 330)
    qtbot.waitUntil(lambda: board.viewport().height() < 150)
    board.select(Place(0, 0))
    QTest.keyClick(board, Key.Key_W)
    qtbot.waitUntil(lambda: "the →" in described(view))
    top = board.layout_.top
    QTest.keyClick(board, Key.Key_W)
    assert board.layout_.top == top  # it is visible: nothing moves
    board.verticalScrollBar().setValue(board.verticalScrollBar().maximum())
    assert 0 not in board.visible
    QTest.keyClick(board, Key.Key_W)
    assert 0 in board.visible


def described(view: ReadView) -> str:
    """Return what is shown of a word, without the characters that isolate texts."""
    return view.words.description.translate({0x2068: None, 0x2069: None})


def test_a_percentage_stands_behind_its_word_in_every_script(
    view: ReadView, qtbot: QtBot
) -> None:
    choose_lead(view, "قوارب · Arabic · 3")
    qtbot.waitUntil(lambda: view.board.names.names[0] == "قوارب · Arabic")
    view.board.select(Place(0, 1))
    QTest.keyClick(view.board, Key.Key_W)
    qtbot.waitUntil(lambda: "→" in view.words.description)
    begin, end = "\u2068", "\u2069"
    _, found = view.words.description.split(f"{begin}قوارب · Arabic{end}: ")
    assert re.match(rf"{begin}[\u0600-\u06ff]+{end} \d+\u00a0%", found), found


def test_notes_and_citations(view: ReadView, qtbot: QtBot) -> None:
    view.controller.actions["note"].trigger()
    (dialog,) = view.findChildren(NoteDialog)
    dialog.reject()
    view.board.viewport().repaint()
    assert view.board.describe_marks(first_sentence_id(1)) == ""
    view.controller.actions["note"].trigger()
    dialog = view.findChildren(NoteDialog)[-1]
    QTest.keyClicks(dialog.field, "not the ship")
    QTest.keyClick(dialog, Key.Key_Escape)
    (question,) = dialog.findChildren(QMessageBox)
    assert question.text() == "The note is not saved."
    question.button(QMessageBox.StandardButton.Cancel).click()
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(dialog.field, Key.Key_Return, control)

    def is_noted() -> bool:
        view.board.viewport().repaint()
        return view.board.describe_marks(first_sentence_id(1)) == "Note: not the ship"

    qtbot.waitUntil(is_noted)
    view.controller.actions["copy"].trigger()
    searched: list[object] = []
    view.state.view_requests.search_requested.connect(searched.append)
    QTest.keyClick(view.board, Key.Key_Return)
    assert searched == [first_sentence_id(1)]


def test_without_links_the_view_offers_to_align(tmp_path: Path, qtbot: QtBot) -> None:
    folder = build_project(tmp_path / "q.isogloss", {"Boats": ("en", ENGLISH)})
    stage = Stage(folder)
    stage.open(qtbot)
    view = ReadView(stage.state)
    qtbot.addWidget(view)
    view.show()
    asked = []
    view.state.view_requests.alignment_requested.connect(lambda: asked.append(True))
    (button,) = view.empty.findChildren(QPushButton)
    assert button.text() == "Align…"
    button.click()
    assert asked
    assert view.empty.isVisibleTo(view)
    stage.close()


def shapes(view: ReadView) -> list[list[int]]:
    """Return how many sentences each row has in each column."""
    return [[len(cell) for cell in row] for row in rows_of(view)]


def test_links_are_removed_joined_and_undone(view: ReadView, qtbot: QtBot) -> None:
    board = view.board
    before = shapes(view)
    assert before == [[1, 1], [1, 1], [2, 1], [1, 0], [0, 1]]
    board.select(Place(1, 0))
    QTest.keyClick(board, Key.Key_U)
    qtbot.waitUntil(lambda: len(shapes(view)) == 6)
    assert shapes(view) == [[1, 1], [1, 0], [0, 1], [2, 1], [1, 0], [0, 1]]
    assert board.selection == Place(1, 0)
    QTest.keyClick(board, Key.Key_J)
    qtbot.waitUntil(lambda: shapes(view) == before)
    QTest.keyClick(board, Key.Key_J)
    qtbot.waitUntil(lambda: shapes(view)[1] == [3, 2])
    view.state.changes.undo(3)
    qtbot.waitUntil(lambda: shapes(view) == before)


def test_edited_links_are_exported(
    view: ReadView, stage: Stage, project: Project, tmp_path: Path, qtbot: QtBot
) -> None:
    view.board.select(Place(1, 0))
    QTest.keyClick(view.board, Key.Key_U)
    qtbot.waitUntil(lambda: len(shapes(view)) == 6)
    view.controller.actions["export"].trigger()
    (dialog,) = view.findChildren(PairExportDialog)
    assert "verdicts" not in dialog.form.raw()  # links have none
    qtbot.waitUntil(lambda: dialog.preview.table.rowCount() == 3)
    dialog.form.write({"format": "tsv", "out": tmp_path / "links.tsv"})
    dialog.run_button.click()
    qtbot.waitUntil(lambda: bool(stage.client.runs()))
    (params,) = stage.client.runs()
    export_pairs(project, params, Report())
    _, *rows = (tmp_path / "links.tsv").read_text("utf-8").splitlines()
    texts = [[ENGLISH[i], GERMAN[j]] for i, j in PAIRS if i != 1]
    assert len(rows) == len(texts)
    for row, (source, target) in zip(rows, texts, strict=True):
        assert source in row
        assert target in row


def test_links_of_an_alignment_are_exported_as_a_pair_set(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    alignment = add_alignment(project, ["1:1 0.9", "1:2 0.5", "1:0 0"], "boats")
    view = open_view(stage, qtbot)
    choose_links(view, "boats")
    qtbot.waitUntil(lambda: view.session.rows.columns[1].alignment == alignment)
    view.controller.actions["export"].trigger()
    (dialog,) = view.findChildren(PairExportDialog)
    assert "verdicts" in dialog.form.raw()
    (export,) = (
        b for b in view.header.findChildren(QPushButton) if b.text() == "Export"
    )
    words = [action.text() for action in export.menu().actions()]
    assert words == ["Export pairs…", "Export word alignments…"]
    dialog.reject()


def test_documents_have_headings_and_are_opened_by_name(
    request: pytest.FixtureRequest, project: Project, qtbot: QtBot
) -> None:
    rows = [(0, 2, "letter 1", '{"year": "1848"}'), (2, 3, "letter 2", "{}")]
    columns = ("corpus_id", "first", "n_sentences", "name", "fields")
    with project.store.begin() as connection:
        for row in rows:
            values = dict(zip(columns, (1, *row), strict=True))
            connection.execute(insert(schema.document).values(values))
    view = open_view(request.getfixturevalue("stage"), qtbot)
    box = view.header.documents
    shown = [box.itemText(at) for at in range(box.count())]
    assert shown == ["letter 1 · 1848", "letter 2"]
    assert view.board.layout_.headings == {0: "letter 1 · 1848", 2: "letter 2"}
    heights = [view.board.layout_.height_of(row) for row in (0, 1)]
    assert heights[0] == heights[1] + scaled(HEADING_HEIGHT)
    picture = view.board.viewport().grab(QRect(0, 0, 200, scaled(HEADING_HEIGHT)))
    ink = {picture.toImage().pixelColor(x, 12).name() for x in range(8, 120)}
    assert len(ink) > 1  # the name is painted above the row
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert view.board.selection == Place(2, 0)
    QTest.keyClick(view.board, Key.Key_Up)
    assert box.currentText() == "letter 1 · 1848"


def test_the_frame_of_a_selected_cell_is_as_high_as_its_row(
    request: pytest.FixtureRequest, project: Project, qtbot: QtBot
) -> None:
    with project.store.begin() as connection:
        long = schema.sentence.c.id == first_sentence_id(1) + 1
        values = {"text": "the red house by the sea " * 12}
        connection.execute(update(schema.sentence).where(long).values(values))
    view = open_view(request.getfixturevalue("stage"), qtbot)
    board = view.board
    board.select(Place(1, 1))
    tops = dict(board.layout_.visible(board.viewport().height()))
    frame = board.layout_.row_frame(1, 1, tops[1])
    picture = board.viewport().grab().toImage()
    accent = QColor(colours_of(board).accent)
    below = [
        picture.pixelColor(int(frame.center().x()), int(frame.bottom()) - up)
        for up in range(4)
    ]
    assert any(abs(colour.hue() - accent.hue()) < 8 for colour in below)


def test_a_removed_link_is_not_drawn_where_another_holds_the_row_together(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    one, two, three = (first_sentence_id(id_) for id_ in (1, 2, 3))
    links = [
        {"source_id": end, "target_id": three + 2, "kind": "gold"}
        for end in (one + 2, two + 2)
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), links)
    view = open_view(stage, qtbot)
    board, notices = view.board, list[str]()
    view.state.notice_posted.connect(notices.append)
    view.header.partners.choose(())
    qtbot.waitUntil(lambda: view.session.rows.n_columns == 3)
    assert rows_of(view)[1] == [[2, 3], [2], [2]]
    assert has_line(view, 1, 1)
    assert has_line(view, 1, 2)
    assert has_line(view, 0, 2), "dashed: Arabic is linked with English only"
    middle = line_of(view, 0, 2).center()
    text = "قوارب is linked with Boats, not with Boote."
    assert board.describe_link(middle) == text
    board.select(Place(1, 1))
    QTest.keyClick(board, Key.Key_U)
    qtbot.waitUntil(lambda: not has_line(view, 1, 1))
    assert rows_of(view)[1] == [[2, 3, 4], [2], [2]], "held together by Arabic"
    assert notices == ["2 links removed: Boats 3, 4 – Boote 3."]
    text = "Boote has no link with the columns on its left."
    assert board.describe_link(line_of(view, 1, 1).center()) == text
    assert has_line(view, 1, 2)
    QTest.keyClick(board, Key.Key_U)
    assert notices[1:] == ["This row has no link to remove."]


def line_of(view: ReadView, row: int, column: int) -> QRectF:
    """Return the place between two columns where their link is drawn."""
    layout = view.board.layout_
    tops = dict(layout.visible(view.board.viewport().height()))
    return layout.gutter(layout.row_frame(row, column, tops[row]))


def has_line(view: ReadView, row: int, column: int) -> bool:
    """Return whether anything is drawn between two columns of a row."""
    image = view.board.viewport().grab(line_of(view, row, column).toRect()).toImage()
    middle, width = image.height() // 2, image.width()
    colours = {
        image.pixelColor(x, y).name()
        for x in range(6, width - 6)
        for y in range(middle - 2, middle + 3)
    }
    return len(colours) > 1


def test_links_of_an_alignment_are_edited_as_in_its_view(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    alignment = add_alignment(project, ["1:1 0.9", "1:2 0.5", "1:0 0"], "boats")
    view = open_view(stage, qtbot)
    choose_links(view, "boats")
    qtbot.waitUntil(lambda: view.session.rows.columns[1].alignment == alignment)
    assert shapes(view)[:3] == [[1, 1], [1, 2], [1, 0]]
    view.board.select(Place(1, 0))
    QTest.keyClick(view.board, Key.Key_J)
    qtbot.waitUntil(lambda: shapes(view)[:2] == [[1, 1], [2, 2]])
    QTest.keyClick(view.board, Key.Key_U)
    qtbot.waitUntil(lambda: shapes(view)[:2] == [[1, 1], [1, 0]])


def link_boxes(view: ReadView) -> list[QComboBox]:
    """Return the boxes that choose links."""
    found = view.header.findChildren(QComboBox)
    return [box for box in found if box.isVisible() and box is not view.header.lead]


def choose_links(view: ReadView, title: str) -> None:
    """Choose the links of the first two columns by their name."""
    (box,) = link_boxes(view)
    box.setCurrentText(title)
    box.activated.emit(box.currentIndex())


def test_an_alignment_of_some_lines_keeps_the_imported_links_of_the_others(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    alignment = add_alignment(project, ["1:0 0", "1:2 0.5"], "boats (lines 1–2)")
    view = open_view(stage, qtbot)
    imported = [[1, 1], [1, 1], [2, 1], [1, 0], [0, 1]]
    assert shapes(view) == imported
    (box,) = link_boxes(view)
    assert [box.itemText(i) for i in range(box.count())] == [
        "Imported links",
        "boats (lines 1–2)",
    ]
    assert box.currentText() == "Imported links"
    choose_links(view, "boats (lines 1–2)")
    qtbot.waitUntil(lambda: view.session.rows.columns[1].alignment == alignment)
    assert shapes(view) == [[1, 0], [1, 2], [2, 1], [1, 0], [0, 1]]
    text = "Boote: 2 imported links are replaced by the alignment"
    assert view.header.counts.text().endswith(text)
    saved = view.save_state()

    view.board.select(Place(2, 0))  # outside the alignment: imported links are edited
    QTest.keyClick(view.board, Key.Key_U)
    qtbot.waitUntil(lambda: [2, 1] not in shapes(view))
    view.state.changes.undo()
    qtbot.waitUntil(lambda: [2, 1] in shapes(view))

    choose_links(view, "Imported links")
    qtbot.waitUntil(lambda: shapes(view) == imported)
    view.restore_state(saved)
    qtbot.waitUntil(lambda: view.session.rows.columns[1].alignment == alignment)
    choose_links(view, "Imported links")
    qtbot.waitUntil(lambda: shapes(view) == imported)
    one, two = (first_sentence_id(id_) for id_ in (1, 2))
    view.read_from(ReadingRequest(one, (one, two), alignment))  # as Align does
    qtbot.waitUntil(lambda: view.session.rows.columns[1].alignment == alignment)
    assert link_boxes(view)[0].currentText() == "boats (lines 1–2)"
    view.header.partners.choose(())
    view.header.partners.changed.emit()
    qtbot.waitUntil(lambda: view.session.rows.n_columns == 3)
    assert len(link_boxes(view)) == 1


def choose_lead(view: ReadView, title: str) -> None:
    """Select what leads by its title."""
    lead = view.header.lead
    index = lead.findText(title)
    assert index >= 0, [lead.itemText(i) for i in range(lead.count())]
    lead.setCurrentIndex(index)
    lead.activated.emit(index)


def test_the_pairs_of_a_set_are_read_rejected_and_accepted(
    folder: Path, request: pytest.FixtureRequest, qtbot: QtBot
) -> None:
    new = MINING._replace(name="boats", target_corpus_id=2)
    mining = add_mining(folder, new, n_candidates=1)
    view = open_view(request.getfixturevalue("stage"), qtbot)
    choose_lead(view, "Pairs: boats · 2")
    boat, house, blue = [[0], [0]], [[1], [1]], [[2], [2]]
    qtbot.waitUntil(lambda: rows_of(view) == [boat, house])  # not the candidate
    view.board.select(Place(1, 1))
    QTest.keyClick(view.board, Key.Key_J)  # pairs are not joined
    QTest.keyClick(view.board, Key.Key_U)
    qtbot.waitUntil(lambda: rows_of(view) == [boat])
    view.state.changes.undo()
    qtbot.waitUntil(lambda: rows_of(view) == [boat, house])

    candidate = first_pair_id(mining) + 2
    view.state.edit(JudgePairs(pairs=(candidate,), verdict="accept"), lambda _: None)
    qtbot.waitUntil(lambda: rows_of(view) == [boat, house, blue])
    saved = view.save_state()
    view.session.open(ReadingSource(1))
    qtbot.waitUntil(lambda: len(rows_of(view)) == 5)
    choose_lead(view, "Accepted pairs: boats · 1")
    qtbot.waitUntil(lambda: rows_of(view) == [blue])
    view.read_from(ReadingRequest(first_sentence_id(1)))  # not among the pairs
    qtbot.waitUntil(lambda: view.board.selection == Place(0, 0))
    assert view.session.source.is_whole
    view.restore_state(saved)
    qtbot.waitUntil(lambda: rows_of(view) == [boat, house, blue])


def test_pairs_are_read_above_the_threshold_of_mine_with_their_scores(
    folder: Path, request: pytest.FixtureRequest, qtbot: QtBot
) -> None:
    mining = add_mining(folder, MINING._replace(name="boats", target_corpus_id=2))
    view = open_view(request.getfixturevalue("stage"), qtbot)
    choose_lead(view, "Pairs: boats · 3")
    boat, house, blue = [[0], [0]], [[1], [1]], [[2], [2]]
    qtbot.waitUntil(lambda: rows_of(view) == [boat, house, blue])
    pairs = PairsPage(view.state)
    qtbot.addWidget(pairs)
    assert view.state.project is not None
    pairs.show_mining(view.state.project.minings[0])
    pairs.threshold.field.setValue(1.3)
    qtbot.waitUntil(lambda: rows_of(view) == [boat])
    assert view.header.counts.text().startswith(
        "1 row · threshold 1.300, as set in Mine · "
    )
    last = first_pair_id(mining) + 2  # a person's decision counts more than the score
    view.state.edit(JudgePairs(pairs=(last,), verdict="accept"), lambda _: None)
    qtbot.waitUntil(lambda: rows_of(view) == [boat, blue])

    rows, board = view.session.rows, view.board
    assert rows.scores(1, 1) == pytest.approx((0.9, 0.9))
    left, _ = board.layout_.column_span(1)
    height = board.layout_.height_of(0)
    link = QPointF(left - 10, height + 5)
    assert board.describe_link(link) == "Score of the pair: 0.900"
    assert board.describe_link(QPointF(left + 10, 5)) == ""
    pairs.threshold.field.setValue(0.0)
    qtbot.waitUntil(lambda: rows_of(view) == [boat, house, blue])


def test_a_subcorpus_is_read_beside_its_translations(
    folder: Path, request: pytest.FixtureRequest, qtbot: QtBot
) -> None:
    with open_project(folder) as project:
        members = write_subcorpus_ids(folder, np.array([1, 3]) + first_sentence_id(1))
        add_subcorpus(project.store, "Houses", ((1,), ()), members, None)
    view = open_view(request.getfixturevalue("stage"), qtbot)
    choose_lead(view, "⊂ Houses · 2")
    qtbot.waitUntil(lambda: rows_of(view) == [[[1], [1]], [[3], [2]]])


def test_nothing_is_clipped_in_a_small_window_with_large_text(
    stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="dark", text_scale=150))
    view = open_view(stage, qtbot)
    view.resize(780, 560)  # what 1100 x 700 leaves beside the navigation
    view.find_bar.open()
    assert clipped_texts(view) == []
    assert view.minimumSizeHint().width() <= 780
    stage.theme.apply(Settings(theme="light"))


def test_three_columns_and_the_name_of_the_first_fit_next_to_the_inspector(
    view: ReadView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(725, 600)  # of a window of 1,100, with the inspector
    view.header.partners.choose(())
    qtbot.waitUntil(lambda: view.session.rows.n_columns == 3)
    bar = view.board.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    option = QStyleOptionComboBox()
    view.header.lead.resize(120, view.header.lead.height())
    view.header.lead.initStyleOption(option)
    assert option.currentText.startswith("Bo")
    assert option.currentText.endswith("…")
    stage.theme.apply(Settings(theme="light"))


def test_the_text_that_leads_is_named_in_full_next_to_the_inspector(
    view: ReadView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(740, 600)  # of a window of 1,100, with the inspector
    option = QStyleOptionComboBox()

    def shown() -> str:
        view.header.lead.initStyleOption(option)
        return option.currentText

    qtbot.waitUntil(lambda: shown() == "Boats · English · 5")
    stage.theme.apply(Settings(theme="light"))


def test_every_button_and_action_works_also_after_a_switch(
    view: ReadView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    errors: list[object] = []
    stage.state.error_posted.connect(errors.append)
    press_everything(view)
    other = build_project(tmp_path / "other.isogloss")
    with qtbot.waitSignal(stage.state.project_opened):
        stage.state.open_project(other)
    assert view.session.rows.n_rows == 0
    assert view.empty.isVisibleTo(view)
    press_everything(view)
    assert not errors


def test_the_view_comes_back_as_it_was_left(view: ReadView, qtbot: QtBot) -> None:
    view.board.select(Place(2, 1))
    saved = view.save_state()
    assert saved["summary"] == "Boats · Boote"
    view.header.lead_selected.emit(ReadingSource(3))
    qtbot.waitUntil(
        lambda: view.session.source.corpus == 3 and view.session.rows.n_rows == 5
    )
    view.restore_state(saved)
    qtbot.waitUntil(lambda: view.session.rows.corpora[0].name == "Boats")
    assert view.board.selection == Place(2, 1)


def test_line_numbers_have_separators_of_thousands(
    stage: Stage, project: Project, qtbot: QtBot
) -> None:
    with project.store.begin() as connection:
        connection.execute(update(schema.sentence).values(line=12_400))
    view = open_view(stage, qtbot)
    assert ">12,400<" in painted_svg(view.board)


@pytest.mark.parametrize(("size", "scale"), [((740, 560), 150), ((1000, 800), 100)])
def test_the_rows_arrive_without_moving_what_is_there(
    stage: Stage, qtbot: QtBot, size: tuple[int, int], scale: int
) -> None:
    stage.theme.apply(Settings(theme="light", text_scale=scale))
    try:
        answer = stage.client.answers.pop(LinkedCorporaQuery)
        stage.open(qtbot)
        view = ReadView(stage.state)
        qtbot.addWidget(view)
        view.resize(*size)
        view.show()
        header, board, rows = view.header, view.board, view.session.rows
        QCoreApplication.processEvents()
        assert rows.n_rows == 0
        before = board.geometry(), header.lead.geometry()
        stage.client.answers[LinkedCorporaQuery] = answer
        for lead in (1, 2):
            with qtbot.waitSignal(view.session.rows_changed):
                view.session.open(ReadingSource(lead))
            for text in (header.counts.text(), header.counts.text() * 9):
                header.counts.setText(text)
                QCoreApplication.processEvents()
                assert (board.geometry(), header.lead.geometry()) == before
        assert header.counts.toolTip() == header.counts.text()  # it is cut
    finally:
        stage.theme.apply(Settings(theme="light"))
