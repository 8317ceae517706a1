"""Measures of vector spaces with confidence intervals."""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np

from app.arrays import BoolArray, DoubleArray, FloatArray
from app.engine.evaluation.geometry import (
    alignment_distances,
    cosines_of,
    distances_of,
    draw_samples,
    eigen_similarities,
    hubness,
    isoscore,
    isotropy,
    mean_cosine,
    near_rows,
    random_partners,
    uniformity,
    uniformity_kernel,
)
from app.engine.evaluation.retrieval import MAX_DIFFERENCE
from app.engine.runtime.report import Report
from app.engine.statistics import (
    N_GROUPS,
    Estimate,
    bootstrap_estimate,
    jackknife_estimate,
)
from app.errors import UserError
from app.params.evaluation import EvaluateSimilarityOfSpaces, MeasureName
from app.plurals import count_text

Z = 1.959964  # of the normal distribution, two-sided at 95 %


class Space(NamedTuple):
    """Vectors of one language, or of two aligned languages.

    Attributes:
        vectors: float32 (n, d), rows of length 1, none zero.
        others: float32 (n, d), translations of the rows; None: one language.
    """

    vectors: FloatArray
    others: FloatArray | None = None


Measure = Callable[[Space, EvaluateSimilarityOfSpaces, Report], Estimate]


def check_space(space: Space, name: str) -> None:
    """Reject vectors that are all equal.

    Raises:
        UserError: all vectors are equal, or there are fewer than two.
    """
    for side in (space.vectors, space.others):
        if side is None:
            continue
        if len(side) < 2:
            raise UserError(
                f"{name}: a vector for {count_text(len(side), 'sentence')}; at least "
                "2 are needed."
            )
        if float(np.ptp(side, axis=0).max()) < MAX_DIFFERENCE:
            raise UserError(
                f"{name}: all {len(side):,} vectors are the same, so there is nothing "
                "to measure. Check the encoder's coverage of the language."
            )


def _eigen_similarity(
    space: Space, params: EvaluateSimilarityOfSpaces, report: Report
) -> Estimate:
    """Return the mean over samples, with a conservative interval.

    It is an incomplete U-statistic: its variance is at most σ² (k / n + 1 / N), where
    σ² is the variance of single samples (Hoeffding 1948, theorem 5.2). A bootstrap
    sample could contain a sentence twice, at distance 0 from itself.
    """
    others, n = _others(space), len(space.vectors)
    size, n_samples = params.sample_size, params.n_samples
    if n < size:
        raise UserError(
            f"{n:,} translations are fewer than the sample size of {size:,}. Use a "
            "smaller sample size."
        )
    samples = draw_samples(n, n_samples, size, seed=params.seed)
    found = eigen_similarities(space.vectors, others, samples, params.distance, report)
    value = float(found.mean())
    half = Z * float(found.std()) * np.sqrt(size / n + 1 / n_samples)
    return Estimate(value, max(0.0, value - half), value + half)


def _hubness(
    space: Space, params: EvaluateSimilarityOfSpaces, report: Report
) -> Estimate:
    """Uses the jackknife, since duplicate bootstrap rows would be neighbours."""
    n, k = len(space.vectors), params.k
    if n <= k:
        raise UserError(
            f"{n:,} sentences are too few for {k:,} nearest neighbours each. Use fewer "
            "neighbours."
        )
    near = near_rows(space.vectors, space.others, k, report)
    return jackknife_estimate(partial(hubness, near, k=k), n, seed=params.seed)


def _uniformity(
    space: Space, params: EvaluateSimilarityOfSpaces, report: Report
) -> Estimate:
    """Uses the jackknife, since duplicate bootstrap rows would be at distance 0."""
    kernel = uniformity_kernel(space.vectors, report)
    found = partial(uniformity, kernel)
    return jackknife_estimate(found, len(space.vectors), seed=params.seed)


def _alignment(
    space: Space, params: EvaluateSimilarityOfSpaces, report: Report
) -> Estimate:
    return _mean(alignment_distances(space.vectors, _others(space)), params.seed)


def _translations(
    space: Space, params: EvaluateSimilarityOfSpaces, report: Report
) -> Estimate:
    """Return the mean distance of translations (Conneau and Lample 2019, of words)."""
    cosines = cosines_of(space.vectors, _others(space))
    return _mean(distances_of(cosines, params.distance), params.seed)


def _random_pairs(
    space: Space, params: EvaluateSimilarityOfSpaces, report: Report
) -> Estimate:
    """Return the mean distance of random pairs, each translation used once."""
    partners = random_partners(len(space.vectors), seed=params.seed)
    cosines = cosines_of(space.vectors, _others(space)[partners])
    return _mean(distances_of(cosines, params.distance), params.seed)


def _jackknife(
    statistic: Callable[[FloatArray], float],
    space: Space,
    params: EvaluateSimilarityOfSpaces,
    report: Report,
) -> Estimate:
    n_done = count()

    def of_kept(is_kept: BoolArray) -> float:
        report.step("Computing intervals", next(n_done), N_GROUPS + 1)
        return statistic(space.vectors[is_kept])

    return jackknife_estimate(of_kept, len(space.vectors), seed=params.seed)


def _mean(values: DoubleArray, seed: int) -> Estimate:
    return bootstrap_estimate(
        lambda rows: float(values[rows].mean()), len(values), seed=seed
    )


def _others(space: Space) -> FloatArray:
    assert space.others is not None, "a measure of two languages"
    return space.others


OF_ONE: dict[MeasureName, Measure] = {
    # A bootstrap would draw rows twice. Minimum and maximum over directions are not
    # smooth, a repeated row uses fewer dimensions, and its cosine with itself is 1.
    "isotropy": partial(_jackknife, isotropy),
    "isoscore": partial(_jackknife, isoscore),
    "mean_cosine": partial(_jackknife, mean_cosine),
    "hubness": _hubness,
    "uniformity": _uniformity,
}
OF_TWO: dict[MeasureName, Measure] = {
    "eigen_similarity": _eigen_similarity,
    "hubness": _hubness,
    "alignment": _alignment,
    "distance_of_translations": _translations,
    "distance_of_random_pairs": _random_pairs,
}
ONE_WAY = "hubness"  # depends on which of two languages is searched
