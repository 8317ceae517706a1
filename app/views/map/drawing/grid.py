"""Spatial index of points: rectangle, nearest point and polygon queries."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

PER_CELL = 4  # points, on average
MAX_CELLS = 1_024  # per side: two 16-bit sorts are the fastest
MIN_FILTERED = 1_000  # with fewer points, the core contains them all
OUTLIERS = 0.002  # share of points on each side
CORE_MARGIN = 0.12  # of the core's size, on each side
N_SAMPLED = 100_000  # points sampled to find the core
GOLDEN = 0.6180339887  # step between points, as a share of n, when mixing
FAR = 1.5  # times the core's size: if all points need more, show the core
FULL_SCAN_SHARE = 0.6  # of all points; above it, return one slice


class Box(NamedTuple):
    """A rectangle in map coordinates; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """Its width."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Its height."""
        return self.top - self.bottom

    def enlarged_to(self, size: float) -> "Box":
        """Return a box with the same centre and at least this width and height."""
        x, y = max(size - self.width, 0) / 2, max(size - self.height, 0) / 2
        return Box(self.left - x, self.bottom - y, self.right + x, self.top + y)


class PointGrid:
    """Points sorted by cell: row by row from the bottom, from left to right.

    Attributes:
        x, y: float32 (n,), coordinates, sorted.
        order: int64 (n,), index of each sorted point in the map's arrays.
        bounds: box around all points; 0 … 1 if there are none.
        core: box around nearly all points, with a margin, because a few distant
            outliers would make the rest small.
    """

    def __init__(self) -> None:
        """Create an empty grid."""
        for _ in self.build(np.empty((0, 2), np.float32)):
            pass

    def build(self, xy: Floats) -> Iterator[None]:
        """Sort points, in steps of a few milliseconds.

        Args:
            xy: float32 (n, 2), finite.
        """
        # Dots are drawn in this order, mixed so that no corpus covers another.
        mixed = _mixed(len(xy))
        x = xy[mixed, 0]  # (n, 2) -> (n,)
        yield
        y = xy[mixed, 1]
        self.bounds = _bounds(x, y)
        self.core = _core_box(x, y, self.bounds)
        side = int(np.sqrt(max(len(x), 1) / PER_CELL))
        self._n_cells = min(max(side, 1), MAX_CELLS)
        yield
        columns = self._cells(x, self.bounds.left, self.bounds.width)
        rows = self._cells(y, self.bounds.bottom, self.bounds.height)
        yield
        first = np.argsort(columns, kind="stable")
        yield
        found = first[np.argsort(rows[first], kind="stable")]
        yield
        self.x, self.y = x[found], y[found]
        self.order: Indices = mixed[found]
        yield
        cells = rows.astype(np.int64) * self._n_cells + columns
        counts = np.bincount(cells, minlength=self._n_cells**2)
        self._starts = np.concatenate([[0], np.cumsum(counts)])  # (cells + 1,)

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.x)

    @property
    def nearly_all(self) -> Box:
        """Box around all points, or the core if all points need much more space."""
        core, bounds = self.core, self.bounds
        is_far = bounds.width > FAR * core.width or bounds.height > FAR * core.height
        return core if is_far else bounds

    def within(self, box: Box) -> slice | Indices:
        """Return the indices of all points in a box, and of some just outside it.

        The indices refer to the sorted arrays; a slice if most points are in the box.
        """
        low_x, high_x = self._range(box.left, box.right, axis=0)
        low_y, high_y = self._range(box.bottom, box.top, axis=1)
        n = self._n_cells
        rows = np.arange(low_y, high_y + 1) * n  # (cell rows,)
        starts, ends = self._starts[rows + low_x], self._starts[rows + high_x + 1]
        if high_x - low_x + 1 == n or (ends - starts).sum() > FULL_SCAN_SHARE * len(
            self
        ):
            return slice(int(starts[0]), int(ends[-1]))
        lengths = ends - starts
        # Indices of consecutive runs, each from its own start.
        shifts = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
        indices: Indices = np.arange(lengths.sum()) + shifts
        return indices

    def nearest(self, x: float, y: float, radius: float) -> int | None:
        """Return the index of the nearest point within a radius, or None."""
        box = Box(x - radius, y - radius, x + radius, y + radius)
        found = self.within(box)
        squares = (self.x[found] - x) ** 2 + (self.y[found] - y) ** 2
        if not len(squares):
            return None
        best = int(squares.argmin())
        if squares[best] > radius * radius:
            return None
        return best + found.start if isinstance(found, slice) else int(found[best])

    def inside(self, polygon: NDArray[np.float64]) -> Mask:
        """Return a mask of the points inside a polygon.

        Even-odd rule (Shimrat 1962, Algorithm 112): a point is inside when a ray from
        it crosses the edges an odd number of times. Each edge is compared only with
        the rows of cells that it crosses.

        Args:
            polygon: float64 (corners, 2); the last corner joins the first.

        Returns:
            bool (n,), in the sorted order.
        """
        is_inside = np.zeros(len(self), np.bool_)
        for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, 0), strict=True):
            if y0 == y1:
                continue
            low, high = self._range(min(y0, y1), max(y0, y1), axis=1)
            n = self._n_cells
            part = slice(int(self._starts[low * n]), int(self._starts[(high + 1) * n]))
            y = self.y[part].astype(np.float64)
            at = x0 + (y - y0) * ((x1 - x0) / (y1 - y0))
            crosses = ((y0 > y) != (y1 > y)) & (self.x[part] < at)
            is_inside[part] ^= crosses
        return is_inside

    def _cells(self, values: Floats, low: float, size: float) -> NDArray[np.uint16]:
        """Return the cell of each coordinate: uint16 (n,)."""
        scale = np.float32(self._n_cells / size)
        cells = ((values - np.float32(low)) * scale).astype(np.int32)
        return np.clip(cells, 0, self._n_cells - 1).astype(np.uint16)

    def _range(self, low: float, high: float, *, axis: int) -> tuple[int, int]:
        """Return the first and last cell that a range of coordinates touches."""
        box = self.bounds
        start = box.left if axis == 0 else box.bottom
        size = box.width if axis == 0 else box.height
        cells = [
            int(np.floor((value - start) / size * self._n_cells)) + slack
            for value, slack in ((low, -1), (high, 1))  # because float32 rounds
        ]
        last = self._n_cells - 1
        return min(max(cells[0], 0), last), min(max(cells[1], 0), last)


