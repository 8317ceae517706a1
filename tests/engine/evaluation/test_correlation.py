"""Correlations: cases by hand, scipy's figures, and a bootstrap with a loop."""

import numpy as np
import pytest
from scipy import stats

from app.arrays import IntArray
from app.engine.evaluation.correlation import Resamples, mean_ranks, pearson, spearman
from app.engine.statistics import bootstrap_estimate

GENERATOR = np.random.default_rng(3)
ONES = GENERATOR.standard_normal(40)
OTHERS = np.round(ONES + GENERATOR.standard_normal(40), 0)  # with equal ones


def test_the_cases_by_hand() -> None:
    # means 2 and 3: products 1 + 0 + 2 = 3, squares 2 and 6: 3 / √12
    assert pearson([1, 2, 3], [2, 2, 5]) == pytest.approx(3 / np.sqrt(12))
    assert spearman([1, 5, 9], [3, 2, 1]) == pytest.approx(-1)
    assert mean_ranks([7, 3, 7, 9]).tolist() == [1.5, 0, 1.5, 3]


def test_scipy_says_the_same() -> None:
    assert pearson(ONES, OTHERS) == pytest.approx(stats.pearsonr(ONES, OTHERS)[0])
    assert spearman(ONES, OTHERS) == pytest.approx(stats.spearmanr(ONES, OTHERS)[0])
    assert (mean_ranks(OTHERS) + 1).tolist() == stats.rankdata(OTHERS).tolist()


def test_a_column_without_spread_has_no_correlation() -> None:
    assert np.isnan(pearson([0.1] * 5, [1, 2, 3, 4, 5]))
    estimate = Resamples(5, seed=1).pearson([1, 2, 3, 4, 5], [0.1] * 5)
    assert all(np.isnan(estimate))


def test_a_mean_of_correlations_draws_the_rows_once_for_all() -> None:
    columns = np.stack([ONES, -ONES, ONES + OTHERS])

    def mean(rows: IntArray) -> float:
        return float(np.mean([pearson(one[rows], OTHERS[rows]) for one in columns]))

    got = Resamples(40, seed=7).mean_pearson(columns, OTHERS)
    assert got == pytest.approx(bootstrap_estimate(mean, 40, seed=7))
    # opposite ones take each other's chance away
    opposite = Resamples(40, seed=7).mean_pearson(columns[:2], OTHERS)
    assert opposite == pytest.approx((0, 0, 0), abs=1e-9)


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_the_interval_is_that_of_drawing_rows_one_by_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = {"pearson": pearson, "spearman": spearman}[name]
    wanted = bootstrap_estimate(
        lambda rows: plain(ONES[rows], OTHERS[rows]), 40, seed=7
    )
    got = getattr(Resamples(40, seed=7), name)(ONES, OTHERS)
    assert got == pytest.approx(wanted)
    monkeypatch.setattr("app.engine.evaluation.correlation.BLOCK_CELLS", 300)
    in_blocks = getattr(Resamples(40, seed=7), name)(ONES, OTHERS)
    assert in_blocks == pytest.approx(wanted)
