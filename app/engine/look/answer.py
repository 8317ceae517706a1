"""A look inside two sentences, as plain JSON values and one array of matrices."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.static import StaticEncoder
from app.engine.look.inside import (
    AttentionMap,
    Inside,
    contributions,
    cosine,
    cosines,
    entropy,
)
from app.engine.look.static_tokens import look_at_static
from app.errors import UserError

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder
    from app.engine.encoders.pooling import FloatArray

MAX_CHARACTERS = 2_000  # of a text
MAX_TOKENS = 120  # of a sentence that are listed; an answer is at most 64 KB

HOW = {
    "sum": "The sentence's vector is the sum of its pieces' vectors; a piece counts "
    "its own row, half of each bigram with a neighbour, and its letters' share of the "
    "n-grams of its word.",
    "mean": "The sentence's vector is the mean of its tokens' states.",
    "max": "The sentence's vector is the maximum of its tokens' states, dimension by "
    "dimension; the share of the dimensions that a token wins is drawn as by Conneau "
    "et al. 2017.",
    "last": "The sentence's vector is the state of its last token, and of its first "
    "one where it is read backwards.",
    "attention": "The sentence's vector is made of means of its tokens' states, "
    "weighed by inner attention (Lin et al. 2017).",
    "cls": "The sentence's vector is the state of its first token.",
}
SUMMED = (
    "A token's contribution is the product of its part of the vector with the other "
    "sentence's vector, divided by both lengths: all contributions of a sentence add "
    "up to the cosine."
)
NO_PARTS = "Contributions can't be told: layers after the pooling are no plain sum."


class Look(NamedTuple):
    """What was found.

    Attributes:
        answer: see `TokensQuery`, without the file.
        matrices: float32 (m,), all matrices one after the other.
    """

    answer: dict[str, Any]
    matrices: NDArray[np.float32]


def look_inside(encoder: "Encoder", first: str, second: str = "") -> Look:
    """Look inside two sentences; without a second one the first is its own.

    Raises:
        UserError: a text is empty or too long, nothing in it is known, or the encoder
            has no tokens.
    """
    sides = [_look(encoder, first), _look(encoder, second or first)]
    clipped = [_clipped(one) for one in sides]
    matrix = cosines(clipped[0].states, clipped[1].states)
    maps = [("similarity", "both", 0, matrix)]
    for side, one in zip(("first", "second"), clipped, strict=True):
        maps += _maps_of(side, one.attention)
    pooling = sides[0].pooling
    how = [HOW.get(pooling, f"The tokens' states are pooled: {pooling}.")]
    how.append(NO_PARTS if sides[0].parts is None else SUMMED)
    notes = [
        f"Of {len(one.names):,} tokens the first {MAX_TOKENS} are shown."
        for one in sides
        if len(one.names) > MAX_TOKENS
    ]
    texts = (first, second or first)
    answer = {
        "encoder": encoder.name,
        "pooling": pooling,
        "cosine": round(cosine(sides[0].vector, sides[1].vector), 6),
        "first": _side(texts[0], sides[0], sides[1], matrix),
        "second": _side(texts[1], sides[1], sides[0], matrix.T),
        "matrices": _list_maps(maps),
        "how": how,
        "notes": notes,
    }
    flat = [np.ascontiguousarray(values).ravel() for _, _, _, values in maps]
    return Look(answer, np.concatenate(flat).astype(np.float32, copy=False))


def _look(encoder: "Encoder", text: str) -> Inside:
    if not text.strip():
        raise UserError("There is nothing to look at: type a sentence.")
    if len(text) > MAX_CHARACTERS:
        raise UserError(
            f"The text has {len(text):,} characters; a look inside takes at most "
            f"{MAX_CHARACTERS:,}: take one sentence of it."
        )
    if isinstance(encoder, StaticEncoder):
        return look_at_static(encoder, text)
    from app.engine.encoders.neural import NeuralEncoder
    from app.engine.look.neural_tokens import look_at_neural

    if isinstance(encoder, NeuralEncoder):
        return look_at_neural(encoder, text)
    raise UserError(
        f"{encoder.name} has vectors of whole sentences alone: choose an encoder that "
        "encodes texts."
    )


def _clipped(inside: Inside) -> Inside:
    """Keep the tokens that are shown."""
    n = MAX_TOKENS
    attention = tuple(
        AttentionMap(one.name, _clip_map(one.weights, n)) for one in inside.attention
    )
    return inside._replace(states=inside.states[:n], attention=attention)


def _clip_map(weights: "FloatArray", n: int) -> "FloatArray":
    return weights[..., :n] if weights.ndim == 2 else weights[:, :n, :n]


def _maps_of(
    side: str, attention: tuple[AttentionMap, ...]
) -> list[tuple[str, str, int, "FloatArray"]]:
    """List the matrices to show: the views of inner attention, and each head."""
    found = []
    for one in attention:
        if one.weights.ndim == 2:  # (views, t)
            found.append((one.name, side, 0, one.weights))
        else:
            heads = enumerate(one.weights, 1)
            found += [(one.name, side, head, values) for head, values in heads]
    return found


def _list_maps(
    maps: list[tuple[str, str, int, "FloatArray"]],
) -> list[dict[str, Any]]:
    """Describe the matrices and where each begins."""
    found, at = [], 0
    for name, side, head, values in maps:
        is_attention = name != "similarity"
        found.append(
            {
                "name": name,
                "side": side,
                "head": head,
                "at": at,
                "shape": list(values.shape),
                "entropy": round(entropy(values), 4) if is_attention else None,
            }
        )
        at += values.size
    return found


def _side(
    text: str, own: Inside, other: Inside, matrix: "FloatArray"
) -> dict[str, Any]:
    """Describe one sentence: matrix (own tokens, other tokens), clipped."""
    found = contributions(own, other.vector)
    n_shown = len(matrix)
    tokens = []
    for place, name in enumerate(own.names[:n_shown]):
        best = int(matrix[place].argmax())
        tokens.append(
            {
                "name": name,
                "contribution": _rounded(found and found[0][place]),
                "wins": _rounded(None if own.wins is None else own.wins[place]),
                "best": best,
                "similarity": _rounded(matrix[place, best]),
            }
        )
    rest = None
    if found is not None:
        rest = found[1] + float(found[0][n_shown:].sum())
    return {"text": text, "tokens": tokens, "rest": _rounded(rest)}


def _rounded(value: Any) -> float | None:
    return None if value is None else round(float(value), 6)
