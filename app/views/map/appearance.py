"""Apply a column's colours, the legend filter and cluster marks to the panes."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.arrays import IdArray
from app.engine.store.sentences import read_sentences
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.map.analysis import MapComparison, similarity_column
from app.views.map.colouring import (
    LABEL,
    LANGUAGE,
    MOVEMENT,
    SIMILARITY,
    ColourColumn,
    Colouring,
    list_columns,
)
from app.views.map.drawing.grid import Box, Mask
from app.views.map.drawing.overlay import MapLabel
from app.views.map.drawing.points import MapPoints
from app.views.map.filters import FilterController
from app.views.map.legend import (
    LegendRow,
    count_passing,
    highlighted_points,
    legend_rows,
)
from app.views.map.pane import MapPane
from app.views.map.selection import MapSelection
from app.views.map.sidebar import MapSidebar
from app.views.widgets.classifiers import TrainedClassifier, read_classifiers
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.theme import colours_of
from app.views.widgets.two_line_list import TwoLineRow

_tr = partial(QCoreApplication.translate, "map")

Panes = Callable[[], Iterable[MapPane]]


class ColourController(QObject):
    """Colours the points of one map, or of two maps in the same way.

    Attributes:
        key: key of the column that determines the colours.
    """

    changed = Signal()  # the legend or its filter
    highlighted = Signal()  # the set of points in colour may have changed

    def __init__(
        self,
        state: AppState,
        sidebar: MapSidebar,
        panes: Panes,
        selection: MapSelection,
        comparison: MapComparison,
        filters: FilterController,
    ):
        """Connect the controller.

        Args:
            sidebar: the columns and the legend.
            panes: returns the shown maps, the first one first.
            selection: points outside the selection are grey.
            comparison: changes in neighbours, offered as a column.
            filters: points that don't match are grey.
        """
        super().__init__(selection.parent())
        self._state, self._sidebar, self._panes = state, sidebar, panes
        self._selection, self._comparison = selection, comparison
        self._filters = filters
        self._classifiers: list[TrainedClassifier] = []
        self.key = LANGUAGE
        sidebar.column_chosen.connect(self.colour_by)
        sidebar.legend.chosen_changed.connect(self._on_legend_chosen)
        filters.changed.connect(self._on_filtered)
        state.labels.labelled.connect(self._on_labelled)
        state.selection_changed.connect(self._on_sentence_chosen)

    @property
    def _first(self) -> MapPane:
        return next(iter(self._panes()))

    def refresh(self) -> None:
        """Read the column again."""
        self.colour_by(self.key)

    def colour_by(self, key: str) -> None:
        """Colour the points by a column as soon as it is read."""
        project, self.key = self._state.project, key
        if project is None or self._first.points is None:
            return
        self._classifiers = read_classifiers(project.store)
        columns = self.offer_columns()
        column = next((one for one in columns if one.key == key), columns[0])
        self.key = column.key
        self._sidebar.choose_column(column.key)
        for pane in self._panes():
            self._colour(pane, column)

    def _colour(self, pane: MapPane, column: ColourColumn) -> None:
        movement, chosen = self._comparison.movement, self._state.selection
        if column.key == MOVEMENT and movement is not None and pane.points is not None:
            pane.show_colouring(movement.colouring(pane.points))
        elif column.key == SIMILARITY and chosen is not None:
            pane.colour_by_similarity(chosen)
        else:
            pane.colour_by(column, self._classifiers)

    def offer_columns(self) -> list[ColourColumn]:
        """Show the columns that are available for colouring."""
        project, points = self._state.project, self._first.points
        if project is None or points is None:
            return []
        columns = list_columns(project, points, self._classifiers)
        movement, chosen = self._comparison.movement, self._state.selection
        is_here = chosen is not None and points.place_of(chosen) is not None
        if is_here or self.key == SIMILARITY:
            columns.append(similarity_column())
        if movement is not None:
            columns.append(movement.column())
        self._sidebar.show_columns(columns, self.key)
        return columns

    def show_legend(self) -> None:
        """Show the legend of the first map, and apply its colours to all maps."""
        if self._first.colouring is None:
            return
        self._show_rows(self._first.colouring)
        for pane in self._panes():
            pane.show_legend_colours(self._sidebar.legend.rows)
        self.highlight()
        self.changed.emit()

    def _show_rows(self, colouring: Colouring) -> None:
        """Show the legend with the classes selected by the column's filter."""
        legend, key = self._sidebar.legend, colouring.key
        legend.show_rows(self._count_rows(colouring))
        if self._filters.offers(key):
            legend.show_choice(self._filters.values_of(key))
        colours = {row.title: row.colour for row in legend.rows}
        self._sidebar.filters.show_colours(key, colours)

    def _count_rows(self, colouring: Colouring) -> list[LegendRow]:
        """Return the legend entries with the number of points that match filters."""
        legend, passing = (
            self._sidebar.legend,
            self._filters.passing_others(colouring.key),
        )
        chosen = legend.chosen
        if self._filters.offers(colouring.key):
            chosen = self._filters.values_of(colouring.key)
        rows = legend_rows(colouring, chosen, colours_of(legend))
        return rows if passing is None else count_passing(rows, colouring, passing)

    def highlight(self) -> None:
        """Grey out points that are not chosen in the legend or not selected."""
        wanted = self._selection.ids
        passing = self._filters.ids
        if passing is not None:
            wanted = passing if wanted is None else np.intersect1d(wanted, passing)
        for pane in self._panes():
            pane.highlight(self._sidebar.legend.chosen, wanted)
        if self._first.colouring is not None:
            self.highlighted.emit()

    def legend_mask(self, pane: MapPane) -> Mask | None:
        """Return a mask of the points that the legend keeps in colour; None: all."""
        if pane.colouring is None:
            return None
        legend = self._sidebar.legend
        return highlighted_points(pane.colouring, legend.rows, legend.chosen)

    def _on_legend_chosen(self) -> None:
        """Apply the chosen legend entries to the column's filter."""
        if self._first.colouring is not None:
            chosen = self._sidebar.legend.chosen
            self._filters.choose_values(self._first.colouring.key, chosen)
        self.show_legend()

    def _on_filtered(self) -> None:
        """Update counts and colours after the filters change."""
        before = self._sidebar.legend.chosen
        if self._first.colouring is not None:
            self._show_rows(self._first.colouring)
        if self._sidebar.legend.chosen == before:
            self.highlight()
        else:
            self.show_legend()  # the colours of classes may change

    def _on_labelled(self) -> None:
        if self.key == LABEL and self._first.points is not None:
            self.colour_by(LABEL)

    def _on_sentence_chosen(self, sentence_id: int | None) -> None:
        """Offer similarity to the sentence as a colour; update it if shown."""
        points = self._first.points
        if points is None:
            return
        is_here = sentence_id is not None and points.place_of(sentence_id) is not None
        if self.key == SIMILARITY and is_here:
            self.colour_by(SIMILARITY)
        else:
            self.offer_columns()


