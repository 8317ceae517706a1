"""Filter language codes, and select the rows of vectors by language."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.engine.store.corpora import CorpusRow

if TYPE_CHECKING:
    from torch import Tensor


def matches_language(code: str, wanted: Sequence[str]) -> bool:
    """Return whether a code passes a filter: zh matches zh-Hans; empty matches all."""
    return not wanted or any(
        code == one or code.startswith(f"{one}-") for one in wanted
    )


def language_rows(
    codes: NDArray[np.str_] | None, corpus: CorpusRow
) -> "dict[str, Tensor | None]":
    """Return the rows of each language, int64 (m,); None for all rows."""
    if codes is None:
        return {corpus.language: None}
    import torch

    return {
        str(code): torch.from_numpy(np.nonzero(codes == code)[0])
        for code in np.unique(codes)
    }


def active_language_rows(
    rows: "Tensor | None", active: NDArray[np.int64] | None, corpus: CorpusRow
) -> "Tensor | None":
    """Return the active rows of a language, int64 (m,); None for all rows."""
    if active is None:
        return rows
    import torch

    if rows is None:
        return torch.from_numpy(active)
    is_active = torch.zeros(corpus.n_sentences, dtype=torch.bool)
    is_active[torch.from_numpy(active)] = True
    return rows[is_active[rows]]
