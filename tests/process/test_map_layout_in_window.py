"""Nothing that can be clicked in the view Map moves when its state changes."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.engine.store.corpora import first_sentence_id
from app.params.projection import ProjectMap
from app.protocol.edits.corpora import EditSentence
from app.protocol.edits.maps import SetProjectionState
from app.settings import Settings
from app.views.map.colouring import LANGUAGE, LENGTH, SIMILARITY
from app.views.map.drawing.canvas import MapCanvas
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.histogram import RangeBars
from app.views.map.view import MapView
from app.views.shell.application import begin, make_window
from app.views.shell.main_window import MainWindow
from app.views.widgets.theme import Theme
from tests.process.small_window import open_demo, settle, shown
from tests.process.windows import WAIT_MS
from tests.views.map.opened import place_of

CONTROLS = (
    *(QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QTabBar),
    *(MapCanvas, RangeBars),
)


@pytest.fixture(params=[(1440, 900, 100), (1100, 700, 150)], ids=str)
def window(
    request: pytest.FixtureRequest, qtbot: QtBot, qapp: QApplication, data_dir: Path
) -> Iterator[MainWindow]:
    """The real window of some size, with text of some size."""
    width, height, text_scale = request.param
    settings = Settings(theme="light", text_scale=text_scale)
    theme = Theme(qapp, settings)
    window = make_window(settings, theme)
    window.resize(width, height)
    window.show()
    begin(window)
    yield window
    window.close()
    qtbot.waitUntil(window.isHidden, timeout=WAIT_MS)
    window.deleteLater()
    settle()
    theme.apply(Settings(theme="light"))
    theme.deleteLater()


class Places:
    """Compares the places of what can be clicked in one state after the other.

    Attributes:
        faults: what moved, with the name of the state.
    """

    def __init__(self, window: MainWindow, view: MapView, qtbot: QtBot):
        self.faults: list[str] = []
        self._window, self._view, self._qtbot = window, view, qtbot
        self._seen = self._find()

    def check(self, name: str, *growing: QWidget, waits: bool = True) -> None:
        """Note what has another place than before; `growing` may have another size.

        Args:
            waits: until no run or query is busy.
        """
        if waits:
            self._wait()
        settle()
        found = self._find()
        for control, place in found.items():
            before = self._seen.get(control, place)
            if control in growing:
                before = QRect(before.topLeft(), place.size())
            if place != before:
                text = f"{type(control).__name__} {control.accessibleName()!r}"
                moved = f"{before.getRect()} → {place.getRect()}"
                self.faults.append(f"{name}: {text}: {moved}")
        self._seen = found

    def _wait(self) -> None:
        """Wait until the map is drawn, and nothing is computed."""
        pane, state = self._view.page.pane, self._window.state
        self._qtbot.waitUntil(
            lambda: pane.colouring is not None and not pane.is_busy, timeout=WAIT_MS
        )
        self._qtbot.waitUntil(lambda: not state.is_busy, timeout=WAIT_MS)

    def _find(self) -> dict[QWidget, QRect]:
        inspector = self._window.inspector_dock  # shows another sentence
        return {
            one: QRect(one.mapTo(self._window, QPoint(0, 0)), one.size())
            for one in self._window.findChildren(QWidget)
            if isinstance(one, CONTROLS)
            and one.isVisible()
            and one.window() is self._window
            and not inspector.isAncestorOf(one)
        }


def draw_around(view: MapView, share: float) -> None:
    """Draw a lasso around the left part of the map."""
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


@pytest.mark.timeout(240)
def test_no_control_of_the_map_moves(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_demo(window, qtbot, tmp_path)
    view = shown(window, "map", MapView)
    page, sidebar, actions = view.page, view.sidebar, view.controller.actions
    table, canvas = page.sentences.table, page.pane.canvas
    qtbot.waitUntil(lambda: page.pane.colouring is not None, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: LENGTH in sidebar.filters.histograms, timeout=WAIT_MS)
    settle()
    places = Places(window, view, qtbot)
    sentence = first_sentence_id(2)
    point = place_of(view, sentence)

    for key in [sidebar.colours.itemData(n) for n in range(sidebar.colours.count())]:
        if key == SIMILARITY:
            window.state.select_sentence(sentence)
        with qtbot.waitSignal(page.ready, timeout=WAIT_MS):
            sidebar.column_chosen.emit(key)
        places.check(f"coloured by {key}")
    with qtbot.waitSignal(page.ready, timeout=WAIT_MS):
        sidebar.column_chosen.emit(LANGUAGE)

    actions["list"].setChecked(False)
    sidebar.legend.choose(["German"])
    places.check("a choice in the legend")
    sidebar.tabs.setCurrentWidget(sidebar.filters)
    places.check("the tab Filter")
    for words in ("water", "no such words at all"):
        found = page.filters.changed
        with qtbot.waitSignal(found, timeout=WAIT_MS):
            sidebar.filters.find_field.setText(words)
        qtbot.waitUntil(lambda: page.filters.ids is not None, timeout=WAIT_MS)
        places.check(f"the words {words}")
    sidebar.filters.find_field.clear()
    sidebar.filters.histograms[LENGTH].bars.choose((10, 40))
    places.check("a range of lengths")
    page.clear_filters()
    places.check("filters cleared")
    draw_around(view, 0.2)
    places.check("a selection")
    assert place_of(view, sentence) == point

    actions["list"].setChecked(True)
    places.check("the list opens", canvas)
    assert place_of(view, sentence) == point
    qtbot.waitUntil(lambda: bool(page.keywords.text), timeout=WAIT_MS)
    places.check("the keywords of the selection")
    draw_around(view, 0.7)
    places.check("another selection")
    table.selectRow(1)
    places.check("a listed sentence is selected")
    point = place_of(view, sentence)  # the map shows the selected one
    page.selection.clear()
    sidebar.legend.choose(["German"])
    places.check("the list of a filter", table)
    page.clear_filters()
    places.check("no list", canvas)
    assert place_of(view, sentence) == point
    sidebar.tabs.setCurrentIndex(1)
    page.choose_cluster(0)
    places.check("a cluster", canvas)
    page.selection.clear()
    places.check("no cluster", canvas)
    actions["pairs"].setChecked(True)
    places.check("lines between translations")

    corpora = tuple(row.name for row in window.state.corpora)
    params = ProjectMap(corpora=corpora, name="Other", method="pca")
    window.state.run(params)
    assert window.state.is_busy
    places.check("a map is being made", waits=False)
    places.check("a map is made")
    first, other = view.controller.maps[1], view.controller.maps[0]
    assert other.name == "Other"
    sidebar.maps.choose(other.id)
    qtbot.waitUntil(lambda: page.pane.row == other, timeout=WAIT_MS)
    places.check("another map")
    sidebar.maps.choose(first.id)
    qtbot.waitUntil(lambda: page.pane.row == first, timeout=WAIT_MS)
    places.check("the first map again")

    page.compare_with(other.id)
    qtbot.waitUntil(lambda: page.other.colouring is not None, timeout=WAIT_MS)
    places.check("a comparison", canvas)
    sidebar.legend.choose(["German"])
    places.check("a filter of two maps", canvas, page.other.canvas)
    page.compare_neighbours()
    places.check("neighbours are being compared", waits=False)
    qtbot.waitUntil(lambda: page.comparison.movement is not None, timeout=WAIT_MS)
    places.check("changed neighbours", canvas, page.other.canvas, table)
    page.compare_with(None)
    places.check("no comparison", canvas, table)
    page.clear_filters()
    places.check("no filter", canvas)

    change = EditSentence(sentence=sentence, text="A text that is not on the map.")
    window.state.edit(change)
    qtbot.waitUntil(page.pane.edits.isVisible, timeout=WAIT_MS)
    places.check("an edited sentence")

    ids = tuple(row.id for row in view.controller.maps)
    window.state.edit(SetProjectionState(projections=ids, state="deleted"))
    qtbot.waitUntil(view.empty_state.isVisible, timeout=WAIT_MS)
    places.check("no map", waits=False)
    window.state.run(params)
    places.check("the first map is being made", waits=False)
    places.check("the first map is made")
    assert places.faults == []
