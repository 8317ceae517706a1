"""Maps that are made, kept, brought back and written as files."""

import re
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from sqlalchemy import update

from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.errors import ErrorInfo
from app.params.projection import ProjectMap
from app.protocol.edits.maps import RenameProjection, SetProjectionState
from app.views.map.colouring import CLUSTER
from app.views.map.dialog import MapDialog
from app.views.map.drawing.picture import dot_radius
from app.views.map.export import write_png
from app.views.map.view import MapView
from app.views.widgets.dialogs import TextInputDialog
from app.views.widgets.export_dialog import PictureSettings
from app.views.widgets.theme import LIGHT, interface_font
from tests.views.map import mapped
from tests.views.map.opened import N, add_map, colour_by, lasso, open_view, rows_of
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage


def test_a_map_is_put_together_in_a_dialog(
    stage: Stage, qtbot: QtBot, folder: Path
) -> None:
    view = open_view(stage, qtbot)
    assert view.empty_state.words[0] == "No map yet"
    view.controller.ask_map()
    (dialog,) = view.findChildren(MapDialog)
    assert dialog.needs.startswith("240 sentences. Sentences without vectors")
    name = dialog.form.field("name")
    assert name.read() == "All sentences"
    dialog.form.write({"corpora": ["Corpus de"]})
    assert name.read() == "Corpus de"
    dialog.form.write({"name": "German"})
    dialog.form.write({"corpora": ["Corpus de", "Corpus en"]})
    dialog.form.write({"corpora": ["Corpus de"]})
    assert name.read() == "German"
    assert dialog.needs.startswith("60 sentences.")
    dialog.run_button.click()
    quick, full = stage.client.runs()
    assert quick == ProjectMap(
        corpora=("Corpus de",), method="pca", name="German (PCA)"
    )
    assert full == ProjectMap(corpora=("Corpus de",), name="German")
    assert not view.controller.actions["make_all"].isEnabled()
    qtbot.waitUntil(lambda: view.empty_state.words[0] == "Making a map…")


