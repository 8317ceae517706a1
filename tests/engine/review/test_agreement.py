"""Agreement of three annotators by hand; pairs with one judgement don't count."""

import numpy as np
import pytest

from app.engine.review.agreement import alpha, kappa, raw_agreement, tabulate

ROWS = [
    *((7, who, "accept") for who in ("Ana", "Ben")),
    (7, "Eva", "reject"),
    *((9, who, "reject") for who in ("Ana", "Ben")),
    (11, "Ana", "accept"),
]


def test_each_two_of_three_are_compared_where_both_judged() -> None:
    labels = tabulate(ROWS)
    assert labels.who == ["Ana", "Ben", "Eva"]
    assert labels.values.tolist() == [[0, 0, 1], [1, 1, -1]]
    # of four comparisons Ana and Ben agree in both, Eva in none
    assert raw_agreement(labels.values) == 0.5
    # kappa: 1 of Ana and Ben, 0 of each with Eva
    assert kappa(labels.values) == pytest.approx(1 / 3)
    # 5 values, 2 of them accept: 1 - 4 · 2 / (25 - 4 - 9)
    assert alpha(labels.values) == pytest.approx(1 / 3)


def test_of_nothing_nothing_is_measured() -> None:
    labels = tabulate([])
    assert len(labels.values) == 0
    assert all(np.isnan(one(labels.values)) for one in (raw_agreement, kappa, alpha))
