"""Learn a map with or without a seed dictionary, and check that it has converged."""

from collections.abc import Iterator
from typing import NamedTuple

from app.arrays import FloatArray
from app.engine.runtime.report import Report
from app.engine.wordvectors.adversarial import AdversarialOptions, learn_adversarially
from app.engine.wordvectors.mapping import (
    RefinedMap,
    procrustes,
    random_rotation,
    refine,
    start_from_distributions,
)
from app.engine.wordvectors.seeds import SeedPairs
from app.engine.wordvectors.spaces import MapDetails
from app.params.word_vectors import MapLanguages

# Of the criterion above that of refined random rotations. On real texts of 2.6 million
# words, wrong maps are up to 0.064 above, and maps from a good seed 0.075.
MIN_MARGIN = 0.07
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


def learn_unsupervised(
    source: FloatArray, target: FloatArray, params: MapLanguages, report: Report
) -> LearnedMap:
    """Learn a map from the vectors alone; use the start with the best criterion.

    The criterion of refined random rotations shows what a wrong map reaches.
    """
    chance = max(
        refine(
            source,
            target,
            random_rotation(source.shape[1], params.seed + number),
            params.rounds,
            report,
        ).criterion
        for number in range(N_CHANCE)
    )
    best: LearnedMap | None = None
    for method, start in _starts(source, target, params, report):
        found = refine(source, target, start, params.rounds, report)
        learned = LearnedMap(found.mapping, _details(method, found, chance))
        if best is None or found.criterion > best.details.criterion:
            best = learned
        if params.start == "auto" and best.details.has_converged:
            break
    assert best is not None, "there is at least one start"
    return best


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


def _details(method: str, found: RefinedMap, chance: float) -> MapDetails:
    return MapDetails(
        method=method,
        n_seeds=0,
        n_pairs=found.n_pairs,
        criterion=found.criterion,
        chance_criterion=chance,
        has_converged=has_converged(found.criterion, chance),
    )


def has_converged(criterion: float, chance: float) -> bool:
    """Return whether a criterion is clearly above that of refined random rotations."""
    return criterion >= chance + MIN_MARGIN


def describe_convergence(details: MapDetails) -> str:
    """Return a sentence that says that a map is not usable; empty if it is."""
    if details.has_converged or details.chance_criterion is None:
        return ""
    return (
        f"The mapping did not converge: its criterion of {details.criterion:.3f} is "
        f"hardly above the {details.chance_criterion:.3f} of a random mapping. Use a "
        "seed dictionary, more text, or texts of the same kind in both languages."
    )
