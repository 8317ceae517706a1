"""What a heat map draws: values with the names of rows and columns."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
Writer = Callable[[float], str]


def short_value(value: float) -> str:
    """Write a value in a cell: .52, −.07, 1."""
    text = f"{abs(value):.2f}"
    text = text.removeprefix("0") if abs(value) < 0.995 else f"{abs(value):.1f}"
    return f"−{text}" if value <= -0.005 else text


def precise_value(value: float) -> str:
    """Write a value where there is room: 0.523."""
    return f"{value:.3f}"


class Heat(NamedTuple):
    """What is drawn.

    Attributes:
        values: float32 (r, c); the sign chooses the hue; NaN: there is none.
        rows, columns: r and c names.
        row_language, column_language: codes, for fonts and direction: the columns of a
            right-to-left language begin at the right.
        top: the value of the strongest shade.
        title: what a value is.
        low: the value of the palest shade; of both hues where it is 0.
        writers: write a value in its cell: the first whose words fit into all cells.
        precise: writes the value that is pointed at.
        signs: what stands behind the value of each cell, (r, c); empty: nothing does.
        details: what is told of each cell beside its value, (r, c); empty: nothing is.
    """

    values: FloatArray
    rows: Sequence[str]
    columns: Sequence[str]
    row_language: str = ""
    column_language: str = ""
    top: float = 1.0
    title: str = ""
    low: float = 0.0
    writers: Sequence[Writer] = (short_value,)
    precise: Writer = precise_value
    signs: Sequence[Sequence[str]] = ()
    details: Sequence[Sequence[str]] = ()

    def sign(self, row: int, column: int) -> str:
        """Give what stands behind the value of a cell."""
        return self.signs[row][column] if self.signs else ""

    def detail(self, row: int, column: int) -> str:
        """Give what is told of a cell beside its value, behind a comma."""
        told = self.details[row][column] if self.details else ""
        return f", {told}" if told else ""

    def share(self, value: float) -> float:
        """Tell how deep the shade of a value is: 0…1."""
        span = (self.top - self.low) or 1.0
        above = value - self.low if self.low else abs(value)
        return min(max(above / span, 0.0), 1.0)

    def table(self) -> Iterator[Sequence[str]]:
        """Give the values, the header first."""
        yield ("", *self.columns)
        for name, values in zip(self.rows, self.values, strict=True):
            yield (name, *("" if np.isnan(v) else f"{v:.6f}" for v in values))


NOTHING = Heat(np.zeros((0, 0), np.float32), (), ())


def apart(name: str) -> str:
    """Quote a name, so that its direction does not turn the words around it."""
    return f"“\u2068{name}\u2069”"  # first strong isolate, and its end
