"""Attention of a bridge's heads, and similarity of languages in the bridge."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from app.arrays import FloatArray
from app.engine.attribution.contributions import entropy
from app.engine.encoders.bridge.encoder import BridgeEncoder
from app.engine.encoders.tokens import batches_by_length, collate
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report

BATCH_TOKENS, BATCH_SENTENCES = 4_000, 256
STAGE = "Reading the heads"


class HeadEntropy(NamedTuple):
    """Entropy of attention in nats, mean over sentences (Vázquez et al. 2020, 5.4).

    Attributes:
        by_head: entropy of each head.
        first: mean over the heads 1…n of a sentence of n pieces.
        rest: mean over the heads after n; NaN if no sentence is shorter than k.
    """

    by_head: list[float]
    first: float
    rest: float

    @property
    def mean(self) -> float:
        """Return the mean over all heads."""
        return float(np.mean(self.by_head))


def measure_heads(
    model: BridgeEncoder, language: str, texts: Sequence[str], report: Report
) -> HeadEntropy:
    """Measure the entropy of each head, −Σ_t A_jt ln A_jt.

    Args:
        model: model with a bridge.
        language: the model's code of the texts' language.
        texts: texts; those without a known piece are left out.
    """
    tokens = model.codec.tokeniser(language).tokenise(texts)
    lengths = tokens.lengths
    (known,) = np.nonzero(lengths)
    sums = np.zeros(model.model.config.n_heads)
    first, rest = [], []
    batches = batches_by_length(lengths[known], BATCH_TOKENS, BATCH_SENTENCES)
    for done, batch in enumerate(batches):
        report.step(STAGE, done, len(batches), language)
        indices = known[batch]
        with torch.inference_mode():
            memory = model.model.read(language, collate(tokens, indices, model.device))
        assert memory.weights is not None
        weights = memory.weights.float().cpu().numpy()  # (b, k, t)
        for row, n in enumerate(lengths[indices].tolist()):
            values = np.array([entropy(head[None]) for head in weights[row]])
            sums += values
            first.append(values[:n].mean())
            if n < len(values):
                rest.append(values[n:].mean())
    return HeadEntropy(
        (sums / max(1, len(known))).tolist(),
        float(np.mean(first)) if first else float("nan"),
        float(np.mean(rest)) if rest else float("nan"),
    )


def measure_similarity(
    source_vectors: FloatArray, target_vectors: FloatArray
) -> tuple[float, float]:
    """Return the mean cosine of translations, and of unrelated sentences.

    Args:
        source_vectors: float32 (n, d), n > 1, such as all rows of each bridge matrix.
        target_vectors: float32 (n, d); row i is the translation of source row i.
    """
    sources, _ = normalise_rows(source_vectors)
    targets, _ = normalise_rows(target_vectors)
    matrix = sources @ targets.T  # (n, d) x (d, n) -> (n, n)
    n = len(matrix)
    own = float(np.trace(matrix))
    return own / n, (float(matrix.sum()) - own) / (n * (n - 1))
