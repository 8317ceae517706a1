"""How many pieces texts are cut into: what any vocabulary can tell of itself."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from numpy import int32
from numpy.typing import NDArray


class PieceCounts(NamedTuple):
    """Pieces of n texts; marks of spaces, begin and end do not count.

    Attributes:
        n_pieces: int32 (n,).
        n_unknown: int32 (n,), those of them that are unknown.
    """

    n_pieces: NDArray[int32]
    n_unknown: NDArray[int32]


@runtime_checkable
class PieceCounter(Protocol):
    """What cuts texts into pieces, as an encoder or its vocabulary does."""

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces of each text."""
