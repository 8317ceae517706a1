"""Histograms of numbers that filter a map by a range."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.store import schema
from app.settings import Settings
from app.views.map.colouring import FIELD, LENGTH, ColourColumn, colour_by_number
from app.views.map.histogram import (
    NumberBins,
    Range,
    RangeBars,
    RangeHistogram,
    make_bins,
)
from app.views.map.view import MapView
from tests.views.map import mapped
from tests.views.map.opened import (
    N_EACH,
    N,
    add_map,
    colour_by,
    lit,
    open_view,
    rows_of,
    wait_ready,
)
from tests.views.map.test_filters import entries, select, values
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage

YEAR = f"{FIELD}:year"
FIRST = 1840
N_YEARS = 20  # three sentences of each corpus in each


def add_years(folder: Path, name: str = "year", pattern: str = "{year}") -> None:
    """Make a document of every three sentences, each of another year."""
    rows = [
        {
            "corpus_id": corpus,
            "first": 3 * index,
            "n_sentences": 3,
            "name": f"Letter {index}",
            "fields": json.dumps({name: pattern.format(year=FIRST + index)}),
        }
        for corpus in (1, 2, 3, 4)
        for index in range(N_YEARS)
    ]
    with mapped.writing(folder) as store, store.begin() as connection:
        connection.execute(insert(schema.document), rows)


@pytest.fixture
def dated(stage: Stage, folder: Path, qtbot: QtBot) -> MapView:
    """The view with a map of sentences of twenty years."""
    add_years(folder)
    add_map(folder)
    return open_dated(stage, qtbot)


def open_dated(stage: Stage, qtbot: QtBot) -> MapView:
    view = open_view(stage, qtbot)
    wait_ready(view, qtbot)
    view.sidebar.tabs.setCurrentWidget(view.sidebar.filters)
    qtbot.waitUntil(lambda: bool(view.sidebar.filters.histograms))
    return view


def years(view: MapView) -> RangeHistogram:
    return view.sidebar.filters.histograms[YEAR]


def place_of_bar(bars: RangeBars, year: int) -> QPoint:
    x = (year - FIRST + 0.5) * bars.width() / N_YEARS
    return QPoint(round(x), bars.height() // 3)


def drag(bars: RangeBars, start: int, *way: int) -> None:
    """Drag the mouse over years."""
    QTest.mousePress(bars, Qt.MouseButton.LeftButton, pos=place_of_bar(bars, start))
    for year in way:
        QTest.mouseMove(bars, place_of_bar(bars, year))
    end = place_of_bar(bars, way[-1])
    QTest.mouseRelease(bars, Qt.MouseButton.LeftButton, pos=end)


def chosen(bars: RangeBars) -> Range | None:
    return bars.range


def of_years(first: int, last: int) -> set[int]:
    """Return the sentences of some years."""
    ids = mapped.all_ids(N_EACH)
    year = FIRST + (ids & 0xFFFFFFFF) // 3
    found: list[int] = ids[(year >= first) & (year <= last)].tolist()
    return set(found)


def test_a_drag_over_years_filters_the_map_and_the_other_columns(
    dated: MapView, qtbot: QtBot
) -> None:
    filters, histogram = dated.sidebar.filters, years(dated)
    assert next(iter(entries(dated))) == "Year"  # the first of all
    assert histogram.readout.text() == "Drag to filter"
    assert not histogram.clear_button.isVisible()
    drag(histogram.bars, 1843, 1846, 1848)
    qtbot.waitUntil(lambda: lit(dated) == of_years(1843, 1848))
    assert rows_of(dated) == sorted(of_years(1843, 1848))
    assert values(dated, "Language") == dict.fromkeys(
        ("English", "German", "Arabic", "Japanese"), "18"
    )
    assert histogram.bars.describe_counts((5, 5)) == "12"
    select(dated, "German")
    assert len(lit(dated)) == 18
    QTest.mouseMove(histogram.bars, place_of_bar(histogram.bars, 1848))
    assert histogram.readout.text() == "1843 – 1848", "until the mouse leaves"
    QTest.mouseMove(dated, QPoint(1, 1))
    QApplication.sendEvent(histogram.bars, QEvent(QEvent.Type.Leave))
    QTest.mouseMove(histogram.bars, place_of_bar(histogram.bars, 1845))
    assert histogram.readout.text() == "1845"
    assert histogram.bars.describe_counts((5, 5)) == "3 of 12"
    QTest.mouseMove(dated, QPoint(1, 1))
    qtbot.waitUntil(lambda: histogram.bars.pointed is None)
    assert histogram.readout.text() == "1843 – 1848"
    name = "Document field year: 1843 – 1848, 18 of 72 sentences"
    assert histogram.bars.accessibleName() == name
    histogram.clear_button.click()
    qtbot.waitUntil(lambda: len(lit(dated)) == N_EACH)
    assert histogram.range is None
    drag(histogram.bars, 1843, 1848)
    filters.clear()
    assert len(lit(dated)) == N  # at once


def test_the_range_and_its_ends_are_dragged(dated: MapView) -> None:
    bars = years(dated).bars
    drag(bars, 1845, 1850)
    assert chosen(bars) == (5, 10)
    drag(bars, 1847, 1850)  # from within: it moves
    assert chosen(bars) == (8, 13)
    drag(bars, 1848, 1840)  # no farther than the first year
    assert chosen(bars) == (0, 5)
    left, y = Qt.MouseButton.LeftButton, bars.height() // 3
    edge = QPoint(round(6 * bars.width() / N_YEARS), y)
    QTest.mousePress(bars, left, pos=edge)
    QTest.mouseMove(bars, place_of_bar(bars, 1852))
    QTest.mouseRelease(bars, left, pos=place_of_bar(bars, 1852))
    assert chosen(bars) == (0, 12)
    place = place_of_bar(bars, 1855)
    QTest.mouseClick(bars, left, pos=place)
    assert chosen(bars) == (15, 15)
    QTest.mouseClick(bars, left, pos=place)
    assert chosen(bars) is None


def test_the_range_is_moved_and_cleared_by_keys(dated: MapView, qtbot: QtBot) -> None:
    bars, keys = years(dated).bars, Qt.KeyboardModifier
    dated.activateWindow()
    dated.sidebar.filters.tree.setFocus()
    qtbot.waitUntil(dated.sidebar.filters.tree.hasFocus)
    QTest.keyClick(dated.sidebar.filters.tree, Qt.Key.Key_Tab)
    assert bars.hasFocus()
    QTest.keyClick(bars, Qt.Key.Key_Right)
    assert chosen(bars) == (0, 0)
    for _ in range(3):
        QTest.keyClick(bars, Qt.Key.Key_Right, keys.ShiftModifier)
    assert chosen(bars) == (0, 3)
    QTest.keyClick(bars, Qt.Key.Key_Right, keys.ControlModifier)
    assert chosen(bars) == (1, 3)
    QTest.keyClick(bars, Qt.Key.Key_Right)
    assert chosen(bars) == (2, 4)
    QTest.keyClick(bars, Qt.Key.Key_Left)
    assert chosen(bars) == (1, 3)
    QTest.keyClick(bars, Qt.Key.Key_Delete)
    assert chosen(bars) is None
    QTest.keyClick(bars, Qt.Key.Key_Left)
    assert chosen(bars) == (N_YEARS - 1, N_YEARS - 1)
    dated.page.selection.set_ids(mapped.all_ids(N_EACH)[:5])
    QTest.keyClick(bars, Qt.Key.Key_Escape)
    assert chosen(bars) is None
    assert dated.page.selection.ids is not None  # it is cleared by the next Esc


def test_labels_leave_a_range_as_it_is(
    dated: MapView, stage: Stage, qtbot: QtBot
) -> None:
    histogram = years(dated)
    drag(histogram.bars, 1843, 1848)
    stage.state.labels.labelled.emit()
    colour_by(dated, LENGTH, qtbot)  # nothing is read besides
    assert years(dated) is histogram
    assert histogram.range == (3, 8)


def test_dates_are_counted_by_their_years(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    add_years(folder, "sent", "{year}-03-18")
    add_map(folder)
    view = open_dated(stage, qtbot)
    bars = view.sidebar.filters.histograms[f"{FIELD}:sent"].bars
    drag(bars, 1843, 1848)
    qtbot.waitUntil(lambda: lit(view) == of_years(1843, 1848))


def test_a_histogram_is_named_and_whole_with_large_text(
    dated: MapView, stage: Stage, qtbot: QtBot
) -> None:
    stage.theme.apply(Settings(theme="dark", text_scale=150))
    histogram = years(dated)
    qtbot.waitUntil(lambda: histogram.height() >= histogram.sizeHint().height())
    assert not faults(dated.sidebar.filters)
    drag(histogram.bars, 1843, 1848)
    texts = histogram.readout
    assert texts.fontMetrics().horizontalAdvance(texts.text()) <= texts.width()
    stage.theme.apply(Settings(theme="light"))


def test_a_low_window_shows_the_histogram_whole(
    stage: Stage, folder: Path, qtbot: QtBot
) -> None:
    add_years(folder)
    for name in ("First", "Second", "Third"):
        add_map(folder, name=name)
    view = open_dated(stage, qtbot)
    stage.theme.apply(Settings(theme="light", text_scale=150))
    view.resize(1000, 616)
    tree, maps = view.sidebar.filters.tree, view.sidebar.maps
    qtbot.waitUntil(lambda: tree.viewport().height() >= years(view).height())
    maps.choose(maps.rows[1].id)
    qtbot.waitUntil(lambda: bool(view.sidebar.filters.histograms))
    view.resize(1000, 610)
    view.grab()
    index = maps.visualRect(maps.currentIndex())
    assert maps.viewport().rect().contains(index)
    stage.theme.apply(Settings(theme="light"))


def bins_of(values: list[float], key: str = YEAR) -> NumberBins:
    column = ColourColumn(key, "")
    bins = make_bins(colour_by_number(column, np.array(values, np.float32)))
    assert bins is not None
    return bins


def test_every_year_of_a_century_has_a_bar() -> None:
    bins = bins_of([1801, 1850, 1850, 1900, np.nan])
    assert bins.n_bins == 100
    assert bins.codes.tolist() == [0, 49, 49, 99, 100]  # the last one: no year
    assert bins.describe((49, 49)) == "1850"
    assert bins.describe((0, 99)) == "1801 – 1900"


def test_many_years_share_bars_of_round_numbers() -> None:
    bins = bins_of([1503, 1509, 1510, 2024])
    assert bins.codes[:3].tolist() == [0, 1, 2]
    assert bins.describe((0, 0)) == "1503 – 1504"
    assert bins.describe((1, 2)) == "1505 – 1514"


def test_a_few_far_numbers_share_the_last_bar() -> None:
    lengths = [*(10.0 + index % 90 for index in range(1_000)), 30_000.0]
    bins = bins_of(lengths, LENGTH)
    assert bins.n_bins == 90
    assert bins.codes[-1] == 89
    assert bins.describe((89, 89)) == "99 – 30,000"


def test_equal_numbers_have_no_histogram() -> None:
    values = np.full(3, 1848, np.float32)
    assert make_bins(colour_by_number(ColourColumn(YEAR, ""), values)) is None


def test_shares_have_bars_between_0_and_1() -> None:
    bins = bins_of([0.0, 0.31, 1.0], "sure:1")
    assert bins.n_bins == 20
    assert bins.codes.tolist() == [0, 6, 19]
    assert bins.describe((6, 6)) == "0.30 – 0.35"


@given(
    st.lists(st.floats(-1e4, 1e4, width=32), min_size=2, max_size=50),
    st.booleans(),
)
def test_no_bar_at_an_end_is_empty(values: list[float], is_whole: bool) -> None:
    known = [float(round(value)) if is_whole else value for value in values]
    array = np.array(known, np.float32)
    bins = make_bins(colour_by_number(ColourColumn(YEAR, ""), array))
    if bins is not None:
        assert bins.codes.min() == 0
        assert bins.codes.max() == bins.n_bins - 1
