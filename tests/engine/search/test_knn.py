"""Exact neighbours: the order of scores, ties, blocks, and rows that are left out."""

import numpy as np
import pytest

from app.engine.search import knn
from app.engine.search.knn import top_k


def _unit(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, np.float32)


def test_neighbours_are_those_of_a_full_sort() -> None:
    generator = np.random.default_rng(1)
    stored = _unit(generator.normal(size=(500, 16)))
    queries = _unit(generator.normal(size=(7, 16)))
    scores, rows = top_k(queries, stored, 5)
    all_scores = queries.astype(np.float64) @ stored.T.astype(np.float64)
    expected = np.argsort(-all_scores, axis=1, kind="stable")[:, :5]
    assert rows.tolist() == expected.tolist()
    wanted = np.take_along_axis(all_scores, expected, axis=1)
    np.testing.assert_allclose(scores, wanted, atol=1e-6)


@pytest.mark.parametrize("block", [3, 4, 100])
def test_equal_scores_are_ordered_by_row_in_any_block_size(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knn, "STORED_BLOCK", block)
    monkeypatch.setattr(knn, "QUERY_BLOCK", 1)
    stored = np.zeros((10, 2), np.float32)
    stored[[1, 3, 4, 6, 7, 9], 0] = 1  # six equal best rows
    stored[[0, 2, 5, 8], 1] = 1
    queries = np.eye(2, dtype=np.float32)
    scores, rows = top_k(queries, stored, 5)
    assert rows.tolist() == [[1, 3, 4, 6, 7], [0, 2, 5, 8, 1]]
    assert scores.tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]


def test_rows_of_norm_zero_are_left_out_and_missing_neighbours_are_marked() -> None:
    stored = np.array([[0, 1], [0, 0], [-1, 0]], np.float32)
    norms = np.array([2, 0, 3], np.float32)
    scores, rows = top_k(np.array([[1, 0]], np.float32), stored, 4, norms=norms)
    assert rows.tolist() == [[0, 2, -1, -1]]
    assert scores.tolist() == [[0, -1, -np.inf, -np.inf]]


def test_no_query_and_no_row_give_no_neighbour() -> None:
    empty = np.empty((0, 4), np.float32)
    one = np.array([[1, 0, 0, 0]], np.float32)
    assert top_k(empty, one, 2)[1].shape == (0, 2)
    assert top_k(one, empty, 2)[1].tolist() == [[-1, -1]]
