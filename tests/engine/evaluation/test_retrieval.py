"""Retrieval by cosine and margin: a case by hand, and a slow way."""

import numpy as np
import pytest

from app.arrays import FloatArray
from app.engine.evaluation import retrieval as module
from app.engine.evaluation.retrieval import mean_interval, measure_retrieval
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.statistics import bootstrap_estimate
from app.engine.training.development import retrieval_error


def unit(degrees: list[float]) -> FloatArray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def random_sides(n: int, n_pool: int = 0) -> tuple[FloatArray, FloatArray]:
    generator = np.random.default_rng(5)
    sources = generator.standard_normal((n, 8)).astype(np.float32)
    noise = generator.standard_normal((n, 8)).astype(np.float32)
    pool = generator.standard_normal((n_pool, 8)).astype(np.float32)
    targets = np.concatenate([sources + 0.8 * noise, pool])
    return normalise_rows(sources)[0], normalise_rows(targets)[0]


def test_both_directions_of_the_case_by_hand() -> None:
    # sources at 0, 20, 90, 180 find targets 0, 0, 2, 3; targets find 0, 2, 2, 3
    sides = unit([0, 20, 90, 180]), unit([1, 60, 91, 170])
    forward, backward = measure_retrieval(*sides, 4, Report())
    assert (forward.n, forward.n_pool, forward.n_wrong) == (4, 4, 1)
    assert backward.n_wrong == 1
    assert forward.n_found == {1: 3, 5: 4, 10: 4}


def test_the_margin_passes_over_a_hub() -> None:
    # 30° is near both sources: by cosine it takes both, by margin only its own
    sources, targets = unit([0, 30]), unit([-40, 25])
    forward, _ = measure_retrieval(sources, targets, 2, Report())
    assert forward.n_wrong == 1
    # means: sources (cos 40 + cos 25) / 2, (cos 70 + cos 5) / 2; targets
    # (cos 40 + cos 70) / 2, (cos 25 + cos 5) / 2
    cosine = np.cos(np.radians([[40, 25], [70, 5]]))
    means = (cosine.mean(axis=1)[:, None] + cosine.mean(axis=0)[None]) / 2
    by_hand = (cosine / means).argmax(axis=1)
    assert by_hand.tolist() == [0, 1]
    assert forward.n_wrong_margin == 0


@pytest.mark.parametrize("n_pool", [0, 25])
def test_a_slow_way_finds_the_same(
    n_pool: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, targets = random_sides(60, n_pool)
    cosines = sources @ targets.T
    order = (-cosines).argsort(axis=1, kind="stable")
    ranks = [row.tolist().index(index) for index, row in enumerate(order)]
    means = np.sort(cosines, axis=1)[:, -4:].mean(axis=1)
    target_means = np.sort(cosines, axis=0)[-4:].mean(axis=0)
    margins = cosines / ((means[:, None] + target_means[None]) / 2)
    near = np.full_like(margins, -np.inf)
    for row in range(60):
        near[row, order[row, :4]] = margins[row, order[row, :4]]
    forward, _ = measure_retrieval(sources, targets, 60, Report())
    assert forward.n_found == {k: sum(rank < k for rank in ranks) for k in (1, 5, 10)}
    assert forward.n_wrong == 60 - forward.n_found[1]
    assert forward.n_wrong_margin == int((near.argmax(axis=1) != range(60)).sum())
    assert forward.n_pool == 60 + n_pool
    monkeypatch.setattr(module, "MAX_REFERENCE_CELLS", 0)  # the way of large sides
    same, _ = measure_retrieval(sources, targets, 60, Report())
    assert same.as_row("e", "de", "en") == forward.as_row("e", "de", "en")
    assert same.is_wrong.tolist() == forward.is_wrong.tolist()
    assert same.is_wrong_margin is not None
    assert forward.is_wrong_margin is not None
    assert same.is_wrong_margin.tolist() == forward.is_wrong_margin.tolist()


def test_the_mean_of_directions_draws_their_rows_together() -> None:
    one, other = np.random.default_rng(1).random((2, 400)) < 0.3
    shares = (one.astype(np.float64) + other) / 2
    wanted = bootstrap_estimate(lambda rows: float(shares[rows].mean()), 400)
    assert mean_interval([one, other]) == pytest.approx(wanted[1:], abs=1e-6)
    alike, opposite = mean_interval([one, one]), mean_interval([one, ~one])
    assert alike == pytest.approx(mean_interval([one]))
    assert opposite == (0.5, 0.5)  # of each row one of the two is wrong


def test_errors_are_those_of_training() -> None:
    sides = random_sides(40)
    wanted = retrieval_error(*sides, Report())
    forward, backward = measure_retrieval(*sides, 40, Report())
    assert forward.error == wanted.source_to_target
    assert backward.error == wanted.target_to_source


def test_a_row_tells_shares_and_wilsons_interval() -> None:
    forward, _ = measure_retrieval(
        unit([0, 20, 90, 180]), unit([1, 60, 91, 170]), 4, Report()
    )
    row = forward.as_row("e", "de", "en")
    assert (row.error, row.n, row.precision_at) == (
        0.25,
        4,
        {"1": 0.75, "5": 1, "10": 1},
    )
    # Wilson 1927 for 1 of 4, by hand with z = 1.96
    z2 = 1.959964**2
    centre = (0.25 + z2 / 8) / (1 + z2 / 4)
    half = 1.959964 * np.sqrt(0.25 * 0.75 / 4 + z2 / 64) / (1 + z2 / 4)
    assert row.error_interval == pytest.approx((centre - half, centre + half), abs=1e-5)
    assert row.precision_at_interval["1"] == pytest.approx(
        (1 - centre - half, 1 - centre + half), abs=1e-5
    )
    assert row.error_margin_interval is not None
    low, high = row.error_margin_interval
    assert row.error_margin is not None
    assert low <= row.error_margin <= high
