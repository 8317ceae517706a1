"""Filters of a map: words, and values of several columns at once."""

from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from app.engine.store.arrays import write_array
from app.protocol.queries.search import OrderQuery
from app.views.map.view import MapView
from tests.views.classified import add_labels
from tests.views.map import mapped
from tests.views.map.opened import N_EACH, N, lit
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
    filters.clear_button.click()
    assert len(lit(view)) == N
    assert filters.count.text() == ""


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
    select(view, "English")
    assert lit(view) == {int(wanted[0])}
    view.sidebar.filters.find_field.clear()
    qtbot.waitUntil(lambda: len(lit(view)) == N_EACH)
