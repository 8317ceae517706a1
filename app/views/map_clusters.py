"""The clusters of a map: their list, their numbers on it, what is typical of each."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from app.engine.store.rows import read_sentences
from app.views.map_points import MapPoints
from app.views.project_reader import ProjectReader
from app.views.widgets.map_grid import Box
from app.views.widgets.map_overlay import Mark
from app.views.widgets.two_lines import TwoLines
from app.views.words import count_words, format_count

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
        facts = count_words(one.n, _tr("1 sentence"), _tr("{n} sentences"))
        lines.append(TwoLines(one.number, title, facts, "\n".join(texts)))
    return lines


def cluster_marks(points: MapPoints, chosen: int | None) -> tuple[Mark, ...]:
    """Write the number of each cluster where its middle is.

    Args:
        points: the map.
        chosen: number of the cluster that is marked.
    """
    marks = []
    for one in points.found:
        place = _middle(points, one.number)
        if place is not None:
            x, y = float(points.grid.x[place]), float(points.grid.y[place])
            marks.append(Mark(x, y, str(one.number + 1), one.number == chosen))
    return tuple(marks)


def cluster_box(points: MapPoints, number: int) -> Box | None:
    """Give what holds most of a cluster; None: it has no point."""
    places = points.places[points.clusters == number]
    if not len(places):
        return None
    edge = (1 - CORE) / 2
    left, right = np.quantile(points.grid.x[places], (edge, 1 - edge))
    bottom, top = np.quantile(points.grid.y[places], (edge, 1 - edge))
    return Box(float(left), float(bottom), float(right), float(top))


def cluster_ids(points: MapPoints, number: int) -> NDArray[np.int64]:
    """Give the sentences of a cluster, the most typical first: int64 (n,)."""
    ids = points.ids[points.clusters == number]
    first = np.array(points.found[number].sentences, np.int64)
    first = first[np.isin(first, ids)]
    return np.concatenate([first, np.setdiff1d(ids, first, assume_unique=True)])


def cluster_words(points: MapPoints, number: int) -> str:
    """Head the table of the sentences of a cluster."""
    words = _tr("Cluster {number}: {n} sentences, the most typical first")
    n = format_count(int((points.clusters == number).sum()))
    return words.format(number=number + 1, n=n)


def _middle(points: MapPoints, number: int) -> int | None:
    """Give the place of the point nearest to the middle of a cluster; None: no point.

    The middle is that of the coordinates' medians; a cluster may be in several parts.
    """
    places = points.places[points.clusters == number]
    if not len(places):
        return None
    x, y = points.grid.x[places], points.grid.y[places]
    squares = (x - np.median(x)) ** 2 + (y - np.median(y)) ** 2
    return int(places[squares.argmin()])


def _tr(text: str) -> str:
    return QCoreApplication.translate("map", text)
