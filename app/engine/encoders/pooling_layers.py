"""From token vectors to a sentence vector: max, mean, last or attention pooling."""

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from app.engine.encoders.tokens import TokenBatch

PoolingName = Literal["max", "mean", "last", "attention"]


class AttentionShape(NamedTuple):
    """Sizes of inner attention.

    Attributes:
        n_views: k, weighted means that are concatenated.
        dim: units of the hidden layer.
        has_bias: the hidden layer has a bias.
    """

    n_views: int = 1
    dim: int = 350  # d_a of Lin et al. 2017, section 4
    has_bias: bool = True


class Pooling(nn.Module):
    """One of the four poolings, then a linear map if the sizes differ.

    A pooled vector has `width` dimensions, with k views of attention k * width (Lin et
    al. concatenate the rows of M). If `width` is not `dim`, a linear map without bias,
    which is not in the paper, projects to `dim`.
    """

    def __init__(
        self,
        name: PoolingName,
        width: int,
        dim: int,
        *,
        attention: AttentionShape | None = None,
        is_bidirectional: bool = False,
    ):
        super().__init__()
        self.name = name
        shape = attention or AttentionShape()
        is_attention = name == "attention"
        self.attention = InnerAttention(width, shape) if is_attention else None
        pooled_dim = width * shape.n_views if is_attention else width
        self.projection = (
            None if pooled_dim == dim else nn.Linear(pooled_dim, dim, bias=False)
        )
        self._is_bidirectional = is_bidirectional

    def forward(self, states: Tensor, batch: TokenBatch) -> Tensor:
        """Pool states (b, t, h) to (b, d)."""
        vectors: Tensor
        if self.attention is not None:
            vectors = self.attention(states, batch.is_token).flatten(1)  # (b, k * h)
        elif self.name == "max":
            vectors = pool_max(states, batch.is_token)
        elif self.name == "mean":
            vectors = pool_mean(states, batch.is_token)
        else:
            vectors = pool_last(states, batch.lengths, self._is_bidirectional)
        if self.projection is not None:
            vectors = self.projection(vectors)  # (b, k * h) -> (b, d)
        return vectors


class InnerAttention(nn.Module):
    """k weighted means of the states (Lin et al. 2017, equations 5 to 7).

    A = softmax(W2 tanh(W1 H + b)), M = A H; W1 is (a, h), W2 is (k, a): a row of W2 is
    the query of a view. The bias follows Conneau et al. 2017, section 3.2.3; Lin et al.
    have no bias. Padding is excluded from the softmax.
    """

    def __init__(self, width: int, shape: AttentionShape):
        super().__init__()
        self.inner = nn.Linear(width, shape.dim, bias=shape.has_bias)
        self.views = nn.Linear(shape.dim, shape.n_views, bias=False)

    def forward(self, states: Tensor, is_token: Tensor) -> Tensor:
        """Return (b, k, h) of states (b, t, h) and is_token (b, t)."""
        weights: Tensor = self.weigh(states, is_token)
        return weights.transpose(1, 2) @ states  # (b, k, t) x (b, t, h) -> (b, k, h)

    def weigh(self, states: Tensor, is_token: Tensor) -> Tensor:
        """Return each token's weight in each view, (b, t, k); a view's sum is 1."""
        inner = torch.tanh(self.inner(states))  # (b, t, h) -> (b, t, a)
        scores: Tensor = self.views(inner)  # (b, t, a) -> (b, t, k)
        scores = scores.masked_fill(~is_token[:, :, None], -torch.inf)
        return torch.softmax(scores, dim=1)


def pool_max(states: Tensor, is_token: Tensor) -> Tensor:
    """Return the maximum of each dimension over the tokens, (b, t, h) -> (b, h)."""
    return states.masked_fill(~is_token[:, :, None], -torch.inf).amax(dim=1)


def pool_mean(states: Tensor, is_token: Tensor) -> Tensor:
    """Return the mean over the tokens, (b, t, h) -> (b, h)."""
    weights = is_token.to(states.dtype)
    sums = torch.einsum("bth,bt->bh", states, weights)
    return sums / weights.sum(dim=1, keepdim=True)  # (b, t) -> (b, 1)


def pool_last(states: Tensor, lengths: Tensor, is_bidirectional: bool) -> Tensor:
    """Return the state of the last token, (b, t, h) -> (b, h).

    For two directions, returns both final states: the first half of h at the last
    token, and the second half, which reads backwards, at the first.
    """
    rows = torch.arange(len(states), device=states.device)
    last = states[rows, lengths.to(states.device) - 1]  # (b, t, h) -> (b, h)
    if not is_bidirectional:
        return last
    forward, _ = last.chunk(2, dim=1)
    _, backward = states[:, 0].chunk(2, dim=1)
    return torch.cat([forward, backward], dim=1)