def test_maps_are_renamed_deleted_and_shown_again(
    view: MapView, stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    view.controller.rename()
    (dialog,) = view.findChildren(TextInputDialog)
    dialog.field.setText("Letters")
    dialog.done_button.click()
    view.controller.delete()
    qtbot.waitUntil(lambda: not view.messages.isHidden())
    assert stage.client.changes()[-2:] == [
        RenameProjection(projection=1, name="Letters"),
        SetProjectionState(projections=(1,), state="deleted"),
    ]

    def write(values: dict[str, str]) -> None:
        with mapped.writing(folder) as store, store.begin() as connection:
            connection.execute(update(schema.projection).values(values))
        stage.state.kinds_changed.emit({"projection"})

    write({"name": "Letters"})
    assert view.page.pane.caption.text().startswith("Letters · isogloss-2")
    write({"state": "deleted"})
    assert view.empty_state.isVisible()
    write({"state": "ready"})
    qtbot.waitUntil(lambda: view.page.pane.colouring is not None)


def test_what_was_shown_is_shown_again(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    colour_by(view, CLUSTER, qtbot)
    view.sidebar.legend.choose(["Cluster 2", "Cluster 3"])
    view.page.canvas.zoom(1.5)
    lasso(view, 1)
    selected = rows_of(view)
    assert selected
    seen = view.page.canvas.visible_box
    assert seen is not None
    saved = msgspec.json.decode(msgspec.json.encode(view.save_state()))
    again = MapView(stage.state)
    qtbot.addWidget(again)
    again.resize(1000, 800)
    again.show()
    again.restore_state(saved)
    qtbot.waitUntil(lambda: again.page.selection.ids is not None)
    assert rows_of(again) == selected
    assert again.sidebar.legend.chosen == ("Cluster 2", "Cluster 3")
    assert again.page.canvas.visible_box == pytest.approx(seen)
    box = again.page.canvas.frame.box  # the table took room: all is still in sight
    assert box.left <= seen.left + 1e-6
    assert box.top >= seen.top - 1e-6
    again.restore_state({"map": 99, "page": {"seen": ["x"], "chosen": 3}})


def test_a_map_is_saved_as_picture_drawing_and_table(
    view: MapView, stage: Stage, tmp_path: Path, qtbot: QtBot
) -> None:
    written: list[Path] = []
    stage.state.file_written.connect(lambda file, _: written.append(file))
    dialog = view.exporter.ask_export()
    assert dialog is not None
    assert not faults(dialog)
    dialog.picture.width_box.setValue(3_300)  # of several parts
    dialog.export_to(tmp_path / "map.png")
    qtbot.waitUntil(lambda: len(written) == 1)
    picture = QImage(str(tmp_path / "map.png"))
    assert picture.width() == 3_300
    export(view, tmp_path / "map.svg")
    drawing = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert drawing.count("<circle") + drawing.count("<ellipse") == N
    assert "English" in drawing
    export(view, tmp_path / "map.csv")
    qtbot.waitUntil(lambda: len(written) == 3)
    lines = (tmp_path / "map.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "sentence,x,y,cluster,language,class,text"
    assert len(lines) == N + 1
    assert lines[1].endswith(",1,en,English,Sentence 0 in en")


@pytest.mark.parametrize(("index", "is_dark"), [(0, False), (1, True), (2, False)])
def test_a_picture_has_the_chosen_size_and_background(
    view: MapView,
    stage: Stage,
    tmp_path: Path,
    qtbot: QtBot,
    index: int,
    is_dark: bool,
) -> None:
    dialog = view.exporter.ask_export()
    assert dialog is not None
    picture = dialog.picture
    assert (picture.width_box.value(), picture.height_box.value()) == (1_920, 1_080)
    assert picture.background_box.currentText() == "Light", "as the window"
    picture.background_box.setCurrentIndex(index)
    picture.height_box.setValue(1_440)
    with qtbot.waitSignal(stage.state.file_written):
        dialog.export_to(tmp_path / "map.png")
    image = QImage(str(tmp_path / "map.png"))
    assert (image.width(), image.height()) == (1_920, 1_440)
    corner = image.pixelColor(2, 2)
    assert corner.alpha() == (0 if index == 2 else 255)
    assert index == 2 or (corner.lightness() < 128) == is_dark
    note = [
        image.pixelColor(x, y)
        for y in range(image.height() - 80, image.height())
        for x in range(40, 400)
    ]
    assert any(one.alpha() > 200 and (one.lightness() < 128) != is_dark for one in note)


def test_a_picture_does_not_depend_on_the_size_of_window_and_text(
    view: MapView, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    export(view, tmp_path / "large.svg")
    before = qapp.font()
    qapp.setFont(interface_font(150))
    view.resize(700, 420)
    qtbot.waitUntil(lambda: view.page.canvas.height() < 400)
    export(view, tmp_path / "small.svg")
    qapp.setFont(before)
    drawing = (tmp_path / "large.svg").read_text(encoding="utf-8")
    small = (tmp_path / "small.svg").read_text(encoding="utf-8")
    assert small[small.index("<circle") :] == drawing[drawing.index("<circle") :]
    assert 'viewBox="0 0 960 540"' in drawing
    for name in ("English", "German", "Arabic", "Japanese"):
        assert name in drawing
    for x, y in re.findall(r'<circle cx="([0-9.]+)" cy="([0-9.]+)"', drawing):
        assert 5 < float(x) < 955
        assert 5 < float(y) < 535


def test_the_legend_of_a_picture_takes_only_the_room_that_it_needs(
    view: MapView, tmp_path: Path
) -> None:
    snapshot = view.page.take_snapshot(PictureSettings(960, 540, LIGHT))
    assert snapshot is not None
    names = [row.title for row in snapshot.legend]
    longest = max(map(QFontMetricsF(interface_font()).horizontalAdvance, names))
    assert longest + 36 <= 960 - snapshot.width < longest + 40  # of 200 before
    many = [row._replace(title=f"{n}") for n in range(30) for row in snapshot.legend]
    first, second = snapshot._replace(legend=tuple(many)).columns
    assert (len(first), len(second)) == (21, 21)
    long = snapshot.legend[0]._replace(title="Long name " * 20)
    cut = snapshot._replace(legend=(long,))
    assert cut.width == 960 - 200
    *_, is_written = write_png(cut, tmp_path / "cut.png")
    assert is_written
    image = QImage(str(tmp_path / "cut.png"))
    inked = [
        x
        for x in range(cut.width, 960)
        for y in range(60)
        if image.pixelColor(x, y).lightness() < 200
    ]
    assert min(inked) <= cut.width + 1
    assert 900 < max(inked) < 960 - 14  # a margin


def test_points_in_colour_are_as_large_in_a_drawing_as_on_the_map(
    view: MapView, tmp_path: Path
) -> None:
    view.page.selection.set_ids(np.array([first_sentence_id(1)], np.int64))
    export(view, tmp_path / "map.svg")
    drawing = (tmp_path / "map.svg").read_text(encoding="utf-8")
    radii = Counter(re.findall(r'<circle [^>]*r="([0-9.]+)"', drawing))
    assert radii == {str(dot_radius(N)).removesuffix(".0"): N - 1, "6": 1}
    assert dot_radius(N) < 6


@pytest.mark.parametrize("suffix", ["svg", "tsv"])
def test_an_export_writes_the_map_of_the_moment_when_its_dialog_opened(
    view: MapView, tmp_path: Path, suffix: str, stage: Stage, qtbot: QtBot
) -> None:
    before, after = tmp_path / f"before.{suffix}", tmp_path / f"after.{suffix}"
    with qtbot.waitSignal(stage.state.file_written):
        export(view, before)
    dialog = view.exporter.ask_export()
    assert dialog is not None
    view.page.selection.set_ids(np.array([first_sentence_id(1)], np.int64))
    colour_by(view, CLUSTER, qtbot)
    with qtbot.waitSignal(stage.state.file_written):
        dialog.export_to(after)
    assert after.read_text(encoding="utf-8") == before.read_text(encoding="utf-8")


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


def export(view: MapView, file: Path) -> None:
    dialog = view.exporter.ask_export()
    assert dialog is not None
    assert dialog.preview.count.text() == f"{N} rows."
    dialog.export_to(file)
