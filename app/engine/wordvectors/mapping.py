"""Learn an orthogonal map between two tables of word vectors.

Lample et al. 2018, "Word Translation Without Parallel Data".
"""

from typing import NamedTuple

import msgspec
import numpy as np

from app.arrays import DoubleArray, FloatArray
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.wordvectors.retrieval import (
    best_rows,
    mutual_pairs,
    neighbourhood_means,
)
from app.engine.wordvectors.table import WordVectors

REFINING_STAGE = "Refining the mapping"
CONSISTENCY_STAGE = "Checking the mapping"
N_FREQUENT = 15_000  # words of refinement (MUSE: dico_max_rank)
N_CRITERION = 10_000  # words of the unsupervised criterion
N_CONSISTENCY = 4_000  # words whose pairs are found again, or not


class RefinedMap(NamedTuple):
    """A map and how good it is.

    Attributes:
        mapping: float32 (d, d), orthogonal: source rows times its transpose are in the
            space of the target.
        criterion: mean cosine of frequent words with their CSLS translations.
        n_pairs: mutual neighbours that this map has.
    """

    mapping: FloatArray
    criterion: float
    n_pairs: int


def prepare_vectors(table: WordVectors) -> WordVectors:
    """Scale rows to length 1, centre them, and scale them again; drop zero rows.

    A deviation from Lample et al. 2018, which uses the vectors as they are: centring
    helps distant pairs of languages (Artetxe et al. 2018, section 3.1).
    """
    unit, _ = normalise_rows(np.array(table.vectors, np.float32))
    unit -= unit.mean(axis=0, dtype=np.float64).astype(np.float32)
    centred, norms = normalise_rows(unit)
    found = msgspec.structs.replace(table, vectors=centred)
    return found if norms.all() else found.select(norms > 0)


def procrustes(source: FloatArray, target: FloatArray) -> FloatArray:
    """Return the orthogonal W that minimises the distance of W x_i and y_i.

    W = U V^T, U S V^T = SVD(Y^T X) with rows as words (Schönemann 1966; Lample et al.
    2018, equation 2).

    Args:
        source: float32 (p, d), a row per pair.
        target: float32 (p, d).

    Returns:
        float32 (d, d).
    """
    product: DoubleArray = target.astype(np.float64).T @ source.astype(np.float64)
    left, _, right = np.linalg.svd(product)
    mapping: FloatArray = (left @ right).astype(np.float32)
    return mapping


def refine(
    source: FloatArray,
    target: FloatArray,
    start: FloatArray,
    n_rounds: int,
    report: Report,
) -> RefinedMap:
    """Refine a map by Procrustes on mutual CSLS neighbours; keep the best round.

    Args:
        source: float32 (n, d), unit rows, the most frequent word first.
        target: float32 (m, d).
        start: float32 (d, d).
        n_rounds: maximum number of rounds.
    """
    sides = source[:N_FREQUENT], target[:N_FREQUENT]
    mapping, best = start, None
    for number in range(n_rounds + 1):
        mapped = sides[0] @ mapping.T
        means = neighbourhood_means(mapped, sides[1], report)
        stage = f"{REFINING_STAGE}: round {number} of {n_rounds}"
        pairs = mutual_pairs(mapped, sides[1], means, report, stage)
        value = _criterion(mapped, sides[1], means[1], report)
        if best is not None and number > 1 and value <= best.criterion:
            break
        if best is None or value > best.criterion:
            best = RefinedMap(mapping, value, len(pairs.scores))
        if number < n_rounds and len(pairs.scores):
            mapping = procrustes(sides[0][pairs.sources], sides[1][pairs.targets])
    assert best is not None, "there is at least one round"
    return best


def measure_criterion(
    source: FloatArray, target: FloatArray, mapping: FloatArray, report: Report
) -> float:
    """Return the unsupervised criterion of a map (Lample et al. 2018, section 3.2)."""
    mapped = source[:N_FREQUENT] @ mapping.T
    means = neighbourhood_means(mapped, target[:N_FREQUENT], report)
    return _criterion(mapped, target[:N_FREQUENT], means[1], report)


def _criterion(
    mapped: FloatArray, target: FloatArray, target_means: FloatArray, report: Report
) -> float:
    """Return the mean cosine of the most frequent words with their translations."""
    frequent = mapped[:N_CRITERION]
    best = target[best_rows(frequent, target, target_means, report)]
    return float(np.einsum("nd,nd->n", frequent, best, dtype=np.float64).mean())


def measure_consistency(
    source: FloatArray, target: FloatArray, mapping: FloatArray, report: Report
) -> float:
    """Return how many pairs of a map are found again from the other half of them: 0…1.

    The mutual neighbours are halved at random; Procrustes on each half maps the words
    of the other one. The pairs of a wrong map follow from no common rotation.
    """
    sides = source[:N_CONSISTENCY], target[:N_CONSISTENCY]
    mapped = sides[0] @ mapping.T
    means = neighbourhood_means(mapped, sides[1], report)
    pairs = mutual_pairs(mapped, sides[1], means, report, CONSISTENCY_STAGE)
    half = np.random.default_rng(1).integers(0, 2, len(pairs.sources))
    n_found = 0
    for number in (0, 1):
        is_known = half == number
        known = pairs.sources[is_known], pairs.targets[is_known]
        others = pairs.sources[~is_known], pairs.targets[~is_known]
        again = sides[0] @ procrustes(sides[0][known[0]], sides[1][known[1]]).T
        target_means = neighbourhood_means(again, sides[1], report)[1]
        best = best_rows(again[others[0]], sides[1], target_means, report)
        n_found += int((best == others[1]).sum())
    return n_found / max(len(half), 1)


def random_rotation(dim: int, seed: int) -> FloatArray:
    """Return a random orthogonal matrix: float32 (d, d)."""
    random = np.random.default_rng(seed)
    factor, triangle = np.linalg.qr(random.standard_normal((dim, dim)))
    rotation: FloatArray = (factor * np.sign(np.diag(triangle))).astype(np.float32)
    return rotation
