"""Axes of plots whose numbers are written as in the rest of the window."""

from math import ceil, floor, log10

import pyqtgraph

from app.number_format import MINUS, format_score

MAX_PLACES = 5  # 0.00002; smaller numbers are written with a power of ten
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class NumberAxis(pyqtgraph.AxisItem):  # type: ignore[misc] # untyped
    """An axis with commas between thousands and as many decimals as its steps need."""

    def __init__(self, side: str):
        """Make an axis at a side of a plot: left or bottom."""
        super().__init__(side)
        self.enableAutoSIPrefix(False)

    def tickStrings(
        self, values: list[float], scale: float, spacing: float
    ) -> list[str]:
        """Write the numbers at the ticks."""
        if self.logMode:
            written: list[str] = self.logTickStrings(values, scale, spacing)
            return written
        return [format_tick(value * scale, spacing * scale) for value in values]


def number_axes() -> dict[str, NumberAxis]:
    """Return the axes of a new plot."""
    return {side: NumberAxis(side) for side in ("left", "bottom")}


def format_tick(value: float, spacing: float) -> str:
    """Write the number at a tick: 12,000, −0.25 or 4·10⁻⁶.

    Args:
        value: of the tick.
        spacing: of the ticks beside each other, over 0.
    """
    places = max(0, ceil(-log10(spacing)))
    number = round(value, places) + 0.0  # 0 has no sign
    if places <= MAX_PLACES:
        return f"{number:,.{places}f}".replace("-", MINUS)
    if not number:
        return "0"
    power = floor(log10(abs(number)))
    digits = format_score(number / 10.0**power, max(0, power + places))
    return f"{digits}·10{str(power).translate(SUPERSCRIPTS)}"
