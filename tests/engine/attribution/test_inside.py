"""Attribution through pooling: small cases computed by hand."""

import math

import numpy as np
import pytest
import torch

from app.engine.attribution.contributions import (
    SentenceTokens,
    cosines,
    entropy,
    pool_last,
    pool_max,
    pool_mean,
    pool_views,
    token_contributions,
)

STATES = torch.tensor([[1.0, 5.0, 0.0, 2.0], [3.0, 1.0, 0.0, 2.0]])


def inside_of(parts: list[list[float]], rest: list[float]) -> SentenceTokens:
    array = np.array(parts, np.float32)
    vector = array.sum(axis=0) + np.array(rest, np.float32)
    names = [str(i) for i in range(len(parts))]
    return SentenceTokens(
        names, array, vector, "sum", array, np.array(rest, np.float32)
    )


def test_the_maximum_gives_each_dimension_to_one_token_the_first_of_equal_ones() -> (
    None
):
    pooled = pool_max(STATES)
    assert pooled.parts.tolist() == [[0, 5, 0, 2], [3, 0, 0, 0]]
    assert pooled.wins is not None
    assert pooled.wins.tolist() == [0.75, 0.25]


def test_the_mean_gives_equal_shares() -> None:
    assert pool_mean(STATES).parts.tolist() == [[0.5, 2.5, 0, 1], [1.5, 0.5, 0, 1]]


def test_the_last_state_is_of_the_first_token_where_it_is_read_backwards() -> None:
    assert pool_last(STATES, is_bidirectional=False).parts.tolist() == [
        [0, 0, 0, 0],
        [3, 1, 0, 2],
    ]
    assert pool_last(STATES, is_bidirectional=True).parts.tolist() == [
        [0, 0, 0, 2],
        [3, 1, 0, 0],
    ]


def test_views_weigh_each_token_and_stand_side_by_side() -> None:
    weights = torch.tensor([[1.0, 0.5], [0.0, 0.5]])  # (t, k)
    parts = pool_views(STATES[:, :2], weights).parts
    assert parts.tolist() == [[1, 5, 0.5, 2.5], [0, 0, 1.5, 0.5]]


def test_contributions_add_up_to_the_cosine() -> None:
    # v = (3, 0) + (0, 3) + (0, 1) = (3, 4), w = (0, 2): cosine 8 / (5 * 2)
    inside = inside_of([[3, 0], [0, 3]], rest=[0, 1])
    found = token_contributions(inside, np.array([0, 2], np.float32))
    assert found is not None
    np.testing.assert_allclose(found[0], [0.0, 0.6], atol=1e-7)
    assert found[1] == pytest.approx(0.2)


def test_what_is_no_sum_has_no_contributions() -> None:
    inside = inside_of([[3, 0]], rest=[0, 0])._replace(parts=None)
    assert token_contributions(inside, np.ones(2, np.float32)) is None


def test_cosines_are_of_every_two_tokens_and_zero_for_an_unknown_one() -> None:
    first = np.array([[1, 0], [0, 0]], np.float32)
    second = np.array([[2, 0], [1, 1], [0, 3]], np.float32)
    expected = np.array([[1.0, math.sqrt(0.5), 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(cosines(first, second), expected, atol=1e-6)


def test_entropy_is_the_mean_over_rows_in_nats() -> None:
    weights = np.array([[0.5, 0.5], [1.0, 0.0]], np.float32)
    assert entropy(weights) == pytest.approx(math.log(2) / 2)
