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
        name: name in the encoder's vocabulary.
        contribution: contribution to the cosine; None if undefined.
        wins: share of the dimensions in which it has the maximum, 0…1; None without max
            pooling.
        best: index of the most similar token of the other sentence.
        similarity: cosine with that token.
    """

    name: str
    contribution: float | None
    wins: float | None
    best: int
    similarity: float


class SentenceScores(msgspec.Struct, frozen=True):
    """The tokens of a sentence.

    Attributes:
        rest: part of the cosine that no token contributes; None if undefined.
    """

    text: str
    tokens: list[TokenScore]
    rest: float | None


class TokenMatrix(msgspec.Struct, frozen=True):
    """A matrix in the answer's file.

    Attributes:
        name: similarity, inner attention or layer N.
        side: sentence that the matrix belongs to.
        head: from 1; 0 for matrices without heads.
        at: index of the first value in the file.
        entropy: mean entropy of the rows; None for the similarity.
    """

    name: str
    side: Literal["first", "second", "both"]
    head: int
    at: int
    shape: tuple[int, int]
    entropy: float | None


class TokensAnswer(msgspec.Struct, frozen=True):
    """The contributions of the tokens of two sentences to their cosine.

    Attributes:
        matrices: in the order of the file.
        how: sentences on the computation of the numbers.
        notes: sentences on omitted data.
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
