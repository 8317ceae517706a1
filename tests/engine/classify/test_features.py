"""Features of pairs, computed by hand."""

import numpy as np

from app.engine.classify.features import FeatureName, make_features, n_features

U = np.array([[1, 2]], np.float32)
V = np.array([[3, -1]], np.float32)


def test_a_pair_is_both_their_product_and_their_distance() -> None:
    assert make_features((U, V), "pair").tolist() == [[1, 2, 3, -1, 3, -2, 2, 3]]


def test_the_difference_does_not_tell_which_came_first() -> None:
    assert make_features((U, V), "difference").tolist() == [[2, 3, 3, -2]]
    assert (make_features((V, U), "difference") == [[2, 3, 3, -2]]).all()


def test_a_single_text_is_its_vector() -> None:
    assert make_features((U,), "single") is U


def test_the_number_of_features_is_known_beforehand() -> None:
    kinds: tuple[FeatureName, ...] = ("pair", "difference")
    for kind in kinds:
        assert make_features((U, V), kind).shape[1] == n_features(2, kind)
