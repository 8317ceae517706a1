"""Cross-entropy over a large vocabulary without ever holding all its logits."""

from typing import Any

import torch
from torch import Tensor

CHUNK_LOGITS = 2**24  # 64 MB of float32


class PieceCrossEntropy(torch.autograd.Function):
    """The mean cross-entropy of a linear layer's softmax, with its gradient.

    Loss and gradients come of one pass over chunks of positions: 50,000 pieces at
    12,000 positions would be 2.4 GB of logits, and going over a chunk twice (as
    checkpointing does) costs a third more multiplications.
    """

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weights: Tensor, biases: Tensor, piece_ids: Tensor
    ) -> Tensor:
        """Give the loss.

        Args:
            ctx: keeps the gradients.
            states: float32 or bfloat16 (n, h), n > 0.
            weights: float32 (pieces, h).
            biases: float32 (pieces,).
            piece_ids: int64 (n,), the right ones.
        """
        n = len(states)
        matrix = weights.to(states.dtype)
        state_gradients = torch.empty_like(states)
        weight_gradients = torch.zeros_like(weights)
        bias_gradients = torch.zeros_like(biases)
        loss = torch.zeros((), device=states.device)
        size = max(1, CHUNK_LOGITS // len(weights))
        for first in range(0, n, size):
            chunk, right = states[first : first + size], piece_ids[first : first + size]
            logits = (chunk @ matrix.T).float() + biases  # (c, h) -> (c, pieces)
            log_sums = logits.logsumexp(1, keepdim=True)
            loss += (log_sums - logits.gather(1, right[:, None])).sum()
            shares = logits.sub_(log_sums).exp_()
            rows = torch.arange(len(right), device=right.device)
            shares[rows, right] -= 1
            shares /= n
            bias_gradients += shares.sum(0)
            shares = shares.to(states.dtype)
            state_gradients[first : first + size] = shares @ matrix
            weight_gradients += shares.T @ chunk
        ctx.save_for_backward(state_gradients, weight_gradients, bias_gradients)
        return loss / n

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the gradients that were made with the loss."""
        (gradient,) = gradients
        states, weights, biases = ctx.saved_tensors
        return states * gradient, weights * gradient, biases * gradient, None


def piece_cross_entropy(
    states: Tensor, weights: Tensor, biases: Tensor, piece_ids: Tensor
) -> Tensor:
    """Give the mean cross-entropy of pieces, a scalar (see `PieceCrossEntropy`).

    float16 is too coarse for shares of a large softmax and becomes float32.
    """
    with torch.autocast(states.device.type, enabled=False):
        if states.dtype == torch.float16:
            states = states.float()
        loss: Tensor = PieceCrossEntropy.apply(  # type: ignore[no-untyped-call] # apply has no types
            states, weights, biases, piece_ids
        )
        return loss
