"""Token similarities and attention of two sentences, prepared for display."""

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication

from app.arrays import FloatArray
from app.number_format import format_score
from app.protocol.answers.attribution import (
    WORD_PARTS,
    Side,
    TokenMatrix,
    TokensAnswer,
)
from app.views.widgets.heat_map import HeatMapData, isolate_direction
from app.views.widgets.token_strip import ScoredToken

_tr = partial(QCoreApplication.translate, "attribution")

SIMILARITY = "similarity"
SPACES = "▁Ġ"  # markers of the space before a word in vocabularies
MARKED_SPACE = "␣"
N_BEST = 3  # named tokens
SMALLEST_REST = 0.0005  # smaller values are shown as 0.000

Score = Literal["contribution", "wins", "similarity", "attention"]


class HeatMapChoice(NamedTuple):
    """A matrix for the heat map: the similarity, or an attention of a side.

    Attributes:
        n_heads: number of heads; 0 for the similarity.
        rows_are_heads: whether a single matrix has one row per head (inner attention),
            instead of one matrix per head.
    """

    name: str
    side: Literal["first", "second", "both"]
    n_heads: int
    rows_are_heads: bool = False

    @property
    def title(self) -> str:
        """The label in the window."""
        if self.name == SIMILARITY:
            return _tr("Cosine of every two tokens")
        is_first = self.side == "first"
        side = _tr("first sentence") if is_first else _tr("second sentence")
        return f"{self.name.capitalize()}, {side}"


