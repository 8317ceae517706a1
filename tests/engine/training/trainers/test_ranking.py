"""The ranking loss against torch's own functions and against values by hand."""

import math

import pytest
import torch

from app.engine.training.objectives.contrast import Scoring, contrastive_loss
from app.engine.training.trainers.static_trainer import (
    LOWEST_TEMPERATURE,
    rank_translations,
)


def random_batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    sources = torch.randn(12, 5, generator=generator)
    targets = sources + torch.randn(12, 5, generator=generator)
    masked = torch.zeros(12, 12, dtype=torch.bool)
    masked[2, 7] = masked[7, 2] = True
    return sources, targets, masked


@pytest.mark.parametrize("temperature", [LOWEST_TEMPERATURE, 0.05, 1.0])
def test_loss_and_gradients_equal_those_of_torch(temperature: float) -> None:
    sources, targets, masked = random_batch()
    ranking = rank_translations(
        sources, targets, masked, temperature=temperature, margin=0.1
    )
    sources.requires_grad_()
    targets.requires_grad_()
    scoring = Scoring(torch.tensor(temperature), margin=0.1)
    there = contrastive_loss(sources, targets, masked, scoring).loss
    back = contrastive_loss(targets, sources, masked.T, scoring).loss
    loss = (there + back) / 2
    source_gradients, target_gradients = torch.autograd.grad(loss, [sources, targets])
    assert ranking.loss == pytest.approx(loss.item(), rel=1e-5)
    torch.testing.assert_close(ranking.source_gradients, source_gradients)
    torch.testing.assert_close(ranking.target_gradients, target_gradients)


def test_loss_of_two_orthogonal_pairs_is_that_worked_out_by_hand() -> None:
    vectors = torch.eye(2) * 3
    masked = torch.zeros(2, 2, dtype=torch.bool)
    ranking = rank_translations(
        vectors, vectors, masked, temperature=0.5, margin=0.1, wants_error=True
    )
    # true logit (1 - 0.1) / 0.5, the other 0; both directions and pairs alike
    assert ranking.loss == pytest.approx(math.log(1 + math.exp(-1.8)), rel=1e-5)
    assert ranking.error == 0


def test_error_counts_both_directions() -> None:
    sources = torch.tensor([[1.0, 0.0], [1.0, 0.1]])
    targets = torch.tensor([[1.0, 0.0], [0.0, -1.0]])
    masked = torch.zeros(2, 2, dtype=torch.bool)
    ranking = rank_translations(
        sources, targets, masked, temperature=0.1, margin=0, wants_error=True
    )
    # source 1 finds target 0, and target 1 finds source 0: one of two wrong each way
    assert ranking.error == 0.5


def test_masked_pair_is_no_negative() -> None:
    vectors = torch.eye(3)
    vectors[1] = vectors[0]
    masked = torch.zeros(3, 3, dtype=torch.bool)
    masked[0, 1] = masked[1, 0] = True
    loss = rank_translations(vectors, vectors, masked, temperature=0.1, margin=0).loss
    # each true logit is 10 and each negative left has logit 0: 1, 1 and 2 negatives
    expected = sum(math.log(1 + n * math.exp(-10)) for n in (1, 1, 2)) / 3
    assert loss == pytest.approx(expected, abs=1e-5)


def test_zero_vectors_give_finite_gradients() -> None:
    vectors = torch.zeros(3, 4)
    masked = torch.zeros(3, 3, dtype=torch.bool)
    ranking = rank_translations(vectors, vectors, masked, temperature=0.05, margin=0.1)
    assert math.isfinite(ranking.loss)
    assert ranking.source_gradients.isfinite().all()
