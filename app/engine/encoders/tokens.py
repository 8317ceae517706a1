"""Tokenised sentences as flat arrays and padded batches; the tokeniser protocol."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.engine.numeric import IdArray
from app.engine.text.word_vocabulary import PieceCounts

UNKNOWN_ROW = 0  # in every vocabulary of pieces; also the padding of a batch


class Tokens(msgspec.Struct, frozen=True):
    """Concatenated tokens of n sentences; arrays may be memory-mapped.

    Attributes:
        ids: int32 (t,), row of each token in the embedding table.
        ends: int64 (n,), end of each sentence in `ids`.
        sub_ids: int32 (s,), rows of the tokens' character n-grams; empty for pieces.
        sub_ends: int64 (t,), end of each token's n-grams; empty for pieces.
    """

    ids: IdArray
    ends: NDArray[np.int64]
    sub_ids: IdArray
    sub_ends: NDArray[np.int64]

    @property
    def n_sentences(self) -> int:
        """Return the number of sentences n."""
        return len(self.ends)

    @property
    def lengths(self) -> IdArray:
        """Return the number of tokens of each sentence, int32 (n,); 0: none known."""
        return np.diff(self.ends, prepend=0).astype(np.int32)

    @property
    def sub_lengths(self) -> IdArray:
        """Return the number of n-grams of each token, int32 (t,); empty for pieces."""
        return np.diff(self.sub_ends, prepend=0).astype(np.int32)

    def take(self, sentence_ids: Sequence[int] | NDArray[np.int64]) -> "Tokens":
        """Return some of the sentences, in this order."""
        indices, lengths = _slices(self.ends, np.asarray(sentence_ids, np.int64))
        ends = np.cumsum(lengths)
        if not len(self.sub_ends):
            return Tokens(self.ids[indices], ends, self.sub_ids[:0], self.sub_ends[:0])
        sub_places, sub_lengths = _slices(self.sub_ends, indices)
        sub_ends = np.cumsum(sub_lengths)
        return Tokens(self.ids[indices], ends, self.sub_ids[sub_places], sub_ends)


class Tokeniser(Protocol):
    """Splits texts into tokens: pieces or words of a vocabulary.

    Attributes:
        n_rows: rows of the embedding table.
        n_sub_rows: rows of the n-gram table; 0 for pieces.
    """

    n_rows: int
    n_sub_rows: int

    def tokenise(self, texts: Sequence[str]) -> Tokens:
        """Tokenise texts: empty without a known token, truncated if too long."""

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the tokens and the unknown tokens of each text."""


class TokenBatch(NamedTuple):
    """b sentences as tensors, padded to the longest (t tokens).

    Attributes:
        ids: int64 (b, t), rows of the embedding table; `UNKNOWN_ROW` is padding.
        is_token: bool (b, t), false for padding; the first token of every row is true.
        lengths: int64 (b,), at least 1; always on the CPU.
        sub_ids: int64 (s,), n-grams of all tokens, row by row, without padding.
        sub_starts: int64 (tokens,), start of each token's n-grams; empty for pieces.
    """

    ids: Tensor
    is_token: Tensor
    lengths: Tensor
    sub_ids: Tensor
    sub_starts: Tensor


def make_tokens(
    ids: IdArray,
    lengths: IdArray | NDArray[np.int64],
    sub_ids: IdArray | None = None,
    sub_lengths: IdArray | NDArray[np.int64] | None = None,
) -> Tokens:
    """Make tokens of flat ids and lengths (see `Tokens`)."""
    return Tokens(
        ids.astype(np.int32, copy=False),
        np.cumsum(lengths, dtype=np.int64),
        np.empty(0, np.int32) if sub_ids is None else sub_ids,
        np.cumsum([] if sub_lengths is None else sub_lengths, dtype=np.int64),
    )


def collate(
    tokens: Tokens,
    sentence_ids: Sequence[int] | NDArray[np.int64],
    device: str | torch.device = "cpu",
) -> TokenBatch:
    """Make a batch of some sentences, in this order.

    An empty sentence becomes one unknown token, so that every row has a vector.
    """
    taken = tokens.take(sentence_ids)
    lengths = taken.lengths
    n_padded = int(lengths.max(initial=1))
    positions = np.arange(n_padded)
    is_taken = positions < lengths[:, None]  # (b, t)
    ids = np.full(is_taken.shape, UNKNOWN_ROW, np.int64)
    ids[is_taken] = taken.ids
    sub_starts = taken.sub_ends - taken.sub_lengths
    if len(tokens.sub_ends) and not lengths.all():
        sub_starts = _with_empty_ones(sub_starts, lengths, len(taken.sub_ids))
    lengths = np.maximum(lengths, 1)
    return TokenBatch(
        torch.from_numpy(ids).to(device, non_blocking=True),
        torch.from_numpy(positions < lengths[:, None]).to(device, non_blocking=True),
        torch.from_numpy(lengths.astype(np.int64)),
        torch.from_numpy(taken.sub_ids.astype(np.int64)).to(device, non_blocking=True),
        torch.from_numpy(sub_starts).to(device, non_blocking=True),
    )


def batches_by_length(
    lengths: IdArray, max_tokens: int, max_sentences: int
) -> list[NDArray[np.int64]]:
    """Sort sentences by length, longest first, and split them into batches.

    Args:
        lengths: int32 (n,), number of tokens of each sentence.
        max_tokens: maximum per batch, including padding; a longer sentence is a batch
            of its own.

    Returns:
        Indices of each batch's sentences, by descending length, stable.
    """
    order = np.argsort(-lengths.astype(np.int64), kind="stable")
    batches = []
    start = 0
    while start < len(order):
        longest = max(1, int(lengths[order[start]]))
        size = min(max_sentences, max(1, max_tokens // longest))
        batches.append(order[start : start + size])
        start += size
    return batches


def _slices(
    ends: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of slices of a flat array, and the lengths of the slices."""
    stops = ends[chosen]
    starts = np.where(chosen > 0, ends[chosen - 1], 0)
    lengths = stops - starts
    shifts = starts - (np.cumsum(lengths) - lengths)
    indices = np.arange(lengths.sum()) + np.repeat(shifts, lengths)
    return indices, lengths


def _with_empty_ones(
    sub_starts: NDArray[np.int64], lengths: IdArray, n_sub_ids: int
) -> NDArray[np.int64]:
    """Add a token without n-grams to each sentence without a token."""
    firsts = (np.cumsum(lengths) - lengths)[lengths == 0]
    starts = np.append(sub_starts, n_sub_ids)
    return np.insert(sub_starts, firsts, starts[firsts])