class TokenComparison(NamedTuple):
    """A token comparison by an encoder, with its matrices."""

    answer: TokensAnswer
    matrices: FloatArray

    def names(self, side: Side) -> list[str]:
        """Return the labels of a side's tokens."""
        return [token_label(token.name) for token in self.answer.sentence(side).tokens]

    @property
    def has_wins(self) -> bool:
        """Return whether the encoder uses maximum pooling."""
        return any(token.wins is not None for token in self.answer.first.tokens)

    @property
    def has_contributions(self) -> bool:
        """Return whether the encoder allows contributions to the cosine."""
        return self.answer.first.rest is not None

    @property
    def has_attention(self) -> bool:
        """Return whether the encoder has inner attention."""
        return any(choice.rows_are_heads for choice in self.choices())

    def pieces(self, side: Side, what: Score, head: int = 0) -> list[ScoredToken]:
        """Return the tokens of a side with a score each.

        Args:
            side: first or second sentence.
            what: kind of score; attention: weight of the token in inner attention.
            head: head of inner attention, from 1; 0: mean of all heads.
        """
        if what == "attention":
            weights = self._attention_of(side, head)
            pairs = zip(self.names(side), weights, strict=True)
            return [ScoredToken(name, weight) for name, weight in pairs]
        tokens = self.answer.sentence(side).tokens
        scores: dict[Score, Sequence[float | None]] = {
            "contribution": [token.contribution for token in tokens],
            "wins": [token.wins for token in tokens],
            "similarity": [token.similarity for token in tokens],
        }
        return [
            ScoredToken(name, score or 0.0)
            for name, score in zip(self.names(side), scores[what], strict=True)
        ]

    def scale(self, what: Score, head: int = 0) -> float:
        """Return the largest absolute token score of both sides."""
        pieces = [
            *without_word_parts(self.pieces("first", what, head)),
            *without_word_parts(self.pieces("second", what, head)),
        ]
        return max((abs(piece.similarity) for piece in pieces), default=1.0) or 1.0

    def sum_up(self, side: Side) -> str:
        """Return the sum of a side's contributions, and the remainder of the cosine."""
        pieces = self.pieces(side, "contribution")
        total = sum(piece.similarity for piece in pieces)
        rest = self.answer.sentence(side).rest or 0.0
        tokens = without_word_parts(pieces)
        best = sorted(tokens, key=lambda piece: -piece.similarity)[:N_BEST]
        words = _tr("Most: {best}. All tokens: {total}")
        if len(tokens) < len(pieces):
            words = _tr("Most: {best}. Parts of words: {parts}. All tokens: {total}")
        elif abs(rest) >= SMALLEST_REST:
            words = _tr("Most: {best}. All tokens: {total}; remainder: {rest}")
        return words.format(
            best=", ".join(
                f"{isolate_direction(one.text)} {format_score(one.similarity)}"
                for one in best
            ),
            parts=format_score(total - sum(one.similarity for one in tokens)),
            total=format_score(total),
            rest=format_score(rest),
        )

    def choices(self) -> list[HeatMapChoice]:
        """List the matrices in the order of the answer, with their numbers of heads."""
        last_heads = {(one.name, one.side): one for one in self.answer.matrices}
        return [
            HeatMapChoice(one.name, one.side, one.head)
            if one.head or one.name == SIMILARITY
            else HeatMapChoice(one.name, one.side, one.shape[0], rows_are_heads=True)
            for one in last_heads.values()
        ]

    def heat(
        self, choice: HeatMapChoice, head: int, languages: Sequence[str]
    ) -> HeatMapData:
        """Return the data of a heat map.

        Args:
            head: head, from 1; 0: mean of all heads. Ignored if rows are heads.
            languages: codes of the first and of the second sentence.
        """
        values = self._values(choice, head)
        first, second = self.names("first"), self.names("second")
        if choice.name == SIMILARITY:
            own, other = languages
            return HeatMapData(values, first, second, own, other, title=_tr("cosine"))
        is_first = choice.side == "first"
        names, language = (first, languages[0]) if is_first else (second, languages[1])
        top = float(values.max(initial=0.0)) or 1.0
        if not choice.rows_are_heads:
            title = _tr("attention")
            return HeatMapData(values, names, names, language, language, top, title)
        heads = [_tr("head {n}").format(n=n + 1) for n in range(len(values))]
        return HeatMapData(values, heads, names, "", language, top, _tr("weight"))

    def entropy(self, choice: HeatMapChoice, head: int) -> float | None:
        """Return the entropy of the attention in nats, averaged over heads."""
        if choice.rows_are_heads and head:
            weights = self._values(choice, head)[head - 1]
            kept = weights[weights > 0]
            return float(-(kept * np.log(kept)).sum())
        found = [
            one.entropy
            for one in self._matching(choice, head)
            if one.entropy is not None
        ]
        return sum(found) / len(found) if found else None

    def _attention_of(self, side: Side, head: int) -> list[float]:
        """Return the inner attention of each token; head 0: mean of the heads."""
        for choice in self.choices():
            if choice.rows_are_heads and choice.side == side:
                rows = self._values(choice, head)
                weights = rows[head - 1] if head else rows.mean(axis=0)
                return [float(weight) for weight in weights]
        return [0.0] * len(self.names(side))

    def _values(self, choice: HeatMapChoice, head: int) -> FloatArray:
        parts = []
        for one in self._matching(choice, head):
            end = one.at + one.shape[0] * one.shape[1]
            parts.append(self.matrices[one.at : end].reshape(one.shape))
        mean: FloatArray = np.mean(parts, axis=0, dtype=np.float32)
        return mean

    def _matching(self, choice: HeatMapChoice, head: int) -> list[TokenMatrix]:
        return [
            one
            for one in self.answer.matrices
            if (one.name, one.side) == (choice.name, choice.side)
            and (choice.rows_are_heads or head in (0, one.head))
        ]


def without_word_parts(pieces: Sequence[ScoredToken]) -> list[ScoredToken]:
    """Remove the n-grams of a text without spaces, which are not words."""
    return [piece for piece in pieces if piece.text != WORD_PARTS]


def token_label(name: str) -> str:
    """Return a token without the marker of the space before it."""
    return name.strip(SPACES) or (MARKED_SPACE if name else name)
