"""Attribute the similarity of two sentences to their tokens."""

from typing import TYPE_CHECKING, NamedTuple

import msgspec
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
from app.engine.encoders.combined.encoder import CombinedEncoder
from app.engine.encoders.encoder import MultiEncoder
from app.engine.encoders.static.encoder import StaticEncoder
from app.engine.search.session import SearchSession
from app.engine.store.sentences import read_sentences
from app.errors import UserError
from app.protocol.answers.attribution import (
    SentenceScores,
    Side,
    TokenMatrix,
    TokensAnswer,
    TokenScore,
)
from app.protocol.queries.attribution import TokensQuery

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

MAX_CHARACTERS = 2_000  # of a text
MAX_TOKENS = 120  # listed of a sentence, so that an answer stays below 256 KB

POOLING_NOTES = {
    "sum": "The sentence's vector is the sum of its pieces' vectors. A piece counts "
    "its own row, half of each bigram with a neighbour, and its letters' share of the "
    "n-grams of its word.",
    "mean": "The sentence's vector is the mean of its tokens' states.",
    "max": "The sentence's vector is the maximum of its tokens' states in each "
    "dimension. The share of dimensions that a token wins is shown as in Conneau et "
    "al. 2017.",
    "last": "The sentence's vector is the state of its last token, and of its first "
    "token in the backward direction.",
    "attention": "The sentence's vector consists of means of its tokens' states, "
    "weighted by inner attention (Lin et al. 2017).",
    "bridge": "The sentence's vector is the mean of the rows of the attention bridge, "
    "or one of them. A row is a mean of the tokens' states, weighted by a head.",
    "cls": "The sentence's vector is the state of its first token.",
}
CONTRIBUTION_NOTE = (
    "A token's contribution is the dot product of its part of the vector with the "
    "other sentence's vector, divided by both lengths. All contributions of a sentence "
    "add up to the cosine."
)
NO_CONTRIBUTION_NOTE = (
    "Contributions are not defined: the layers after the pooling are not linear."
)


class Attribution(NamedTuple):
    """The scores of two sentences' tokens.

    Attributes:
        answer: without the file.
        matrices: float32 (m,), all matrices one after the other.
    """

    answer: TokensAnswer
    matrices: NDArray[np.float32]


def attribute_similarity(
    encoder: "Encoder", first: str, second: str = ""
) -> Attribution:
    """Score the tokens of two sentences; an empty second one is the first again.

    Raises:
        UserError: a text is empty or too long, nothing in it is known, or the encoder
            has no tokens.
    """
    sides = [_read_tokens(encoder, first), _read_tokens(encoder, second or first)]
    clipped = [_clip_tokens(one) for one in sides]
    matrix = cosines(clipped[0].states, clipped[1].states)
    entries, arrays = _collect_matrices(matrix, clipped)
    pooling = sides[0].pooling
    how = [POOLING_NOTES.get(pooling, f"The tokens' states are pooled: {pooling}.")]
    how.append(NO_CONTRIBUTION_NOTE if sides[0].parts is None else CONTRIBUTION_NOTE)
    notes = [
        f"Only the first {MAX_TOKENS} of {len(one.names):,} tokens are shown."
        for one in sides
        if len(one.names) > MAX_TOKENS
    ]
    answer = TokensAnswer(
        encoder=encoder.name,
        pooling=pooling,
        cosine=round(cosine(sides[0].vector, sides[1].vector), 6),
        first=_score_sentence(first, sides[0], sides[1], matrix),
        second=_score_sentence(second or first, sides[1], sides[0], matrix.T),
        matrices=entries,
        how=how,
        notes=notes,
    )
    flat = np.concatenate([np.ravel(array) for array in arrays])
    return Attribution(answer, flat.astype(np.float32, copy=False))


