"""Poolings against loops over sentences and tokens."""

from typing import get_args

import numpy as np
import pytest
import torch

from app.engine.encoders.pooling_layers import (
    AttentionShape,
    InnerAttention,
    Pooling,
    PoolingName,
)
from app.engine.encoders.tokens import TokenBatch, collate, make_tokens

LENGTHS = (3, 1, 4)
WIDTH = 6


@pytest.fixture
def batch() -> TokenBatch:
    lengths = np.array(LENGTHS, np.int32)
    return collate(make_tokens(np.ones(8, np.int32), lengths), range(3))


@pytest.fixture
def states() -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    drawn = torch.randn(3, 4, WIDTH, generator=generator)
    for row, length in enumerate(LENGTHS):
        drawn[row, length:] = 1e6  # padding that would be seen
    return drawn


def pooled(name: PoolingName, states: torch.Tensor, batch: TokenBatch) -> np.ndarray:
    pooling = Pooling(name, WIDTH, WIDTH, is_bidirectional=True)
    result: np.ndarray = pooling(states, batch).detach().numpy()
    return result


def test_max_is_over_the_tokens(states: torch.Tensor, batch: TokenBatch) -> None:
    expected = [states[i, :n].numpy().max(axis=0) for i, n in enumerate(LENGTHS)]
    np.testing.assert_array_equal(pooled("max", states, batch), expected)


def test_mean_is_over_the_tokens(states: torch.Tensor, batch: TokenBatch) -> None:
    expected = [states[i, :n].numpy().mean(axis=0) for i, n in enumerate(LENGTHS)]
    states[~batch.is_token] = 0
    np.testing.assert_allclose(pooled("mean", states, batch), expected, atol=1e-6)


def test_last_is_each_directions_own_end(
    states: torch.Tensor, batch: TokenBatch
) -> None:
    half = WIDTH // 2
    expected = [
        np.concatenate([states[i, n - 1, :half], states[i, 0, half:]])
        for i, n in enumerate(LENGTHS)
    ]
    np.testing.assert_array_equal(pooled("last", states, batch), expected)


def test_attention_is_the_formula_of_the_paper(
    states: torch.Tensor, batch: TokenBatch
) -> None:
    attention = InnerAttention(WIDTH, AttentionShape(2))
    found = attention(states, batch.is_token).detach().numpy()
    inner = attention.inner.weight.detach().numpy()  # W1
    bias = attention.inner.bias.detach().numpy()[:, None]
    views = attention.views.weight.detach().numpy()  # W2
    for i, n in enumerate(LENGTHS):
        tokens = states[i, :n].numpy()
        scores = views @ np.tanh(inner @ tokens.T + bias)  # (k, n)
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found[i], weights @ tokens, atol=1e-5)


def test_weights_of_a_view_sum_to_one_and_padding_has_none(
    states: torch.Tensor, batch: TokenBatch
) -> None:
    weights = InnerAttention(WIDTH, AttentionShape(5)).weigh(states, batch.is_token)
    np.testing.assert_allclose(weights.sum(dim=1).detach().numpy(), 1, rtol=1e-5)
    assert not weights[~batch.is_token].any()


@pytest.mark.parametrize("name", get_args(PoolingName))
@pytest.mark.parametrize("dim", [4, 12])
def test_other_sizes_are_brought_to_dim_by_a_linear_map(
    states: torch.Tensor, batch: TokenBatch, name: PoolingName, dim: int
) -> None:
    pooling = Pooling(name, WIDTH, dim, attention=AttentionShape(2))
    assert pooling(states, batch).shape == (3, dim)
    has_map = not (name == "attention" and dim == 2 * WIDTH)
    assert (pooling.projection is not None) == has_map