N_WORDS = 5  # of a cluster, in the list
N_LABEL_WORDS = 2  # of a cluster, on the map
FEW_POINTS = 200  # or fewer: label only their clusters, to keep the points visible
N_EXAMPLES = 3  # typical sentences in a tooltip
CORE_SHARE = 0.9  # share of a cluster shown when zooming to it, without outliers


def cluster_rows(
    project: ProjectReader, points: MapPoints, passing: IdArray | None
) -> list[TwoLineRow]:
    """Return a list row for each cluster: its words or most typical sentence.

    Args:
        passing: ids of the sentences that match the filters; None: no filter.
    """
    counts = {one.number: one.n for one in points.found}
    if passing is not None:
        clusters = points.clusters[points.mask_of(passing)]
        counts = dict(enumerate(np.bincount(clusters[clusters >= 0])))
    typical = [id_ for one in points.found for id_ in one.sentences[:N_EXAMPLES]]
    read = dict(zip(typical, read_sentences(project.store, typical), strict=True))
    rows = []
    for one in points.found:
        texts = [
            row.text
            for id_ in one.sentences[:N_EXAMPLES]
            if (row := read[id_]) is not None
        ]
        name = ", ".join(one.words[:N_WORDS]) or (texts[0] if texts else "")
        title = f"{one.number + 1}  {name}"
        facts = _count_sentences(int(counts.get(one.number, 0)), one.n)
        rows.append(TwoLineRow(one.number, title, facts, "\n".join(texts)))
    return rows


def _count_sentences(n: int, total: int) -> str:
    """Return "12 sentences"; with a filter, "4 of 12 sentences"."""
    words = pluralize(total, _tr("1 sentence"), _tr("{n} sentences"))
    if n == total:
        return words
    return _tr("{n} of {total}").format(n=format_count(n), total=words)


