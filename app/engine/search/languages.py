"""Filter language codes, and select the rows of vectors by language."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.engine.store.corpora import CorpusRow

if TYPE_CHECKING:
    from torch import Tensor


def matches_language(code: str, wanted: Sequence[str]) -> bool:
    """Tell whether a stored code passes a filter: `zh` takes `zh-Hans`; empty: all."""
    return not wanted or any(
        code == one or code.startswith(f"{one}-") for one in wanted
    )


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


def active_language_rows(
    rows: "Tensor | None", taking_part: NDArray[np.int64] | None, corpus: CorpusRow
) -> "Tensor | None":
    """Return the rows of a language, int64 (m,), that take part; None: all rows."""
    if taking_part is None:
        return rows
    import torch

    if rows is None:
        return torch.from_numpy(taking_part)
    takes_part = torch.zeros(corpus.n_sentences, dtype=torch.bool)
    takes_part[torch.from_numpy(taking_part)] = True
    return rows[takes_part[rows]]
