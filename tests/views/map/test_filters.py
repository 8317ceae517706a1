"""Filters of a map: words, and values of several columns at once."""

from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QStyleOptionViewItem,
    QTreeWidgetItem,
)
from pytestqt.qtbot import QtBot

from app.engine.store.arrays import write_array
from app.engine.store.projections import ProjectionRow
from app.protocol.queries.search import OrderQuery
from app.settings import Settings
from app.views.map.filters import SHARES_ROLE, ValueDelegate
from app.views.map.view import MapView
from app.views.widgets.theme import DARK, GRID, LIGHT, contrast
from app.views.widgets.two_line_list import TwoLineRow
from app.views.widgets.view_protocol import TextLookup
from tests.views.classified import add_labels
from tests.views.map import mapped
from tests.views.map.opened import N_EACH, N, add_map, lit, rows_of
from tests.views.shell.test_accessibility import faults
from tests.views.stage import Stage


def entries(view: MapView) -> dict[str, list[QTreeWidgetItem]]:
    tree = view.sidebar.filters.tree
    tops = [tree.topLevelItem(at) for at in range(tree.topLevelItemCount())]
    return {
        top.text(0): [
            row for at in range(top.childCount()) if (row := top.child(at)) is not None
        ]
        for top in tops
        if top is not None
    }


def values(view: MapView, column: str) -> dict[str, str]:
    return {row.text(0): row.text(1) for row in entries(view)[column]}


def select(view: MapView, *titles: str) -> None:
    for rows in entries(view).values():
        for row in rows:
            if row.text(0) in titles:
                row.setSelected(True)


def test_values_of_two_columns_filter_the_points_together(
    view: MapView, folder: Path, stage: Stage, qtbot: QtBot
) -> None:
    add_labels(folder, 1, ("wind", "sea", "sea"))
    stage.state.labels.labelled.emit()
    qtbot.waitUntil(lambda: "Label" in entries(view))
    filters = view.sidebar.filters
    assert not faults(filters)
    assert values(view, "Label") == {"sea": "2", "wind": "1", "No label": str(N - 3)}
    select(view, "German")
    german = set(mapped.all_ids(N_EACH)[N_EACH : 2 * N_EACH].tolist())
    assert lit(view) == german
    # the counts of a column are of the points that the other columns let pass
    assert values(view, "Label") == {"sea": "0", "wind": "0", "No label": str(N_EACH)}
    assert values(view, "Language")["English"] == str(N_EACH)
    select(view, "English", "sea")
    assert len(lit(view)) == 2
    assert filters.count.text() == "2 sentences pass."
    view.controller.actions["clear_filters"].trigger()
    assert len(lit(view)) == N
    assert filters.count.text() == ""


def test_the_legend_and_the_clusters_count_what_passes(
    view: MapView, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: "Language" in entries(view))
    legend, clusters = view.sidebar.legend, view.sidebar.clusters
    before = {row.title: row.n for row in legend.rows}
    facts = [row.facts for row in clusters.rows]
    assert before["English"] == before["German"] == N_EACH
    select(view, "Corpus de")
    after = {row.title: row.n for row in legend.rows}
    assert (after["English"], after["German"]) == (0, N_EACH)
    counted = [row.facts for row in clusters.rows]
    assert sum(int(text.split()[0]) for text in counted) == N_EACH
    assert all(new.endswith(old) for new, old in zip(counted, facts, strict=True))
    assert any(" of " in text for text in counted)
    view.controller.actions["clear_filters"].trigger()
    assert {row.title: row.n for row in legend.rows} == before
    assert [row.facts for row in clusters.rows] == facts


