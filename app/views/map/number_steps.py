"""Intervals with round bounds for the bars of histograms and legend entries."""

import math
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import IdArray

FACTORS = (1, 2, 2.5, 5)  # of a power of ten; 2.5 only for integers: 25, not 2.5
ROUNDING = 1e-7  # relative, of float32, so that 0.3 is in the step from 0.3
MIN_DECIMALS = 2


class NumberSteps(NamedTuple):
    """Steps of equal width whose ends are multiples of the width.

    Attributes:
        first: the lower end of the first step, in widths.
        n: the number of steps.
        width: the width of a step.
    """

    first: int
    n: int
    width: float

    @property
    def decimals(self) -> int:
        """The number of decimals that distinguishes bounds that are not integers."""
        return max(MIN_DECIMALS, math.ceil(-math.log10(self.width) - ROUNDING))

    def start_of(self, index: int) -> float:
        """Return the lower bound of a step, or for `n` the upper bound of the last."""
        return (self.first + index) * self.width

    def places_of(self, values: NDArray[np.float64]) -> IdArray:
        """Return the step of each number; outliers are in the first or last step."""
        places = np.floor(_rounded_up(values / self.width)).astype(np.int64)
        within: IdArray = np.clip(places - self.first, 0, self.n - 1)
        return within


def find_steps(low: float, high: float, most: int, *, is_whole: bool) -> NumberSteps:
    """Find the narrowest steps that cover the numbers.

    Args:
        low: the lowest number.
        high: the highest number, greater than `low`.
        most: the maximum number of steps.
        is_whole: all numbers are integers, so the last upper bound is exclusive.
    """
    for power in count(math.floor(math.log10((high - low) / most))):
        for factor in FACTORS:
            width = factor * 10.0**power
            if width % 1 if is_whole else factor == 2.5:
                continue
            ends = _rounded_up(np.array([low, high]) / width)
            first, last = (math.floor(end) for end in ends.tolist())
            if not is_whole:  # the last step includes its upper bound
                last = max(math.ceil(high / width - ROUNDING * last) - 1, first)
            if last - first < most:
                return NumberSteps(first, last - first + 1, width)
    raise AssertionError("some width is wide enough")


def _rounded_up(quotients: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add the rounding error of float32, so that 0.3 is in the step from 0.3."""
    return quotients + ROUNDING * np.abs(quotients)
