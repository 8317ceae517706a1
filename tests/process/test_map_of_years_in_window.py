"""The map of dated texts in a real window: filters, quality, predicted classes."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.project_map import project_map
from app.number_format import WORD_JOINER
from app.params.classify import Classify, TrainClassifier
from app.params.corpora import ImportCorpus, MakeSubcorpus
from app.params.projection import ProjectMap
from app.views.corpora.import_dialog import ImportDialog
from app.views.map.colouring import FIELD, LANGUAGE
from app.views.map.toolbar import MapToolbar
from app.views.map.view import MapView
from app.views.shell.main_window import MainWindow
from tests.process.windows import WAIT_MS, Windows
from tests.views.map.opened import lit
from tests.views.map.test_filters import entries, select, values

YEAR = f"{FIELD}:year"
GENRES = ("diary", "letter", "novel")
FIRST, N_EACH = 1784, 60  # a sentence in every second year
TEXTS = {
    "en": ("The {}th ship brought salt and wool.", "Rain fell for {} days in spring."),
    "de": ("Das {}. Schiff brachte Salz und Wolle.", "Im Frühling fiel {} Tage Regen."),
    "fr": ("Le {}e navire apporta du sel.", "Il plut {} jours au printemps."),
}
TOPICS = ("trade", "weather")
OpenMap = Callable[[], MapView]


def write_table(file: Path, language: str) -> Path:
    lines = ["text\tyear\tgenre\ttopic"]
    for n in range(N_EACH):
        text = TEXTS[language][n % 2].format(n)
        topic = TOPICS[n % 2] if language == "en" else ""
        lines.append(f"{text}\t{FIRST + 2 * n}\t{GENRES[n % 3]}\t{topic}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path, data_dir: Path) -> Path:
    """A project with three corpora of years and genres, and a map of them."""
    folder = tmp_path / "years.isogloss"
    with create_project(folder) as project:
        for language in TEXTS:
            params = ImportCorpus(
                files=(write_table(tmp_path / f"{language}.tsv", language),),
                languages=(language,),
                names=(language.upper(),),
                columns=("text",),
                label_column="topic",
                field_columns=("year", "genre"),
            )
            import_corpus(project, params, Report())
        corpora = tuple(language.upper() for language in TEXTS)
        project_map(project, ProjectMap(corpora=corpora, name="Years"), Report())
    return folder


@pytest.fixture
def open_map(windows: Windows, qtbot: QtBot, folder: Path) -> OpenMap:
    def open_() -> MapView:
        window = windows.open(folder, "map")
        view = window.view
        assert isinstance(view, MapView)
        wait_read(view, qtbot)
        return view

    return open_


def wait_read(view: MapView, qtbot: QtBot) -> None:
    """Wait until the map is drawn, and its filters are offered."""
    page = view.page
    qtbot.waitUntil(lambda: page.pane.colouring is not None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(page.filters.facets), timeout=WAIT_MS)


def show_preview(view: MapView, qtbot: QtBot) -> None:
    """Make a map that takes long, and wait for its quick preview."""
    long = ProjectMap(corpora=("EN", "DE"), name="Letters", n_epochs=5_000)
    view.controller.make(long)
    qtbot.waitUntil(lambda: shown_name(view) == "Letters (PCA)", timeout=WAIT_MS)


def is_whole(label: QLabel) -> bool:
    """Return whether all lines of a label are visible."""
    return label.isVisible() and label.height() >= label.heightForWidth(label.width())


def test_the_map_says_how_well_it_keeps_neighbours(
    open_map: OpenMap, qtbot: QtBot
) -> None:
    view = open_map()
    quality, caption = view.page.pane.quality, view.page.pane.caption
    number = r"\d+\.\d"
    pattern = rf"Neighbours kept: {number} % \({number} – {number} %, n = 180\)"
    plain = quality.text().replace("\xa0", " ").replace(WORD_JOINER, "")
    assert re.fullmatch(pattern, plain)
    assert "15 nearest sentences by meaning" in quality.toolTip()
    assert "measured on 180 sentences" in quality.toolTip()
    assert quality.text() in view.page.canvas.accessibleName()
    qtbot.waitUntil(lambda: quality.y() > caption.y())
    view.window().resize(1700, 900)
    qtbot.waitUntil(lambda: quality.y() == caption.y())  # beside it, if there is room
    view.page.compare_with(view.controller.maps[0].id)
    qtbot.waitUntil(lambda: quality.y() > caption.y())
    qtbot.waitUntil(lambda: is_whole(caption) and is_whole(quality))


def test_filters_are_named_cleared_and_there_after_a_restart(
    open_map: OpenMap, windows: Windows, qtbot: QtBot
) -> None:
    view = open_map()
    filters, bar = view.sidebar.filters, view.page.filter_bar
    assert bar.text == ""
    rect = bar.geometry()
    view.sidebar.tabs.setCurrentWidget(filters)
    QTest.keyClicks(filters.find_field, "salt")
    qtbot.waitUntil(lambda: len(lit(view)) == N_EACH // 2, timeout=WAIT_MS)
    select(view, "English", "letter", "novel")
    filters.histograms[YEAR].bars.choose((10, 59))
    qtbot.waitUntil(lambda: len(lit(view)) == 8, timeout=WAIT_MS)
    view.sidebar.legend.choose(["English"])
    named = (
        "Filters: “salt” · year: 1794 – 1843 · Language: English · genre: letter, novel"
    )
    assert bar.text == named
    assert bar.geometry() == rect
    assert bar.geometry().bottom() < view.page.splitter.y()  # no points below it
    in_colour = lit(view)
    windows.close(view)

    view = open_map()
    qtbot.waitUntil(lambda: lit(view) == in_colour, timeout=WAIT_MS)
    filters, bar = view.sidebar.filters, view.page.filter_bar
    assert bar.text == named
    assert filters.find_field.text() == "salt"
    assert filters.histograms[YEAR].range == (10, 59)
    assert filters.chosen(LANGUAGE) == ("English",)
    view.controller.actions["clear_filters"].trigger()
    qtbot.waitUntil(lambda: len(lit(view)) == 3 * N_EACH, timeout=WAIT_MS)
    assert bar.text == ""
    assert not view.controller.actions["clear_filters"].isEnabled()
    assert values(view, "Language") == dict.fromkeys(
        ("English", "German", "French"), str(N_EACH)
    )


def test_the_years_of_an_imported_table_filter_its_map(
    windows: Windows, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "own.isogloss"
    create_project(folder).close()
    window = windows.open(folder, "map")
    window.import_files([write_table(tmp_path / "en.tsv", "en")])
    (dialog,) = window.findChildren(ImportDialog)
    qtbot.waitUntil(dialog.ok.isEnabled, timeout=WAIT_MS)
    assert dialog.params().field_columns == ("year", "genre")
    dialog._encodes.setChecked(False)
    dialog.ok.click()
    qtbot.waitUntil(lambda: len(window.state.corpora) == 1, timeout=WAIT_MS)
    window.show_view("map")
    view = window.view
    assert isinstance(view, MapView)
    (corpus,) = window.state.corpora
    view.controller.make(ProjectMap(corpora=(corpus.name,), name="Own"))
    qtbot.waitUntil(lambda: shown_name(view) == "Own", timeout=WAIT_MS)
    wait_read(view, qtbot)
    histogram = view.sidebar.filters.histograms[YEAR]
    histogram.bars.choose((10, 59))
    qtbot.waitUntil(lambda: 0 < len(lit(view)) < N_EACH, timeout=WAIT_MS)


def test_exported_maps_name_their_filters_and_corpora(
    open_map: OpenMap, tmp_path: Path, qtbot: QtBot
) -> None:
    view = open_map()
    view.page.colours.colour_by(YEAR)
    qtbot.waitUntil(lambda: colour_key(view) == YEAR, timeout=WAIT_MS)
    plain = export(view, tmp_path / "plain.tsv", qtbot).splitlines()
    assert plain[0] == "sentence\tx\ty\tcluster\tlanguage\tclass\ttext"
    assert plain[1].split("\t")[4:6] == ["en", "1784"]
    select(view, "German", "diary")
    qtbot.waitUntil(lambda: len(lit(view)) == 20)
    drawing = export(view, tmp_path / "map.svg", qtbot)
    filters = "Language: German · genre: diary"
    assert f"Corpora: EN, DE, FR · Colours: year · Filters: {filters}<" in drawing
    first = "Years · isogloss-3 · 180 sentences · 20 in colour · Neighbours kept"
    assert first in drawing
    header, *rows = export(view, tmp_path / "map.tsv", qtbot).splitlines()
    assert header == plain[0] + "\tin_colour\tfilters"
    cells = [row.split("\t") for row in rows]
    assert {cell[8] for cell in cells} == {filters}
    in_colour = {int(cell[0]) for cell in cells if cell[7] == "yes"}
    assert in_colour == lit(view)
    assert sum(cell[7] == "no" for cell in cells) == 160
    view.page.selection.set_ids(np.array(sorted(in_colour)[:3], np.int64))
    drawing = export(view, tmp_path / "selected.svg", qtbot)
    assert f"Filters: {filters} · 3 sentences selected<" in drawing


def colour_key(view: MapView) -> str:
    colouring = view.page.pane.colouring
    return "" if colouring is None else colouring.key


def export(view: MapView, file: Path, qtbot: QtBot) -> str:
    dialog = view.exporter.ask_export()
    assert dialog is not None
    with qtbot.waitSignal(view._state.file_written, timeout=WAIT_MS):
        dialog.export_to(file)
    return file.read_text(encoding="utf-8")


def test_exported_maps_name_their_sub_corpora(
    open_map: OpenMap, tmp_path: Path, qtbot: QtBot
) -> None:
    view = open_map()
    state = view._state
    state.run(MakeSubcorpus(name="Diaries", corpora=("DE",), steps=("field genre=d*",)))
    state.run(ProjectMap(corpora=("Diaries", "EN"), name="Part"))
    qtbot.waitUntil(lambda: len(view.controller.maps) == 2, timeout=WAIT_MS)
    view.sidebar.maps.choose(view.controller.maps[0].id)
    qtbot.waitUntil(lambda: view.page.pane.caption.text().startswith("Part"))
    wait_read(view, qtbot)
    drawing = export(view, tmp_path / "part.svg", qtbot)
    assert re.search("Corpora: .*⊂.* Diaries, EN · Colours", drawing, re.DOTALL)
    header, *rows = export(view, tmp_path / "part.tsv", qtbot).splitlines()
    assert header.endswith("\ttext\tsub_corpus")
    cells = [row.split("\t") for row in rows]
    assert Counter((cell[4], cell[7]) for cell in cells) == {
        ("en", ""): N_EACH,
        ("de", "Diaries"): N_EACH // 3,
    }


def test_predicted_classes_colour_and_filter_the_shown_map(
    open_map: OpenMap, qtbot: QtBot
) -> None:
    view = open_map()
    state, title = view._state, "Class predicted by Topics"
    select(view, "German")
    assert view.sidebar.colours.findText(title) < 0
    state.run(TrainClassifier(name="Topics", train=("EN",)))
    state.run(Classify(classifier="Topics", corpora=("DE", "EN")))
    qtbot.waitUntil(lambda: title in entries(view), timeout=WAIT_MS)
    assert view.page.filter_bar.text == "Filters: Language: German"  # it is kept
    index = view.sidebar.colours.findText(title)
    key = view.sidebar.colours.itemData(index)
    view.sidebar.column_chosen.emit(key)
    qtbot.waitUntil(lambda: colour_key(view) == key, timeout=WAIT_MS)
    rows = {row.title: row.n for row in view.sidebar.legend.rows}
    assert sum(rows.values()) == N_EACH  # the German ones pass the filter
    assert rows.pop("Not classified") == 0  # the French ones do not
    assert sorted(rows) == list(TOPICS)
    view.controller.actions["clear_filters"].trigger()
    counts = {row.title: row.n for row in view.sidebar.legend.rows}
    assert counts["Not classified"] == N_EACH
    select(view, "German")
    view.page.canvas.hovered.emit(first_sentence_id(1))
    hit = view.page.pane.card.hit
    assert hit is not None
    assert hit.corpus == "trade · predicted: trade · EN"
    view.page.canvas.hovered.emit(first_sentence_id(3))
    hit = view.page.pane.card.hit
    assert hit is not None
    assert hit.corpus == "FR"
    for row in entries(view)[title]:
        row.setSelected(row.text(0) == "weather")
    n = int(values(view, title)["weather"])
    qtbot.waitUntil(lambda: len(lit(view)) == n)
    assert 0 < n < N_EACH
    named = f"Filters: Language: German · {title}: weather"
    assert view.page.filter_bar.text == named


def test_a_resumed_map_replaces_its_quick_preview(
    open_map: OpenMap, windows: Windows, qtbot: QtBot
) -> None:
    view = open_map()
    show_preview(view, qtbot)
    view._state.stop_engine()
    qtbot.waitUntil(lambda: not view._state.is_busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: interrupted(view) == 1, timeout=WAIT_MS)
    windows.close(view)

    view = open_map()
    assert shown_name(view) == "Letters (PCA)"
    resume(view)
    qtbot.waitUntil(lambda: shown_name(view) == "Letters", timeout=WAIT_MS)
    row = view.controller.maps[0]
    assert (row.name, row.method) == ("Letters", "umap")


def test_find_shows_the_field_of_the_filters(open_map: OpenMap, qtbot: QtBot) -> None:
    view = open_map()
    view.sidebar.tabs.setCurrentIndex(0)
    view.page.focus_first()
    ctrl = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(view.page.canvas, Qt.Key.Key_F, ctrl)
    assert view.sidebar.tabs.currentWidget() is view.sidebar.filters
    QTest.keyClicks(view.window().focusWidget(), "ship")
    qtbot.waitUntil(lambda: 0 < len(lit(view)) < N_EACH, timeout=WAIT_MS)
    assert view.page.filter_bar.text == "Filters: “ship”"


def test_a_quick_preview_says_that_it_will_be_replaced(
    open_map: OpenMap, qtbot: QtBot
) -> None:
    view = open_map()
    window = view.window()
    assert isinstance(window, MainWindow)
    toolbar = view.page.findChild(MapToolbar)
    assert toolbar is not None
    assert toolbar.comparing.isVisible()
    assert not toolbar.comparing.isEnabled(), "there is no other map"
    before = [one.geometry() for one in toolbar.findChildren(QWidget)]
    show_preview(view, qtbot)
    assert window.message_bar.text == (
        "Map Letters: a quick preview is shown first. The final map replaces it when "
        "its computation is done."
    )
    assert toolbar.comparing.isEnabled()
    qtbot.waitUntil(lambda: shown_name(view) == "Letters", timeout=WAIT_MS)
    text = window.message_bar.text
    assert text.startswith("The map Letters of ")
    assert text.endswith("The map replaces its preview.")
    assert "preview is shown first" not in text
    assert [one.geometry() for one in toolbar.findChildren(QWidget)] == before


def test_a_map_that_was_resumed_elsewhere_is_shown_instead_of_its_preview(
    open_map: OpenMap, windows: Windows, qtbot: QtBot
) -> None:
    view = open_map()
    show_preview(view, qtbot)
    saved = view.save_state()
    qtbot.waitUntil(lambda: shown_name(view) == "Letters", timeout=WAIT_MS)
    again = MapView(view._state)
    qtbot.addWidget(again)
    again.restore_state(saved)
    qtbot.waitUntil(lambda: shown_name(again) == "Letters", timeout=WAIT_MS)
    view.sidebar.maps.choose(view.controller.maps[1].id)
    qtbot.waitUntil(lambda: shown_name(view) == "Letters (PCA)", timeout=WAIT_MS)
    again.restore_state(view.save_state())  # chosen when the better one was there
    qtbot.waitUntil(lambda: shown_name(again) == "Letters (PCA)", timeout=WAIT_MS)


def shown_name(view: MapView) -> str:
    row = view.page.pane.row
    return "" if row is None else row.name


def interrupted(view: MapView) -> int:
    project = view._state.project
    return 0 if project is None else len(project.interrupted)


def resume(view: MapView) -> None:
    """Click the button of the offer."""
    buttons = view.window().findChildren(QPushButton)
    shown = [one for one in buttons if one.text() == "Resume" and one.isVisible()]
    shown[0].click()
