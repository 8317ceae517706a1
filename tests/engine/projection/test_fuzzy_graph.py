"""The fuzzy graph: sums of memberships, the union of two directions."""

import numpy as np
import pytest
import torch

from app.engine.projection.fuzzy_graph import (
    fuzzy_graph,
    fuzzy_union,
    memberships,
    smooth_distances,
)
from app.engine.runtime.report import Report


def test_memberships_of_a_point_sum_to_the_logarithm_of_its_neighbours() -> None:
    draw = torch.Generator().manual_seed(1)
    distances = torch.rand((50, 8), generator=draw).sort(dim=1).values + 0.1
    found = memberships(distances)
    assert torch.allclose(found.sum(dim=1), torch.full((50,), 3.0), atol=1e-4)
    assert found[:, 0].tolist() == [1.0] * 50  # the nearest belongs wholly


def test_a_bandwidth_worked_out_by_hand() -> None:
    # two neighbours: 1 + exp(-(d - rho) / sigma) = log2 2, so nothing of the second
    rho, _ = smooth_distances(torch.tensor([[0.2, 0.4]]))
    assert rho.tolist() == pytest.approx([0.2])
    assert memberships(torch.tensor([[0.2, 0.4]]))[0, 1] < 2e-5
    # three equally far beyond the nearest: 1 + 3 exp(-0.1 / sigma) = 2
    _, sigma = smooth_distances(torch.tensor([[0.1, 0.2, 0.2, 0.2]]))
    assert sigma.tolist() == pytest.approx([0.1 / np.log(3)], rel=1e-4)


def test_the_union_of_both_directions() -> None:
    rows = np.array([[1], [0], [1]])
    weights = np.array([[0.5], [0.4], [0.3]], np.float32)
    edges = fuzzy_union(weights, rows)
    assert edges.heads.tolist() == [0, 1]
    assert edges.tails.tolist() == [1, 2]
    assert edges.weights.tolist() == pytest.approx([0.5 + 0.4 - 0.5 * 0.4, 0.3])


def test_neighbours_that_do_not_exist_have_no_edge() -> None:
    rows = np.array([[1, -1], [0, -1]])
    cosines = np.array([[0.9, -np.inf], [0.9, -np.inf]], np.float32)
    edges = fuzzy_graph(cosines, rows, Report())
    assert (edges.heads.tolist(), edges.tails.tolist()) == ([0], [1])
    assert edges.weights.tolist() == [1.0]


def test_equal_points_belong_to_each_other_wholly() -> None:
    rows = np.array([[1, 2], [0, 2], [0, 1]])
    edges = fuzzy_graph(np.ones((3, 2), np.float32), rows, Report())
    assert edges.weights.tolist() == [1.0, 1.0, 1.0]
