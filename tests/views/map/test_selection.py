"""Sentences on the map: pointed at, drawn around, labelled, copied."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.edits.journal import apply_edit
from app.engine.project.project import open_project
from app.engine.store.corpora import first_sentence_id
from app.protocol.answers.search import FoundSentence
from app.protocol.edits.labels import LabelSentences
from app.views.map.drawing.grid import Box
from app.views.map.drawing.overlay import place_labels
from app.views.map.view import MapView
from app.views.widgets.hit_card import elide_place
from app.views.widgets.hits import read_hits, with_language
from app.views.widgets.label_menu import LabelMenu
from tests.views.map import mapped
from tests.views.map.opened import (
    N_EACH,
    N,
    drag,
    labelled,
    lasso,
    lit,
    place_of,
    rows_of,
)
from tests.views.stage import Stage


def test_a_click_shows_the_sentence_and_the_mouse_its_card(
    view: MapView, stage: Stage
) -> None:
    sentence = first_sentence_id(3) + 20
    canvas = view.page.canvas
    QTest.mouseMove(canvas, place_of(view, sentence))
    hit = view.page.pane.card.hit
    assert hit is not None
    assert hit.sentence.text == "Sentence 20 in ar"
    assert view.page.pane.card.isVisible()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place_of(view, sentence))
    assert stage.state.selection == sentence
    QTest.mouseMove(canvas, QPoint(2, 2))
    assert not view.page.pane.card.isVisible()


@pytest.mark.parametrize("size", [(900, 600), (340, 190)])
def test_the_card_is_whole_and_never_under_the_pointer(
    view: MapView, stage: Stage, size: tuple[int, int]
) -> None:
    canvas, card = view.page.canvas, view.page.pane.card
    canvas.setFixedSize(*size)
    long = " ".join(["Sentence 20 in ar"] * 40)
    project = stage.state.project
    assert project is not None
    (hit,) = read_hits(project.store, [FoundSentence(first_sentence_id(3) + 20)])
    hit = hit._replace(sentence=hit.sentence._replace(text=long))
    for x in range(0, size[0], 40):
        for y in range(0, size[1], 20):
            card.show_hit_at(hit, QPoint(x, y))
            assert canvas.rect().contains(card.geometry())
            assert not card.geometry().contains(QPoint(x, y))
            assert 2 * card.height() <= canvas.height()  # the map remains in sight
    card.show_hit_at(hit, QPoint(size[0] - 10, size[1] - 10))
    canvas.setFixedSize(size[0] - 40, size[1] - 40)  # as when the list opens below
    QApplication.processEvents()
    assert canvas.rect().contains(card.geometry())


def test_the_card_names_language_and_label(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    sentence = first_sentence_id(3) + 20
    with open_project(stage.folder) as project:
        change = LabelSentences(sentences=(sentence,), class_name="weather")
        apply_edit(project, change, lambda *_: None)
    QTest.mouseMove(view.page.canvas, place_of(view, sentence))
    hit = view.page.pane.card.hit
    assert hit is not None
    assert hit.language == "Arabic"
    assert hit.corpus == "weather · Corpus ar"


@pytest.mark.parametrize("width", [120, 200, 276])
def test_the_card_names_the_language_whole(
    view: MapView, stage: Stage, width: int
) -> None:
    project = stage.state.project
    assert project is not None
    (hit,) = read_hits(project.store, [FoundSentence(first_sentence_id(3) + 20)])
    sentence = hit.sentence._replace(language="nb")
    hit = hit._replace(sentence=sentence, corpus="Letters from the harbour, part 2")
    font = view.font()
    place = elide_place(with_language(hit), width, font)
    assert place.startswith("Norwegian Bokmål · ")
    metrics = QFontMetricsF(font)
    if width > 200:
        assert place.endswith(" · line 21")
        assert "…" in place
        assert metrics.horizontalAdvance(place) <= width


def test_a_lasso_selects_and_shift_and_alt_change_the_selection(
    view: MapView, stage: Stage
) -> None:
    lasso(view, 1)
    german = mapped.all_ids(N_EACH)[N_EACH : 2 * N_EACH].tolist()
    assert rows_of(view) == german
    assert lit(view) == set(german)
    assert view.page.sentences.heading == "60 sentences selected"
    lasso(view, 2, Qt.KeyboardModifier.ShiftModifier)
    assert len(rows_of(view)) == 120
    lasso(view, 1, Qt.KeyboardModifier.AltModifier)
    assert rows_of(view) == mapped.all_ids(N_EACH)[2 * N_EACH : 3 * N_EACH].tolist()
    QTest.keyClick(view.page.canvas, Qt.Key.Key_Escape)
    assert not view.page.sentences.isVisible()
    assert len(lit(view)) == N
    assert view.page.canvas.tool == "pan"


@pytest.mark.parametrize("gap", [0, 2])  # pixels
def test_a_lasso_that_ends_where_it_begins_selects(view: MapView, gap: int) -> None:
    canvas, left = view.page.canvas, Qt.MouseButton.LeftButton
    QTest.keyClick(canvas, Qt.Key.Key_L)
    low, high = -0.3, 1.3
    corners = [(low, low), (high, low), (high, high), (low, high)]
    places = [QPointF(*canvas.frame.pixel_at(x, y)).toPoint() for x, y in corners]
    end = places[0] + QPoint(gap, 0)
    QTest.mousePress(canvas, left, pos=places[0])
    for place in (*places[1:], end):
        QTest.mouseMove(canvas, place)
    QTest.mouseRelease(canvas, left, pos=end)
    assert rows_of(view) == mapped.all_ids(N_EACH)[:N_EACH].tolist()


def test_points_are_picked_one_by_one_with_a_key(view: MapView, stage: Stage) -> None:
    canvas, shift = view.page.canvas, Qt.KeyboardModifier.ShiftModifier
    ctrl, left = Qt.KeyboardModifier.ControlModifier, Qt.MouseButton.LeftButton
    first, second = first_sentence_id(1) + 3, first_sentence_id(3) + 20
    QTest.mouseClick(canvas, left, shift, place_of(view, first))
    QTest.mouseClick(canvas, left, shift, place_of(view, second))
    assert rows_of(view) == [first, second]
    assert stage.state.selection is None  # no click that shows a sentence
    QTest.mouseClick(canvas, left, ctrl, place_of(view, first))
    assert rows_of(view) == [second]
    assert view.page.selection.to_json() == [{"ids": [second]}]
    QTest.mouseClick(canvas, left, ctrl, place_of(view, second))
    assert len(lit(view)) == N  # nothing is selected


def test_keys_select_a_rectangle_while_the_mouse_pans(view: MapView) -> None:
    canvas = view.page.canvas
    before = canvas.frame.left, canvas.frame.top
    assert canvas.tool == "pan"
    drag(view, [(-0.3, -0.3), (1.3, 1.3)], Qt.KeyboardModifier.ShiftModifier)
    english = mapped.all_ids(N_EACH)[:N_EACH].tolist()
    assert rows_of(view) == english
    ctrl = Qt.KeyboardModifier.ControlModifier
    drag(view, [(-0.3, -0.3), (4.3, 1.3)], ctrl)  # English off, German on
    assert rows_of(view) == mapped.all_ids(N_EACH)[N_EACH : 2 * N_EACH].tolist()
    assert (canvas.frame.left, canvas.frame.top) == pytest.approx(before)


def test_a_lasso_takes_only_what_the_legend_leaves_in_colour(view: MapView) -> None:
    view.sidebar.legend.choose(["English"])
    QTest.keyClick(view.page.canvas, Qt.Key.Key_R)
    drag(view, [(-0.5, -0.5), (4.5, 4.5)])
    assert rows_of(view) == mapped.all_ids(N_EACH)[:N_EACH].tolist()


def test_sentences_of_another_view_are_selected_on_the_map(
    view: MapView, stage: Stage
) -> None:
    notices: list[str] = []
    stage.state.notice_posted.connect(notices.append)
    view.map_sentences(
        [first_sentence_id(2) + 5, first_sentence_id(1) + 3, first_sentence_id(99)]
    )
    assert rows_of(view) == [first_sentence_id(1) + 3, first_sentence_id(2) + 5]
    assert notices == ["2 of these 3 sentences are on the map All sentences."]


def test_names_of_clusters_cover_no_selected_sentence(
    view: MapView, qtbot: QtBot
) -> None:
    canvas, ids = view.page.canvas, mapped.all_ids(N_EACH)
    view.resize(1000, 754)  # so low that names would cover points
    view.page.select(ids[::12])
    qtbot.waitUntil(lambda: len(canvas.overlay.lit) == len(ids[::12]))
    labels = [one._replace(words="wind, storm") for one in canvas.overlay.labels]
    hits = [QPointF(place_of(view, int(one))) for one in ids[::12]]
    rooms = [room for *_, room in place_labels(labels, canvas.frame, canvas.font())]
    assert any(room.contains(hit) for room in rooms for hit in hits)
    placed = place_labels(labels, canvas.frame, canvas.font(), hits)
    assert len(placed) == len(rooms)
    assert not any(room.contains(hit) for *_, room in placed for hit in hits)
    view.page.selection.clear()
    assert not len(canvas.overlay.lit)


def test_keys_move_zoom_and_select(view: MapView, stage: Stage) -> None:
    canvas = view.page.canvas
    canvas.setFocus()
    fit = canvas.camera
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.camera.scale > fit.scale
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.camera.x > fit.x
    QTest.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.camera == fit
    QTest.keyClick(canvas, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(rows_of(view)) == N
    box = view.page.pane.points.grid.bounds  # type: ignore[union-attr] # it is loaded
    view.page.zoom_to(box._replace(right=box.left + 0.2, top=box.bottom + 0.2))
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert stage.state.selection in range(
        first_sentence_id(1), first_sentence_id(1) + N_EACH
    )


def test_digits_label_the_selection(view: MapView, stage: Stage, qtbot: QtBot) -> None:
    notices: list[str] = []
    stage.state.notice_posted.connect(notices.append)
    QTest.keyClick(view.page.canvas, Qt.Key.Key_1)
    assert notices == ["To label sentences with keys, click a point or select points."]
    lasso(view, 0)
    QTest.keyClick(view.page.canvas, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: bool(labelled(stage)))
    (change,) = labelled(stage)
    assert change.class_name == "wind"
    assert list(change.sentences) == mapped.all_ids(N_EACH)[:N_EACH].tolist()
    view.page.sentences.table.selectRow(1)
    QTest.keyClick(view.page.sentences.table, Qt.Key.Key_1)
    assert labelled(stage)[1] == LabelSentences(
        sentences=(first_sentence_id(1) + 1,), class_name="sea"
    )


def test_a_menu_labels_the_selection(view: MapView, stage: Stage, qtbot: QtBot) -> None:
    label = view.controller.actions["label"]
    assert label in view.actions()
    assert not label.isEnabled()
    lasso(view, 0)
    assert label.isEnabled()
    label.trigger()
    (menu,) = view.findChildren(LabelMenu)
    qtbot.waitUntil(menu.isVisible)
    qtbot.waitUntil(lambda: "&2  wind" in [one.text() for one in menu.actions()])
    QTest.keyClick(menu, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: bool(labelled(stage)))
    (change,) = labelled(stage)
    assert change.class_name == "wind"
    assert list(change.sentences) == mapped.all_ids(N_EACH)[:N_EACH].tolist()


def test_the_toolbar_exports_by_a_plain_button(view: MapView) -> None:
    buttons = {one.text(): one for one in view.page.findChildren(QPushButton)}
    assert buttons["Export map…"].menu() is None
    assert "Export" not in buttons


def test_a_cluster_is_listed_and_the_map_moves_only_if_it_is_not_visible(
    view: MapView,
) -> None:
    view.grab()
    whole, canvas = view.page.canvas.frame, view.page.canvas
    view.page.choose_cluster(2)
    assert view.page.sentences.isVisible()
    seen = canvas.frame
    assert (seen.left, seen.top) == pytest.approx((whole.left, whole.top))
    assert seen.scale == whole.scale
    view.page.selection.clear()
    view.page.zoom_to(Box(3, 0, 4, 1))  # another cluster
    lines = view.sidebar.clusters.rows
    assert next(line.title for line in lines) == "1  Sentence 0 in en"
    assert lines[0].facts == "60 sentences"
    view.page.choose_cluster(2)
    assert rows_of(view)[:3] == [first_sentence_id(3) + k for k in range(3)]
    assert view.page.sentences.heading.startswith("Cluster 3: 60 sentences")
    assert len(lit(view)) == N_EACH
    box = canvas.frame.box
    assert box.left < 0.5 < box.right < 3
    assert box.bottom > 1


def test_points_keep_their_place_when_the_list_or_the_inspector_opens(
    view: MapView, qtbot: QtBot
) -> None:
    window = QWidget()  # the inspector opens in it
    qtbot.addWidget(window)
    inspector = QWidget()
    inspector.setFixedWidth(300)
    inspector.hide()
    row = QHBoxLayout(window)
    row.addWidget(view)
    row.addWidget(inspector)
    window.resize(1100, 760)
    window.show()
    window.grab()
    canvas, page, first = view.page.canvas, view.page, first_sentence_id(3)
    canvas.set_tool("lasso")
    place, high = place_of(view, first), canvas.height()
    lasso(view, 2)
    assert page.sentences.isVisible()
    assert canvas.height() < high - 100
    assert place_of(view, first) == place
    width = canvas.width()
    inspector.show()
    qtbot.waitUntil(lambda: canvas.width() < width)
    assert place_of(view, first) == place
    view.sidebar.legend.choose(["German"])
    inspector.hide()
    qtbot.waitUntil(lambda: canvas.width() == width)
    page.clear_filters()
    page.selection.clear()
    assert not page.sentences.isVisible()
    qtbot.waitUntil(lambda: canvas.height() == high)
    assert place_of(view, first) == place
    lasso(view, 2)
    view.controller.show_all()
    assert canvas.camera == canvas.fit.camera
    window.grab()
    window.resize(1200, 800)  # the whole map fits another window
    assert canvas.camera == canvas.fit.camera
    view.setParent(None)  # the fixture closes it


def test_sentences_are_copied_and_exported(
    view: MapView, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    lasso(view, 3)
    view.controller.actions["copy_sentences"].trigger()
    assert QGuiApplication.clipboard().text().splitlines()[1] == "Sentence 1 in ja"
    with qtbot.waitSignal(stage.state.file_written):
        view.controller.ask_export().export_to(tmp_path / "some.tsv")
    lines = (tmp_path / "some.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == N_EACH + 1
    assert lines[1] == f"{first_sentence_id(4)}\tja\tCorpus ja\t1\t\tSentence 0 in ja"
