"""Rows of corpora read in parallel, against a slow reference."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.reading.rows import ReadingColumn, arrange_rows

Pairs = list[tuple[int, int]]


def links_of(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    table = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()


def rows_of(columns: list[ReadingColumn]) -> list[tuple[list[int], ...]]:
    """Return the positions of each row, column by column."""
    return [
        tuple(
            column.positions[column.offsets[row] : column.offsets[row + 1]].tolist()
            for column in columns
        )
        for row in range(len(columns[0].offsets) - 1)
    ]


def cut_slowly(n: int, m: int, pairs: Pairs) -> list[tuple[list[int], list[int]]]:
    """Cut both texts wherever no link crosses: try every place, then every gap."""
    cuts = [
        (a, b)
        for a in range(n + 1)
        for b in range(m + 1)
        if all((i < a) == (j < b) for i, j in pairs)
    ]
    rows: list[tuple[list[int], list[int]]] = []
    at = (0, 0)
    while at != (n, m):
        # the smallest step: one sentence alone, the first text's before the second's
        nexts = [cut for cut in cuts if cut > at and cut[1] >= at[1]]
        best = min(nexts, key=lambda cut: (sum(cut), -cut[0]))
        rows.append((list(range(at[0], best[0])), list(range(at[1], best[1]))))
        at = best
    return rows


def test_a_link_of_several_sentences_is_one_row_and_gaps_have_their_own() -> None:
    # first 0 – second 0 and 1; first 2 and 3 – second 3; second 2 and 4 alone
    pairs = [(0, 0), (0, 1), (2, 3), (3, 3)]
    columns = arrange_rows([5, 5], {(0, 1): links_of(pairs)})
    assert rows_of(columns) == [
        ([0], [0, 1]),
        ([1], []),
        ([], [2]),
        ([2, 3], [3]),
        ([4], []),
        ([], [4]),
    ]
    assert columns[1].n_links == 4


@st.composite
def linked_texts(draw: st.DrawFn) -> tuple[int, int, Pairs]:
    """Draw links that cross little: a path, and neighbours that are swapped."""
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    path = draw(st.sets(st.integers(0, min(n, m) - 1)))
    pairs = {(i, i) for i in path}
    for i in draw(st.sets(st.integers(0, min(n, m) - 1), max_size=2)):
        pairs.add((i, min(i + draw(st.integers(0, 1)), m - 1)))
    return n, m, sorted(pairs)


@settings(max_examples=60, deadline=None)
@given(linked_texts())
def test_rows_are_the_smallest_that_no_link_leaves(
    texts: tuple[int, int, Pairs],
) -> None:
    n, m, pairs = texts
    found = rows_of(arrange_rows([n, m], {(0, 1): links_of(pairs)}))
    if not pairs:  # nothing ties the second text to the first
        assert found == [([i], []) for i in range(n)]
        return
    assert found == cut_slowly(n, m, pairs)


def test_a_link_far_out_of_order_is_counted_and_joins_no_rows() -> None:
    pairs = [(i, i) for i in range(20) if i not in (2, 17)] + [(2, 17)]
    columns = arrange_rows([20, 20], {(0, 1): links_of(pairs)})
    assert columns[1].n_crossing == 1
    assert max(len(cell) for row in rows_of(columns) for cell in row) == 1


def test_neighbours_that_are_swapped_are_one_row() -> None:
    columns = arrange_rows([3, 3], {(0, 1): links_of([(0, 1), (1, 0), (2, 2)])})
    assert rows_of(columns) == [([0, 1], [0, 1]), ([2], [2])]
    assert columns[1].n_crossing == 0


def test_a_corpus_in_another_order_is_looked_up() -> None:
    pairs = [(i, 19 - i) for i in range(0, 20, 2)]
    columns = arrange_rows([20, 20], {(0, 1): links_of(pairs)})
    assert not columns[1].is_in_order
    rows = rows_of(columns)
    assert len(rows) == 20
    assert rows[4:6] == [([4], [15]), ([5], [])]


def test_a_third_corpus_follows_the_one_that_it_is_linked_with() -> None:
    links = {(0, 1): links_of([(0, 0), (1, 2)]), (1, 2): links_of([(1, 0), (2, 1)])}
    columns = arrange_rows([2, 3, 2], links)
    assert rows_of(columns) == [([0], [0], []), ([], [1], [0]), ([1], [2], [1])]


def test_hidden_sentences_and_rows_without_any_are_left_out() -> None:
    active = {1: np.array([True, False, False])}
    columns = arrange_rows([2, 3], {(0, 1): links_of([(0, 0), (1, 2)])}, active)
    assert rows_of(columns) == [([0], [0]), ([1], [])]


def test_only_rows_with_a_sentence_of_the_first_corpus_are_shown() -> None:
    links = {(0, 1): links_of([(0, 0), (2, 3)])}
    active = {0: np.array([False, True, True])}
    columns = arrange_rows([3, 4], links, active, only_first=True)
    assert rows_of(columns) == [([1], []), ([2], [3])]


def test_a_corpus_without_links_has_no_sentences() -> None:
    columns = arrange_rows([2, 3], {})
    assert rows_of(columns) == [([0], []), ([1], [])]
    assert not columns[1].is_in_order
    assert columns[1].n_links == 0
