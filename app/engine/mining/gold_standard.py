"""Read a gold standard; measure precision, recall and F1 of mined pairs."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray
from app.engine.statistics import LEVEL, N_RESAMPLES, Estimate
from app.engine.text.line_files import read_lines
from app.errors import UserError
from app.results.mining import AccuracyPoint

HEADERS = ({"id", "text"}, {"source", "target"}, {"source_id", "target_id"})


def read_sentences(file: Path) -> dict[str, str]:
    """Read the lines id⇥text of a file as a dictionary; blank lines are skipped.

    Raises:
        UserError: a line has no tab, or an id occurs twice.
    """
    texts: dict[str, str] = {}
    for number, line in enumerate(read_lines(file), 1):
        id_, tab, text = line.partition("\t")
        if not line or (number == 1 and {id_.lower(), text.lower()} in HEADERS):
            continue
        if not tab:
            raise UserError(
                f"{file}, line {number:,}: there is no tab between an id and a text."
            )
        if id_ in texts:
            raise UserError(f"{file}, line {number:,}: the id {id_!r} occurs twice.")
        texts[id_] = text
    return texts


def read_gold(
    file: Path, sources: dict[str, str], targets: dict[str, str]
) -> list[tuple[str, str]]:
    """Read the lines id⇥id of a gold standard; blank lines are skipped.

    Raises:
        UserError: a line is not a pair, an id is in neither file, or there are no
            pairs.
    """
    pairs = []
    for number, line in enumerate(read_lines(file), 1):
        cells = line.split("\t")
        if not line or (number == 1 and {cell.lower() for cell in cells} in HEADERS):
            continue
        if len(cells) != 2:
            raise UserError(
                f"{file}, line {number:,}: a gold pair is a source id, a tab and a "
                "target id."
            )
        for id_, texts, side in (
            (cells[0], sources, "source"),
            (cells[1], targets, "target"),
        ):
            if id_ not in texts:
                raise UserError(
                    f"{file}, line {number:,}: the {side} file has no id {id_!r}."
                )
        pairs.append((cells[0], cells[1]))
    if not pairs:
        raise UserError(f"{file} contains no pair.")
    return pairs


CURVE_POINTS = 100
SEED = 1  # for resampling


class Accuracy(NamedTuple):
    """Precision, recall and F1 after each pair, best score first.

    Attributes:
        precision, recall, f1: float64 (p,), 0…1.
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]


def running_accuracy(is_true: NDArray[np.bool_], n_gold: int) -> Accuracy:
    """Measure after each pair: P = correct / extracted, R = correct / gold.

    Args:
        is_true: bool (p,), whether each pair is in the gold standard, best score first.
        n_gold: number of pairs in the gold standard.
    """
    n_true = np.cumsum(is_true)
    precision = n_true / np.arange(1, len(is_true) + 1)
    recall = n_true / n_gold
    total = precision + recall
    f1 = np.divide(
        2 * precision * recall, total, out=np.zeros_like(total), where=total > 0
    )
    return Accuracy(precision, recall, f1)


def point_at(scores: FloatArray, accuracy: Accuracy, threshold: float) -> AccuracyPoint:
    """Return precision, recall and F1 at a threshold.

    Args:
        scores: float32 (p,), descending.
        accuracy: accuracy after each pair.
        threshold: minimum score of the pairs to keep.
    """
    n = int(np.searchsorted(-scores.astype(np.float64), -threshold, side="right"))
    if not n:
        return AccuracyPoint(threshold, 0.0, 0.0, 0.0, 0)
    precision, recall, f1 = (float(curve[n - 1]) for curve in accuracy)
    return AccuracyPoint(threshold, precision, recall, f1, n)


def best_threshold(scores: FloatArray, accuracy: Accuracy) -> float:
    """Find the threshold with the best F1: halfway to the next score (LASER, BUCC).

    Equal scores stay together; after the last score, the threshold is that score.
    """
    if not len(scores):
        return 0.0
    is_end = np.append(scores[1:] < scores[:-1], True)  # a threshold is possible here
    best = int(np.argmax(np.where(is_end, accuracy.f1, -1)))
    here = float(scores[best])
    if best == len(scores) - 1:
        return here
    return (here + float(scores[best + 1])) / 2


def f1_estimate(n_true: int, n_mined: int, n_gold: int) -> Estimate:
    """Estimate F1 with a bootstrap interval over all mined or true pairs.

    Each pair is right (mined and true), wrong (only mined) or missed (only true); F1 =
    2 right / (2 right + wrong + missed), at a fixed threshold.

    Args:
        n_true: number of mined pairs that are true.
        n_mined: number of mined pairs.
        n_gold: number of true pairs.
    """
    counts = np.array([n_true, n_mined - n_true, n_gold - n_true])
    total = int(counts.sum())
    generator = np.random.default_rng(SEED)
    drawn = generator.multinomial(total, counts / total, N_RESAMPLES)  # (r, 3)
    f1 = 2 * drawn[:, 0] / (drawn.sum(axis=1) + drawn[:, 0])
    low, high = np.quantile(f1, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(2 * n_true / (n_mined + n_gold), float(low), float(high))


def accuracy_curve(scores: FloatArray, accuracy: Accuracy) -> list[AccuracyPoint]:
    """Return points of the accuracy curve, evenly spaced over the pairs, best first."""
    if not len(scores):
        return []
    indices = np.unique(np.linspace(0, len(scores) - 1, CURVE_POINTS).astype(np.int64))
    thresholds = np.unique(scores[indices])[::-1]
    return [point_at(scores, accuracy, float(one)) for one in thresholds]
