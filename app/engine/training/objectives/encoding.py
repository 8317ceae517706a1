"""Run a module over the columns of drawn examples in one go."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from torch import Tensor

from app.engine.encoders.tokens import Tokens, collate

if TYPE_CHECKING:
    from app.engine.encoders.neural import SentenceModule


class Columns(NamedTuple):
    """Sentences to encode together: columns one after the other.

    Attributes:
        tokens: of all sentences.
        sizes: sentences of each column.
    """

    tokens: Tokens
    sizes: tuple[int, ...]

    @property
    def n_sentences(self) -> int:
        """Give the number of sentences."""
        return sum(self.sizes)

    @property
    def n_tokens(self) -> int:
        """Give the number of tokens."""
        return len(self.tokens.ids)


def take_columns(tokens: Tokens, columns: list[np.ndarray]) -> Columns:
    """Take the sentences of some columns, int64 (b,) each."""
    sizes = tuple(len(column) for column in columns)
    return Columns(tokens.take(np.concatenate(columns)), sizes)


def encode_columns(
    module: "SentenceModule", columns: Columns, device: str
) -> tuple[Tensor, ...]:
    """Give the vectors of each column: float (b, d) each."""
    batch = collate(columns.tokens, np.arange(columns.n_sentences), device)
    vectors: Tensor = module(batch)  # (sentences, d)
    return vectors.split_with_sizes(columns.sizes)
