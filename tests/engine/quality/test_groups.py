"""Groups from pairs, against the simplest algorithm."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.engine.quality.duplicates import choose_kept, group_pairs

PAIRS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20)


def plain_groups(n: int, pairs: list[tuple[int, int]]) -> list[int]:
    firsts = list(range(n))
    for _ in range(n):
        for one, other in pairs:
            firsts[one] = firsts[other] = min(firsts[one], firsts[other])
    return firsts


@given(PAIRS)
def test_a_group_is_what_is_joined_by_pairs(pairs: list[tuple[int, int]]) -> None:
    sides = np.array(pairs, np.int64).reshape(-1, 2)
    found = group_pairs(12, sides[:, 0], sides[:, 1])
    assert found.tolist() == plain_groups(12, pairs)


@given(PAIRS, st.lists(st.integers(1, 5), min_size=12, max_size=12))
def test_the_longest_of_a_group_is_kept(
    pairs: list[tuple[int, int]], lengths: list[int]
) -> None:
    firsts = plain_groups(12, pairs)
    found = choose_kept(np.array(firsts), np.array(lengths))
    for index, first in enumerate(firsts):
        group = [other for other in range(12) if firsts[other] == first]
        assert found[index] == max(group, key=lambda one: (lengths[one], -one))
