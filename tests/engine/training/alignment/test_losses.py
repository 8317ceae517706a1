"""The alignment losses against an independent reference, their gradient and minimum."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from app.engine.training.alignment.losses import LossSettings, pair_losses

ALIGN = LossSettings("align", 0.25, 0.5)
RANK = LossSettings("rank", 0.25, 0.5)

Rows = NDArray[np.float64]


def random_rows(n: int = 7, dim: int = 5) -> tuple[Rows, Rows]:
    generator = np.random.default_rng(3)
    return generator.normal(size=(n, dim)), generator.normal(size=(n, dim))


def losses(
    english: Rows, other: Rows, ids: list[int], shift: int, settings: LossSettings
) -> Rows:
    found = pair_losses(
        torch.from_numpy(english),
        torch.from_numpy(other),
        torch.tensor(ids),
        shift,
        settings,
    )
    return np.asarray(found.numpy())


def distance(one: Rows, other: Rows) -> float:
    return float(np.sqrt(sum((a - b) ** 2 for a, b in zip(one, other, strict=True))))


def slow_loss(
    english: Rows, other: Rows, i: int, j: int, settings: LossSettings
) -> float:
    """Return the loss of pair i with the negatives of pair j."""
    near = distance(english[i], other[i])
    far_english = distance(english[j], other[i])
    far_other = distance(english[i], other[j])
    if settings.name == "align":
        return near - settings.negatives * (far_english + far_other)
    return max(0.0, settings.margin - far_other + near) + max(
        0.0, settings.margin - far_english + near
    )


@pytest.mark.parametrize("shift", [1, 3, 6])
@pytest.mark.parametrize("settings", [ALIGN, RANK, LossSettings("align", 0.0, 0.5)])
def test_losses_equal_a_slow_reference(settings: LossSettings, shift: int) -> None:
    english, other = random_rows()
    found = losses(english, other, list(range(7)), shift, settings)
    expected = [
        slow_loss(english, other, i, (i - shift) % 7, settings) for i in range(7)
    ]
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_translation_of_the_same_sentence_is_no_negative() -> None:
    english, other = random_rows(3)
    found = losses(english, other, [4, 4, 9], 1, ALIGN)
    # the pair before 1 has the same English sentence; before 0 is 2, before 2 is 1
    assert found[1] == pytest.approx(distance(english[1], other[1]))
    assert found[0] == pytest.approx(slow_loss(english, other, 0, 2, ALIGN))
    assert found[2] == pytest.approx(slow_loss(english, other, 2, 1, ALIGN))
    assert losses(english, other, [4, 4, 9], 1, RANK)[1] == 0


def test_the_distance_is_not_squared() -> None:
    english, other = np.zeros((1, 2)), np.array([[3.0, 4.0]])
    assert losses(english, other, [0], 0, ALIGN) == pytest.approx([5.0])


def test_the_gradient_reaches_the_other_side_only_and_is_finite_at_a_copy() -> None:
    english = torch.from_numpy(random_rows()[0])
    other = english.clone().requires_grad_()
    pair_losses(english, other, torch.arange(7), 2, ALIGN).mean().backward()
    assert english.grad is None
    assert other.grad is not None
    assert torch.isfinite(other.grad).all()


def minimise(settings: LossSettings) -> tuple[Rows, Rows]:
    """Return English rows and the rows that minimise the loss over all negatives."""
    english, start = (torch.from_numpy(rows) for rows in random_rows(6, 4))
    other = start.clone().requires_grad_()
    optimiser = torch.optim.Adam([other], lr=0.05)
    for step in range(1500):
        for group in optimiser.param_groups:
            group["lr"] = 0.05 * (1 - step / 1500)
        optimiser.zero_grad()
        rows = [
            pair_losses(english, other, torch.arange(6), shift, settings)
            for shift in range(1, 6)
        ]
        torch.stack(rows).mean().backward()
        optimiser.step()
    return english.numpy(), other.detach().numpy()


def test_copying_is_the_minimum_of_alignment_below_one_half() -> None:
    english, other = minimise(LossSettings("align", 0.45, 0.5))
    assert np.abs(english - other).max() < 0.02


def test_the_ranking_loss_is_content_before_the_vectors_are_equal() -> None:
    english, other = minimise(LossSettings("rank", 0.25, 0.1))
    assert (
        losses(english, other, list(range(6)), 1, RANK._replace(margin=0.1)).max()
        < 1e-6
    )
    assert np.abs(english - other).max() > 0.1
