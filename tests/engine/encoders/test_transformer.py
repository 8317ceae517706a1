"""The transformer against its equations in numpy, and its inputs by hand."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from app.engine.encoders.configs import TransformerConfig
from app.engine.encoders.tokens import Tokens, collate, make_tokens
from app.engine.encoders.transformer import (
    TransformerLayer,
    TransformerModule,
    sinusoids,
)
from app.errors import UserError

DIM, EMBED, N_HEADS = 8, 6, 2


def config(norm: str = "post", **values: Any) -> TransformerConfig:
    settings: dict[str, Any] = {
        "name": "tiny",
        "dim": DIM,
        "n_pieces": 11,
        "embed_dim": EMBED,
        "n_layers": 2,
        "n_heads": N_HEADS,
        "filter_dim": 10,
        "norm": norm,
    }
    return TransformerConfig(**{**settings, **values})


def made(wanted: TransformerConfig) -> TransformerModule:
    torch.manual_seed(2)
    module = TransformerModule(wanted).eval()
    for parameter in module.parameters():  # norms and biases that do something
        torch.nn.init.normal_(parameter, std=0.4)
    return module


def tokens() -> Tokens:
    ids = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
    return make_tokens(ids, np.array([5, 1, 2], np.int32))


def array(parameter: torch.Tensor) -> np.ndarray:
    result: np.ndarray = parameter.detach().double().numpy()
    return result


def linear(layer: torch.nn.Linear, values: np.ndarray) -> np.ndarray:
    result: np.ndarray = values @ array(layer.weight).T + array(layer.bias)
    return result


def norm(layer: torch.nn.LayerNorm, values: np.ndarray) -> np.ndarray:
    centred = values - values.mean(axis=1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + layer.eps)
    result: np.ndarray = scaled * array(layer.weight) + array(layer.bias)
    return result


def attend(layer: TransformerLayer, states: np.ndarray) -> np.ndarray:
    """Vaswani et al. 2017, equation 1, for each head."""
    queries, keys, values = np.split(linear(layer.projections, states), 3, axis=1)
    size = DIM // N_HEADS
    heads = []
    for head in range(N_HEADS):
        part = slice(head * size, (head + 1) * size)
        scores = np.exp(queries[:, part] @ keys[:, part].T / math.sqrt(size))
        weights = scores / scores.sum(axis=1, keepdims=True)
        heads.append(weights @ values[:, part])
    return linear(layer.output, np.concatenate(heads, axis=1))


def feed_forward(layer: TransformerLayer, states: np.ndarray) -> np.ndarray:
    inner = np.maximum(linear(layer.expand, states), 0)
    return linear(layer.contract, inner)


def wave(position: int, index: int) -> float:
    angle = position / 10_000 ** (2 * (index // 2) / DIM)
    return math.cos(angle) if index % 2 else math.sin(angle)


def reference(module: TransformerModule, embedded: np.ndarray) -> np.ndarray:
    """The vector of one sentence of (t, e)."""
    assert module.widen is not None
    states = embedded @ array(module.widen.weight).T * math.sqrt(DIM)
    states += [[wave(t, i) for i in range(DIM)] for t in range(len(states))]
    for layer in module.layers:
        assert isinstance(layer, TransformerLayer)
        first, second = layer.attention_norm, layer.filter_norm
        if module.last_norm is None:
            states = norm(first, states + attend(layer, states))
            states = norm(second, states + feed_forward(layer, states))
        else:
            states = states + attend(layer, norm(first, states))
            states = states + feed_forward(layer, norm(second, states))
    if module.last_norm is not None:
        states = norm(module.last_norm, states)
    result: np.ndarray = states.mean(axis=0)
    return result


@pytest.mark.parametrize("where", ["pre", "post"])
def test_vectors_are_those_of_the_equations(where: str) -> None:
    module = made(config(where))
    vectors = module(collate(tokens(), range(3))).detach().numpy()
    table = array(module.embed.weight)
    for row, ids in enumerate(([3, 1, 4, 1, 5], [9], [2, 6])):
        np.testing.assert_allclose(
            vectors[row], reference(module, table[ids]), atol=1e-5
        )


def test_ngrams_of_a_word_are_added_to_its_embedding() -> None:
    module = made(config(units="words", n_hashed_words=2, n_ngrams=7))
    words = make_tokens(
        np.array([3, 12], np.int32),
        np.array([2], np.int32),
        np.array([1, 6, 1], np.int32),
        np.array([2, 1], np.int32),
    )
    assert module.ngrams is not None
    composed = np.tanh(
        linear(module.ngrams.feed_forward, array(module.ngrams.embed.weight))
    )
    embedded = array(module.embed.weight)[[3, 12]]
    embedded += [composed[1] + composed[6], composed[1]]
    found = module(collate(words, [0])).detach().numpy()
    np.testing.assert_allclose(found[0], reference(module, embedded), atol=1e-5)


def test_what_stands_in_the_padding_has_no_influence() -> None:
    module, batch = made(config()), collate(tokens(), range(3))
    other = batch._replace(ids=batch.ids.masked_fill(~batch.is_token, 10))
    torch.testing.assert_close(module(batch), module(other), atol=0, rtol=0)


def test_equal_sizes_need_no_map() -> None:
    assert made(config(embed_dim=DIM)).widen is None


def test_waves_begin_with_zeros_and_ones() -> None:
    waves = sinusoids(3, DIM, torch.device("cpu"))
    assert waves[0].tolist() == [0, 1] * (DIM // 2)
    assert waves[2, 1].item() == pytest.approx(math.cos(2))


def test_dimensions_that_no_head_can_share_are_a_users_error() -> None:
    with pytest.raises(UserError, match="3 heads"):
        TransformerModule(config(n_heads=3))
