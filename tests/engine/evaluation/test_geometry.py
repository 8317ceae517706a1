"""Measures of spaces: cases by hand, and references in scipy and scikit-learn."""

from typing import get_args

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import pdist
from sklearn.neighbors import NearestNeighbors

from app.arrays import FloatArray
from app.engine.evaluation.geometry import (
    alignment_distances,
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
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.params.evaluation import DistanceName

CROSS = [0.0, 90, 180, 270]


def unit(degrees: list[float]) -> FloatArray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def cloud(n: int, dim: int = 6, seed: int = 2) -> FloatArray:
    generator = np.random.default_rng(seed)
    return normalise_rows(generator.standard_normal((n, dim)).astype(np.float32))[0]


def all_of(vectors: FloatArray) -> np.ndarray:
    return np.ones(len(vectors), np.bool_)


def test_two_points_have_the_spectrum_0_and_2w() -> None:
    # 30° against 90°: (2 · π/6 − 2 · π/2)²
    (found,) = eigen_similarities(
        unit([0, 30]), unit([0, 90]), np.array([[0, 1]]), "angular", Report()
    )
    assert found == pytest.approx((2 * np.pi / 3) ** 2, abs=1e-5)


@pytest.mark.parametrize("distance", get_args(DistanceName))
def test_a_rotated_space_is_the_same(distance: DistanceName) -> None:
    vectors = cloud(30)
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((6, 6)))[0]
    turned = (vectors @ rotation).astype(np.float32)
    samples = draw_samples(30, 8, 10, seed=1)
    assert all(len(set(sample)) == 10 for sample in samples.tolist())
    same = eigen_similarities(vectors, turned, samples, distance, Report())
    other = eigen_similarities(vectors, cloud(30, seed=3), samples, distance, Report())
    assert same == pytest.approx(np.zeros(8), abs=1e-6)
    assert (other > 1e-3).all()


def test_a_laplacian_by_a_slow_way() -> None:
    vectors, others = cloud(12), cloud(12, seed=5)
    sample = np.arange(12)[None]
    spectra = []
    for side in (vectors, others):
        weights = np.zeros((12, 12))
        for a in range(12):
            for b in range(12):
                if a != b:
                    weights[a, b] = np.arccos(float(side[a] @ side[b]))
        spectra.append(np.linalg.eigvalsh(np.diag(weights.sum(axis=1)) - weights))
    (found,) = eigen_similarities(vectors, others, sample, "angular", Report())
    assert found == pytest.approx(np.square(spectra[0] - spectra[1]).sum(), rel=1e-4)


def test_isotropy_by_hand() -> None:
    assert isotropy(unit(CROSS)) == pytest.approx(1)
    # along the line Z = e + 1/e, across it 2
    assert isotropy(unit([0, 180])) == pytest.approx(2 / (np.e + 1 / np.e), rel=1e-5)
    assert isotropy(unit([0, 0])) == pytest.approx(np.exp(-2), rel=1e-5)


def test_isoscore_by_hand() -> None:
    assert isoscore(unit(CROSS)) == pytest.approx(1)
    assert isoscore(unit([0, 180])) == pytest.approx(0, abs=1e-6)
    # variances 4 : 1 → (1.2649, 0.6325) · √2 / … = √2 (4, 1) / √17; defect² =
    # |scaled − 1|² / (2 (2 − √2)); share = (2 − defect² (2 − √2))² / 4
    points = np.array([[2, 0], [-2, 0], [0, 1], [0, -1]], np.float32)
    scaled = np.sqrt(2) * np.array([4, 1]) / np.sqrt(17)
    share = (2 - np.square(scaled - 1).sum() / 2) ** 2 / 4
    assert isoscore(points) == pytest.approx(2 * share - 1)
    assert isoscore(10 * points) == pytest.approx(2 * share - 1)
    assert np.isnan(isoscore(unit([10, 10, 10])))


def test_mean_cosine_by_hand() -> None:
    by_hand = np.cos(np.radians([60, 90, 30])).mean()
    assert mean_cosine(unit([0, 60, 90])) == pytest.approx(by_hand, abs=1e-6)


def test_uniformity_by_hand_and_by_scipy() -> None:
    right_angle = unit([0, 90])  # squared distance 2: log exp(−4)
    found = uniformity(uniformity_kernel(right_angle, Report()), all_of(right_angle))
    assert found == pytest.approx(-4, rel=1e-5)
    vectors, kept = cloud(40), np.arange(40) % 3 > 0
    distances = pdist(vectors[kept].astype(np.float64))
    wanted = np.log(np.exp(-2 * distances**2).mean())
    assert uniformity(uniformity_kernel(vectors, Report()), kept) == pytest.approx(
        wanted, rel=1e-5
    )


def test_alignment_by_hand() -> None:
    found = alignment_distances(unit([0, 0, 0]), unit([0, 90, 180]))
    assert found == pytest.approx([0, 2, 4], abs=1e-6)


def test_distances_by_hand() -> None:
    cosines = np.array([1.0000001, 0.5, -1])
    assert distances_of(cosines, "angular") == pytest.approx([0, np.pi / 3, np.pi])
    assert distances_of(cosines, "euclidean") == pytest.approx([0, 1, 2])
    assert distances_of(cosines, "cosine") == pytest.approx([0, 0.5, 2])


def test_hubness_by_hand() -> None:
    near = np.array([[1, 2], [0, 2], [0, 1], [0, 1]])
    # N_1 = 3, 1, 0, 0: second moment 1.5, third 1.5
    found = hubness(near, np.ones(4, np.bool_), 1)
    assert found == pytest.approx(1.5**-0.5)
    assert found == pytest.approx(stats.skew([3, 1, 0, 0]))
    # without row 0 the first neighbour of 1 is 2, of 2 and 3 it is 1: N = 2, 1, 0
    assert hubness(near, np.array([False, True, True, True]), 1) == 0
    assert hubness(np.array([[1], [0]]), np.ones(2, np.bool_), 1) == 0


@pytest.mark.parametrize("left_out", [0, 20])
def test_scikit_learn_finds_the_same_hubs(left_out: int) -> None:
    vectors = cloud(200)
    kept = np.ones(200, np.bool_)
    kept[np.random.default_rng(4).choice(200, left_out, replace=False)] = False
    search = NearestNeighbors(n_neighbors=5).fit(vectors[kept])
    rows = search.kneighbors(return_distance=False)
    counts = np.bincount(rows.ravel(), minlength=kept.sum())
    near = near_rows(vectors, None, 5, Report())
    assert near.shape == (200, 20)
    assert hubness(near, kept, 5) == pytest.approx(stats.skew(counts))


def test_across_languages_the_neighbours_are_of_the_other() -> None:
    near = near_rows(unit([0, 90]), unit([80, 10]), 1, Report())
    assert near.tolist() == [[1, 0], [0, 1]]


def test_no_row_is_its_own_partner() -> None:
    partners = random_partners(50, seed=1)
    assert sorted(partners) == list(range(50))
    assert (partners != np.arange(50)).all()
