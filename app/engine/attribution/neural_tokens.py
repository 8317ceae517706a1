"""The tokens of a text in a neural encoder: states, pooling, attention."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from app.arrays import FloatArray
from app.engine.attribution.contributions import (
    AttentionMap,
    Pooled,
    SentenceTokens,
    pool_last,
    pool_max,
    pool_mean,
    pool_views,
    unknown_text_error,
)
from app.engine.encoders.bilstm import BilstmModule
from app.engine.encoders.imported.sentence_layers import TokenPooling, UnitLength
from app.engine.encoders.imported.sentence_transformers import (
    MeanOfRows,
    PooledTransformer,
)
from app.engine.encoders.neural import NeuralEncoder
from app.engine.encoders.pooling_layers import Pooling
from app.engine.encoders.tokens import TokenBatch, collate
from app.engine.encoders.transformer import TransformerModule
from app.errors import UserError

LINEAR = (nn.Linear, nn.Identity)


@runtime_checkable
class NamesTokens(Protocol):
    """Units that name the tokens that they make."""

    def names(self, text: str) -> list[str]:
        """Name the tokens that `cut` makes of a text, in order."""


class _ModuleOutput(NamedTuple):
    """What a module's own architecture gives.

    Attributes:
        states: (t, h).
        pooled: None: the pooling is not known.
        layers: what comes after the pooling.
    """

    states: Tensor
    pooling: str
    pooled: Pooled | None
    layers: tuple[nn.Module, ...]
    attention: tuple[AttentionMap, ...] = ()


def read_neural_tokens(encoder: NeuralEncoder, text: str) -> SentenceTokens:
    """Run an encoder on one text and keep what it makes on the way.

    Raises:
        UserError: the encoder knows nothing of the text, or is of another kind.
    """
    if not isinstance(encoder.units, NamesTokens):
        raise UserError(f"{encoder.name} does not name its tokens.")
    tokens = encoder.units.cut([text])
    if not len(tokens.ids):
        raise unknown_text_error(text)
    batch = collate(tokens, [0], next(encoder.module.parameters()).device)
    with torch.inference_mode():
        seen = _run_module(encoder.module, batch)
        vector = encoder.module(batch)[0].float()  # (1, d) -> (d,)
        parts, rest = _through_layers(seen, vector)
    wins = seen.pooled.wins if seen.pooled is not None else None
    return SentenceTokens(
        names=encoder.units.names(text),
        states=_array(seen.states),
        vector=_array(vector),
        pooling=seen.pooling,
        parts=None if parts is None else _array(parts),
        rest=_array(rest),
        wins=None if wins is None else _array(wins),
        attention=seen.attention,
    )


def _run_module(module: nn.Module, batch: TokenBatch) -> _ModuleOutput:
    if isinstance(module, BilstmModule):
        states = module.states(batch)[0]  # (1, t, h) -> (t, h)
        return _pool(module.pooling, states, is_bidirectional=True)
    if isinstance(module, TransformerModule):
        states = module.states(batch)[0]
        seen = _pool(module.pooling, states, is_bidirectional=False)
        return seen._replace(attention=(*_heads(module.heads(batch)), *seen.attention))
    if isinstance(module, PooledTransformer):
        states, heads = module.look(batch)
        assert isinstance(module.pooling, TokenPooling)
        name, pooled = _pool_hub(module.pooling.modes, states[0])
        return _ModuleOutput(
            states[0], name, pooled, _flat(module.layers), _heads(heads)
        )
    if isinstance(module, MeanOfRows):
        states = module.table[batch.ids[0]]  # (1, t) -> (t, d)
        return _ModuleOutput(states, "mean", pool_mean(states), _flat(module.layers))
    raise UserError("The encoder is of a kind that can't be looked into.")


def _pool(pooling: Pooling, states: Tensor, *, is_bidirectional: bool) -> _ModuleOutput:
    """Pool as our modules do: states (t, h)."""
    attention: tuple[AttentionMap, ...] = ()
    if pooling.attention is not None:
        is_token = torch.ones(1, len(states), dtype=torch.bool, device=states.device)
        weights = pooling.attention.weigh(states[None], is_token)[0]  # (t, k)
        pooled = pool_views(states, weights)
        attention = (AttentionMap("inner attention", _array(weights.T)),)
    elif pooling.name == "max":
        pooled = pool_max(states)
    elif pooling.name == "mean":
        pooled = pool_mean(states)
    else:
        pooled = pool_last(states, is_bidirectional=is_bidirectional)
    layers = () if pooling.projection is None else (pooling.projection,)
    return _ModuleOutput(states, pooling.name, pooled, layers, attention)


def _pool_hub(modes: tuple[str, ...], states: Tensor) -> tuple[str, Pooled | None]:
    """Pool as sentence-transformers does; several poolings are joined."""
    found = [_POOLINGS[mode](states) for mode in modes if mode in _POOLINGS]
    name = " and ".join(modes)
    if len(found) < len(modes):
        return name, None
    parts = torch.cat([one.parts for one in found], dim=1)
    return name, Pooled(parts, found[0].wins if len(found) == 1 else None)


def _pool_first(states: Tensor) -> Pooled:
    parts = torch.zeros_like(states)
    parts[0] = states[0]
    return Pooled(parts)


_POOLINGS: dict[str, Any] = {
    "cls": _pool_first,
    "max": pool_max,
    "mean": pool_mean,
    "lasttoken": lambda states: pool_last(states, is_bidirectional=False),
}


def _through_layers(
    seen: _ModuleOutput, vector: Tensor
) -> tuple[Tensor | None, Tensor]:
    """Bring parts through linear layers, and what their biases add: (t, d), (d,).

    Where the vector is brought to length 1 at the end, its parts are divided alike.
    """
    rest = torch.zeros_like(vector)
    if seen.pooled is None:
        return None, rest
    parts = seen.pooled.parts
    layers = seen.layers
    has_unit_length = bool(layers) and isinstance(layers[-1], UnitLength)
    if has_unit_length:
        layers = layers[:-1]
    if not all(isinstance(layer, LINEAR) for layer in layers):
        return None, rest
    rest = parts.new_zeros(parts.shape[1])
    for layer in layers:
        if isinstance(layer, nn.Linear):
            parts = parts @ layer.weight.T  # (t, p) -> (t, d)
            rest = layer(rest)
    if has_unit_length:
        length = (parts.sum(dim=0) + rest).norm().clamp_min(1e-12)
        parts, rest = parts / length, rest / length
    return parts, rest


def _heads(maps: list[Tensor]) -> tuple[AttentionMap, ...]:
    """Name the heads of each layer, (1, heads, t, t)."""
    return tuple(
        AttentionMap(f"layer {place}", _array(weights[0]))
        for place, weights in enumerate(maps, 1)
    )


def _flat(layers: nn.Module) -> tuple[nn.Module, ...]:
    return tuple(layers.children()) if isinstance(layers, nn.Sequential) else (layers,)


def _array(values: Tensor) -> FloatArray:
    array: FloatArray = values.float().cpu().numpy()
    return array.astype(np.float32, copy=False)
