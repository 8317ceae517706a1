"""Axes of plots with the number format of the window."""

import pyqtgraph

from app.number_format import format_tick


class NumberAxis(pyqtgraph.AxisItem):  # type: ignore[misc] # untyped
    """An axis with thousands separators and as many decimals as its steps need."""

    def __init__(self, side: str):
        """Create an axis for one side of a plot: left or bottom."""
        super().__init__(side)
        self.enableAutoSIPrefix(False)

    def tickStrings(
        self, values: list[float], scale: float, spacing: float
    ) -> list[str]:
        """Return the texts of the ticks."""
        if self.logMode:
            written: list[str] = self.logTickStrings(values, scale, spacing)
            return written
        return [format_tick(value * scale, spacing * scale) for value in values]


def number_axes() -> dict[str, NumberAxis]:
    """Return the axes of a new plot."""
    return {side: NumberAxis(side) for side in ("left", "bottom")}
