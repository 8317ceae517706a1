"""The rows of vectors that are of a language, and those of them that take part."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.engine.store.rows import CorpusRow

if TYPE_CHECKING:
    from torch import Tensor


def language_rows(
    codes: NDArray[np.str_] | None, corpus: CorpusRow
) -> "dict[str, Tensor | None]":
    """Name the rows of each language, int64 (m,); None stands for all rows."""
    if codes is None:
        return {corpus.language: None}
    import torch

    return {
        str(code): torch.from_numpy(np.nonzero(codes == code)[0])
        for code in np.unique(codes)
    }


def rows_of_both(
    rows: "Tensor | None", taking_part: NDArray[np.int64] | None, corpus: CorpusRow
) -> "Tensor | None":
    """Give the rows of a language, int64 (m,), that take part; None: all rows."""
    if taking_part is None:
        return rows
    import torch

    if rows is None:
        return torch.from_numpy(taking_part)
    takes_part = torch.zeros(corpus.n_sentences, dtype=torch.bool)
    takes_part[torch.from_numpy(taking_part)] = True
    return rows[takes_part[rows]]
