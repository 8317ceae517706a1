"""Results of an evaluation of mining against a gold standard."""

import msgspec

from app.params.mining import MarginName
from app.results.measurements import Interval


class AccuracyPoint(msgspec.Struct, frozen=True):
    """Precision, recall and F1 at a threshold; rates 0…1.

    Attributes:
        threshold: score by the requested margin.
        pairs: number of pairs at or above the threshold.
    """

    threshold: float
    precision: float
    recall: float
    f1: float
    pairs: int


class ThresholdChoice(AccuracyPoint, frozen=True):
    """The choice of the threshold on a training set.

    It is the threshold with the best F1, halfway to the next pair's score.

    Attributes:
        gold: number of true pairs in the training set.
    """

    gold: int


class MarginFigures(AccuracyPoint, frozen=True):
    """The results of a margin at its best threshold."""

    margin: MarginName


class MiningError(msgspec.Struct, frozen=True, kw_only=True):
    """A wrong pair, or a missed true pair.

    Attributes:
        source, target: ids of the sentences.
        source_text, target_text: up to 300 characters.
        score: None: the encoder knows no piece of one of the texts.
        instead: id of the correct target, or of the target selected instead; empty:
            none.
        instead_text: text of that target.
    """

    source: str
    target: str
    source_text: str
    target_text: str
    score: float | None = None
    instead: str = ""
    instead_text: str = ""


class EvaluateMiningResult(AccuracyPoint, frozen=True, kw_only=True):
    """Results at the requested or the best threshold; rates 0…1.

    The best threshold lies halfway to the next pair's score.

    Attributes:
        curve: results by threshold, highest threshold first.
        f1_interval: 95 % bootstrap interval over mined or true pairs; null in results
            of older versions.
        gold: number of true pairs; pairs of equal texts count once.
        best_f1: F1 at the best threshold.
        wrong: pairs at or above the threshold that are not in the gold standard, best
            score first.
        missed: pairs in the gold standard that were not found, lowest score first.
        training: choice of the threshold; null without a training set.
        margins: results of all margins over the same neighbours, best F1 first, on the
            training set if there is one, else on the files.
        recommended: margin with the best F1 there; null in results of older versions.
    """

    curve: list[AccuracyPoint]
    gold: int
    best_f1: float
    encoder: str
    margin: str
    wrong: list[MiningError]
    missed: list[MiningError]
    margins: list[MarginFigures] = []
    recommended: MarginName | None = None
    f1_interval: Interval | None = None
    training: ThresholdChoice | None = None
