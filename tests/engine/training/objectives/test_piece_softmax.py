"""The chunked cross-entropy against torch's own, loss and gradients."""

import pytest
import torch
from torch.nn import functional

from app.engine.training.objectives import translation
from app.engine.training.objectives.translation import piece_cross_entropy


def parts(dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    torch.manual_seed(0)
    made = [torch.randn(7, 5, dtype=dtype), torch.randn(11, 5), torch.randn(11)]
    return [part.requires_grad_() for part in made]


@pytest.mark.parametrize("chunk_logits", [1, 22, 33, 2**24])
def test_loss_and_gradients_equal_those_of_torch(
    monkeypatch: pytest.MonkeyPatch, chunk_logits: int
) -> None:
    monkeypatch.setattr(translation, "CHUNK_LOGITS", chunk_logits)
    piece_ids = torch.tensor([0, 3, 10, 3, 7, 1, 2])
    states, weights, biases = parts()
    expected = functional.cross_entropy(states @ weights.T + biases, piece_ids)
    wanted = torch.autograd.grad(expected, [states, weights, biases])
    loss = piece_cross_entropy(states, weights, biases, piece_ids)
    found = torch.autograd.grad(3 * loss, [states, weights, biases])
    assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, 3 * b)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_states_give_nearly_the_same(dtype: torch.dtype) -> None:
    piece_ids = torch.tensor([0, 3, 10, 3, 7, 1, 2])
    states, weights, biases = parts(dtype)
    loss = piece_cross_entropy(states, weights, biases, piece_ids)
    loss.backward()
    logits = states.detach().float() @ weights.detach().T + biases.detach()
    expected = functional.cross_entropy(logits, piece_ids)
    assert loss.item() == pytest.approx(expected.item(), rel=0.02)
    assert states.grad is not None
    assert states.grad.dtype == dtype
    assert states.grad.isfinite().all()
