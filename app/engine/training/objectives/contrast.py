"""In-batch softmax loss for any module, and the response head."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from app.params.training.encoder import TrainEncoder

SMALLEST_NORM = 1e-6  # a shorter vector has no usable direction


LOWEST_LEARNED = 0.01  # temperature, below which one negative dominates the gradient


class Scoring(NamedTuple):
    """Scoring of a query and a candidate.

    Attributes:
        temperature: divides the scores.
        margin: subtracted from the score of the true candidate.
        is_cosine: false: the dot product of Chidambaram et al. 2019.
    """

    temperature: Tensor
    margin: float = 0.0
    is_cosine: bool = True


class Temperature(nn.Module):
    """Temperature of a softmax, fixed or learned (as a logarithm)."""

    def __init__(self, params: TrainEncoder):
        super().__init__()
        logarithm = torch.tensor(math.log(params.temperature))
        self.logarithm = nn.Parameter(
            logarithm, requires_grad=params.learns_temperature
        )
        self._is_cosine = params.similarity == "cosine"

    def forward(self) -> Tensor:
        """Return the temperature, a scalar."""
        return self.logarithm.exp().clamp_min(LOWEST_LEARNED)

    def scoring(self, margin: float = 0.0) -> Scoring:
        """Return the scoring at this temperature."""
        return Scoring(self(), margin, is_cosine=self._is_cosine)


class ContrastiveResult(NamedTuple):
    """Loss and error of a batch.

    Attributes:
        loss: scalar, mean over the queries.
        error: scalar, share of queries for which another candidate scores higher, 0…1.
    """

    loss: Tensor
    error: Tensor


def contrastive_loss(
    query_vectors: Tensor, candidate_vectors: Tensor, masked: Tensor, scoring: Scoring
) -> ContrastiveResult:
    """Return the cross-entropy of the true candidate among all candidates.

    Chidambaram et al. 2019, section 2.1, with the true candidate also in the
    denominator (as printed, without it, the loss has no lower bound), and the additive
    margin of Yang et al. 2019, equation 4. Scores are float32 even under mixed
    precision.

    Args:
        query_vectors: float (b, d).
        candidate_vectors: float (m, d), m >= b; row i is the true candidate of query i.
        masked: bool (b, m), candidates that are not negatives of a query; false at
            (i, i).
        scoring: temperature, margin and similarity.
    """
    n_queries, n_candidates = masked.shape
    with torch.autocast(query_vectors.device.type, enabled=False):
        queries, candidates = query_vectors.float(), candidate_vectors.float()
        if scoring.is_cosine:
            queries = functional.normalize(queries, eps=SMALLEST_NORM)
            candidates = functional.normalize(candidates, eps=SMALLEST_NORM)
        scores = queries @ candidates.T  # (b, d) x (d, m) -> (b, m)
        expected = torch.arange(n_queries, device=scores.device)
        found = scores.detach().masked_fill(masked, -torch.inf).argmax(1)
        error = (found != expected).float().mean()
        lowered = scoring.margin * torch.eye(
            n_queries, n_candidates, device=scores.device
        )
        logits = (scores - lowered) / scoring.temperature
        # masked last, since the temperature's gradient at -inf would be 0 times inf,
        # NaN
        logits = logits.masked_fill(masked, -torch.inf)
        return ContrastiveResult(functional.cross_entropy(logits, expected), error)


HIDDEN_SHARE = 320 / 512  # of the vector's dimensions: 320 for 512


def response_head(dim: int) -> nn.Sequential:
    """Make FC 320 tanh, FC 512 tanh for 512 dimensions, scaled for other dimensions.

    Chidambaram et al. 2019, section 3.
    """
    hidden = max(1, round(dim * HIDDEN_SHARE))
    return nn.Sequential(
        nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, dim), nn.Tanh()
    )
