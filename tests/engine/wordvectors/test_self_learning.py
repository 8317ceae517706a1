"""Self-learning without a dictionary, against slow references."""

import msgspec
import numpy as np
import pytest

from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.wordvectors.evaluation import measure_precision
from app.engine.wordvectors.learning import describe_convergence
from app.engine.wordvectors.mapping import (
    measure_consistency,
    procrustes,
    random_rotation,
    refine,
)
from app.engine.wordvectors.seeds import find_rows
from app.engine.wordvectors.self_learning import (
    pair_words,
    start_from_distributions,
)
from app.engine.wordvectors.spaces import MapDetails, join_spaces
from tests.engine.wordvectors.spaces import rotated_tables

DETAILS = MapDetails(
    method="distributions",
    n_seeds=0,
    n_pairs=0,
    criterion=0,
    chance_criterion=0,
    has_converged=True,
)


def unit_rows(n: int, dim: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return normalise_rows(random.standard_normal((n, dim)).astype(np.float32))[0]


def test_pairs_are_the_best_by_csls_in_both_directions() -> None:
    mapped, target = unit_rows(30, 6, 1), unit_rows(25, 6, 2)
    found = pair_words(mapped, target, 1.0, np.random.default_rng(1))
    cosines = mapped @ target.T
    r_source = np.sort(cosines, axis=1)[:, -10:].mean(axis=1)
    r_target = np.sort(cosines, axis=0)[-10:].mean(axis=0)
    csls = 2 * cosines - r_source[:, None] - r_target
    assert found.sources.tolist() == [*range(30), *csls.argmax(axis=0).tolist()]
    assert found.targets.tolist() == [*csls.argmax(axis=1).tolist(), *range(25)]
    forward = (cosines - r_target / 2).max(axis=1).mean()
    backward = (cosines - r_source[:, None] / 2).max(axis=0).mean()
    assert found.score == pytest.approx((forward + backward) / 2, abs=1e-5)


def test_most_similarities_are_dropped_but_the_score_is_of_all() -> None:
    mapped = unit_rows(400, 8, 3)
    whole = pair_words(mapped, mapped, 1.0, np.random.default_rng(1))
    some = pair_words(mapped, mapped, 0.1, np.random.default_rng(1))
    assert some.score == whole.score
    is_same = some.targets[:400] == np.arange(400)
    assert (whole.targets[:400] == np.arange(400)).all()
    assert 0.05 < is_same.mean() < 0.15  # a tenth of the true pairs is kept


def test_a_noisy_rotation_is_found_without_a_dictionary() -> None:
    source, target, pairs = rotated_tables(700, 20, noise=0.15, seed=4)
    report = Report()
    found = start_from_distributions(source.vectors, target.vectors, 1, report)
    np.testing.assert_allclose(found @ found.T, np.eye(20), atol=1e-4)
    space = join_spaces(source, target, found, DETAILS, report)
    assert measure_precision(space, pairs, "csls", report).at[0] >= 0.99
    again = start_from_distributions(source.vectors, target.vectors, 1, report)
    np.testing.assert_array_equal(found, again)


def test_pairs_of_a_right_map_lead_to_each_other_and_those_of_a_wrong_one_do_not() -> (
    None
):
    source, target, _ = rotated_tables(900, 150, noise=0.1)
    report = Report()
    vectors = source.vectors, target.vectors
    seeds = find_rows([(f"s{n}", f"t{n}") for n in range(400)], source, target)
    right = procrustes(vectors[0][seeds[0]], vectors[1][seeds[1]])
    assert measure_consistency(*vectors, right, report) > 0.95
    unrelated = rotated_tables(900, 150, noise=0.1, seed=5)[1].vectors
    wrong = refine(vectors[0], unrelated, random_rotation(150, 3), 5, report).mapping
    assert measure_consistency(vectors[0], unrelated, wrong, report) < 1 / 3


def test_a_map_with_inconsistent_pairs_has_not_converged_and_the_message_says_so() -> (
    None
):
    details = msgspec.structs.replace(
        DETAILS,
        criterion=0.37,
        chance_criterion=0.29,
        consistency=0.288,
        has_converged=False,
    )
    message = describe_convergence(details)
    assert "only 29\u00a0% of its pairs are found again" in message
    assert "word vectors from counts" in message
