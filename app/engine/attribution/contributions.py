"""How much each token contributes to a sentence's vector.

For each pooling of an encoder the sentence's vector is a sum over its tokens, v = Σ p_t
+ r, where r is what no token adds (a bias). So is the cosine with another vector w: the
token t contributes p_t · w / (|v| |w|), and the contributions with that of r add up to
the cosine exactly. This is exact, without approximation or gradients:

- sum and mean: p_t is the token's vector, divided by their number for the mean;
- maximum: p_t has the dimensions whose maximum is at t (the first of equal ones),
  and zero elsewhere; their share is the one that Conneau et al. 2017,
  "Supervised Learning of Universal Sentence Representations from Natural Language
  Inference Data", draw for a trained and an untrained encoder;
- last: all of it is the last token's, of what was read backwards the first token's;
- inner attention (Lin et al. 2017, equations 5 to 7): p_t is weighted by each view.

A linear map after the pooling maps every p_t; after another layer there are no parts.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from app.arrays import FloatArray
from app.errors import UserError


class AttentionMap(NamedTuple):
    """The attention weights of tokens.

    Attributes:
        name: of the layer, or of the inner attention.
        weights: float32 (views, t) for inner attention, (heads, t, t) for a layer's
            heads: row i has the attention of token i; each row sums to 1.
    """

    name: str
    weights: FloatArray


class SentenceTokens(NamedTuple):
    """A sentence's tokens.

    Attributes:
        names: t of them, as the encoder's vocabulary writes them.
        states: float32 (t, h), the tokens' vectors before pooling.
        vector: float32 (d,), the sentence's.
        pooling: its name.
        parts: float32 (t, d), what each token adds to `vector`; None: it is no sum.
        rest: float32 (d,), what no token adds; zero without a bias.
        wins: float32 (t,), share of the dimensions whose maximum each token has; None:
            the pooling is no maximum.
        attention: what the encoder has of it.
    """

    names: list[str]
    states: FloatArray
    vector: FloatArray
    pooling: str
    parts: FloatArray | None
    rest: FloatArray
    wins: FloatArray | None = None
    attention: tuple[AttentionMap, ...] = ()


class Pooled(NamedTuple):
    """States pooled: what each token adds to the vector before later layers."""

    parts: Tensor  # (t, p)
    wins: Tensor | None = None  # (t,)


def pool_max(states: Tensor) -> Pooled:
    """Assign each dimension to the first token with its largest value, (t, h)."""
    winners = states.argmax(dim=0)  # (t, h) -> (h,)
    is_won = torch.nn.functional.one_hot(winners, len(states)).T.bool()  # (t, h)
    wins = is_won.to(states.dtype).mean(dim=1)  # (t, h) -> (t,)
    return Pooled(states * is_won, wins)


def pool_mean(states: Tensor) -> Pooled:
    """Assign each token an equal share, (t, h)."""
    return Pooled(states / len(states))


def pool_last(states: Tensor, *, is_bidirectional: bool) -> Pooled:
    """Assign all to the last token; the backward half to the first token."""
    parts = torch.zeros_like(states)
    parts[-1] = states[-1]
    if is_bidirectional:
        half = states.shape[1] // 2
        parts[-1, half:] = 0
        parts[0, half:] = states[0, half:]
    return Pooled(parts)


def pool_views(states: Tensor, weights: Tensor) -> Pooled:
    """Weight each token in each view: states (t, h), weights (t, k) -> (t, k * h)."""
    return Pooled((weights[:, :, None] * states[:, None, :]).flatten(1))


def token_contributions(
    inside: SentenceTokens, other: FloatArray
) -> tuple[FloatArray, float] | None:
    """Return what each token contributes to the cosine with another vector.

    Args:
        inside: the sentence.
        other: float32 (d,), the other sentence's vector.

    Returns:
        float32 (t,), and what no token contributes; None if it is not defined.
    """
    if inside.parts is None:
        return None
    length = float(np.linalg.norm(inside.vector) * np.linalg.norm(other))
    if not length:
        return np.zeros(len(inside.names), np.float32), 0.0
    shares: FloatArray = inside.parts @ other / np.float32(length)  # (t, d) x (d,)
    return shares, float(inside.rest @ other) / length


def cosines(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the cosine of every two rows: (s, h) x (t, h) -> float32 (s, t)."""
    from app.engine.numeric import normalise_rows

    unit_vectors, _ = normalise_rows(first)
    others, _ = normalise_rows(second)
    matrix: FloatArray = unit_vectors @ others.T  # (s, h) x (h, t) -> (s, t)
    return np.clip(matrix, -1.0, 1.0)


def cosine(first: FloatArray, second: FloatArray) -> float:
    """Return the cosine of two vectors; 0 where one of them is zero."""
    return float(cosines(first[None], second[None])[0, 0])


def entropy(weights: FloatArray) -> float:
    """Return −Σ a ln a, the mean over all rows.

    As Vázquez et al. 2020, "A Systematic Study of Inner-Attention-Based Sentence
    Representations in Multilingual Neural Machine Translation", measure it.
    """
    safe = np.where(weights > 0, weights, 1.0)
    sums = -(weights * np.log(safe)).sum(axis=-1)
    return float(sums.mean())


def unknown_text_error(text: str) -> UserError:
    """Return the error of a text that the encoder knows nothing of."""
    shown = text if len(text) <= 60 else text[:59] + "…"
    return UserError(f"The encoder knows no part of {shown!r}. Try another sentence.")
