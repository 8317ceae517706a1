"""What an evaluation of mining against a gold standard measures."""

import msgspec

from app.params.mining import MarginName
from app.results.measurements import Interval


class AccuracyPoint(msgspec.Struct, frozen=True):
    """What a threshold gives; rates 0…1.

    Attributes:
        threshold: score, of the kind that was asked for.
        pairs: pairs at or above it.
    """

    threshold: float
    precision: float
    recall: float
    f1: float
    pairs: int


class ThresholdChoice(AccuracyPoint, frozen=True):
    """How the threshold was chosen on a training set.

    It is the one with the best F1, halfway to the next pair's score.

    Attributes:
        gold: true pairs of the training set.
    """

    gold: int


class MarginFigures(AccuracyPoint, frozen=True):
    """What a margin reaches at its best threshold."""

    margin: MarginName


class MiningError(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that is wrong, or a true one that is missed.

    Attributes:
        source, target: ids.
        source_text, target_text: up to 300 characters.
        score: None: the encoder knows no piece of one of the texts.
        instead: id of the target that would have been right, or that was taken
            instead; empty: none.
        instead_text: its text.
    """

    source: str
    target: str
    source_text: str
    target_text: str
    score: float | None = None
    instead: str = ""
    instead_text: str = ""


class EvaluateMiningResult(AccuracyPoint, frozen=True, kw_only=True):
    """What was measured, at the threshold that was asked for or the best; rates 0…1.

    The best threshold lies halfway to the next pair's score.

    Attributes:
        curve: the same over thresholds, the highest first.
        f1_interval: 95 %, bootstrap over the pairs that were mined or are true; null in
            results of versions that did not measure it.
        gold: true pairs; those of equal texts count once.
        best_f1: at the best threshold.
        wrong: pairs at or above the threshold that are not in the gold standard, the
            best scored first.
        missed: pairs of it that were not found there, the lowest score first.
        training: how the threshold was chosen; null without a training set.
        margins: all margins over the same neighbours, the best F1 first: of the
            training set if there is one, else of the files.
        recommended: the margin with the best F1 there; null in results of versions
            that did not compare margins.
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
