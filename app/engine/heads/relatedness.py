"""Relatedness of two texts: a distribution over five scores, trained with KL.

Tai, Socher and Manning 2015, "Improved semantic representations from tree-structured
LSTMs", equations 15 to 17.
"""

import numpy as np

from app.arrays import FloatArray
from app.engine.heads.base import Layers, softmax
from app.engine.heads.mlp import MlpSettings, TrainedMlp, train_layers
from app.engine.runtime.report import Report

N_BINS = 5
BINS = np.arange(1, N_BINS + 1, dtype=np.float32)


class ScoreScale:
    """Mapping between scores in a range and scores from 1 to 5.

    Attributes:
        low, high: range of the original scores.
    """

    def __init__(self, low: float, high: float):
        self.low, self.high = low, high

    def to_bins(self, scores: FloatArray) -> FloatArray:
        """Map low…high to 1…5."""
        share = (scores - self.low) / (self.high - self.low)
        return (1 + share * (N_BINS - 1)).astype(np.float32)

    def from_bins(self, scores: FloatArray) -> FloatArray:
        """Map 1…5 to low…high."""
        share = (scores - 1) / (N_BINS - 1)
        return (self.low + share * (self.high - self.low)).astype(np.float32)


def spread_scores(scores: FloatArray) -> FloatArray:
    """Distribute each score over the two nearest bins, with the score as the mean.

    t_i = y − ⌊y⌋ for i = ⌊y⌋ + 1, ⌊y⌋ − y + 1 for i = ⌊y⌋, else 0 (equation 16).

    Args:
        scores: float32 (n,), 1…5.

    Returns:
        float32 (n, 5), rows of sum 1.
    """
    low = np.minimum(np.floor(scores), N_BINS - 1).astype(np.int64)
    share = (scores - low).astype(np.float32)
    targets = np.zeros((len(scores), N_BINS), np.float32)
    rows = np.arange(len(scores))
    targets[rows, low - 1] = 1 - share
    targets[rows, low] = share
    return targets


def expected_scores(logits: FloatArray) -> FloatArray:
    """Return the mean score Σ i p_i: float32 (n, 5) -> float32 (n,), 1…5."""
    means: FloatArray = softmax(logits) @ BINS  # (n, 5) -> (n,)
    return means


def fit_relatedness(
    train: tuple[FloatArray, FloatArray],
    development: tuple[FloatArray, FloatArray],
    settings: MlpSettings,
    report: Report,
) -> TrainedMlp:
    """Minimise KL(t ‖ p) (equation 17); return the epoch with the best Pearson r.

    Args:
        train: features float32 (n, f), and scores float32 (n,), 1…5.
        development: the same for development rows.
        settings: training settings; without hidden layers the logits are linear in the
            features.
    """
    import torch

    targets = torch.from_numpy(spread_scores(train[1]))

    def loss_of(logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.kl_div(
            torch.log_softmax(logits, dim=1), targets[rows], reduction="batchmean"
        )

    def measure(layers: Layers) -> tuple[float, ...]:
        found = expected_scores(layers.logits(development[0]))
        return (pearson(found, development[1]),)

    return train_layers((train[0], N_BINS), loss_of, measure, settings, report)


def pearson(ones: FloatArray, others: FloatArray) -> float:
    """Return Pearson's correlation, or 0 if a side is constant."""
    one, other = (np.asarray(side, np.float64) - side.mean() for side in (ones, others))
    spread = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / spread if spread else 0.0
