"""What a heat map draws: values with the names of rows and columns."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


class Heat(NamedTuple):
    """What is drawn.

    Attributes:
        values: float32 (r, c); the sign chooses the hue.
        rows, columns: r and c names.
        row_language, column_language: codes, for fonts and direction: the columns of a
            right-to-left language begin at the right.
        top: the value of the strongest shade.
        title: what a value is.
    """

    values: FloatArray
    rows: Sequence[str]
    columns: Sequence[str]
    row_language: str = ""
    column_language: str = ""
    top: float = 1.0
    title: str = ""

    def table(self) -> Iterator[Sequence[str]]:
        """Give the values, the header first."""
        yield ("", *self.columns)
        for name, values in zip(self.rows, self.values, strict=True):
            yield (name, *(f"{value:.6f}" for value in values))


NOTHING = Heat(np.zeros((0, 0), np.float32), (), ())


def apart(name: str) -> str:
    """Quote a name, so that its direction does not turn the words around it."""
    return f"“\u2068{name}\u2069”"  # first strong isolate, and its end


def short_value(value: float) -> str:
    """Write a value in a cell: .52, −.07, 1."""
    text = f"{abs(value):.2f}"
    text = text.removeprefix("0") if abs(value) < 0.995 else f"{abs(value):.1f}"
    return f"−{text}" if value <= -0.005 else text
