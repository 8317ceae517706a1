"""Which sentences take part in mining: of a language, known to the encoder, once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

IdArray = NDArray[np.int64]
LEFT_OUT = -1


class Participants(NamedTuple):
    """The sentences of one side that take part.

    Attributes:
        rows: int64 (n,), rising.
        stands_for: int64 (all,), for each row the one that takes part for it: itself,
            or the first of equal text; -1 for those that are left out.
        n_unknown: rows whose vector is zero: the encoder knows no piece of them.
    """

    rows: IdArray
    stands_for: IdArray
    n_unknown: int

    @property
    def n_duplicates(self) -> int:
        """Count the sentences for which an equal one stands."""
        return int((self.stands_for != LEFT_OUT).sum()) - len(self.rows)


def take_part(
    hashes: IdArray,
    norms: NDArray[np.float32],
    *,
    wanted: NDArray[np.bool_] | None = None,
    is_once: bool = True,
) -> Participants:
    """Choose the sentences that take part.

    Args:
        hashes: int64 (all,), of the texts.
        norms: float32 (all,), lengths of the vectors; 0: nothing is known of the text.
        wanted: bool (all,), of the language asked for; None: all.
        is_once: the first of sentences with equal text stands for all.
    """
    is_in = norms > 0
    n_unknown = int((~is_in).sum()) if wanted is None else int((wanted & ~is_in).sum())
    if wanted is not None:
        is_in &= wanted
    rows = np.nonzero(is_in)[0]
    stands_for = np.full(len(hashes), LEFT_OUT, np.int64)
    if not is_once:
        stands_for[rows] = rows
        return Participants(rows, stands_for, n_unknown)
    _, first, inverse = np.unique(hashes[rows], return_index=True, return_inverse=True)
    stands_for[rows] = rows[first][inverse]
    return Participants(np.sort(rows[first]), stands_for, n_unknown)
