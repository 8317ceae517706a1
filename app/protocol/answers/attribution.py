"""Answers about the tokens of sentences."""

from typing import Literal

import msgspec

Side = Literal["first", "second"]


# Name of the token of the n-grams of all words between two spaces, in scripts without
# spaces between words.
WORD_PARTS = "parts of words"


class TokenScore(msgspec.Struct, frozen=True):
    """A token of a sentence.

    Attributes:
        name: as the encoder's vocabulary writes it.
        contribution: to the cosine; None if contributions are not defined.
        wins: share of the dimensions that it has the maximum of, 0…1; None if the
            encoder does not pool by the maximum.
        best: place of the most similar token of the other sentence.
        similarity: cosine of both.
    """

    name: str
    contribution: float | None
    wins: float | None
    best: int
    similarity: float


class SentenceScores(msgspec.Struct, frozen=True):
    """The tokens of a sentence.

    Attributes:
        rest: what no token contributes to the cosine; None if not defined.
    """

    text: str
    tokens: list[TokenScore]
    rest: float | None


class TokenMatrix(msgspec.Struct, frozen=True):
    """A matrix in the answer's file.

    Attributes:
        name: similarity, inner attention or layer N.
        side: the sentence that it belongs to.
        head: from 1; 0 for matrices without heads.
        at: place of its first value in the file.
        entropy: of its rows, on average; None for the similarity.
    """

    name: str
    side: Literal["first", "second", "both"]
    head: int
    at: int
    shape: tuple[int, int]
    entropy: float | None


class TokensAnswer(msgspec.Struct, frozen=True):
    """What each token of two sentences contributes to their cosine.

    Attributes:
        matrices: in the order of the file.
        how: sentences on how the numbers are computed.
        notes: sentences on what is left out.
        file: a .npy file of float32 (m,), all matrices one after the other.
    """

    encoder: str
    pooling: str
    cosine: float
    first: SentenceScores
    second: SentenceScores
    matrices: list[TokenMatrix]
    how: list[str]
    notes: list[str]
    file: str = ""

    def sentence(self, side: Side) -> SentenceScores:
        """Return the first or the second sentence."""
        return self.first if side == "first" else self.second
