"""Token similarities and attention of two sentences, prepared for display."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication

from app.arrays import FloatArray
from app.views.widgets.heat_map import HeatMapData, isolate_direction
from app.views.widgets.token_strip import ScoredToken

SIMILARITY = "similarity"
SPACES = "▁Ġ"  # how vocabularies write the space before a word
MARKED_SPACE = "␣"
N_BEST = 3  # tokens that are named
SMALLEST_REST = 0.0005  # that is not 0.000


class HeatMapChoice(NamedTuple):
    """What can be drawn: the similarity, or one attention of one side.

    Attributes:
        n_heads: 0: it has none.
    """

    name: str
    side: str
    n_heads: int

    @property
    def title(self) -> str:
        """What the window calls it."""
        if self.name == SIMILARITY:
            return _tr("Cosine of every two tokens")
        is_first = self.side == "first"
        side = _tr("first sentence") if is_first else _tr("second sentence")
        return f"{self.name.capitalize()}, {side}"


class TokenComparison(NamedTuple):
    """An answer with its matrices (see `TokensQuery`)."""

    answer: dict[str, Any]
    matrices: FloatArray

    def names(self, side: str) -> list[str]:
        """Name the tokens of a side."""
        return [token_label(token["name"]) for token in self.answer[side]["tokens"]]

    @property
    def has_wins(self) -> bool:
        """Return whether the encoder takes a maximum."""
        return any(
            token["wins"] is not None for token in self.answer["first"]["tokens"]
        )

    @property
    def has_contributions(self) -> bool:
        """Return whether the cosine can be taken apart."""
        return self.answer["first"]["rest"] is not None

    def pieces(self, side: str, what: str) -> list[ScoredToken]:
        """Return the tokens of a side with their contribution or their wins."""
        return [
            ScoredToken(name, token[what] or 0.0)
            for name, token in zip(
                self.names(side), self.answer[side]["tokens"], strict=True
            )
        ]

    def scale(self, what: str) -> float:
        """Return the largest number of both sides, whatever its sign."""
        pieces = [*self.pieces("first", what), *self.pieces("second", what)]
        return max((abs(piece.similarity) for piece in pieces), default=1.0) or 1.0

    def sum_up(self, side: str) -> str:
        """Return what the contributions of a side add up to, and what no token adds."""
        pieces = self.pieces(side, "contribution")
        total = sum(piece.similarity for piece in pieces)
        rest = self.answer[side]["rest"] or 0.0
        best = sorted(pieces, key=lambda piece: -piece.similarity)[:N_BEST]
        words = _tr("Most: {best}. All tokens: {total}")
        if abs(rest) >= SMALLEST_REST:
            words = _tr("Most: {best}. All tokens: {total}, and {rest} beside them")
        return words.format(
            best=", ".join(
                f"{isolate_direction(one.text)} {one.similarity:.3f}" for one in best
            ),
            total=f"{total:.3f}",
            rest=f"{rest:.3f}",
        )

    def choices(self) -> list[HeatMapChoice]:
        """List what can be drawn, in the order of the answer."""
        heads: dict[tuple[str, str], int] = {}
        for one in self.answer["matrices"]:
            heads[one["name"], one["side"]] = one["head"]
        return [HeatMapChoice(*key, n_heads=n) for key, n in heads.items()]

    def heat(
        self, choice: HeatMapChoice, head: int, languages: Sequence[str]
    ) -> HeatMapData:
        """Return what to draw.

        Args:
            choice: which matrix.
            head: from 1; 0: the mean of all heads, or the matrix itself.
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
        if choice.n_heads:
            title = _tr("attention")
            return HeatMapData(values, names, names, language, language, top, title)
        views = [_tr("view {n}").format(n=n + 1) for n in range(len(values))]
        return HeatMapData(values, views, names, "", language, top, _tr("weight"))

    def entropy(self, choice: HeatMapChoice, head: int) -> float | None:
        """Return the entropy of an attention in nats, of all heads their mean."""
        found = [
            one["entropy"]
            for one in self._matching(choice, head)
            if one["entropy"] is not None
        ]
        return sum(found) / len(found) if found else None

    def _values(self, choice: HeatMapChoice, head: int) -> FloatArray:
        parts = []
        for one in self._matching(choice, head):
            n_rows, n_columns = one["shape"]
            values = self.matrices[one["at"] : one["at"] + n_rows * n_columns]
            parts.append(values.reshape(n_rows, n_columns))
        mean: FloatArray = np.mean(parts, axis=0, dtype=np.float32)
        return mean

    def _matching(self, choice: HeatMapChoice, head: int) -> list[dict[str, Any]]:
        return [
            one
            for one in self.answer["matrices"]
            if (one["name"], one["side"]) == (choice.name, choice.side)
            and head in (0, one["head"])
        ]


def token_label(name: str) -> str:
    """Write a token without the mark of the space before it."""
    return name.strip(SPACES) or (MARKED_SPACE if name else name)


def _tr(text: str) -> str:
    return QCoreApplication.translate("looked_at", text)
