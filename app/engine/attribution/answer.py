"""Attribute the similarity of two sentences to their tokens."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.attribution.contributions import (
    AttentionMap,
    SentenceTokens,
    cosine,
    cosines,
    entropy,
    token_contributions,
)
from app.engine.attribution.static_tokens import read_static_tokens
from app.engine.encoders.static import StaticEncoder
from app.engine.search.session import SearchSession
from app.engine.store.sentences import read_sentences
from app.errors import UserError
from app.protocol.queries.attribution import TokensQuery

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

MAX_CHARACTERS = 2_000  # of a text
MAX_TOKENS = 120  # of a sentence that are listed; an answer is at most 64 KB

POOLING_NOTES = {
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
CONTRIBUTION_NOTE = (
    "A token's contribution is the product of its part of the vector with the other "
    "sentence's vector, divided by both lengths: all contributions of a sentence add "
    "up to the cosine."
)
NO_CONTRIBUTION_NOTE = (
    "Contributions can't be told: layers after the pooling are no plain sum."
)


class Attribution(NamedTuple):
    """What was found.

    Attributes:
        answer: see `TokensQuery`, without the file.
        matrices: float32 (m,), all matrices one after the other.
    """

    answer: dict[str, Any]
    matrices: NDArray[np.float32]


def attribute_similarity(
    encoder: "Encoder", first: str, second: str = ""
) -> Attribution:
    """Look inside two sentences; without a second one the first is its own.

    Raises:
        UserError: a text is empty or too long, nothing in it is known, or the encoder
            has no tokens.
    """
    sides = [_read_tokens(encoder, first), _read_tokens(encoder, second or first)]
    clipped = [_clip_tokens(one) for one in sides]
    matrix = cosines(clipped[0].states, clipped[1].states)
    maps = [("similarity", "both", 0, matrix)]
    for side, one in zip(("first", "second"), clipped, strict=True):
        maps += _maps_of(side, one.attention)
    pooling = sides[0].pooling
    how = [POOLING_NOTES.get(pooling, f"The tokens' states are pooled: {pooling}.")]
    how.append(NO_CONTRIBUTION_NOTE if sides[0].parts is None else CONTRIBUTION_NOTE)
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
    return Attribution(answer, np.concatenate(flat).astype(np.float32, copy=False))


def _read_tokens(encoder: "Encoder", text: str) -> SentenceTokens:
    if not text.strip():
        raise UserError("There is nothing to look at: type a sentence.")
    if len(text) > MAX_CHARACTERS:
        raise UserError(
            f"The text has {len(text):,} characters; a look inside takes at most "
            f"{MAX_CHARACTERS:,}: take one sentence of it."
        )
    if isinstance(encoder, StaticEncoder):
        return read_static_tokens(encoder, text)
    from app.engine.attribution.neural_tokens import read_neural_tokens
    from app.engine.encoders.neural import NeuralEncoder

    if isinstance(encoder, NeuralEncoder):
        return read_neural_tokens(encoder, text)
    raise UserError(
        f"{encoder.name} has vectors of whole sentences alone: choose an encoder that "
        "encodes texts."
    )


def _clip_tokens(inside: SentenceTokens) -> SentenceTokens:
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
    text: str, own: SentenceTokens, other: SentenceTokens, matrix: "FloatArray"
) -> dict[str, Any]:
    """Describe one sentence: matrix (own tokens, other tokens), clipped."""
    found = token_contributions(own, other.vector)
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


def answer_tokens(desk: SearchSession, query: TokensQuery) -> dict[str, Any]:
    """Look inside two sentences; the matrices are in a file.

    Raises:
        UserError: a sentence is gone, or can't be looked into.
    """
    first = _sentence_text(desk, query.first, query.first_sentence)
    second = _sentence_text(desk, query.second, query.second_sentence)
    look = attribute_similarity(desk.encoder(query.encoder), first, second)
    return look.answer | {"file": desk.share_array(look.matrices)}


def _sentence_text(desk: SearchSession, text: str, sentence: int | None) -> str:
    if sentence is None:
        return text
    (found,) = read_sentences(desk.project.store, [sentence])
    if found is None:
        raise UserError("The sentence is not in the project any more.")
    return found.text
