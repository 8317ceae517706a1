"""The in-batch softmax against a slow reference and values worked out by hand."""

import math

import pytest
import torch
from torch import Tensor

from app.engine.training.objectives.contrast import (
    LOWEST_LEARNED,
    Scoring,
    Temperature,
    contrastive_loss,
)
from app.params import build_params
from app.params.training.encoder import TrainEncoder


def slow_loss(
    queries: Tensor, candidates: Tensor, masked: Tensor, scoring: Scoring
) -> float:
    total = 0.0
    queries, candidates = queries.detach(), candidates.detach()
    for i, query in enumerate(queries):
        logits = []
        for j, candidate in enumerate(candidates):
            score = float(query @ candidate)
            if scoring.is_cosine:
                score /= float(query.norm() * candidate.norm())
            if i == j:
                score -= scoring.margin
            logits.append(score / float(scoring.temperature))
        kept = [x for j, x in enumerate(logits) if not masked[i, j]]
        total += math.log(sum(map(math.exp, kept))) - logits[i]
    return total / len(queries)


@pytest.mark.parametrize("is_cosine", [True, False])
@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_loss_equals_a_slow_reference(is_cosine: bool, margin: float) -> None:
    torch.manual_seed(1)
    queries, candidates = torch.randn(5, 4), torch.randn(8, 4)
    masked = torch.zeros(5, 8, dtype=torch.bool)
    masked[0, 3] = masked[2, 6] = True
    scoring = Scoring(torch.tensor(0.7), margin, is_cosine)
    found = contrastive_loss(queries, candidates, masked, scoring)
    expected = slow_loss(queries, candidates, masked, scoring)
    assert float(found.loss) == pytest.approx(expected, rel=1e-5)


def test_error_counts_queries_that_prefer_another() -> None:
    queries = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    candidates = torch.tensor([[1.0, 0.1], [1.0, 0.5], [0.1, 1.0]])
    masked = torch.zeros(2, 3, dtype=torch.bool)
    scoring = Scoring(torch.tensor(1.0), margin=0.9)
    assert float(contrastive_loss(queries, candidates, masked, scoring).error) == 0.5
    masked[1, 2] = True  # what the second one preferred is no negative
    assert float(contrastive_loss(queries, candidates, masked, scoring).error) == 0


def test_scores_are_in_full_precision_under_autocast() -> None:
    torch.manual_seed(1)
    queries, candidates = torch.randn(5, 64), torch.randn(5, 64)
    masked = torch.zeros(5, 5, dtype=torch.bool)
    scoring = Scoring(torch.tensor(0.05))
    plain = contrastive_loss(queries, candidates, masked, scoring).loss
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(
            contrastive_loss(queries, candidates, masked, scoring).loss, plain
        )


@pytest.mark.parametrize("learns", [True, False])
def test_temperature_is_learned_if_asked_for(learns: bool) -> None:
    values = {"name": "a", "temperature": 0.2, "learns_temperature": learns}
    temperature = Temperature(build_params(TrainEncoder, values))
    assert temperature().item() == pytest.approx(0.2)
    assert temperature.logarithm.requires_grad is learns
    with torch.no_grad():
        temperature.logarithm.fill_(-9)
    assert temperature().item() == pytest.approx(LOWEST_LEARNED)


def test_a_learned_temperature_beside_masked_candidates_has_a_gradient() -> None:
    torch.manual_seed(1)
    vectors = torch.randn(3, 4)
    masked = torch.zeros(3, 3, dtype=torch.bool)
    masked[0, 2] = True
    temperature = torch.tensor(0.5, requires_grad=True)
    loss = contrastive_loss(vectors, vectors.flip(0), masked, Scoring(temperature)).loss
    loss.backward()
    assert temperature.grad is not None
    assert temperature.grad.isfinite()


def test_zero_vectors_give_finite_gradients() -> None:
    vectors = torch.zeros(3, 4, requires_grad=True)
    masked = torch.zeros(3, 3, dtype=torch.bool)
    loss = contrastive_loss(vectors, vectors, masked, Scoring(torch.tensor(0.05))).loss
    loss.backward()
    assert vectors.grad is not None
    assert vectors.grad.isfinite().all()
