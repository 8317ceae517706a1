"""The map view over the real engine: make a map, select, label, undo, compare."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import create_project
from app.engine.projection.distinctive_words import find_listed_words
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.labels import read_labels
from app.views.client.state import AppState
from app.views.map.colouring import SIMILARITY
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.view import MapView
from tests.engine.search.made import add_corpus
from tests.samples import sample_rows

WAIT_MS = 60_000
N_EACH = 60
LANGUAGES = ("en", "de", "es")


def samples(language: str) -> list[tuple[str, str]]:
    """Read text and gold key of the first sentences of a sample that have a key."""
    found = [(text, gold) for text, _, gold in sample_rows(language) if gold]
    return found[:N_EACH]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three languages whose sentences are linked as translations."""
    folder = tmp_path / "letters.isogloss"
    with create_project(folder) as project:
        places: list[dict[str, int]] = []
        for number, language in enumerate(LANGUAGES, 1):
            rows = samples(language)
            add_corpus(project, language.upper(), language, [text for text, _ in rows])
            places.append({key: index for index, (_, key) in enumerate(rows)})
            links = [
                {
                    "source_id": first_sentence_id(1) + places[0][key],
                    "target_id": first_sentence_id(number) + index,
                    "kind": "gold",
                }
                for key, index in places[-1].items()
                if key in places[0]
            ]
            if number > 1:
                with project.store.begin() as connection:
                    connection.execute(insert(schema.link), links)
    return folder


@pytest.fixture
def view(state: AppState, qtbot: QtBot) -> MapView:
    view = MapView(state)
    qtbot.addWidget(view)
    view.resize(1100, 800)
    view.show()
    return view


def make_map(view: MapView, qtbot: QtBot) -> None:
    view.controller.make_suggested()
    qtbot.waitUntil(lambda: len(view.controller.maps) == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: is_drawn(view, "umap"), timeout=WAIT_MS)


def is_drawn(view: MapView, method: str) -> bool:
    row, pane = view.page.pane.row, view.page.pane
    return row is not None and row.method == method and pane.colouring is not None


def draw_box(view: MapView, share: float) -> None:
    """Draw a rectangle around the left part of the map."""
    points = view.page.pane.points
    assert points is not None
    box = points.grid.bounds
    right = float(np.quantile(points.grid.x, share))
    corners = [
        (box.left - 1, box.bottom - 1),
        (right, box.bottom - 1),
        (right, box.top + 1),
        (box.left - 1, box.top + 1),
    ]
    view.page.canvas.drawn.emit(DrawnShape(np.array(corners), "new"))


def test_a_map_is_made_labelled_undone_and_shown_again(
    view: MapView, state: AppState, qtbot: QtBot
) -> None:
    assert view.empty_state.words[0] == "No map yet"
    make_map(view, qtbot)
    assert [row.name for row in view.controller.maps] == [
        "All sentences",
        "All sentences (PCA)",
    ]
    assert {row.title for row in view.sidebar.legend.rows} == {
        "English",
        "German",
        "Spanish",
    }
    assert all(line.facts for line in view.sidebar.clusters.rows)

    draw_box(view, 0.2)
    chosen = view.page.selection.ids
    assert chosen is not None
    assert 30 < len(chosen) < 42  # a fifth of 180
    qtbot.waitUntil(lambda: "keywords: " in view.page.sentences.facts, timeout=WAIT_MS)
    keywords = view.page.sentences.facts.partition("keywords: ")[2].split(", ")
    assert not any(find_listed_words(keywords, language) for language in LANGUAGES)

    state.labels.add_class("weather")
    QTest.keyClick(view.page.canvas, Qt.Key.Key_1)
    assert state.project is not None
    store, ids = state.project.store, chosen.tolist()
    qtbot.waitUntil(lambda: len(read_labels(store, ids)) == len(ids), timeout=WAIT_MS)
    name = state.labels.class_of(1)
    assert set(read_labels(store, ids).values()) == {name}
    state.undo()
    qtbot.waitUntil(lambda: not read_labels(store, ids), timeout=WAIT_MS)

    saved = view.save_state()
    again = MapView(state)
    qtbot.addWidget(again)
    again.resize(1100, 800)
    again.show()
    again.restore_state(saved)
    qtbot.waitUntil(lambda: again.page.selection.ids is not None, timeout=WAIT_MS)
    np.testing.assert_array_equal(again.page.selection.ids, chosen)


def test_maps_are_compared_coloured_and_live_on_when_the_engine_dies(
    view: MapView, state: AppState, qtbot: QtBot
) -> None:
    make_map(view, qtbot)
    view.page.show_pairs(True)
    lines = view.page.canvas.overlay
    qtbot.waitUntil(lambda: len(view.page.canvas.overlay.lines) > 60, timeout=WAIT_MS)
    assert lines is not view.page.canvas.overlay

    state.select_sentence(first_sentence_id(2) + 7)
    view.page.colours.colour_by(SIMILARITY)
    qtbot.waitUntil(
        lambda: (
            view.page.pane.colouring is not None
            and view.page.pane.colouring.key == SIMILARITY
        ),
        timeout=WAIT_MS,
    )
    assert view.page.pane.colouring is not None
    assert view.page.pane.colouring.high < 1

    view.page.compare_with(view.controller.maps[1].id)
    qtbot.waitUntil(lambda: view.page.other.colouring is not None, timeout=WAIT_MS)
    view.page.compare_neighbours()
    qtbot.waitUntil(lambda: view.page.comparison.movement is not None, timeout=WAIT_MS)
    assert view.page.comparison.movement is not None
    assert view.page.comparison.movement.answer.mean == 1  # the same encoder

    state.stop_engine()
    qtbot.waitUntil(lambda: not state.client.is_running, timeout=WAIT_MS)
    draw_box(view, 0.5)
    assert len(view.page.selection) > 80  # what is drawn needs no engine
    view.sidebar.maps.choose(view.controller.maps[0].id)
    view.controller.delete()
    qtbot.waitUntil(lambda: len(view.controller.maps) == 1, timeout=WAIT_MS)
    state.undo()
    qtbot.waitUntil(lambda: len(view.controller.maps) == 2, timeout=WAIT_MS)