def _read_tokens(encoder: "Encoder", text: str) -> SentenceTokens:
    if not text.strip():
        raise UserError("The sentence is empty. Type a sentence.")
    if len(text) > MAX_CHARACTERS:
        raise UserError(
            f"The text has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}. "
            "Enter only one sentence of it."
        )
    if isinstance(encoder, CombinedEncoder):
        return _read_tokens(encoder.encoder_of(text), text)
    if isinstance(encoder, MultiEncoder):
        encoder = encoder.for_text(text)
    if isinstance(encoder, StaticEncoder):
        return read_static_tokens(encoder, text)
    from app.engine.attribution.neural_tokens import read_neural_tokens
    from app.engine.encoders.neural import NeuralEncoder
    from app.engine.encoders.word_bag import WordBagEncoder

    if isinstance(encoder, NeuralEncoder):
        return read_neural_tokens(encoder, text)
    if isinstance(encoder, WordBagEncoder):
        raise UserError(
            f"{encoder.name} averages word vectors, which attribution does not support."
            " Choose a static, BiLSTM or transformer encoder."
        )
    raise UserError(
        f"{encoder.name} has only imported vectors of whole sentences. Choose an "
        "encoder that encodes texts."
    )


def _clip_tokens(inside: SentenceTokens) -> SentenceTokens:
    """Keep only the tokens that are shown."""
    n = MAX_TOKENS
    attention = tuple(
        AttentionMap(one.name, _clip_map(one.weights, n)) for one in inside.attention
    )
    return inside._replace(states=inside.states[:n], attention=attention)


def _clip_map(weights: "FloatArray", n: int) -> "FloatArray":
    return weights[..., :n] if weights.ndim == 2 else weights[:, :n, :n]


def _collect_matrices(
    similarity: "FloatArray", sides: list[SentenceTokens]
) -> tuple[list[TokenMatrix], list["FloatArray"]]:
    """List the matrices to show: the similarity, attention, and each head."""
    entries = [TokenMatrix("similarity", "both", 0, 0, _shape(similarity), None)]
    arrays = [similarity]
    at = similarity.size
    names: tuple[Side, Side] = ("first", "second")
    for side, one in zip(names, sides, strict=True):
        for attention in one.attention:
            weights = attention.weights  # (views, t), or (heads, t, t)
            heads = [weights] if weights.ndim == 2 else list(weights)
            for index, values in enumerate(heads):
                head = 0 if weights.ndim == 2 else index + 1
                mean = round(entropy(values), 4)
                entries.append(
                    TokenMatrix(attention.name, side, head, at, _shape(values), mean)
                )
                arrays.append(values)
                at += values.size
    return entries, arrays


def _shape(values: "FloatArray") -> tuple[int, int]:
    return values.shape[0], values.shape[1]


def _score_sentence(
    text: str, own: SentenceTokens, other: SentenceTokens, matrix: "FloatArray"
) -> SentenceScores:
    """Score the tokens of one sentence: matrix (own tokens, other tokens), clipped."""
    found = token_contributions(own, other.vector)
    n_shown = len(matrix)
    best = matrix.argmax(axis=1)  # (own, other) -> (own,)
    tokens = [
        TokenScore(
            name,
            None if found is None else _rounded(found[0][index]),
            None if own.wins is None else _rounded(own.wins[index]),
            int(best[index]),
            _rounded(matrix[index, best[index]]),
        )
        for index, name in enumerate(own.names[:n_shown])
    ]
    rest = None
    if found is not None:
        rest = _rounded(found[1] + found[0][n_shown:].sum())
    return SentenceScores(text, tokens, rest)


def _rounded(value: float) -> float:
    return round(float(value), 6)


def answer_tokens(session: SearchSession, query: TokensQuery) -> TokensAnswer:
    """Attribute the similarity of two sentences; the matrices are in a file.

    Raises:
        UserError: a sentence was deleted, or the encoder can't read it.
    """
    first = _sentence_text(session, query.first, query.first_sentence)
    second = _sentence_text(session, query.second, query.second_sentence)
    found = attribute_similarity(session.encoder(query.encoder), first, second)
    file = session.share_array(found.matrices)
    return msgspec.structs.replace(found.answer, file=file)


def _sentence_text(session: SearchSession, text: str, sentence: int | None) -> str:
    if sentence is None:
        return text
    (found,) = read_sentences(session.project.store, [sentence])
    if found is None:
        raise UserError("The sentence was deleted from the project.")
    return found.text
