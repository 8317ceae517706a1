"""p values and their corrections: cases by hand, and scipy's."""

import numpy as np
import pytest
from scipy import stats

from app.engine.evaluation.correlation import (
    benjamini_hochberg,
    holm,
    spearman_p,
    student_p,
)


def test_few_rows_are_tested_by_every_order() -> None:
    # of 3! = 6 orders two are perfect, up or down
    assert spearman_p(np.array([1.0, 2, 3]), np.array([2.0, 4, 9])) == pytest.approx(
        1 / 3
    )
    # of 4! = 24 orders |ρ| ≥ 0.8 in 2 (±1) + 6 (±0.8)
    some = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3])
    assert spearman_p(*some) == pytest.approx(8 / 24)


@pytest.mark.parametrize("n", [5, 7])
def test_scipys_permutation_test_says_the_same(n: int) -> None:
    generator = np.random.default_rng(n)
    ones, others = generator.integers(0, 4, (2, n)).astype(float)

    def correlate(x: np.ndarray) -> float:
        return abs(float(stats.spearmanr(x, others)[0]))

    wanted = stats.permutation_test(
        (ones,),
        correlate,
        permutation_type="pairings",
        n_resamples=np.inf,
        alternative="greater",  # of |ρ|: both sides
    )
    assert spearman_p(ones, others) == pytest.approx(wanted.pvalue)


@pytest.mark.parametrize("n", [9, 30])
def test_more_rows_have_scipys_t_test(n: int) -> None:
    ones, others = np.random.default_rng(n).standard_normal((2, n))
    wanted = stats.spearmanr(ones, others)
    assert spearman_p(ones, others) == pytest.approx(wanted.pvalue, rel=1e-9)
    assert spearman_p(ones, ones) == 0


def test_no_spread_and_too_few_rows_have_none() -> None:
    assert np.isnan(spearman_p(np.ones(5), np.arange(5.0)))
    assert np.isnan(spearman_p(np.arange(2.0), np.arange(2.0)))


def test_students_p_is_scipys() -> None:
    assert student_p(2.0930, 19) == pytest.approx(0.05, abs=1e-4)
    assert student_p(-3.1, 7) == pytest.approx(2 * stats.t.sf(3.1, 7), rel=1e-9)


def test_holm_by_hand() -> None:
    # sorted 0.01, 0.02, 0.04: times 3, 2, 1
    found = holm(np.array([0.04, 0.01, np.nan, 0.02]))
    assert found == pytest.approx([0.04, 0.03, np.nan, 0.04], nan_ok=True)


def test_benjamini_hochberg_by_hand_and_by_scipy() -> None:
    # sorted 0.01, 0.02, 0.04: times 3, 3/2, 1
    found = benjamini_hochberg(np.array([0.04, 0.01, np.nan, 0.02]))
    assert found == pytest.approx([0.04, 0.03, np.nan, 0.03], nan_ok=True)
    p_values = np.random.default_rng(1).uniform(size=20) ** 2
    wanted = stats.false_discovery_control(p_values, method="bh")
    assert benjamini_hochberg(p_values) == pytest.approx(wanted)
