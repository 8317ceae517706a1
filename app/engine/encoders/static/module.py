"""The static encoder as a torch module, trainable by every objective."""

import os
from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.static.table_rows import (
    SILENT_ROW,
    Romaniser,
    distinct_words,
    ngram_rows,
    table_rows,
)
from app.engine.encoders.tokens import TokenBatch, Tokens, make_tokens
from app.engine.text.word_vocabulary import PieceCounts

if TYPE_CHECKING:
    from app.engine.text.subword_vocabulary import Vocabulary

N_THREADS = os.cpu_count() or 1
INIT_STD = 0.01  # as in the static encoders' own training


class StaticModule(SentenceModule):
    """Sum of the rows of a table.

    Attributes:
        table: (rows, d); the silent row is zero and gets no gradient.
    """

    cpu_tokens = 65_536  # large, since rows are only added
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
    """Converts texts to rows of a static encoder's table (see `Tokeniser`).

    Pieces with their bigrams come first, then the n-grams of the words; a text without
    a known piece has no rows.
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
        """Tokenise texts, without silent rows."""
        pieces, ngrams = self.cut(texts)
        has_pieces = pieces.lengths > 0
        text_ids = np.arange(len(texts))
        owners = np.concatenate(
            [
                np.repeat(text_ids, pieces.lengths),
                np.repeat(text_ids, ngrams.lengths),
            ]
        )
        rows = np.concatenate([pieces.ids, ngrams.ids])
        order = np.argsort(owners, kind="stable")
        order = order[has_pieces[owners[order]]]
        return make_tokens(
            rows[order], np.bincount(owners[order], minlength=len(texts))
        )

    def cut(self, texts: Sequence[str]) -> tuple[Tokens, Tokens]:
        """Return the rows of the texts' pieces and of their words' n-grams.

        Silent rows are left out.
        """
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
        counts = np.bincount(text_ids[is_heard], minlength=len(texts))
        return make_tokens(rows[is_heard], counts), self._cut_words(texts)

    def piece_names(self, text: str) -> list[str]:
        """Return the names of a text's known pieces, without the space mark."""
        piece_ids, _ = self._vocabulary.tokenise([text])
        is_known = (piece_ids != SILENT_ROW) & (piece_ids != self._vocabulary.space_id)
        return list(compress(self._vocabulary.names(text), is_known))

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the pieces and the unknown pieces of each text."""
        return self._vocabulary.count_pieces(texts)

    def _cut_words(self, texts: Sequence[str]) -> Tokens:
        """Return the rows of the n-grams of each text's words."""
        if self._romaniser is None:
            return make_tokens(np.empty(0, np.int32), np.zeros(len(texts), np.int64))
        words = self._romaniser.split(texts)
        distinct, word_ids = distinct_words(words)
        rows, counts = ngram_rows(distinct, self._config.n_ngrams)
        found = make_tokens(rows, counts).take(word_ids)
        word_texts = np.repeat(np.arange(len(texts)), words.lengths)
        lengths = np.bincount(word_texts, found.lengths, len(texts)).astype(np.int64)
        first = np.int32(self.n_rows - self._config.n_ngrams)
        return make_tokens(found.ids + first, lengths)