def test_the_first_filter_and_a_new_map_move_nothing(
    view: MapView, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: "Language" in entries(view))
    sidebar = view.sidebar
    sidebar.tabs.setCurrentWidget(sidebar.filters)
    shown = (sidebar.filters.tree, view.page.pane.canvas, sidebar.tabs)

    def places() -> list[QPoint]:
        return [one.mapTo(view, QPoint()) for one in shown]

    before = places()
    select(view, "German")
    qtbot.waitUntil(view.page.filter_bar.isVisible)
    assert sidebar.filters.select_button.isVisible()
    sidebar.show_maps([*sidebar.maps.rows, TwoLineRow(99, "New", "1 sentence")])
    layouts = (sidebar.filters.layout(), view.page.layout(), sidebar.layout())
    for layout in layouts:
        assert layout is not None
        layout.activate()
    assert places() == before
    buttons = [one.text() for one in view.findChildren(QAbstractButton)]
    assert buttons.count("Clear filters") == 1


def test_values_stay_in_place_when_the_columns_are_read_again(
    view: MapView, qtbot: QtBot
) -> None:
    filters = view.sidebar.filters
    qtbot.waitUntil(lambda: "Language" in entries(view))
    view.sidebar.tabs.setCurrentWidget(filters)
    view.resize(1000, 500)
    bar = filters.tree.verticalScrollBar()
    view.grab()  # laid out
    place = 60
    assert bar.maximum() > place
    bar.setValue(place)
    before = filters.tree.topLevelItem(0)
    view.page.filters.read()
    qtbot.waitUntil(lambda: filters.tree.topLevelItem(0) is not before)
    assert bar.value() == place


def test_a_new_map_leaves_the_chosen_one_in_its_place(view: MapView) -> None:
    sidebar = view.sidebar
    rows = [TwoLineRow(n, f"Map {n}", "60 sentences") for n in range(20, 10, -1)]
    sidebar.show_maps(rows)
    for chosen in (20, 19, 15):
        sidebar.maps.choose(chosen)
        before = sidebar.maps.visualRect(sidebar.maps.currentIndex())
        sidebar.show_maps([TwoLineRow(21, "New", "60 sentences"), *rows])
        after = sidebar.maps.visualRect(sidebar.maps.currentIndex())
        assert sidebar.maps.chosen == chosen
        assert after == before
        sidebar.show_maps(rows)
        assert sidebar.maps.visualRect(sidebar.maps.currentIndex()) == before


def test_typed_words_highlight_the_sentences_that_contain_them(
    view: MapView, folder: Path, stage: Stage, qtbot: QtBot
) -> None:
    asked: list[OrderQuery] = []
    wanted = mapped.all_ids(N_EACH)[[3, 70]]

    def answer(query: OrderQuery) -> dict[str, object]:
        asked.append(query)
        write_array(folder / "arrays" / "found.npy", np.sort(wanted))
        return {"file": "arrays/found.npy", "n": 2}

    stage.client.answers[OrderQuery] = answer
    view.sidebar.filters.find_field.setText("harbour")
    qtbot.waitUntil(lambda: len(lit(view)) == 2)
    assert lit(view) == set(wanted.tolist())
    assert (asked[-1].find, asked[-1].corpora) == ("harbour", (1, 2, 3, 4))
    assert asked[-1].at_word_start
    view.sidebar.filters.find_field.setText("*harbour")  # inside words, too
    qtbot.waitUntil(lambda: not asked[-1].at_word_start)
    assert asked[-1].find == "harbour"
    with qtbot.waitSignal(stage.state.view_requests.neighbours_requested) as searched:
        view.sidebar.filters.meaning.trigger()
    assert searched.args == [TextLookup("harbour", (1, 2, 3, 4))]
    qtbot.waitUntil(lambda: len(lit(view)) == N)  # it would hide hits on the map
    view.sidebar.filters.find_field.setText("harbour")
    qtbot.waitUntil(lambda: len(lit(view)) == 2)
    labels = view.page.canvas.overlay.labels
    points = view.page.pane.points
    assert points is not None
    numbers = points.clusters[points.mask_of(np.sort(wanted))] + 1
    assert {label.text for label in labels} == {str(n) for n in numbers}
    select(view, "English")
    assert lit(view) == {int(wanted[0])}
    view.sidebar.filters.find_field.clear()
    qtbot.waitUntil(lambda: len(lit(view)) == N_EACH)
    view.page.clear_filters()
    view.sidebar.filters.find_field.setText("harbour")
    qtbot.waitUntil(lambda: len(lit(view)) == 2)
    view.map_sentences(mapped.all_ids(N_EACH)[10:13].tolist())
    qtbot.waitUntil(lambda: len(lit(view)) == 3)
    assert len(rows_of(view)) == 3


