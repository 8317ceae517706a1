"""The static encoder as a torch module, trainable by every objective."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.table_rows import (
    SILENT_ROW,
    Romaniser,
    distinct_words,
    ngram_rows,
    table_rows,
)
from app.engine.encoders.tokens import TokenBatch, Tokens, make_tokens
from app.engine.numeric import IdArray
from app.engine.text.word_vocabulary import PieceCounts

if TYPE_CHECKING:
    from app.engine.text.subword_vocabulary import Vocabulary

N_THREADS = os.cpu_count() or 1
INIT_STD = 0.01  # as in the static encoders' own training


class StaticModule(SentenceModule):
    """The sum of the rows of a table.

    Attributes:
        table: (rows, d); the silent row is zero and gets no gradient.
    """

    cpu_tokens = 65_536  # a row is only added
    mode: Literal["sum", "mean"] = "sum"

    def __init__(self, config: StaticConfig):
        super().__init__()
        self.dim = config.dim
        n_rows = config.n_pieces + config.n_bigrams + config.n_ngrams
        self.table = nn.Parameter(torch.randn(n_rows, config.dim) * INIT_STD)
        with torch.no_grad():
            self.table[SILENT_ROW] = 0

    def forward(self, batch: TokenBatch) -> Tensor:
        """Return float (b, d)."""
        rows = batch.ids[batch.is_token]  # (b, t) -> (tokens,)
        starts = batch.lengths.cumsum(0) - batch.lengths
        return functional.embedding_bag(
            rows,
            self.table,
            starts.to(rows.device),
            mode=self.mode,
            padding_idx=SILENT_ROW,
        )


class StaticTokeniser:
    """Cuts texts into the rows of a static encoder's table (see `Units`).

    Pieces with their bigrams come first, then the n-grams of the words; a text without
    a known piece has none of them.
    """

    def __init__(
        self,
        vocabulary: "Vocabulary",
        config: StaticConfig,
        romaniser: Romaniser | None = None,
    ):
        self.n_rows = config.n_pieces + config.n_bigrams + config.n_ngrams
        self.n_sub_rows = 0
        self._vocabulary = vocabulary
        self._config = config
        self._romaniser = romaniser

    def tokenise(self, texts: Sequence[str]) -> Tokens:
        """Cut texts; silent rows are left out."""
        piece_ids, lengths = self._vocabulary.tokenise(texts, n_threads=N_THREADS)
        rows, starts = table_rows(
            piece_ids,
            lengths,
            n_pieces=self._config.n_pieces,
            n_bigrams=self._config.n_bigrams,
            space_id=self._vocabulary.space_id,
        )
        text_ids = np.repeat(np.arange(len(texts)), np.diff(starts, append=len(rows)))
        is_heard = rows != SILENT_ROW
        rows, text_ids = rows[is_heard], text_ids[is_heard]
        if self._romaniser is not None:
            word_rows, word_texts = self._cut_words(texts, self._romaniser)
            has_pieces = np.isin(word_texts, text_ids)
            text_ids = np.concatenate([text_ids, word_texts[has_pieces]])
            order = np.argsort(text_ids, kind="stable")
            rows = np.concatenate([rows, word_rows[has_pieces]])[order]
        return make_tokens(rows, np.bincount(text_ids, minlength=len(texts)))

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Return the share of the texts' pieces that are unknown (0…1)."""
        return self._vocabulary.unknown_share(texts)

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces of each text, and those that are unknown."""
        return self._vocabulary.count_pieces(texts)

    def _cut_words(
        self, texts: Sequence[str], romaniser: Romaniser
    ) -> tuple[IdArray, NDArray[np.int64]]:
        """Return the rows of all words' n-grams, int32 (g,), and each one's text."""
        words = romaniser.split(texts)
        distinct, word_ids = distinct_words(words)
        rows, counts = ngram_rows(distinct, self._config.n_ngrams)
        found = make_tokens(rows, counts).take(word_ids)
        word_texts = np.repeat(np.arange(len(texts)), words.lengths)
        first = self.n_rows - self._config.n_ngrams
        return found.ids + np.int32(first), np.repeat(word_texts, found.lengths)
