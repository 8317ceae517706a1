"""Rows of training data as they stand in files, before they are cut into tokens."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple


class Row(NamedTuple):
    """An example, or a sentence of a document.

    Attributes:
        texts: one for each column.
        tag: what the objective must know of it, such as its class.
    """

    texts: tuple[str, ...]
    tag: int = 0


class RowGroup(NamedTuple):
    """Rows that are drawn together: of a language or of a file.

    Attributes:
        name: such as eng-deu.
        rows: to be read once; what they leave out they count in the counter that they
            were made with.
    """

    name: str
    rows: Iterator[Row]


class LeftOut(Counter[str]):
    """How many examples were left out, by the reason."""

    def sentences(self, noun: str) -> tuple[str, ...]:
        """Say each reason: "12 pairs were left out: a sentence is empty."."""
        return tuple(
            f"{count:,} {noun} were left out: {reason}."
            for reason, count in sorted(self.items())
            if count
        )
