"""Translation ranking of static encoders, with its gradient written out: fast.

`ranking_objective.py` is its twin for any module, by autograd.
"""

import msgspec
import torch
from torch import Tensor

LOWEST_TEMPERATURE = 0.03  # exp(-2 / 0.03) is still a normal float32


class Ranking(msgspec.Struct, frozen=True):
    """The loss of a batch and its gradient.

    Attributes:
        loss: mean over the pairs and both directions.
        source_gradients, target_gradients: float32 (b, d), by the vectors given.
        error: share of sentences (both directions) whose nearest neighbour in the
            batch is another's translation, 0…1; None if it was not asked for.
    """

    loss: float
    source_gradients: Tensor
    target_gradients: Tensor
    error: float | None


def rank_translations(
    source_vectors: Tensor,
    target_vectors: Tensor,
    masked: Tensor,
    *,
    temperature: float,
    margin: float,
    wants_error: bool = False,
) -> Ranking:
    """Give the symmetric in-batch softmax loss over cosine with an additive margin.

    Yang et al. 2019, "Improving Multilingual Sentence Embedding using Bi-directional
    Dual Encoder with Additive Margin Softmax", equations 2 to 5; divided by a
    temperature, and averaged (not summed) over the two directions. The gradient is
    written out: one exponential serves both directions, since no logit is above
    1 / temperature, and the (b, b) matrix is passed over as seldom as can be.

    Args:
        source_vectors: float32 (b, d).
        target_vectors: float32 (b, d); row i is the translation of source row i.
        masked: bool (b, b), pairs (i, j) that are no negatives; false on the diagonal.
        temperature: divides the cosines; at least `LOWEST_TEMPERATURE`.
        margin: taken off the true pair's cosine.
        wants_error: whether the error is counted too.
    """
    sources, source_norms = _normalise(source_vectors)
    targets, target_norms = _normalise(target_vectors)
    n_pairs = len(sources)
    logits = (sources / temperature) @ targets.T  # (b, d) x (d, b) -> (b, b)
    logits.masked_fill_(masked, -torch.inf)
    error = _count_errors(logits) if wants_error else None
    logits.diagonal().sub_(margin / temperature)
    true_logits = logits.diagonal().clone()
    weights = logits.sub_(1 / temperature).exp_()
    row_sums = weights.sum(1)  # (b, b) -> (b,)
    column_sums = weights.sum(0)  # (b, b) -> (b,)
    log_sums = (row_sums.log().mean() + column_sums.log().mean()) / 2
    loss = log_sums + 1 / temperature - true_logits.mean()
    shares = torch.add(1 / row_sums[:, None], 1 / column_sums[None, :])
    gradient = weights.mul_(shares).mul_(1 / (2 * n_pairs * temperature))
    gradient.diagonal().sub_(1 / (n_pairs * temperature))
    return Ranking(
        loss.item(),
        _through_norm(gradient @ targets, sources, source_norms),
        _through_norm(gradient.T @ sources, targets, target_norms),
        error,
    )


def _normalise(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Give rows of length 1 and their former lengths (b, 1), never 0."""
    norms = vectors.norm(dim=1, keepdim=True).clamp_min_(1e-12)
    return vectors / norms, norms


def _through_norm(gradients: Tensor, units: Tensor, norms: Tensor) -> Tensor:
    """Turn gradients by unit rows into gradients by the rows they were made of."""
    along = (gradients * units).sum(1, keepdim=True)  # (b, d) -> (b, 1)
    return (gradients - units * along) / norms


def _count_errors(logits: Tensor) -> float:
    """Give the share of rows and columns whose largest value is off the diagonal."""
    expected = torch.arange(len(logits), device=logits.device)
    wrong_rows = (logits.argmax(1) != expected).float().mean()
    wrong_columns = (logits.argmax(0) != expected).float().mean()
    return float((wrong_rows + wrong_columns) / 2)
