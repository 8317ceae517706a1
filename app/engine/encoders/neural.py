"""Encoders that are torch modules: batched by length, finite for any text."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from app.arrays import FloatArray
from app.engine.encoders.encoder import split_texts
from app.engine.encoders.thread_pool import BatchThreads
from app.engine.encoders.tokens import (
    TokenBatch,
    Tokeniser,
    Tokens,
    batches_by_length,
    collate,
)
from app.engine.runtime.devices import retry_with_smaller_batches
from app.engine.text.word_vocabulary import PieceCounts

GPU_TOKENS = 24_000  # per batch, including padding
MAX_SENTENCES = 2_048  # per batch

log = logging.getLogger("engine")


class SentenceModule(nn.Module, ABC):
    """A torch module that returns one vector for each sentence of a batch.

    Attributes:
        dim: dimension d of the vectors.
        cpu_tokens: tokens of the batch size that is fastest on a CPU, as its data fit
            in the cache and it has little padding.
    """

    dim: int
    cpu_tokens = 1_536

    @abstractmethod
    def forward(self, batch: TokenBatch) -> Tensor:
        """Return float (b, d), not normalised; padding has no influence on a row."""


class NeuralEncoder:
    """The encoder protocol over a module.

    Attributes:
        name, dim, fingerprint: see `Encoder`.
        module: module in evaluation mode, on its device.
        tokeniser: tokeniser of the module.
    """

    def __init__(
        self,
        module: SentenceModule,
        tokeniser: Tokeniser,
        *,
        name: str = "",
        fingerprint: str = "",
        device: str = "cpu",
    ):
        self.name = name
        self.fingerprint = fingerprint
        self.dim = module.dim
        self.module = module.eval().to(device)
        self.tokeniser = tokeniser
        self._device = torch.device(device)
        self._is_gpu = self._device.type == "cuda"
        self._threads = BatchThreads()

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return a vector per text: float32 (n, d), zero without a known token."""
        index: dict[str, int] = {}
        indices = [index.setdefault(text, len(index)) for text in texts]
        if len(index) < len(texts):  # equal texts are encoded once
            distinct: FloatArray = self.encode(list(index))[indices]
            return distinct
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for start, end in split_texts(texts):  # sorted by length within each run
            vectors[start:end] = self.encode_tokens(
                self.tokeniser.tokenise(texts[start:end])
            )
        return vectors

    def encode_tokens(self, tokens: Tokens) -> FloatArray:
        """Return one vector for each tokenised sentence: float32 (n, d)."""
        vectors = np.zeros((tokens.n_sentences, self.dim), np.float32)
        lengths = tokens.lengths
        heard = np.flatnonzero(lengths)
        n_tokens = GPU_TOKENS if self._is_gpu else self.module.cpu_tokens

        def encode_batch(ids: NDArray[np.int64]) -> None:
            vectors[ids] = self._encode_fitting(tokens, ids)

        batches = batches_by_length(lengths[heard], n_tokens, MAX_SENTENCES)
        if self._is_gpu:
            for batch in batches:
                encode_batch(heard[batch])
        else:
            self._threads.run(encode_batch, [heard[batch] for batch in batches])
        return vectors

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        """Count the tokens and the unknown tokens of each text."""
        return self.tokeniser.count_pieces(texts)

    def _encode_fitting(self, tokens: Tokens, ids: np.ndarray) -> FloatArray:
        """Encode a batch, split into smaller ones if the GPU's memory is too small."""

        def encode_by(size: int) -> FloatArray:
            firsts = range(0, len(ids), size)
            parts = [self._encode_batch(tokens, ids[i : i + size]) for i in firsts]
            return np.concatenate(parts)

        vectors, _ = retry_with_smaller_batches(encode_by, len(ids))
        return vectors

    def _encode_batch(self, tokens: Tokens, ids: np.ndarray) -> FloatArray:
        """Encode one batch; if half precision overflows, repeat in full precision."""
        batch = collate(tokens, ids, self._device)
        with torch.inference_mode():
            if self._is_gpu:
                with torch.autocast("cuda", torch.float16):  # finer than bfloat16
                    vectors = self.module(batch).float()
                if torch.isfinite(vectors).all():
                    return _to_numpy(vectors)
            return _to_numpy(self.module(batch).float())


def _to_numpy(vectors: Tensor) -> FloatArray:
    """Move vectors to the CPU; replace values that are not finite by 0."""
    array: FloatArray = vectors.nan_to_num(0, 0, 0).cpu().numpy()
    return array
