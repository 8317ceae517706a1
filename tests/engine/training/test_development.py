"""Retrieval error by hand."""

import numpy as np

from app.engine.runtime.report import Report
from app.engine.training.development import retrieval_error


def test_each_direction_is_counted_apart() -> None:
    sources = np.array([[1, 0], [1, 0.1], [0, 5]], np.float32)
    targets = np.array([[9, 0], [0.1, 1], [0, 1]], np.float32)
    # sources find targets 0, 0, 2; targets find sources 0, 2, 2
    error = retrieval_error(sources, targets, Report())
    assert error.n == 3
    assert error.source_to_target == 1 / 3
    assert error.target_to_source == 1 / 3


def test_an_equal_vector_at_another_index_is_an_error() -> None:
    vectors = np.ones((4, 2), np.float32)
    assert retrieval_error(vectors, vectors, Report()).mean == 3 / 4


def test_length_of_a_vector_does_not_count() -> None:
    vectors = np.array([[1, 0], [0.9, 0.9]], np.float32)
    assert retrieval_error(vectors, vectors * np.float32(100), Report()).mean == 0
