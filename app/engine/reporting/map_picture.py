"""Draw a map as SVG: points in the colours of their numbered clusters."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.arrays import IntArray
from app.engine.reporting.svg import N_COLOURS, WIDTH, make_element
from app.engine.store.projections import ProjectionRow, projection_file

HEIGHT, MARGIN = 520, 14
MAX_DOTS = 20_000  # above this, points are counted on a grid
CELL, N_SHADES = 4, 4  # of the grid: pixels, shades of a colour
Points = NDArray[np.float64]


class MapPicture(NamedTuple):
    """A picture and its caption."""

    title: str
    svg: str
    note: str


def draw_map(folder: Path, row: ProjectionRow) -> MapPicture:
    """Draw a map of a project.

    Clusters share six colours, so that neighbouring clusters differ.
    """
    xy = np.load(projection_file(folder, row, "xy"), mmap_mode="r")
    clusters = np.load(projection_file(folder, row, "clusters"), mmap_mode="r")
    report: dict[str, Any] = msgspec.json.decode(row.report)
    words = [", ".join(one.get("words", ())[:6]) for one in report.get("clusters", ())]
    places, numbers = _place(np.asarray(xy, np.float64)), np.asarray(clusters)
    is_dense = len(places) > MAX_DOTS
    middles = _middles(places, numbers, len(words))
    colours = _choose_colours(middles)
    parts = [
        *(_density if is_dense else _dots)(places, _colours_of(numbers, colours)),
        *_numbers(middles, words),
    ]
    note = "Darker colours show more sentences. " if is_dense else ""
    if words:
        note += "The numbers are those of the clusters in the table."
    return MapPicture(
        row.name, make_element("".join(parts), HEIGHT, row.name), note.strip()
    )


def _place(xy: Points) -> Points:
    """Scale points to the picture, with the y axis upwards: float64 (n, 2), pixels."""
    if not len(xy):
        return xy
    low, high = xy.min(axis=0), xy.max(axis=0)
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    scale = float((room / np.maximum(high - low, 1e-9)).min())
    middle = (low + high) / 2
    placed: Points = (xy - middle) * [scale, -scale] + [WIDTH / 2, HEIGHT / 2]
    return placed


def _middles(points: Points, clusters: IntArray, n_clusters: int) -> Points:
    """Return the median position of each cluster: float64 (c, 2)."""
    found = [
        np.median(points[of_it], axis=0)
        if (of_it := clusters == number).any()
        else np.full(2, np.nan)
        for number in range(n_clusters)
    ]
    return np.array(found, np.float64).reshape(-1, 2)


def _choose_colours(middles: Points) -> IntArray:
    """Return a colour per cluster, so that equal colours are far apart."""
    chosen: IntArray = np.full(len(middles), -1, np.int64)
    for number, middle in enumerate(middles):
        distances = np.linalg.norm(middles[:number] - middle, axis=1)
        nearest = [
            min(distances[chosen[:number] == colour], default=np.inf)
            for colour in range(N_COLOURS)
        ]
        chosen[number] = int(np.argmax(nearest))
    return chosen


def _colours_of(clusters: IntArray, colours: IntArray) -> IntArray:
    """Return each point's colour; -1: no cluster."""
    if not len(colours):
        return np.full(len(clusters), -1, np.int64)
    found: IntArray = np.where(clusters >= 0, colours[clusters], -1)
    return found


def _dots(points: Points, colours: IntArray) -> Iterator[str]:
    """Draw points as zero-length strokes with round ends."""
    width = 4.0 if len(points) <= 5_000 else 2.5
    for colour in np.unique(colours).tolist():
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points[colours == colour])
        yield (
            f'<path d="{path}" class="dot {_class(colour)}" stroke-width="{width}"/>'
        )


def _density(points: Points, colours: IntArray) -> Iterator[str]:
    """Draw a grid: each cell in its most frequent colour, darker for more points."""
    n_across = WIDTH // CELL
    at = (points // CELL).astype(np.int64)
    cells = at[:, 1] * n_across + at[:, 0]
    keys, counts = np.unique(
        np.stack([cells, colours], axis=1), axis=0, return_counts=True
    )
    order = np.lexsort((counts, keys[:, 0]))  # the most frequent colour last
    keys = keys[order]
    keys = keys[np.append(keys[1:, 0] != keys[:-1, 0], True)]
    depth = np.log1p(np.bincount(cells)[keys[:, 0]])
    shades = np.ceil(depth / depth.max() * N_SHADES).astype(np.int64)
    for colour, shade in sorted(
        set(zip(keys[:, 1].tolist(), shades.tolist(), strict=True))
    ):
        here = keys[(keys[:, 1] == colour) & (shades == shade), 0]
        path = "".join(_square(*divmod(cell, n_across)) for cell in here.tolist())
        fill = f'class="{_class(colour)}" fill-opacity="{shade / N_SHADES}"'
        yield f'<path d="{path}" {fill}/>'


def _square(row: int, column: int) -> str:
    return f"M{column * CELL} {row * CELL}h{CELL}v{CELL}h-{CELL}z"


def _numbers(middles: Points, words: Sequence[str]) -> Iterator[str]:
    """Write each cluster's number at its median, with its words as a tooltip."""
    for number, (x, y) in enumerate(middles.tolist()):
        if not np.isnan(x):
            yield (
                f'<g><title>{escape(words[number])}</title><text x="{x:.1f}" '
                f'y="{y:.1f}" class="m" text-anchor="middle" '
                f'dominant-baseline="central">{number + 1}</text></g>'
            )


def _class(colour: int) -> str:
    return f"c{colour}" if colour >= 0 else "o"
