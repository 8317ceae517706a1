"""Learn an orthogonal map between two tables of word vectors.

Lample et al. 2018, "Word Translation Without Parallel Data"; the start from similarity
distributions is that of Artetxe et al. 2018, "A Robust Self-Learning Method for Fully
Unsupervised Cross-Lingual Mappings of Word Embeddings", section 3.2.
"""

from typing import NamedTuple

import numpy as np

from app.arrays import DoubleArray, FloatArray, IdArray
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.wordvectors.retrieval import (
    best_rows,
    mutual_pairs,
    neighbourhood_means,
)
from app.engine.wordvectors.table import WordVectors

REFINING_STAGE = "Refining the mapping"
STARTING_STAGE = "Comparing similarity distributions"
N_FREQUENT = 15_000  # words of refinement (MUSE: dico_max_rank)
N_CRITERION = 10_000  # words of the unsupervised criterion
N_START = 3_000  # words whose similarity distributions are compared
N_SELF_LEARNING = 4_000  # words of each round from there
KEEP_SHARES = (0.1, 0.2, 0.4, 0.8, 1.0)  # of random subsets of the pairs
N_PATIENCE = 2  # rounds at each share without a gain
MIN_GAIN = 1e-3  # of the mean cosine of the pairs


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
    found = WordVectors(table.words, centred, table.language)
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
        report: shows progress.
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


def start_from_distributions(
    source: FloatArray, target: FloatArray, seed: int, report: Report
) -> FloatArray:
    """Find a first map without any dictionary, from the words' similarities.

    Words that translate each other have similar distributions of similarities to all
    other words. The sorted rows of the square roots of both similarity matrices give
    the first pairs (Artetxe et al. 2018, section 3.2); self-learning on random subsets
    of the pairs follows (section 3.3).

    Returns:
        float32 (d, d), orthogonal.
    """
    n = min(N_START, len(source), len(target))
    report.step(STARTING_STAGE, 0, 2)
    rows = [_sorted_similarities(side[:n]) for side in (source, target)]
    report.step(STARTING_STAGE, 1, 2)
    means = neighbourhood_means(rows[0], rows[1], report)
    pairs = _pair_both_ways(rows[0], rows[1], means, report)
    start = procrustes(source[pairs[0]], target[pairs[1]])
    report.step(STARTING_STAGE, 2, 2)
    return _learn_alone(source, target, start, seed, report)


def _sorted_similarities(vectors: FloatArray) -> FloatArray:
    """Return the sorted rows of (X X^T)^(1/2), centred, of length 1: (n, n)."""
    left, values, _ = np.linalg.svd(vectors, full_matrices=False)
    similarities = (left * values) @ left.T  # (n, d) x (d, n) -> (n, n)
    similarities.sort(axis=1)
    unit, _ = normalise_rows(similarities.astype(np.float32))
    unit -= unit.mean(axis=0)
    return normalise_rows(unit)[0]


def _pair_both_ways(
    mapped: FloatArray,
    target: FloatArray,
    means: tuple[FloatArray, FloatArray],
    report: Report,
) -> tuple[IdArray, IdArray]:
    """Pair each word with its best, in both directions: rows, int64 (n + m,) each."""
    forward = best_rows(mapped, target, means[1], report)
    backward = best_rows(target, mapped, means[0], report)
    sources = np.concatenate([np.arange(len(mapped)), backward])
    return sources, np.concatenate([forward, np.arange(len(target))])


def _learn_alone(
    source: FloatArray,
    target: FloatArray,
    mapping: FloatArray,
    seed: int,
    report: Report,
) -> FloatArray:
    """Alternate between pairs and Procrustes on ever larger shares of the pairs."""
    random = np.random.default_rng(seed)
    sides = source[:N_SELF_LEARNING], target[:N_SELF_LEARNING]
    for place, share in enumerate(KEEP_SHARES):
        best, n_waited = -1.0, 0
        while n_waited < N_PATIENCE:
            report.step(STARTING_STAGE, place, len(KEEP_SHARES))
            mapped = sides[0] @ mapping.T
            means = neighbourhood_means(mapped, sides[1], report)
            rows = _pair_both_ways(mapped, sides[1], means, report)
            pairs = mapped[rows[0]], sides[1][rows[1]]
            value = float(np.einsum("pd,pd->p", *pairs, dtype=np.float64).mean())
            n_waited = 0 if value > best + MIN_GAIN else n_waited + 1
            best = max(best, value)
            is_kept = random.random(len(rows[0])) < share
            if is_kept.any():
                kept = rows[0][is_kept], rows[1][is_kept]
                mapping = procrustes(sides[0][kept[0]], sides[1][kept[1]])
    return mapping


def random_rotation(dim: int, seed: int) -> FloatArray:
    """Return a random orthogonal matrix: float32 (d, d)."""
    random = np.random.default_rng(seed)
    factor, triangle = np.linalg.qr(random.standard_normal((dim, dim)))
    rotation: FloatArray = (factor * np.sign(np.diag(triangle))).astype(np.float32)
    return rotation