def _mixed(n: int) -> Indices:
    """Return 0 … n − 1 in golden-ratio steps modulo n: neighbours are far apart."""
    step = max(round(n * GOLDEN), 1)
    while math.gcd(step, max(n, 1)) > 1:
        step += 1
    indices: Indices = np.arange(n, dtype=np.int64) * step % max(n, 1)
    return indices


def _core_box(x: Floats, y: Floats, bounds: Box) -> Box:
    """Return a box, with a margin, around all points except outliers on each side."""
    if len(x) < MIN_FILTERED:
        return bounds
    step = max(len(x) // N_SAMPLED, 1)
    edges = []
    for values in (x, y):
        low, high = np.quantile(values[::step], (OUTLIERS, 1 - OUTLIERS))
        room = CORE_MARGIN * (high - low)
        edges.append((float(low - room), float(high + room)))
    (left, right), (bottom, top) = edges
    return Box(
        max(left, bounds.left),
        max(bottom, bounds.bottom),
        min(right, bounds.right),
        min(top, bounds.top),
    )


def _bounds(x: Floats, y: Floats) -> Box:
    if not len(x):
        return Box(0.0, 0.0, 1.0, 1.0)
    left, right = float(x.min()), float(x.max())
    bottom, top = float(y.min()), float(y.max())
    least = max(right - left, top - bottom, 1e-6) * 1e-3  # equal points have no width
    if right - left < least:
        left, right = left - least, right + least
    if top - bottom < least:
        bottom, top = bottom - least, top + least
    return Box(left, bottom, right, top)
