"""The list of the sentences in colour, beside the map."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.arrays import write_array
from app.engine.store.corpora import corpus_of, first_sentence_id
from app.protocol.queries.search import OrderQuery
from app.views.map.colouring import LANGUAGE, LENGTH
from app.views.map.page import MapPage
from app.views.map.sentence_list import WIDE_WINDOW
from app.views.map.view import MapView
from app.views.widgets.cells import MARKS_ROLE
from tests.views.map import mapped
from tests.views.map.opened import (
    N_EACH,
    N,
    lasso,
    lit,
    open_view,
    place_of,
    rows_of,
    wait_ready,
)
from tests.views.stage import Stage

ENGLISH = int(mapped.all_ids(N_EACH)[5])
GERMAN = mapped.all_ids(N_EACH)[N_EACH : 2 * N_EACH].tolist()


def find(view: MapView, stage: Stage, ids: list[int], qtbot: QtBot) -> None:
    """Type a word that some sentences contain."""
    file = stage.folder / "arrays" / "found.npy"
    write_array(file, np.sort(np.array(ids, np.int64)))
    answer = {"file": "arrays/found.npy", "n": len(ids)}
    stage.client.answers[OrderQuery] = lambda _: answer
    view.sidebar.filters.find_field.setText("sentence")
    qtbot.waitUntil(lambda: len(rows_of(view)) == len(ids))


def click_row(view: MapView, row: int) -> None:
    table = view.page.sentences.table
    index = table.visualRect(table.page_model.index(row, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=index)


def test_found_and_chosen_sentences_are_listed(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    page, table = view.page, view.page.sentences.table
    assert not page.sentences.isVisible()
    view.sidebar.legend.choose(["German"])
    assert page.sentences.isVisible()
    assert page.sentences.heading == "60 of 240 sentences"
    assert rows_of(view) == GERMAN
    first = [table.page_model.index(0, column).data() for column in (0, 1)]
    assert first == ["German", "Sentence 0 in de"]
    assert page.pane.caption.text().endswith("240 sentences · 60 in colour")
    view.sidebar.legend.clear_choice()
    assert not page.sentences.isVisible()
    find(view, stage, [GERMAN[5], first_sentence_id(1)], qtbot)
    assert page.sentences.heading == "2 of 240 sentences"
    assert table.page_model.index(0, 1).data(MARKS_ROLE) == "sentence"
    view.sidebar.filters.clear()
    assert not page.sentences.isVisible()  # at once


def test_a_list_names_the_languages_of_its_sentences(
    view: MapView, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: view.page.filters.offers(LANGUAGE))
    view.sidebar.legend.choose(["German", "English"])
    assert view.page.sentences.facts == "English 60, German 60"
    view.sidebar.legend.choose(["German"])
    assert view.page.sentences.facts == "German 60"


def test_the_list_of_a_map_of_one_language_names_it(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    ids = mapped.all_ids(N_EACH)[:N_EACH]
    xy = np.random.default_rng(0).random((N_EACH, 2)).astype(np.float32)
    mapped.add_map(folder, ids, xy, np.zeros(N_EACH, np.int32))
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    qtbot.waitUntil(lambda: LENGTH in view.sidebar.filters.histograms)
    assert not view.page.filters.offers(LANGUAGE)
    view.sidebar.filters.histograms[LENGTH].bars.choose((0, 3))
    qtbot.waitUntil(view.page.sentences.isVisible)
    assert view.page.sentences.facts == f"English {len(lit(view))}"


def test_another_list_starts_at_its_top(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    table = view.page.sentences.table
    view.sidebar.legend.choose(["German"])
    QApplication.processEvents()
    table.scrollToBottom()
    stage.state.select_sentence(GERMAN[48])
    find(view, stage, GERMAN[10:50], qtbot)
    QApplication.processEvents()
    assert table.verticalScrollBar().maximum() > 0
    assert table.top_row == 0
    assert table.current_id == GERMAN[48]


def test_a_filter_narrows_the_list_of_the_selection(view: MapView) -> None:
    lasso(view, 1)
    assert view.page.sentences.heading == "60 sentences selected"
    view.sidebar.legend.choose(["English"])
    assert view.page.sentences.heading == "0 of 60 selected sentences shown"
    assert rows_of(view) == []
    view.controller.refresh_actions()
    assert not view.controller.actions["export_sentences"].isEnabled()
    view.sidebar.legend.choose(["English", "German"])
    assert rows_of(view) == GERMAN


def test_a_click_on_a_row_centres_the_point_and_chooses_the_sentence(
    view: MapView, stage: Stage
) -> None:
    canvas = view.page.canvas
    view.sidebar.legend.choose(["German"])
    box = view.page.pane.points.grid.bounds  # type: ignore[union-attr] # it is loaded
    view.page.zoom_to(box._replace(right=box.left + 0.2, top=box.bottom + 0.2))
    assert not canvas.rect().contains(place_of(view, GERMAN[1]))
    scale = canvas.camera.scale
    click_row(view, 1)
    assert stage.state.selection == GERMAN[1]
    assert canvas.overlay.selected is not None
    centre = place_of(view, GERMAN[1]) - canvas.rect().center()
    assert centre.manhattanLength() <= 2
    assert canvas.camera.scale == scale
    seen = canvas.camera
    click_row(view, 2)  # near by: the map stays in place
    assert stage.state.selection == GERMAN[2]
    assert canvas.camera == seen
    QTest.keyClick(view.page.sentences.table, Qt.Key.Key_Down)
    assert stage.state.selection == GERMAN[3]


def test_a_click_on_a_point_selects_its_row(view: MapView, stage: Stage) -> None:
    view.sidebar.legend.choose(["German"])
    place = place_of(view, GERMAN[40])
    QTest.mouseClick(view.page.canvas, Qt.MouseButton.LeftButton, pos=place)
    assert view.page.sentences.table.current_id == GERMAN[40]


def test_no_row_is_selected_unless_the_inspector_shows_its_sentence(
    view: MapView, stage: Stage
) -> None:
    view.sidebar.legend.choose(["German"])
    table = view.page.sentences.table
    click_row(view, 2)
    stage.state.select_sentence(ENGLISH)  # as a click on a grey point does
    assert table.n_selected == 0
    view.sidebar.legend.choose(["English"])
    assert table.current_id == ENGLISH
    assert stage.state.selection == ENGLISH


def test_the_list_is_hidden_by_a_key_and_that_is_remembered(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    sentences = view.page.sentences
    QTest.keyClick(view.page.canvas, Qt.Key.Key_T)
    view.sidebar.legend.choose(["German"])
    assert not sentences.isVisible()
    saved = msgspec.json.decode(msgspec.json.encode(view.save_state()))
    QTest.keyClick(view.page.canvas, Qt.Key.Key_T)
    assert sentences.isVisible()
    again = open_view(stage, qtbot)
    again.restore_state(saved)
    qtbot.waitUntil(lambda: again.sidebar.legend.chosen == ("German",))
    assert not again.page.sentences.isVisible()


def test_the_list_keeps_the_height_that_it_was_dragged_to(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    view.sidebar.legend.choose(["German"])
    page = view.page
    before = page.sentences.height()
    drag_up(page, 120)
    higher = page.sentences.height()
    assert higher >= before + 100
    view.sidebar.legend.clear_choice()
    view.sidebar.legend.choose(["English"])
    assert page.sentences.height() == pytest.approx(higher, abs=2)
    saved = msgspec.json.decode(msgspec.json.encode(view.save_state()))
    again = open_view(stage, qtbot)
    again.restore_state(saved)
    qtbot.waitUntil(lambda: again.page.sentences.isVisible())
    assert again.page.sentences.height() == pytest.approx(higher, abs=2)


def drag_up(page: MapPage, pixels: int) -> None:
    """Drag the line between the map and the list."""
    handle = page.splitter.handle(1)
    start = handle.rect().center()
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mousePress(handle, left, none, start)
    end = start - QPoint(0, pixels)
    QTest.mouseMove(handle, end)
    QTest.mouseRelease(handle, left, none, start)


@pytest.mark.parametrize("width", [WIDE_WINDOW + 40, WIDE_WINDOW - 240])
def test_the_list_stays_in_place_when_the_page_gets_narrower(
    view: MapView, qtbot: QtBot, width: int
) -> None:
    window = QWidget()  # the inspector opens in it
    qtbot.addWidget(window)
    QVBoxLayout(window).addWidget(view)
    window.resize(width, 900)
    window.show()
    view.sidebar.legend.choose(["German"])
    sentences, table = view.page.sentences, view.page.sentences.table
    way = view.page.splitter.orientation()
    is_wide = way == Qt.Orientation.Horizontal
    assert is_wide == (width > WIDE_WINDOW)
    size = sentences.width() if is_wide else sentences.height()
    bottom = table.mapTo(view, table.rect().bottomLeft()).y()
    view.setMaximumWidth(width - 360)
    qtbot.waitUntil(lambda: view.width() <= width - 360)
    assert view.page.splitter.orientation() == way
    assert (sentences.width() if is_wide else sentences.height()) == size
    assert table.mapTo(view, table.rect().bottomLeft()).y() == bottom
    view.setParent(None)  # the fixture closes it


def test_labels_given_in_the_list_leave_it_open(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    find(view, stage, GERMAN[:3], qtbot)
    hidden: list[bool] = []
    view.page.colours.highlighted.connect(
        lambda: hidden.append(view.page.sentences.isHidden())
    )
    with qtbot.waitSignal(view.page.filters.changed):
        stage.state.labels.labelled.emit()
    assert rows_of(view) == GERMAN[:3]
    assert not any(hidden)


def test_the_list_of_found_sentences_is_copied_and_exported(
    view: MapView, tmp_path: Path, stage: Stage, qtbot: QtBot
) -> None:
    view.sidebar.legend.choose(["German"])
    with qtbot.waitSignal(stage.state.file_written):
        view.controller.ask_export().export_to(tmp_path / "german.tsv")
    lines = (tmp_path / "german.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == N_EACH + 1
    assert all("\tde\t" in line for line in lines[1:])
    assert view.page.listed is not None
    assert len(view.page.listed) == N // 4


def test_exported_sentences_have_their_documents(
    view: MapView, tmp_path: Path, stage: Stage, qtbot: QtBot
) -> None:
    view.sidebar.legend.choose(["German"])
    assert view.page.listed is not None
    corpus = corpus_of(int(view.page.listed[0]))
    row = {"corpus_id": corpus, "first": 0, "n_sentences": N, "name": "Briefe"}
    with open_project(stage.folder) as project, project.store.begin() as connection:
        fields = '{"author": "Meer"}'
        connection.execute(insert(schema.document).values(**row, fields=fields))
    with qtbot.waitSignal(stage.state.file_written):
        view.controller.ask_export().export_to(tmp_path / "german.tsv")
    lines = (tmp_path / "german.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[-2:] == ["document", "author"]
    assert lines[1].split("\t")[-2:] == ["Briefe", "Meer"]


def test_a_clicked_row_stays_in_place_when_the_inspector_takes_room(
    view: MapView, qtbot: QtBot
) -> None:
    table = view.page.sentences.table
    view.resize(1180, 740)
    view.sidebar.legend.choose(["German"])
    QApplication.processEvents()

    def place() -> QPoint:
        room = table.visualRect(table.page_model.index(2, 1))
        return table.viewport().mapTo(view, QPoint(0, room.center().y()))

    click_row(view, 2)
    before = place()
    view.resize(840, 740)
    QApplication.processEvents()
    assert place() == before
    assert table.current_id == GERMAN[2]
