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
from app.engine.encoders.bridge.encoder import LanguageEncoder
from app.engine.encoders.contextual import ContextualModule
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
    """A tokeniser that can list the names of its tokens."""

    def names(self, text: str) -> list[str]:
        """Return the names of the tokens that `cut` makes of a text, in order."""


class _ModuleOutput(NamedTuple):
    """What a module computes for one text.

    Attributes:
        states: (t, h).
        pooled: None if the pooling is not supported.
        layers: the layers after the pooling.
    """

    states: Tensor
    pooling: str
    pooled: Pooled | None
    layers: tuple[nn.Module, ...]
    attention: tuple[AttentionMap, ...] = ()


def read_neural_tokens(encoder: NeuralEncoder, text: str) -> SentenceTokens:
    """Run an encoder on one text and return its intermediate results.

    Raises:
        UserError: the encoder knows nothing of the text, or is not supported.
    """
    if not isinstance(encoder.tokeniser, NamesTokens):
        raise UserError(
            f"{encoder.name} can't list its tokens. Choose another encoder."
        )
    tokens = encoder.tokeniser.tokenise([text])
    if not len(tokens.ids):
        raise unknown_text_error(text)
    batch = collate(tokens, [0], next(encoder.module.parameters()).device)
    with torch.inference_mode():
        output = _run_module(encoder.module, batch)
        vector = encoder.module(batch)[0].float()  # (1, d) -> (d,)
        parts, rest = _through_layers(output, vector)
    wins = output.pooled.wins if output.pooled is not None else None
    return SentenceTokens(
        names=encoder.tokeniser.names(text),
        states=_array(output.states),
        vector=_array(vector),
        pooling=output.pooling,
        parts=None if parts is None else _array(parts),
        rest=_array(rest),
        wins=None if wins is None else _array(wins),
        attention=output.attention,
    )


def _run_module(module: nn.Module, batch: TokenBatch) -> _ModuleOutput:
    if isinstance(module, LanguageEncoder):
        return _pool_bridge(module, batch)
    if isinstance(module, BilstmModule):
        states = module.states(batch)[0]  # (1, t, h) -> (t, h)
        return _pool(module.pooling, states, is_bidirectional=True)
    if isinstance(module, TransformerModule):
        states = module.states(batch)[0]
        output = _pool(module.pooling, states, is_bidirectional=False)
        return output._replace(
            attention=(*_heads(module.heads(batch)), *output.attention)
        )
    if isinstance(module, ContextualModule):
        return _pool_contextual(module, batch)
    if isinstance(module, PooledTransformer):
        states, maps = module.states_and_attention(batch)
        assert isinstance(module.pooling, TokenPooling)
        name, pooled = _pool_hub(module.pooling.modes, states[0])
        return _ModuleOutput(
            states[0], name, pooled, _flat(module.layers), _heads(maps)
        )
    if isinstance(module, MeanOfRows):
        states = module.table[batch.ids[0]]  # (1, t) -> (t, d)
        return _ModuleOutput(states, "mean", pool_mean(states), _flat(module.layers))
    raise UserError("Attribution does not support this encoder's architecture.")


def _pool_contextual(module: ContextualModule, batch: TokenBatch) -> _ModuleOutput:
    """Add the share of each word in the static vector and in the pooled states."""
    words = module.word_vectors(batch)  # (t, d)
    states = module.states(words[None], batch.is_token)[0]  # (t, d)
    weights = module.attention.weigh(states[None], batch.is_token)[0]  # (t, k)
    pooled = torch.cat(
        [pool_views(states, weights).parts, pool_max(states).parts], dim=1
    )  # (t, (k + 1) d)
    length = words.sum(dim=0).norm().clamp_min(1e-12)
    parts = module.sections(words / length, pooled)
    sums = [part.sum(dim=0, keepdim=True) for part in parts]
    maps = _heads(module.heads(words[None], batch.is_token))
    inner = AttentionMap("inner attention", _array(weights.T))
    return _ModuleOutput(
        states,
        "sum, attention and max",
        Pooled(module.join(sums, parts)),
        (),
        (*maps, inner),
    )


def _pool_bridge(module: LanguageEncoder, batch: TokenBatch) -> _ModuleOutput:
    """Weight each token as the heads of the bridge that make the vector do."""
    memory = module.model.read(module.language, batch)
    if memory.weights is None:
        states = memory.rows[0]  # without a bridge, the rows are the tokens' states
        return _ModuleOutput(states, "mean", pool_mean(states), ())
    states = module.model.states(module.language, batch)[0]  # (t, h)
    weights = memory.weights[0]  # (k, t)
    name = "bridge"
    if module.row is None:
        pooled = Pooled(weights.mean(0)[:, None] * states)
    elif module.row == -1:
        pooled, name = pool_views(states, weights.T), "attention"
    else:
        pooled = Pooled(weights[module.row][:, None] * states)
    attention = (AttentionMap("heads of the bridge", _array(weights)),)
    return _ModuleOutput(states, name, pooled, (), attention)


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
    output: _ModuleOutput, vector: Tensor
) -> tuple[Tensor | None, Tensor]:
    """Pass parts through linear layers, and return what biases add: (t, d), (d,).

    If the vector is normalised to length 1 at the end, its parts are scaled likewise.
    """
    rest = torch.zeros_like(vector)
    if output.pooled is None:
        return None, rest
    parts = output.pooled.parts
    layers = output.layers
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
        AttentionMap(f"layer {index}", _array(weights[0]))
        for index, weights in enumerate(maps, 1)
    )


def _flat(layers: nn.Module) -> tuple[nn.Module, ...]:
    return tuple(layers.children()) if isinstance(layers, nn.Sequential) else (layers,)


def _array(values: Tensor) -> FloatArray:
    array: FloatArray = values.float().cpu().numpy()
    return array.astype(np.float32, copy=False)
