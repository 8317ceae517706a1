"""The clusters of a map: their list, their numbers on it, what is typical of each."""

import numpy as np
from PySide6.QtCore import QCoreApplication

from app.engine.store.rows import read_sentences
from app.views.map_points import MapCluster, MapPoints
from app.views.project_reader import ProjectReader
from app.views.widgets.map_grid import Box
from app.views.widgets.map_overlay import Mark
from app.views.widgets.two_lines import TwoLines
from app.views.words import format_count

N_WORDS = 5  # of a cluster, in the list
N_TOLD = 3  # typical sentences in a tooltip
CORE = 0.9  # share of a cluster that is zoomed to: outliers are left out


def cluster_lines(project: ProjectReader, points: MapPoints) -> list[TwoLines]:
    """Name each cluster by its words, or by its most typical sentence."""
    typical = [id_ for one in points.found for id_ in one.sentences[:N_TOLD]]
    read = dict(zip(typical, read_sentences(project.store, typical), strict=True))
    lines = []
    for one in points.found:
        texts = [
            row.text for id_ in one.sentences[:N_TOLD] if (row := read[id_]) is not None
        ]
        name = ", ".join(one.words[:N_WORDS]) or (texts[0] if texts else "")
        title = f"{one.number + 1}  {name}"
        facts = _tr("{n} sentences").format(n=format_count(one.n))
        lines.append(TwoLines(one.number, title, facts, "\n".join(texts)))
    return lines


def cluster_marks(points: MapPoints, chosen: int | None) -> tuple[Mark, ...]:
    """Write the number of each cluster where its middle is.

    Args:
        points: the map.
        chosen: number of the cluster that is marked.
    """
    order = points.grid.order
    clusters = points.clusters[order]
    n = len(points.found)
    is_in = clusters >= 0
    counts = np.maximum(np.bincount(clusters[is_in], minlength=n), 1)
    x, y = (
        np.bincount(clusters[is_in], weights=values[is_in], minlength=n) / counts
        for values in (points.grid.x, points.grid.y)
    )
    return tuple(
        Mark(
            float(x[one.number]),
            float(y[one.number]),
            str(one.number + 1),
            one.number == chosen,
        )
        for one in points.found
    )


def cluster_box(points: MapPoints, number: int) -> Box | None:
    """Give what holds most of a cluster; None: it has no point."""
    places = points.places[points.clusters == number]
    if not len(places):
        return None
    edge = (1 - CORE) / 2
    left, right = np.quantile(points.grid.x[places], (edge, 1 - edge))
    bottom, top = np.quantile(points.grid.y[places], (edge, 1 - edge))
    return Box(float(left), float(bottom), float(right), float(top))


def typical_words(one: MapCluster) -> str:
    """Head the table of the sentences that are typical of a cluster."""
    words = _tr("The {n} most typical sentences of cluster {number}")
    return words.format(n=len(one.sentences), number=one.number + 1)


def _tr(text: str) -> str:
    return QCoreApplication.translate("map", text)