def test_what_passes_is_drawn_as_a_bar_and_can_be_selected(
    view: MapView, folder: Path, stage: Stage, qtbot: QtBot
) -> None:
    add_labels(folder, 1, ("wind", "sea", "sea"))
    stage.state.labels.labelled.emit()
    qtbot.waitUntil(lambda: "Label" in entries(view))
    filters = view.sidebar.filters
    view.sidebar.tabs.setCurrentWidget(filters)
    assert not filters.select_button.isVisible()
    sea, wind, none = entries(view)["Label"]
    unfiltered = filters.tree.grab().toImage()
    select(view, "English")
    assert sea.toolTip(0) == "sea: 2 of 2 sentences"
    assert none.toolTip(0) == f"No label: {N_EACH - 3} of {N - 3} sentences"
    shares = none.data(0, SHARES_ROLE)
    assert shares == (1.0, (N_EACH - 3) / (N - 3))  # the longest bar, and its part
    assert wind.data(0, SHARES_ROLE) == (1 / (N - 3), 1 / (N - 3))
    # the bar is shorter: at its right end it is paler than before
    room = filters.tree.visualItemRect(none)
    column = filters.tree.columnWidth(0) - 2 * GRID
    row = room.bottom() - 2
    before = unfiltered.pixelColor(column, row).lightness()
    after = filters.tree.grab().toImage().pixelColor(column, row).lightness()
    assert after > before + 40
    select(view, "German", "sea")
    filters.select_button.click()
    assert len(rows_of(view)) == 2
    filters.clear()
    assert not filters.select_button.isVisible()
    assert len(lit(view)) == 2  # still selected


def test_counts_are_legible_after_a_change_of_theme(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: "Language" in entries(view))
    tree = view.sidebar.filters.tree
    german = entries(view)["Language"][1]
    for tokens, settings in (
        (LIGHT, Settings(theme="light")),
        (DARK, Settings(theme="dark")),
    ):
        stage.theme.apply(settings)
        option = QStyleOptionViewItem()
        delegate = tree.itemDelegate()
        assert isinstance(delegate, ValueDelegate)
        delegate.initStyleOption(option, tree.indexFromItem(german, 1))
        shown = option.palette.color(QPalette.ColorRole.Text).name()
        assert shown == tokens.secondary.lower()
        assert contrast(shown, tokens.surface) >= 4.5  # WCAG 2.1, 1.4.3


def test_filters_stay_when_another_map_is_shown(
    view: MapView, folder: Path, qtbot: QtBot
) -> None:
    add_map(folder, name="Other")
    view.refresh()
    qtbot.waitUntil(lambda: "Language" in entries(view))
    select(view, "German")
    other, first = view.controller.maps
    for row in (other, first):
        view.sidebar.maps.choose(row.id)
        qtbot.waitUntil(partial(is_filtered, view, row))
        assert view.page.filter_bar.text == "Filters: Language: German"


def is_filtered(view: MapView, row: ProjectionRow) -> bool:
    """Return whether a map is shown, with a quarter of its points in colour."""
    return view.page.pane.row == row and len(lit(view)) == N_EACH


def test_filters_are_saved_before_their_map_is_loaded(
    view: MapView, stage: Stage, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: "Language" in entries(view))
    select(view, "German")
    saved = view.save_state()
    again = MapView(stage.state)
    qtbot.addWidget(again)
    again.show()
    again.restore_state(saved)
    assert again.save_state()["page"]["filters"] == saved["page"]["filters"]
    qtbot.waitUntil(lambda: len(lit(again)) == N_EACH)
    again.restore_state({**saved, "page": {"filters": {"values": ["of", "old"]}}})
