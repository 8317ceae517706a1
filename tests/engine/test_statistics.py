"""Estimates and intervals: against published examples, and by simulation."""

import numpy as np
import pytest

from app.engine.statistics import (
    Strata,
    bootstrap_estimate,
    cohen_kappa,
    jackknife_estimate,
    krippendorff_alpha,
    mcnemar_test,
    paired_bootstrap,
    smooth_shares,
    stratified_bootstrap,
    stratified_estimate,
    wilson_interval,
)


def test_wilson_gives_the_published_interval_of_eight_in_ten() -> None:
    value, low, high = wilson_interval(8, 10)
    assert value == 0.8
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson_interval(10, 10).high == 1
    assert wilson_interval(10, 10).low == pytest.approx(10 / (10 + 1.959964**2))
    assert wilson_interval(0, 0)[1:] == (0, 1)


def test_wilson_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    covered = []
    for share in (0.5, 0.8, 0.93):
        for n_right in rng.binomial(60, share, 400):
            _, low, high = wilson_interval(float(n_right), 60)
            covered.append(low <= share <= high)
    assert 0.93 <= np.mean(covered) <= 0.98


def test_each_stratum_weighs_as_many_as_it_has() -> None:
    strata = Strata(np.array([900.0, 100.0]), np.array([10.0, 40.0]), np.zeros(2))
    right = strata._replace(n_right=np.array([10.0, 0.0]))
    assert stratified_estimate(right).value == pytest.approx(0.9)
    everything = Strata(np.array([6.0]), np.array([6.0]), np.array([3.0]))
    assert stratified_estimate(everything) == (0.5, 0.5, 0.5)
    assert np.isnan(stratified_estimate(strata._replace(n=np.zeros(2))).value)


def test_a_stratum_nobody_looked_at_lies_between_its_neighbours() -> None:
    three = Strata(np.full(3, 50.0), np.array([4.0, 0, 4]), np.array([4.0, 0, 2]))
    assert stratified_estimate(three).value == pytest.approx(0.75)
    smooth = smooth_shares(three)
    assert ((smooth > 0) & (smooth < 1)).all()


def test_strata_nobody_looked_at_add_no_certainty() -> None:
    n = np.zeros(25)
    n[0] = 1
    found = stratified_estimate(Strata(np.full(25, 60.0), n, n))
    assert found == pytest.approx(wilson_interval(1, 1), abs=0.01)


def test_kappa_is_that_of_a_table_worked_out_by_hand() -> None:
    # both yes 20, first only 5, second only 10, both no 15: (0.7 - 0.5) / (1 - 0.5)
    ones = np.repeat([1, 1, 0, 0], [20, 5, 10, 15])
    others = np.repeat([1, 0, 1, 0], [20, 5, 10, 15])
    assert cohen_kappa(ones, others, 2) == pytest.approx(0.4)
    assert cohen_kappa(ones, ones, 2) == 1
    assert np.isnan(cohen_kappa(np.ones(3, int), np.ones(3, int), 2))


def counts(*annotators: str) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Count by item; a digit is a class, a point is no judgement."""
    columns = list(zip(*annotators, strict=True))
    return np.array(
        [[column.count(str(c)) for c in range(6)] for column in columns], np.int64
    )


def test_alpha_is_that_of_the_published_examples() -> None:
    # Krippendorff 2011, "Computing Krippendorff's alpha-reliability", A and C
    assert krippendorff_alpha(counts("0100000010", "1110010000")) == pytest.approx(
        0.095, abs=5e-4
    )
    four = counts("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    assert krippendorff_alpha(four) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(counts("01", "01")) == 1
    assert np.isnan(krippendorff_alpha(counts("0.", ".1")))


def test_a_bootstrap_interval_is_as_wide_as_theory_says() -> None:
    values = np.random.default_rng(3).normal(2, 1, 400)
    found = bootstrap_estimate(lambda indices: float(values[indices].mean()), 400)
    assert found.value == values.mean()
    assert found.high - found.low == pytest.approx(2 * 1.96 / 20, rel=0.1)
    assert found == bootstrap_estimate(lambda p: float(values[p].mean()), 400)


def test_mcnemar_is_the_two_sided_binomial_test() -> None:
    one = np.array([True] * 9 + [False] * 3 + [True] * 5)
    other = np.array([True] * 3 + [False] * 6 + [True] * 2 + [False] * 1 + [True] * 5)
    found = mcnemar_test(one, other)
    assert (found.only_one, found.only_other) == (6, 2)
    # 2 · (1 + 8 + 28) / 2^8
    assert found.p == pytest.approx(74 / 256)


def test_mcnemar_of_equal_classifiers_is_no_difference() -> None:
    right = np.array([True, False, True])
    assert mcnemar_test(right, right).p == 1
    many = np.arange(100_000) % 2 == 0
    assert mcnemar_test(many, ~many).p == 1
    assert mcnemar_test(np.ones(2_000, bool), np.zeros(2_000, bool)).p < 1e-100


def test_a_paired_difference_is_sharper_than_two_intervals() -> None:
    generator = np.random.default_rng(4)
    ones = generator.normal(size=400)
    others = ones - 0.1 + generator.normal(scale=0.01, size=400)
    found = paired_bootstrap(ones, others)
    assert found.value == pytest.approx(0.1, abs=0.002)
    assert 0.097 < found.low < found.value < found.high < 0.103


def test_the_jackknife_of_a_mean_is_students_interval() -> None:
    values = np.arange(20.0) ** 2
    found = jackknife_estimate(lambda kept: float(values[kept].mean()), 20)
    half = 2.0930 * values.std(ddof=1) / np.sqrt(20)
    wanted = (values.mean(), values.mean() - half, values.mean() + half)
    assert found == pytest.approx(wanted)
    few = jackknife_estimate(lambda kept: float(kept.sum()), 19)
    assert few.value == 19
    assert np.isnan(few.low)


def test_strata_add_up_as_independent_means_do() -> None:
    generator = np.random.default_rng(3)
    strata = [
        generator.choice([-1.0, 0.0, 1.0], 900),
        generator.choice([0.0, 1.0], 100),
    ]
    found = stratified_bootstrap(strata, [0.5, 0.5])
    value = sum(0.5 * stratum.mean() for stratum in strata)
    spread = np.sqrt(sum(0.25 * s.var() / len(s) for s in strata))
    assert found.value == pytest.approx(value)
    ends = value - 1.96 * spread, value + 1.96 * spread
    assert (found.low, found.high) == pytest.approx(ends, abs=0.15 * spread)
