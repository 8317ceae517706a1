"""The map view: colours that filter, pairs, two maps, the keyboard."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.engine.store.arrays import write_array
from app.engine.store.corpora import first_sentence_id
from app.protocol import events
from app.protocol.answers.maps import ComparisonAnswer
from app.protocol.queries.maps import CompareProjectionsQuery
from app.settings import Settings
from app.views.map.colouring import CLUSTER, DENSITY, LABEL, LANGUAGE, LENGTH
from app.views.map.drawing.overlay import MapLabel
from app.views.map.view import MapView
from app.views.widgets.export_dialog import PictureSettings
from app.views.widgets.theme import LIGHT, colours_of
from tests.views.classified import add_labels
from tests.views.map import mapped
from tests.views.map.opened import (
    N_EACH,
    N,
    add_map,
    colour_by,
    lasso,
    lit,
    open_view,
    place_of,
    rows_of,
    wait_ready,
)
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage, link


def test_a_map_is_drawn_in_the_colours_of_its_languages(view: MapView) -> None:
    view.controller.actions["landmarks"].setChecked(False)  # names cover some points
    (line,) = view.sidebar.maps.rows
    assert (line.title, line.facts) == (
        "All sentences",
        "UMAP · 240 points · isogloss-2",
    )
    titles = [row.title for row in view.sidebar.legend.rows]
    assert sorted(titles) == ["Arabic", "English", "German", "Japanese"]
    assert "All sentences" in view.page.canvas.accessibleName()
    english = next(row for row in view.sidebar.legend.rows if row.title == "English")
    picture = view.page.canvas.grab().toImage()
    at = place_of(view, first_sentence_id(1) + 30)
    assert picture.pixelColor(at).name().upper() == english.colour


def test_the_legend_greys_what_is_not_chosen(view: MapView) -> None:
    view.controller.actions["landmarks"].setChecked(False)  # names cover some points
    view.sidebar.legend.choose(["German"])
    assert lit(view) == set(mapped.all_ids(N_EACH)[N_EACH : 2 * N_EACH].tolist())
    picture = view.page.canvas.grab().toImage()
    colour = picture.pixelColor(place_of(view, first_sentence_id(3) + 30))
    assert colour.saturation() < 30  # grey, and still there
    assert colour.name() != "#ffffff"
    view.controller.actions["clear_filter"].trigger()
    assert len(lit(view)) == N


def test_the_legend_and_the_filter_of_its_column_are_one_filter(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    legend, filters = view.sidebar.legend, view.sidebar.filters
    qtbot.waitUntil(lambda: view.page.filters.offers(LANGUAGE))
    legend.choose(["German", "English"])
    assert set(filters.chosen(LANGUAGE)) == {"English", "German"}
    assert view.page.filter_bar.text == "Filters: Language: English, German"
    assert {row.n for row in legend.rows} == {N_EACH}  # as in the tab Filter
    items = {item.text(0): item for item in filters.tree.selectedItems()}
    items["English"].setSelected(False)
    assert list(legend.chosen) == ["German"]
    snapshot = view.page.take_snapshot(PictureSettings(960, 540, LIGHT))
    assert snapshot is not None
    assert [row.title for row in snapshot.legend] == ["German"]
    assert len(lit(view)) == N_EACH
    assert view.page.filter_bar.text == "Filters: Language: German"
    colours = {row.title: QColor(row.colour) for row in legend.rows}
    shown = items["German"].data(0, Qt.ItemDataRole.DecorationRole)
    assert shown == colours["German"]
    saved = view.save_state()
    colour_by(view, LENGTH, qtbot)
    assert len(legend.chosen) == 0
    assert view.page.filter_bar.text == "Filters: Language: German"
    assert items["German"].data(0, Qt.ItemDataRole.DecorationRole) is None
    colour_by(view, LANGUAGE, qtbot)
    view.controller.actions["clear_filter"].trigger()
    assert len(lit(view)) == N
    assert not view.page.filter_bar.text
    again = MapView(stage.state)
    qtbot.addWidget(again)
    again.show()
    again.restore_state(saved)
    qtbot.waitUntil(lambda: again.sidebar.legend.chosen == ("German",))
    qtbot.waitUntil(lambda: again.page.filters.offers(LANGUAGE))
    assert again.page.filter_bar.text == "Filters: Language: German"


def test_only_the_letters_of_names_cover_points(view: MapView) -> None:
    canvas = view.page.canvas
    sentence = first_sentence_id(2) + 30
    points = view.page.pane.points
    assert points is not None
    index = points.place_of(sentence)
    x, y = float(points.grid.x[index]), float(points.grid.y[index])
    view.page.pane.show_labels((MapLabel(x, y, "", words="▮        ▮"),))

    def colour() -> QColor:
        picture = canvas.grab().toImage()
        return QColor(picture.pixelColor(place_of(view, sentence)))

    between_letters = colour()
    assert between_letters.hslSaturation() > 100
    view.page.pane.show_labels((MapLabel(x, y, "", words="▮"),))  # fills its room
    assert colour() == QColor(colours_of(canvas).text)
    view.page.pane.show_labels(())
    assert colour() == between_letters


def test_contours_follow_the_visible_part(view: MapView, qtbot: QtBot) -> None:
    canvas = view.page.canvas

    def extent() -> float:
        rooms = [path.boundingRect() for path in canvas.overlay.contours]
        return max((room.width() for room in rooms), default=0.0)

    qtbot.waitUntil(lambda: extent() > 3)  # around all four squares
    canvas.set_camera(canvas.camera._replace(x=-1.5))
    qtbot.waitUntil(lambda: 0 < extent() < 2)  # around the two that are visible
    canvas.show_all()
    qtbot.waitUntil(lambda: extent() > 3)


def test_points_are_coloured_by_any_column(
    view: MapView, folder: Path, qtbot: QtBot
) -> None:
    colour_by(view, CLUSTER, qtbot)
    assert next(row.title for row in view.sidebar.legend.rows) == "Cluster 1"
    assert [mark.text for mark in view.page.canvas.overlay.labels] == list("1234")
    colour_by(view, LENGTH, qtbot)
    rows = view.sidebar.legend.rows
    assert sum(row.n for row in rows) == N
    view.sidebar.legend.choose([rows[0].title])
    longest = max(10 + (id_ & 0xFFFFFFFF) % 90 for id_ in lit(view))
    assert longest <= 20
    colour_by(view, DENSITY, qtbot)
    assert not view.sidebar.legend.rows
    add_labels(folder, 1, ("wind", "sea", "sea"))
    colour_by(view, LABEL, qtbot)
    assert [(row.title, row.n) for row in view.sidebar.legend.rows] == [
        ("sea", 2),
        ("wind", 1),
        ("No label", N - 3),
    ]


def test_translations_are_joined_and_counted(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    add_map(folder)
    link(
        folder,
        [(first_sentence_id(1) + k, first_sentence_id(2) + k) for k in range(10)],
    )
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    QTest.keyClick(view.page.canvas, Qt.Key.Key_P)
    canvas = view.page.canvas
    qtbot.waitUntil(lambda: len(canvas.overlay.lines) == 10)
    assert "10 visible translation pairs" in view.page.pane.caption.text()
    link(folder, [(first_sentence_id(1) + 10, first_sentence_id(2) + 10)])
    stage.client.event_received.emit(events.Changed("link", first_sentence_id(1)))
    qtbot.waitUntil(lambda: len(canvas.overlay.lines) == 11)
    assert "11 visible translation pairs" in view.page.pane.caption.text()
    view.page.selection.set_ids(np.array([first_sentence_id(2) + 3], np.int64))
    view.controller.show_all()  # the list covers the lower part
    assert len(canvas.overlay.lines) == 1
    view.page.selection.clear()
    view.page.zoom_to(view.page.pane.points.grid.bounds._replace(right=1, top=1))  # type: ignore[union-attr] # it is loaded
    assert not len(canvas.overlay.lines)  # their other ends are out of sight


def test_two_maps_share_the_selection_and_tell_what_moved(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    fields = {"name": "Turned", "encoder": "other", "fingerprint": "e" * 64}
    other = add_map(folder, **fields, is_turned=True)
    first = add_map(folder, name="First")
    order = mapped.all_ids(N_EACH)[::-1].copy()
    for name, array in (
        ("ids", order),
        ("shares", np.linspace(0, 1, N).astype(np.float32)),
    ):
        write_array(folder / "arrays" / "views" / f"{name}.npy", array)
    stage.client.answers[CompareProjectionsQuery] = lambda _: ComparisonAnswer(
        ids_file="arrays/views/ids.npy",
        shares_file="arrays/views/shares.npy",
        n=N,
        k=10,
        n_shared=N,
        mean=0.5,
        low=0.4,
        high=0.6,
    )
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    assert view.controller.shown is not None
    assert view.controller.shown.id == first
    view.page.compare_with(other)
    qtbot.waitUntil(lambda: view.page.other.colouring is not None)
    view.grab()
    lasso(view, 1)
    points, _ = view.page.other.canvas.image.drawn
    assert points.mask is not None
    assert points.mask.sum() == N_EACH
    view.controller.actions["compare"].trigger()
    qtbot.waitUntil(lambda: "50\u00a0% of the 10 nearest" in view.page.sentences.facts)
    assert rows_of(view)[:3] == order[:3].tolist()
    for pane in view.page.panes():
        assert pane.canvas.camera == pane.canvas.fit.camera, "both maps are shown whole"
    assert view.page.pane.colouring is not None
    assert view.page.pane.colouring.key == "moved"
    view.page.compare_with(None)
    assert not view.page.other.isVisible()


def test_the_view_is_complete_for_keyboard_and_screen_reader(
    view: MapView, stage: Stage
) -> None:
    stage.theme.apply(Settings(theme="dark", text_scale=150))
    view.resize(640, 560)
    lasso(view, 0)
    assert not faults(view)
    assert view.minimumSizeHint().width() <= 640
    keys = {action.shortcut().toString() for action in view.actions()}
    assert {"L", "R", "P", "0", "+", "-", "Esc"} <= keys
    stage.theme.apply(Settings(theme="light"))


def test_the_map_chosen_last_is_shown_when_another_one_is_still_loading(
    view: MapView, folder: Path, qtbot: QtBot
) -> None:
    add_map(folder, name="Other")
    view.refresh()
    other, first = view.controller.maps
    assert view.page.pane.row == first
    view.sidebar.maps.choose(other.id)
    view.sidebar.maps.choose(first.id)
    qtbot.waitUntil(lambda: not view.page.pane.is_busy)
    assert view.page.pane.row == first
