"""The map of dated texts in a real window: filters, quality, predicted classes."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.engine.project.project import create_project
from app.engine.runtime.report import Report
from app.engine.tasks.import_corpus import import_corpus
from app.engine.tasks.project_map import project_map
from app.params.corpora import ImportCorpus
from app.params.projection import ProjectMap
from app.views.map.colouring import FIELD, LANGUAGE
from app.views.map.view import MapView
from tests.process.windows import WAIT_MS, Windows
from tests.views.map.opened import lit
from tests.views.map.test_filters import select, values

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


def test_the_map_says_how_well_it_keeps_neighbours(
    open_map: OpenMap, qtbot: QtBot
) -> None:
    view = open_map()
    quality, caption = view.page.pane.quality, view.page.pane.caption
    number = r"\d+\.\d"
    pattern = rf"Neighbours kept: {number} % \({number} – {number} %, n = 180\)"
    assert re.fullmatch(pattern, quality.text().replace("\xa0", " "))
    assert "15 nearest sentences by meaning" in quality.toolTip()
    assert "measured on 180 sentences" in quality.toolTip()
    assert quality.text() in view.page.canvas.accessibleName()
    qtbot.waitUntil(lambda: quality.y() == caption.y())  # beside it, if there is room
    view.page.compare_with(view.controller.maps[0].id)
    view.window().resize(1100, 700)
    qtbot.waitUntil(lambda: quality.y() > caption.y())
    for label in (caption, quality):
        assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()


def test_filters_are_named_cleared_and_there_after_a_restart(
    open_map: OpenMap, windows: Windows, qtbot: QtBot
) -> None:
    view = open_map()
    filters, bar = view.sidebar.filters, view.page.filter_bar
    assert bar.isHidden()
    view.sidebar.tabs.setCurrentWidget(filters)
    QTest.keyClicks(filters.find_field, "salt")
    qtbot.waitUntil(lambda: len(lit(view)) == N_EACH // 2, timeout=WAIT_MS)
    select(view, "English", "letter", "novel")
    filters.histograms[YEAR].bars.choose((10, 59))
    qtbot.waitUntil(lambda: len(lit(view)) == 8, timeout=WAIT_MS)
    view.sidebar.legend.choose(["English"])
    named = (
        "Filters: “salt” · year: 1794 – 1843 · Language: English · "
        "genre: letter, novel · Language: English"
    )
    assert bar.text == named
    assert bar.isVisible()
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
    assert bar.isHidden()
    assert not view.controller.actions["clear_filters"].isEnabled()
    assert values(view, "Language") == dict.fromkeys(
        ("English", "German", "French"), str(N_EACH)
    )
