"""A known rotation with noise is recovered, with a dictionary and without one."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from app.engine.runtime.report import Report
from app.engine.wordvectors.adversarial import AdversarialOptions, learn_adversarially
from app.engine.wordvectors.evaluation import measure_precision
from app.engine.wordvectors.learning import (
    describe_convergence,
    has_converged,
    learn_from_seeds,
    learn_unsupervised,
)
from app.engine.wordvectors.mapping import prepare_vectors, procrustes, random_rotation
from app.engine.wordvectors.seeds import find_rows
from app.engine.wordvectors.spaces import join_spaces
from app.engine.wordvectors.table import WordVectors
from app.params.word_vectors import MapLanguages
from tests.engine.wordvectors.spaces import rotated_tables

FILES = MapLanguages(source=Path("a.vec"), target=Path("b.vec"), out=Path("map"))


def test_procrustes_returns_the_rotation_of_rotated_rows() -> None:
    rotation = random_rotation(12, 3)
    rows = np.random.default_rng(1).standard_normal((40, 12)).astype(np.float32)
    found = procrustes(rows, rows @ rotation.T)
    np.testing.assert_allclose(found, rotation, atol=1e-5)
    np.testing.assert_allclose(found @ found.T, np.eye(12), atol=1e-5)


def test_prepared_rows_are_centred_and_have_length_one() -> None:
    random = np.random.default_rng(2)
    rows = 3 + random.standard_normal((50, 6)).astype(np.float32)
    words = tuple(map(str, range(50)))
    found = prepare_vectors(WordVectors(words, rows)).vectors
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    centred = unit - unit.mean(axis=0)
    expected = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_few_seeds_recover_a_rotation_with_noise() -> None:
    source, target, pairs = rotated_tables(1_500, 40, noise=0.1)
    seeds = find_rows(pairs[:60], source, target)
    report = Report()
    learned = learn_from_seeds(source.vectors, target.vectors, seeds, 5, report)
    space = join_spaces(source, target, learned.mapping, learned.details, report)
    found = measure_precision(space, pairs[60:], "csls", report)
    assert found.at[0] >= 0.99
    assert (found.n, found.coverage) == (1_440, 1.0)
    assert learned.details.n_seeds == 60


def test_a_rotation_with_noise_is_recovered_without_a_dictionary() -> None:
    source, target, pairs = rotated_tables(1_000, 20, noise=0.02)
    params = FILES
    report = Report()
    learned = learn_unsupervised(source.vectors, target.vectors, params, report)
    space = join_spaces(source, target, learned.mapping, learned.details, report)
    assert measure_precision(space, pairs, "csls", report).at[0] >= 0.99
    assert learned.details.has_converged
    assert describe_convergence(learned.details) == ""


def test_unrelated_vectors_do_not_converge_and_the_message_says_so() -> None:
    source, _, _ = rotated_tables(600, 30, noise=0.1, seed=1)
    _, target, _ = rotated_tables(600, 30, noise=0.1, seed=2)
    params = msgspec.structs.replace(FILES, start="distributions", starts=1)
    learned = learn_unsupervised(source.vectors, target.vectors, params, Report())
    assert not learned.details.has_converged
    assert "did not converge" in describe_convergence(learned.details)
    assert "seed dictionary" in describe_convergence(learned.details)


@pytest.mark.parametrize(
    ("criterion", "chance", "expected"),
    [
        (0.548, 0.496, False),  # English and French from distributions: P@1 0.7 %
        (0.515, 0.460, False),  # English and Spanish: 6.1 %
        (0.498, 0.433, False),  # with fewer words: 1.5 %
        (0.571, 0.496, True),  # English and French with a seed: 33.6 %
        (0.535, 0.460, True),  # English and Spanish: 33.7 %
    ],
)
def test_wrong_maps_of_real_vectors_have_not_converged(
    criterion: float, chance: float, expected: bool
) -> None:
    assert has_converged(criterion, chance) is expected


def test_adversarial_training_aligns_clustered_vectors_and_stays_orthogonal() -> None:
    """Words in clusters of different size and spread: a shape that can be matched."""
    random = np.random.default_rng(4)
    centres = 2 * random.standard_normal((6, 8))
    sizes = [100, 60, 40, 25, 15, 10]
    rows = np.concatenate(
        [
            centre + (0.2 + 0.1 * index) * random.standard_normal((size, 8))
            for index, (centre, size) in enumerate(zip(centres, sizes, strict=True))
        ]
    ).astype(np.float32)
    words = tuple(map(str, range(len(rows))))
    angle = random_rotation(8, 5)
    near_identity = procrustes(np.eye(8, dtype=np.float32), np.eye(8) + 0.35 * angle)
    sides = [
        prepare_vectors(WordVectors(words, one.astype(np.float32))).vectors
        for one in (rows, rows @ near_identity.T)
    ]
    options = AdversarialOptions(3, 1)
    found = learn_adversarially(sides[0], sides[1], options, Report())
    np.testing.assert_allclose(found @ found.T, np.eye(8), atol=0.1)
    before = np.linalg.norm(sides[0] - sides[1], axis=1).mean()
    after = np.linalg.norm(sides[0] @ found.T - sides[1], axis=1).mean()
    assert after < 0.6 * before


def test_the_same_seed_gives_the_same_adversarial_map() -> None:
    source, target, _ = rotated_tables(120, 8, noise=0.1)
    options = AdversarialOptions(1, 3)
    maps = [
        learn_adversarially(source.vectors, target.vectors, options, Report())
        for _ in range(2)
    ]
    np.testing.assert_array_equal(maps[0], maps[1])


@pytest.mark.parametrize("dim", [2, 17])
def test_a_random_rotation_is_orthogonal(dim: int) -> None:
    found = random_rotation(dim, 1)
    np.testing.assert_allclose(found @ found.T, np.eye(dim), atol=1e-5)
