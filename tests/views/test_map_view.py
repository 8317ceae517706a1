"""The map view: colours that filter, lasso, table, labels, pairs, two maps, files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from sqlalchemy import update

from app.classify_questions import LabelCountsQuery
from app.engine.store import schema
from app.engine.store.arrays import write_array
from app.engine.store.projection_writes import set_projection_state
from app.engine.store.rows import first_id
from app.errors import ErrorInfo
from app.label_changes import LabelSentences
from app.map_changes import RenameProjection, SetProjectionState
from app.map_questions import CompareProjectionsQuery
from app.messages import EncodersQuery
from app.params.projection import ProjectMap
from app.settings import Settings
from app.views.map_colourings import CLUSTER, DENSITY, LABEL, LENGTH
from app.views.map_view import MapView
from app.views.widgets.ask_text import AskText
from app.views.widgets.map_dialog import MapDialog
from app.views.widgets.width_dialog import WidthDialog
from tests.views import mapped
from tests.views.classified import add_labels
from tests.views.stage import Stage, link
from tests.views.test_accessibility import faults

N_EACH = 60
N = 4 * N_EACH


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return mapped.build_corpora(tmp_path / "p.isogloss", N_EACH)


@pytest.fixture
def stage(folder: Path) -> Iterator[Stage]:
    stage = Stage(folder)
    card = {"name": "isogloss-2", "fingerprint": "f" * 64, "folder": str(folder)}
    stage.client.answers[EncodersQuery] = lambda _: {
        "encoders": [card],
        "chosen": "isogloss-2",
        "damaged": [],
    }
    stage.client.answers[LabelCountsQuery] = lambda _: {
        "corpora": [
            {
                "id": 1,
                "n_labelled": 2,
                "n_classes": 2,
                "classes": [["sea", 1], ["wind", 1]],
            }
        ]
    }
    yield stage
    stage.close()


def add_map(folder: Path, **fields: Any) -> int:
    """Add a map of four squares: each corpus has a corner, and is a cluster."""
    ids = mapped.all_ids(N_EACH)
    corner = np.repeat(np.arange(4), N_EACH)
    side = np.arange(N) % N_EACH / N_EACH  # along a diagonal
    xy = np.stack([3.0 * (corner % 2) + side, 3.0 * (corner // 2) + side], 1)
    if fields.pop("is_turned", False):
        xy = xy[:, ::-1]
    return mapped.add_map(
        folder, ids, xy.astype(np.float32), corner.astype(np.int32), **fields
    )


def open_view(stage: Stage, qtbot: QtBot) -> MapView:
    stage.open(qtbot)
    qtbot.waitUntil(lambda: bool(stage.state.encoders.cards))
    view = MapView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 800)
    view.show()
    return view


@pytest.fixture
def view(stage: Stage, folder: Path, qtbot: QtBot) -> MapView:
    """The view with one map, drawn."""
    add_map(folder)
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    return view


def wait_ready(view: MapView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: view.page.pane.colouring is not None)
    qtbot.waitUntil(lambda: not view.page.pane.is_busy)


def colour_by(view: MapView, key: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.page.ready):
        view.column.column_chosen.emit(key)


def place_of(view: MapView, sentence: int) -> QPoint:
    """Give the place of a sentence in the picture."""
    points, canvas = view.page.pane.points, view.page.canvas
    assert points is not None
    place = points.place_of(sentence)
    assert place is not None
    grid = points.grid
    at: QPointF = canvas.to_widget(float(grid.x[place]), float(grid.y[place]))
    return at.toPoint()


def drag(view: MapView, corners: list[tuple[float, float]], keys: Any = None) -> None:
    """Drag the mouse over corners in coordinates of the map."""
    canvas = view.page.canvas
    places = [canvas.to_widget(x, y).toPoint() for x, y in corners]
    held = keys or Qt.KeyboardModifier.NoModifier
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, held, places[0])
    for place in places[1:]:
        QTest.mouseMove(canvas, place)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, held, places[-1])


def lasso(view: MapView, corner: int, keys: Any = None) -> None:
    """Draw around a square of the map."""
    x, y = 3.0 * (corner % 2), 3.0 * (corner // 2)
    if view.page.canvas.tool != "lasso":
        QTest.keyClick(view.page.canvas, Qt.Key.Key_L)
    low, high = -0.3, 1.3
    drag(
        view,
        [
            (x + low, y + low),
            (x + high, y + low),
            (x + high, y + high),
            (x + low, y + high),
        ],
        keys,
    )


def rows_of(view: MapView) -> list[int]:
    model = view.page.sentences.table.page_model
    return model.ids_at(0, model.rowCount())


def lit(view: MapView) -> set[int]:
    """Give the sentences that are not grey."""
    points, _ = view.page.canvas.drawn_points
    shown = view.page.pane.points
    assert shown is not None
    if points.lit is None:
        return set(shown.ids.tolist())
    return set(shown.ids[shown.grid.order[points.lit]].tolist())


def test_a_map_is_drawn_in_the_colours_of_its_languages(view: MapView) -> None:
    (line,) = view.column.maps.rows
    assert (line.title, line.facts) == (
        "All sentences",
        "UMAP · 240 points · isogloss-2",
    )
    titles = [row.title for row in view.column.legend.rows]
    assert sorted(titles) == ["Arabic", "English", "German", "Japanese"]
    assert "All sentences" in view.page.canvas.accessibleName()
    english = next(row for row in view.column.legend.rows if row.title == "English")
    picture = view.page.canvas.grab().toImage()
    at = place_of(view, first_id(1) + 30)
    assert picture.pixelColor(at).name().upper() == english.colour


def test_the_legend_greys_what_is_not_chosen(view: MapView) -> None:
    view.column.legend.choose(["German"])
    assert lit(view) == set(mapped.all_ids(N_EACH)[N_EACH : 2 * N_EACH].tolist())
    picture = view.page.canvas.grab().toImage()
    colour = picture.pixelColor(place_of(view, first_id(1) + 30))
    assert colour.saturation() < 30  # grey, and still there
    assert colour.name() != "#ffffff"
    view._todo["unfilter"].trigger()
    assert len(lit(view)) == N


def test_points_are_coloured_by_any_column(
    view: MapView, folder: Path, qtbot: QtBot
) -> None:
    colour_by(view, CLUSTER, qtbot)
    assert next(row.title for row in view.column.legend.rows) == "Cluster 1"
    assert [mark.text for mark in view.page.canvas.overlay.marks] == list("1234")
    colour_by(view, LENGTH, qtbot)
    rows = view.column.legend.rows
    assert sum(row.n for row in rows) == N
    view.column.legend.choose([rows[0].title])
    longest = max(10 + (id_ & 0xFFFFFFFF) % 90 for id_ in lit(view))
    assert longest <= 20
    colour_by(view, DENSITY, qtbot)
    assert not view.column.legend.rows
    add_labels(folder, 1, ("wind", "sea", "sea"))
    colour_by(view, LABEL, qtbot)
    assert [(row.title, row.n) for row in view.column.legend.rows] == [
        ("sea", 2),
        ("wind", 1),
        ("No label", N - 3),
    ]


def test_a_click_shows_the_sentence_and_the_mouse_its_card(
    view: MapView, stage: Stage
) -> None:
    sentence = first_id(3) + 20
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
    assert view.page.canvas.tool == "hand"


def test_a_lasso_takes_only_what_the_legend_leaves_in_colour(view: MapView) -> None:
    view.column.legend.choose(["English"])
    QTest.keyClick(view.page.canvas, Qt.Key.Key_R)
    drag(view, [(-0.5, -0.5), (4.5, 4.5)])
    assert rows_of(view) == mapped.all_ids(N_EACH)[:N_EACH].tolist()


def test_sentences_of_another_view_are_selected_on_the_map(
    view: MapView, stage: Stage
) -> None:
    notices: list[str] = []
    stage.state.notice_posted.connect(notices.append)
    view.map_sentences([first_id(2) + 5, first_id(1) + 3, first_id(99)])
    assert rows_of(view) == [first_id(1) + 3, first_id(2) + 5]
    assert notices == ["2 of these 3 sentences are on the map All sentences."]


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
    assert stage.state.selection in range(first_id(1), first_id(1) + N_EACH)


def test_digits_label_the_selection(view: MapView, stage: Stage, qtbot: QtBot) -> None:
    notices: list[str] = []
    stage.state.notice_posted.connect(notices.append)
    QTest.keyClick(view.page.canvas, Qt.Key.Key_1)
    assert notices == ["Click a point, or draw around some: then keys label them."]
    lasso(view, 0)
    QTest.keyClick(view.page.canvas, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: bool(labelled(stage)))
    (change,) = labelled(stage)
    assert change.class_name == "wind"
    assert list(change.sentences) == mapped.all_ids(N_EACH)[:N_EACH].tolist()
    view.page.sentences.table.selectRow(1)
    QTest.keyClick(view.page.sentences.table, Qt.Key.Key_1)
    assert labelled(stage)[1] == LabelSentences(
        sentences=(first_id(1) + 1,), class_name="sea"
    )


def labelled(stage: Stage) -> list[LabelSentences]:
    return [c for c in stage.client.changes() if isinstance(c, LabelSentences)]


def test_translations_are_joined_and_counted(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    add_map(folder)
    link(folder, [(first_id(1) + k, first_id(2) + k) for k in range(10)])
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    QTest.keyClick(view.page.canvas, Qt.Key.Key_P)
    canvas = view.page.canvas
    qtbot.waitUntil(lambda: len(canvas.overlay.lines) == 10)
    assert "10 pairs of translations in sight" in view.page.pane.caption.text()
    view.page.selection.take(np.array([first_id(2) + 3], np.int64))
    assert len(canvas.overlay.lines) == 1
    view.page.selection.clear()
    view.page.zoom_to(view.page.pane.points.grid.bounds._replace(right=1, top=1))  # type: ignore[union-attr] # it is loaded
    assert not len(canvas.overlay.lines)  # their other ends are out of sight


def test_a_cluster_is_shown_near_by_with_its_typical_sentences(
    view: MapView,
) -> None:
    lines = view.column.clusters.rows
    assert next(line.title for line in lines) == "1  Sentence 0 in en"
    assert lines[0].facts == "60 sentences"
    view.page.choose_cluster(2)
    assert rows_of(view)[:3] == [first_id(3) + k for k in range(3)]
    assert view.page.sentences.heading.startswith("Cluster 3: 60 sentences")
    assert len(lit(view)) == N_EACH
    box = view.page.canvas.frame.box
    assert box.left < 0.5 < box.right < 3
    assert box.bottom > 1


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
    stage.client.answers[CompareProjectionsQuery] = lambda _: {
        "file": "arrays/views/ids.npy",
        "shares": "arrays/views/shares.npy",
        "n": N,
        "k": 10,
        "n_shared": N,
        "kept": 0.5,
        "low": 0.4,
        "high": 0.6,
        "is_sample": False,
    }
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    assert view.row is not None
    assert view.row.id == first
    view.page.compare_with(other)
    qtbot.waitUntil(lambda: view.page.other.colouring is not None)
    lasso(view, 1)
    points, _ = view.page.other.canvas.drawn_points
    assert points.lit is not None
    assert points.lit.sum() == N_EACH
    view._todo["moves"].trigger()
    qtbot.waitUntil(lambda: "50 % of the 10 nearest" in view.page.sentences.facts)
    assert rows_of(view)[:3] == order[:3].tolist()
    assert view.page.pane.colouring is not None
    assert view.page.pane.colouring.key == "moved"
    view.page.compare_with(None)
    assert not view.page.other.isVisible()


def test_a_map_is_put_together_in_a_dialog(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = open_view(stage, qtbot)
    assert view.start.words[0] == "No map yet"
    view.jobs.ask_map()
    (dialog,) = view.findChildren(MapDialog)
    assert dialog.needs.startswith("240 sentences. Those without vectors")
    dialog.form.write({"corpora": ["Corpus de"], "name": "German"})
    assert dialog.needs.startswith("60 sentences.")
    dialog.run_button.click()
    quick, full = stage.client.runs()
    assert quick == ProjectMap(
        corpora=("Corpus de",), method="pca", name="German (PCA)"
    )
    assert full == ProjectMap(corpora=("Corpus de",), name="German")
    qtbot.waitUntil(lambda: view.start.words[0] == "Making a map…")


def test_maps_are_renamed_deleted_and_shown_again(
    view: MapView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view.jobs.rename()
    (dialog,) = view.findChildren(AskText)
    dialog.field.setText("Letters")
    dialog._ok.click()
    view.jobs.delete()
    qtbot.waitUntil(lambda: not view.messages.isHidden())
    assert stage.client.changes()[-2:] == [
        RenameProjection(projection=1, name="Letters"),
        SetProjectionState(projections=(1,), state="deleted"),
    ]
    with mapped.writing(folder) as store, store.begin() as connection:
        connection.execute(update(schema.projection).values(name="Letters"))
    stage.state.kinds_changed.emit({"projection"})
    assert view.page.pane.caption.text().startswith("Letters · isogloss-2")
    with mapped.writing(folder) as store:
        set_projection_state(store, 1, "deleted")
    stage.state.kinds_changed.emit({"projection"})
    assert view.start.isVisible()
    with mapped.writing(folder) as store:
        set_projection_state(store, 1, "ready")
    stage.state.kinds_changed.emit({"projection"})
    qtbot.waitUntil(lambda: view.page.pane.colouring is not None)


def test_what_was_shown_is_shown_again(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    colour_by(view, CLUSTER, qtbot)
    view.column.legend.choose(["Cluster 2", "Cluster 3"])
    view.page.canvas.zoom(1.5)
    lasso(view, 1)
    selected = rows_of(view)
    assert selected
    seen = view.page.canvas.seen
    assert seen is not None
    saved = msgspec.json.decode(msgspec.json.encode(view.save_state()))
    again = MapView(stage.state)
    qtbot.addWidget(again)
    again.resize(1000, 800)
    again.show()
    again.restore_state(saved)
    qtbot.waitUntil(lambda: again.page.selection.ids is not None)
    assert rows_of(again) == selected
    assert again.column.legend.chosen == ("Cluster 2", "Cluster 3")
    assert again.page.canvas.seen == pytest.approx(seen)
    box = again.page.canvas.frame.box  # the table took room: all is still in sight
    assert box.left <= seen.left + 1e-6
    assert box.top >= seen.top - 1e-6
    again.restore_state({"map": 99, "page": {"seen": ["x"], "chosen": 3}})


def test_a_map_is_saved_as_picture_drawing_and_table(
    view: MapView, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    notices: list[str] = []
    stage.state.notice_posted.connect(notices.append)
    view.pictures.ask_png()
    (dialog,) = view.findChildren(WidthDialog)
    assert not faults(dialog)
    dialog.reject()
    view.pictures.save_png(tmp_path / "map.png", 3_300)  # of several parts
    qtbot.waitUntil(lambda: len(notices) == 1)
    picture = QImage(str(tmp_path / "map.png"))
    assert picture.width() == 3_300
    view.pictures.save_svg(tmp_path / "map.svg")
    drawing = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert drawing.count("<circle") + drawing.count("<ellipse") == N
    assert "English" in drawing
    view.pictures.save_csv(tmp_path / "map.csv")
    qtbot.waitUntil(lambda: len(notices) == 3)
    lines = (tmp_path / "map.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "sentence,x,y,cluster,language,class,text"
    assert len(lines) == N + 1
    assert lines[1].endswith(",1,en,English,Sentence 0 in en")


def test_sentences_are_copied_and_exported(
    view: MapView, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    lasso(view, 3)
    view._todo["copy_sentences"].trigger()
    assert QGuiApplication.clipboard().text().splitlines()[1] == "Sentence 1 in ja"
    with qtbot.waitSignal(stage.state.notice_posted):
        view.jobs.export_to(tmp_path / "some.tsv")
    lines = (tmp_path / "some.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == N_EACH + 1
    assert lines[1] == f"{first_id(4)}\tja\tCorpus ja\t1\t\tSentence 0 in ja"


def test_a_map_whose_arrays_are_gone_is_told_of(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    add_map(folder)
    (folder / "arrays" / "map-one.xy.npy").unlink()
    errors: list[ErrorInfo] = []
    stage.state.error_posted.connect(errors.append)
    open_view(stage, qtbot)
    qtbot.waitUntil(lambda: bool(errors))
    assert "map-one.xy.npy" in errors[0].message


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
