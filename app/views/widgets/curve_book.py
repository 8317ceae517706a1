"""The curves of a run: points by name, kept in the order of steps."""

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Points(NamedTuple):
    """One curve: steps rise, and a value that was not finite is NaN; both (n,)."""

    steps: FloatArray
    values: FloatArray


class CurveBook:
    """Points of named curves; a step that comes again replaces the old point."""

    def __init__(self) -> None:
        self._steps: dict[str, array[float]] = {}
        self._values: dict[str, array[float]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the curves, in the order they first came."""
        return list(self._steps)

    def add(self, step: int, values: Mapping[str, float | None]) -> None:
        """Add one point to each named curve."""
        for name, value in values.items():
            number = float("nan") if value is None else value
            steps = self._steps.setdefault(name, array("d"))
            numbers = self._values.setdefault(name, array("d"))
            if not steps or step > steps[-1]:
                steps.append(step)
                numbers.append(number)
                continue
            place = bisect_left(steps, step)
            if steps[place] == step:
                numbers[place] = number
            else:
                steps.insert(place, step)
                numbers.insert(place, number)

    def points(self, name: str) -> Points:
        """Give a copy of a curve; one that does not exist has no points."""
        empty = array("d")
        return Points(
            np.array(self._steps.get(name, empty), dtype=np.float64),
            np.array(self._values.get(name, empty), dtype=np.float64),
        )

    def last(self, name: str) -> float | None:
        """Give the newest value of a curve; None where there is none."""
        values = self._values.get(name)
        return values[-1] if values and values[-1] == values[-1] else None

    def best(self, name: str) -> tuple[int, float] | None:
        """Give step and value of the lowest point of a curve; None where none is."""
        steps, values = self.points(name)
        if not len(values) or np.isnan(values).all():
            return None
        place = int(np.nanargmin(values))
        return int(steps[place]), float(values[place])

    def clear(self) -> None:
        """Forget every point."""
        self._steps.clear()
        self._values.clear()


def smooth(values: FloatArray, window: int) -> FloatArray:
    """Average each value with its neighbours.

    Args:
        values: (n,); NaN is left out of the averages.
        window: how many values around each one, odd; at the ends as many as there
            are on both sides, so that the curve keeps its ends.

    Returns:
        (n,) means.
    """
    n = len(values)
    if window < 2 or n < 3:
        return values
    is_number = ~np.isnan(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(is_number, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(is_number)])
    places = np.arange(n)
    reach = np.minimum(np.minimum(places, n - 1 - places), window // 2)
    low, high = places - reach, places + reach + 1
    found = counts[high] - counts[low]
    with np.errstate(invalid="ignore"):
        means = (sums[high] - sums[low]) / np.where(found, found, np.nan)
    return np.asarray(means, dtype=np.float64)
