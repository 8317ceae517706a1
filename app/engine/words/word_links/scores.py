"""Confidences that words of a sentence translate words of its translation.

The evidence for two words is their association in the other linked sentences, the
similarity of their vectors, and their places. Each word of one side competes with the
others for the words of the other side, as in the competitive linking of Melamed 2000
("Models of translational equivalence among words"), but softly.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from app.arrays import DoubleArray, IntArray

DAMPING = 2.0  # virtual sentences with only one of the words: rare words count less
PLACE_WEIGHT = 1.0  # λ: how fast the evidence falls with the distance of the places
NO_WORD = 0.1  # evidence that a word has no translation


def other_pairs_dice(
    both: ArrayLike, first: ArrayLike, second: ArrayLike
) -> DoubleArray:
    """Return the damped Dice coefficient of words in the other sentence pairs.

    The current pair, in which both words occur, is left out of each count, so that two
    words that occur only there have no association. Dice 1945, "Measures of the amount
    of ecologic association between species": 2 b / (f + s), here 2 (b - 1) / (f - 1 + s
    - 1 + `DAMPING`). The arguments broadcast.

    Args:
        both: pairs with both words; 0 returns 0.
        first: pairs with the word of the first side.
        second: pairs with the word of the second side.

    Returns:
        float64, 0…1.
    """
    both, first, second = (
        np.asarray(count, np.float64) for count in (both, first, second)
    )
    others = 2 * np.maximum(both - 1, 0)
    scores: DoubleArray = others / (np.maximum(first + second - 2, 0) + DAMPING)
    return scores


def place_scores(n_first: int, n_second: int) -> DoubleArray:
    """Score pairs of places by their distance from the diagonal: float64 (n, m).

    exp(-λ |i / n - j / m|), as in Dyer, Chahuneau and Smith 2013, "A simple, fast, and
    effective reparameterization of IBM Model 2", equation 2, at the middles of words.
    """
    first = (np.arange(n_first) + 0.5) / max(n_first, 1)
    second = (np.arange(n_second) + 0.5) / max(n_second, 1)
    distances = np.abs(first[:, None] - second)  # (n, 1), (m,) -> (n, m)
    scores: DoubleArray = np.exp(-PLACE_WEIGHT * distances)
    return scores


def combine_evidence(
    association: DoubleArray, similarity: DoubleArray | None = None
) -> DoubleArray:
    """Combine evidence for words, and weight it by their places.

    Association and similarity count as independent: 1 - (1 - a) (1 - s²), where s is
    the cosine, at least 0.

    Args:
        association: float64 (n, m), 0…1.
        similarity: float64 (n, m), cosines of the words' vectors; None: unknown.

    Returns:
        float64 (n, m), 0…1.
    """
    evidence = association
    if similarity is not None:
        evidence = 1 - (1 - association) * (1 - np.clip(similarity, 0, 1) ** 2)
    weighted: DoubleArray = evidence * place_scores(*association.shape)
    return weighted


def link_confidences(evidence: DoubleArray) -> DoubleArray:
    """Return the confidence that words translate each other: float64 (n, m), 0…1.

    The geometric mean of the shares that a link has of the squared evidence of its two
    words; `NO_WORD` is the evidence for having no translation.

    Args:
        evidence: float64 (n, m), 0…1.
    """
    squared = evidence**2
    rows = squared / (squared.sum(axis=1, keepdims=True) + NO_WORD**2)  # (n, m)
    columns = squared / (squared.sum(axis=0, keepdims=True) + NO_WORD**2)  # (n, m)
    confidences: DoubleArray = np.sqrt(rows * columns)
    return confidences


class ChosenLinks(NamedTuple):
    """Links between words.

    Attributes:
        first, second: int64 (l,), indices of the words.
        confidences: float64 (l,), 0…1.
    """

    first: IntArray
    second: IntArray
    confidences: DoubleArray


def choose_links(confidences: DoubleArray, least: float) -> ChosenLinks:
    """Choose the links with a minimum confidence, in the order of the words."""
    first, second = np.nonzero(confidences >= least)
    return ChosenLinks(first, second, confidences[first, second])
