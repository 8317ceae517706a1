"""Tour of maps and of attribution."""

from functools import partial

import numpy as np
from PySide6.QtWidgets import QWidget

from app.arrays import FloatArray
from app.params.projection import ProjectMap
from app.tour.encoders import TRAINED
from app.tour.recorder import SceneRecorder, Scenes
from app.views.attribution.dialog import AttributionDialog
from app.views.map.colouring import CLUSTER, LANGUAGE, LENGTH
from app.views.map.dialog import MapDialog
from app.views.map.drawing.mouse import DrawnShape
from app.views.map.drawing.points import MapPoints
from app.views.map.page import MapPage
from app.views.map.sidebar import CLUSTERS_TAB
from app.views.map.view import MapView
from app.views.widgets.corpus_choices import name_corpus
from app.views.widgets.view_protocol import SentenceText

OTHER = "By letters-1"  # the map for the comparison
WORD, MIDDLE = "water", (10, 40)  # word to find, and bins of the length filter
NARROW = 0.11  # radius of the lasso as a fraction of the map's width
N_CORNERS = 48


class MapTour:
    """Takes pictures of the map view."""

    def __init__(self, recorder: SceneRecorder):
        self._recorder = recorder
        self._window, self._state = recorder.window, recorder.state

    def make(self) -> None:
        """Make a map with the proposed settings, and a map with another encoder."""
        view = self._view()
        project = self._recorder.project
        self._first = view.controller.propose_name()
        view.controller.make_suggested()
        names = tuple(name_corpus(project.corpora, row) for row in project.corpora)
        self._state.run(ProjectMap(corpora=names, name=OTHER, encoder=TRAINED))
        self._recorder.wait_until(
            self._state.runs_changed, lambda: not self._state.is_busy
        )
        self._recorder.settle()
        self._window.message_bar.clear()

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "map": self._show_languages,
            "map-clusters": self._show_clusters,
            "map-selection": self._show_selection,
            "map-filter": self._show_filter,
            "map-pairs": self._show_pairs,
            "map-two-encoders": self._show_two,
            "map-form": self._show_form,
        }

    def _show_languages(self) -> None:
        view = self._begin()
        view.sidebar.legend.choose(())
        self._state.select_sentence(None)

    def _show_clusters(self) -> None:
        view = self._begin(CLUSTER)
        view.sidebar.tabs.setCurrentIndex(CLUSTERS_TAB)
        page = view.page
        number = self._compact_cluster(page)
        view.sidebar.clusters.choose(number)
        self._recorder.wait(page.keywords.ready, lambda: page.choose_cluster(number))
        page.sentences.table.selectRow(0)

    def _show_selection(self) -> None:
        view = self._begin()
        page = view.page
        self._recorder.wait(page.keywords.ready, lambda: self._draw(page))
        page.sentences.table.selectRow(1)

    def _show_filter(self) -> None:
        """Find a word in sentences of a length range, and list them."""
        view = self._begin()
        filters = view.sidebar.filters
        view.sidebar.tabs.setCurrentWidget(filters)
        filters.find_field.setText(WORD)
        found = view.page.filters
        self._recorder.wait_until(found.changed, lambda: found.ids is not None)
        bars = filters.histograms[LENGTH].bars
        self._recorder.wait(found.changed, lambda: bars.choose(MIDDLE))
        filters.tree.verticalScrollBar().setValue(
            filters.tree.verticalScrollBar().maximum()
        )
        view.page.sentences.table.selectRow(1)

    def _show_pairs(self) -> None:
        view = self._begin()
        page = view.page
        view.controller.actions["pairs"].setChecked(True)
        self._wait_for_pairs(page)
        page.canvas.zoom(5.0)

    def _show_two(self) -> None:
        view = self._begin()
        page = view.page
        other = next(row for row in view.controller.maps if row.name == OTHER)
        self._recorder.wait(page.other.coloured, lambda: page.compare_with(other.id))
        self._recorder.wait(page.comparison.ready, page.compare_neighbours)
        page.sentences.table.selectRow(0)

    def _show_form(self) -> QWidget:
        view = self._begin()
        view.controller.ask_map()
        dialog: MapDialog = view.findChildren(MapDialog)[-1]
        return dialog

    # --- helpers ---

    def _begin(self, key: str = LANGUAGE) -> MapView:
        """Show the neighbour map at full extent, in the colours of a column."""
        view = self._view()
        page = view.page
        row = next(row for row in view.controller.maps if row.name == self._first)
        view.sidebar.maps.choose(row.id)
        page.compare_with(None)
        page.selection.clear()
        view.sidebar.filters.clear()
        view.controller.actions["pairs"].setChecked(False)
        view.sidebar.tabs.setCurrentIndex(0)
        self._recorder.wait_until(page.ready, lambda: page.pane.points is not None)
        self._recorder.wait(page.ready, lambda: page.colours.colour_by(key))
        page.canvas.show_all()
        view.setFocus()
        return view

    def _draw(self, page: MapPage) -> None:
        """Draw a lasso around the most compact cluster."""
        points = page.pane.points
        assert points is not None
        x, y = self._places(points, self._compact_cluster(page)).mean(axis=0)
        turns = np.linspace(0, 2 * np.pi, N_CORNERS, endpoint=False)
        radius = NARROW * points.grid.bounds.width
        corners = np.stack([x + radius * np.cos(turns), y + radius * np.sin(turns)], 1)
        page.canvas.drawn.emit(DrawnShape(corners, "new"))

    def _compact_cluster(self, page: MapPage) -> int:
        """Return the number of the most compact cluster."""
        points = page.pane.points
        assert points is not None
        sizes = [
            np.ptp(self._places(points, one.number), axis=0).sum()
            for one in points.found
        ]
        return int(np.argmin(sizes))

    def _places(self, points: MapPoints, number: int) -> FloatArray:
        """Return the coordinates of a cluster: float32 (n, 2)."""
        indices = points.places[points.clusters == number]
        return np.stack([points.grid.x[indices], points.grid.y[indices]], 1)

    def _wait_for_pairs(self, page: MapPage) -> None:
        while page.pane.is_busy:
            self._recorder.settle()

    def _view(self) -> MapView:
        return self._recorder.show_view("map", MapView)


ENGLISH = SentenceText("The ferry will not sail tomorrow because of the storm.", "en")
GERMAN = SentenceText("Wegen des Sturms fährt die Fähre morgen nicht.", "de")
ARABIC = SentenceText("لن تبحر العبّارة غدًا بسبب العاصفة.", "ar")


class AttributionTour:
    """Takes pictures of the token comparison."""

    def __init__(self, recorder: SceneRecorder):
        """Initialise with a recorder."""
        self._recorder = recorder

    def scenes(self) -> Scenes:
        """Return the scenes by name."""
        return {
            "look-inside": partial(self._compare, ENGLISH, GERMAN),
            "look-inside-arabic": partial(self._compare, ENGLISH, ARABIC),
        }

    def _compare(self, first: SentenceText, second: SentenceText) -> QWidget:
        dialog = AttributionDialog(self._recorder.state, self._recorder.window)
        dialog.open()
        self._recorder.wait(dialog.shown, partial(dialog.compare, first, second))
        dialog.map.point_at((1, 1))
        return dialog