def cluster_labels(
    points: MapPoints, chosen: int | None, passing: IdArray | None
) -> tuple[MapLabel, ...]:
    """Return a label at the centre of each cluster with its number and words.

    Args:
        chosen: number of the cluster that is emphasised.
        passing: ids of the sentences that match the filters; None: no filter. If
            there are at most FEW_POINTS, only the clusters containing them have labels.
    """
    labels = []
    numbers = {one.number for one in points.found}
    if passing is not None and len(passing) <= FEW_POINTS:
        numbers &= set(points.clusters[points.mask_of(passing)].tolist())
    for one in points.found:
        if one.number not in numbers and one.number != chosen:
            continue
        index = _middle(points, one.number)
        if index is not None:
            x, y = float(points.grid.x[index]), float(points.grid.y[index])
            reach = _reach(points, one.number, index)
            words = ", ".join(one.words[:N_LABEL_WORDS])
            number = str(one.number + 1)
            labels.append(MapLabel(x, y, number, one.number == chosen, words, reach))
    return tuple(labels)


def cluster_box(points: MapPoints, number: int) -> Box | None:
    """Return a box around most of a cluster; None if it has no points."""
    indices = points.places[points.clusters == number]
    if not len(indices):
        return None
    edge = (1 - CORE_SHARE) / 2
    left, right = np.quantile(points.grid.x[indices], (edge, 1 - edge))
    bottom, top = np.quantile(points.grid.y[indices], (edge, 1 - edge))
    return Box(float(left), float(bottom), float(right), float(top))


def cluster_ids(points: MapPoints, number: int) -> NDArray[np.int64]:
    """Return the sentences of a cluster, the most typical first: int64 (n,)."""
    ids = points.ids[points.clusters == number]
    first = np.array(points.found[number].sentences, np.int64)
    first = first[np.isin(first, ids)]
    return np.concatenate([first, np.setdiff1d(ids, first, assume_unique=True)])


def cluster_title(points: MapPoints, number: int) -> str:
    """Return the heading of the table of a cluster."""
    words = _tr("Cluster {number}: {sentences}, the most typical first")
    n = int((points.clusters == number).sum())
    sentences = pluralize(n, _tr("1 sentence"), _tr("{n} sentences"))
    return words.format(number=number + 1, sentences=sentences)


def _middle(points: MapPoints, number: int) -> int | None:
    """Return the grid index of the point nearest to the cluster's centre, or None.

    The centre is the median of the coordinates. A point is used because the centre
    of a cluster in several parts may lie outside of them all.
    """
    indices = points.places[points.clusters == number]
    if not len(indices):
        return None
    x, y = points.grid.x[indices], points.grid.y[indices]
    squares = (x - np.median(x)) ** 2 + (y - np.median(y)) ** 2
    return int(indices[squares.argmin()])


def _reach(points: MapPoints, number: int, middle: int) -> float:
    """Return the largest vertical distance of the nearest half of a cluster."""
    grid, indices = points.grid, points.places[points.clusters == number]
    x, y = grid.x[indices] - grid.x[middle], grid.y[indices] - grid.y[middle]
    squares = x**2 + y**2
    return float(np.abs(y[squares <= np.median(squares)]).max())


class ClusterController:
    """Synchronises the list of clusters with their labels on the map.

    Attributes:
        chosen: number of the cluster whose sentences are selected, or None.
    """

    def __init__(
        self,
        sidebar: MapSidebar,
        pane: MapPane,
        filters: FilterController,
        is_shown: Callable[[], bool],
    ):
        self._sidebar, self._pane, self._is_shown = sidebar, pane, is_shown
        self._filters = filters
        self.chosen: int | None = None
        self._is_narrow = False  # whether at most FEW_POINTS match the filters
        filters.changed.connect(self._on_filtered)

    def choose(self, number: int | None) -> None:
        """Highlight a cluster in the list and on the map; None: no cluster."""
        self.chosen = number
        self._sidebar.clusters.choose(number)
        self.refresh_labels()

    def refresh_labels(self) -> None:
        """Label the clusters, unless the labels are hidden."""
        points = self._pane.points
        labels: tuple[MapLabel, ...] = ()
        if points is not None and self._is_shown():
            labels = cluster_labels(points, self.chosen, self._filters.ids)
        self._pane.show_labels(labels)

    def _on_filtered(self) -> None:
        ids = self._filters.ids
        is_narrow = ids is not None and len(ids) <= FEW_POINTS
        if is_narrow or self._is_narrow:
            self.refresh_labels()
        self._is_narrow = is_narrow
