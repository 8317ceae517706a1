"""The log-likelihood ratio and Dice of counts."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from app.engine.words.association import dice, signed_log_likelihood


def test_the_ratio_of_a_small_table_is_as_worked_out_by_hand() -> None:
    # O = 2, 1, 1, 6 of 10: G² = 2 (2 ln 20/9 + ln 10/21 + ln 10/21 + 6 ln 60/49)
    by_hand = 2 * (2 * np.log(20 / 9) + 2 * np.log(10 / 21) + 6 * np.log(60 / 49))
    assert signed_log_likelihood(2, 3, 3, 10) == pytest.approx(by_hand)


def test_the_ratio_is_that_of_scipy() -> None:
    generator = np.random.default_rng(1)
    for _ in range(20):
        a, b, c, d = generator.integers(1, 50, 4)
        found = float(signed_log_likelihood(a, a + b, a + c, a + b + c + d))
        known = chi2_contingency(
            [[a, b], [c, d]], correction=False, lambda_="log-likelihood"
        )
        assert abs(found) == pytest.approx(known.statistic, abs=1e-9)
        assert (found < 0) == (a * d < b * c)


def test_what_is_never_together_has_a_ratio_below_nought() -> None:
    assert signed_log_likelihood(0, 5, 5, 20) < 0
    assert signed_log_likelihood(0, 0, 5, 20) == 0


def test_dice_is_the_share_of_both_among_either() -> None:
    np.testing.assert_allclose(dice([2, 0], 3, [5, 1]), [0.5, 0])
