"""The static encoder as a torch module, so that every objective can train it."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.pooling import SILENT_ROW, table_rows
from app.engine.encoders.tokens import TokenBatch, Tokens, make_tokens

if TYPE_CHECKING:
    from app.engine.text.vocabulary import Vocabulary

N_THREADS = os.cpu_count() or 1
INIT_STD = 0.01  # as in the static encoders' own training


class StaticModule(SentenceModule):
    """The sum of the rows of a table.

    Attributes:
        table: (rows, d); the silent row is zero and gets no gradient.
    """

    def __init__(self, config: StaticConfig):
        super().__init__()
        self.dim = config.dim
        n_rows = config.n_pieces + config.n_bigrams + config.n_ngrams
        self.table = nn.Parameter(torch.randn(n_rows, config.dim) * INIT_STD)
        with torch.no_grad():
            self.table[SILENT_ROW] = 0

    def forward(self, batch: TokenBatch) -> Tensor:
        """Give float (b, d)."""
        rows = batch.ids[batch.is_token]  # (b, t) -> (tokens,)
        starts = batch.lengths.cumsum(0) - batch.lengths
        return functional.embedding_bag(
            rows,
            self.table,
            starts.to(rows.device),
            mode="sum",
            padding_idx=SILENT_ROW,
        )


class StaticUnits:
    """Cuts texts into the rows of a static encoder's table (see `Units`)."""

    def __init__(self, vocabulary: "Vocabulary", config: StaticConfig):
        self.n_rows = config.n_pieces + config.n_bigrams + config.n_ngrams
        self.n_sub_rows = 0
        self._vocabulary = vocabulary
        self._n_bigrams = config.n_bigrams

    def cut(self, texts: Sequence[str]) -> Tokens:
        """Cut texts; silent rows are left out."""
        piece_ids, lengths = self._vocabulary.tokenise(texts, n_threads=N_THREADS)
        rows, starts = table_rows(
            piece_ids,
            lengths,
            n_pieces=self._vocabulary.n_pieces,
            n_bigrams=self._n_bigrams,
            space_id=self._vocabulary.space_id,
        )
        heard = rows != SILENT_ROW
        n_heard = np.concatenate([[0], np.cumsum(heard)])
        ends = np.append(starts[1:], len(rows))[: len(texts)]
        return make_tokens(rows[heard], n_heard[ends] - n_heard[starts])

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Give the share of the texts' pieces that are unknown (0…1)."""
        return self._vocabulary.unknown_share(texts)
