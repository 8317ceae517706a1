"""Learn a map with or without a seed dictionary, and check that it has converged."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from app.arrays import FloatArray
from app.engine.runtime.report import Report
from app.engine.wordvectors.adversarial import AdversarialOptions, learn_adversarially
from app.engine.wordvectors.mapping import (
    RefinedMap,
    measure_consistency,
    procrustes,
    random_rotation,
    refine,
)
from app.engine.wordvectors.seeds import SeedPairs
from app.engine.wordvectors.self_learning import start_from_distributions
from app.engine.wordvectors.spaces import MapDetails
from app.number_format import format_percent
from app.params.word_vectors import MapLanguages

# A map has converged if its criterion is that far above refined random rotations, and
# that share of its pairs is found again from the others. On real texts of 1.7 to 11
# million words, wrong maps reach 0.079 above with a share of 0.29, or a share of 0.30
# but only 0.056 above. Refined random rotations have shares of 0.04.
MIN_MARGIN, MIN_CONSISTENCY = 0.07, 1 / 3
N_CHANCE = 2  # random rotations


class LearnedMap(NamedTuple):
    """A map, float32 (d, d), and how it was learned."""

    mapping: FloatArray
    details: MapDetails


def learn_from_seeds(
    source: FloatArray,
    target: FloatArray,
    seeds: SeedPairs,
    n_rounds: int,
    report: Report,
) -> LearnedMap:
    """Learn a map by Procrustes on seed pairs, and refine it."""
    start = procrustes(source[seeds.sources], target[seeds.targets])
    best = refine(source, target, start, n_rounds, report)
    details = MapDetails(
        method="dictionary",
        n_seeds=len(seeds.sources),
        n_pairs=best.n_pairs,
        criterion=best.criterion,
        chance_criterion=None,
        has_converged=True,
    )
    return LearnedMap(best.mapping, details)


def refine_shared_space(
    source: FloatArray, target: FloatArray, params: MapLanguages, report: Report
) -> LearnedMap:
    """Refine the map of vectors that one encoder computed: they share a space."""
    chance = _chance_criterion(source, target, params, report)
    start = np.eye(source.shape[1], dtype=np.float32)
    found = refine(source, target, start, params.rounds, report)
    return LearnedMap(found.mapping, _details("encoder", found, chance, None))


def learn_unsupervised(
    source: FloatArray, target: FloatArray, params: MapLanguages, report: Report
) -> LearnedMap:
    """Learn a map from the vectors alone; use the start with the best criterion.

    The criterion of refined random rotations shows what a wrong map reaches.
    """
    chance = _chance_criterion(source, target, params, report)
    best: LearnedMap | None = None
    for method, start in _starts(source, target, params, report):
        found = refine(source, target, start, params.rounds, report)
        consistency = measure_consistency(source, target, found.mapping, report)
        details = _details(method, found, chance, consistency)
        learned = LearnedMap(found.mapping, details)
        if best is None or found.criterion > best.details.criterion:
            best = learned
        if params.start == "auto" and best.details.has_converged:
            break
    assert best is not None, "there is at least one start"
    return best


def _chance_criterion(
    source: FloatArray, target: FloatArray, params: MapLanguages, report: Report
) -> float:
    """Return the best criterion of refined random rotations."""
    return max(
        refine(
            source,
            target,
            random_rotation(source.shape[1], params.seed + number),
            params.rounds,
            report,
        ).criterion
        for number in range(N_CHANCE)
    )


def _starts(
    source: FloatArray, target: FloatArray, params: MapLanguages, report: Report
) -> Iterator[tuple[str, FloatArray]]:
    seeds = range(params.seed, params.seed + params.starts)
    if params.start != "adversarial":
        for seed in seeds:
            start = start_from_distributions(source, target, seed, report)
            yield "distributions", start
    if params.start != "distributions":
        for number, seed in enumerate(seeds, 1):
            title = f"Adversarial training {number} of {params.starts}"
            options = AdversarialOptions(params.epochs, seed, title)
            yield "adversarial", learn_adversarially(source, target, options, report)


def _details(
    method: str, found: RefinedMap, chance: float, consistency: float | None
) -> MapDetails:
    return MapDetails(
        method=method,
        n_seeds=0,
        n_pairs=found.n_pairs,
        criterion=found.criterion,
        chance_criterion=chance,
        consistency=consistency,
        has_converged=has_converged(found.criterion, chance)
        and (consistency is None or consistency >= MIN_CONSISTENCY),
    )


def has_converged(criterion: float, chance: float) -> bool:
    """Return whether a criterion is clearly above that of refined random rotations."""
    return criterion >= chance + MIN_MARGIN


def describe_convergence(details: MapDetails) -> str:
    """Return a sentence that says that a map is not usable; empty if it is."""
    if details.has_converged or details.chance_criterion is None:
        return ""
    reason = (
        f"its criterion of {details.criterion:.3f} is hardly above the "
        f"{details.chance_criterion:.3f} of a random mapping"
    )
    if has_converged(details.criterion, details.chance_criterion):
        share = format_percent(details.consistency or 0.0)
        reason = f"only {share} of its pairs are found again from the other pairs"
    return (
        f"The mapping did not converge: {reason}. Use a seed dictionary, word vectors "
        "from counts, more text, or texts of the same kind in both languages."
    )
