"""The cluster that is chosen on a map, and the numbers of all of them."""

from typing import TYPE_CHECKING

from app.views.map_clusters import cluster_marks
from app.views.map_colourings import CLUSTER
from app.views.panels.map_column import CLUSTERS_TAB, MapColumn
from app.views.panels.map_pane import MapPane
from app.views.widgets.map_overlay import Mark

if TYPE_CHECKING:
    from app.views.map_colour_desk import MapColourDesk


class MapClusterDesk:
    """Keeps the list of clusters and their numbers on the map in step.

    Attributes:
        chosen: number of the cluster whose sentences are selected; None: of none.
    """

    def __init__(self, column: MapColumn, pane: MapPane, colours: "MapColourDesk"):
        """Choose nothing yet."""
        self._column, self._pane, self._colours = column, pane, colours
        self.chosen: int | None = None

    def choose(self, number: int | None) -> None:
        """Mark a cluster in the list and on the map; None: none."""
        self.chosen = number
        self._column.clusters.choose(number)
        self.mark()

    def mark(self) -> None:
        """Number the clusters where they are what is looked at."""
        points = self._pane.points
        is_shown = self._colours.key == CLUSTER
        is_shown |= self._column.tabs.currentIndex() == CLUSTERS_TAB
        marks: tuple[Mark, ...] = ()
        if points is not None and is_shown:
            marks = cluster_marks(points, self.chosen)
        self._pane.show_marks(marks)
