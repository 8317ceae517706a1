"""Collocates, by hand, against a slow count, and against scipy."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.runtime.report import Report
from app.engine.words.collocates import (
    CooccurrenceCounts,
    Window,
    count_cooccurrences,
    score_collocates,
)
from app.engine.words.patterns import parse_pattern
from app.engine.words.selection import SharedParts
from tests.engine.words.made import make_index, make_shared

SENTENCES = [["x", "a", "b"], ["a", "x", "X", "c"], ["b", "c", "a"], ["x"]]


def near_x(shared: SharedParts) -> CooccurrenceCounts:
    return count_cooccurrences(shared, parse_pattern("x"), Window(1, 1), Report())


def test_what_stands_near_is_counted_as_by_hand() -> None:
    near = near_x(make_shared(make_index(SENTENCES)))
    assert (near.n_hits, near.n_near, near.n_outside) == (4, 3, 7)
    table = {  # near, left, right, outside hits, in the corpus
        "a": (2, 1, 1, 3, 3),
        "b": (0, 0, 0, 2, 2),
        "c": (1, 0, 1, 2, 2),
        "x": (0, 0, 0, 0, 4),
    }
    columns = (near.near, near.left, near.right, near.outside, near.in_corpus)
    found = [tuple(int(v) for v in row) for row in zip(*columns, strict=True)]
    assert dict(zip("abcx", found, strict=True)) == table


def test_scores_are_those_worked_out_by_hand() -> None:
    scores = score_collocates(near_x(make_shared(make_index(SENTENCES))))
    assert scores.expected[0] == pytest.approx(3 * 3 / 7)
    assert scores.log_dice[0] == pytest.approx(14 + np.log2(2 * 2 / (4 + 3)))
    assert scores.t_score[0] == pytest.approx((2 - 9 / 7) / np.sqrt(2))
    # near or not, a or not: 2 1 / 1 3
    cells = ((2, 9 / 7), (1, 12 / 7), (1, 12 / 7), (3, 16 / 7))
    by_hand = 2 * sum(o * np.log(o / e) for o, e in cells)
    assert scores.log_likelihood[0] == pytest.approx(by_hand)
    assert scores.log_likelihood[1] < 0  # b is never near


def test_log_likelihood_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    near = near_x(make_shared(make_index(SENTENCES)))
    scores = score_collocates(near)
    for item in (0, 1, 2):
        o, far = int(near.near[item]), int(near.outside[item] - near.near[item])
        rest = near.n_near - o
        table = [[o, far], [rest, near.n_outside - o - far - rest]]
        wanted = stats.chi2_contingency(
            table, correction=False, lambda_="log-likelihood"
        ).statistic
        assert abs(scores.log_likelihood[item]) == pytest.approx(wanted)


WORDS = st.sampled_from(["a", "b", "c", "d"])


@given(
    st.lists(st.tuples(st.lists(WORDS, max_size=8), st.booleans()), max_size=5),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from(["a", "a b", "a *", "b*"]),
)
def test_windows_are_those_of_a_slow_count(
    rows: list[tuple[list[str], bool]], left: int, right: int, text: str
) -> None:
    rows = [*rows, (list("abcd"), True)]
    slots = text.replace("*", "").split() if text == "b*" else text.split()
    near, lefts, rights, outside = (Counter[str]() for _ in range(4))
    n_hits = 0
    for words, is_in in rows:
        starts = [
            place
            for place in range(len(words) - len(slots) + 1)
            if is_in
            and all(
                slot in ("*", word)
                for slot, word in zip(slots, words[place:], strict=False)
            )
        ]
        n_hits += len(starts)
        hit = {p + k for p in starts for k in range(len(slots))}
        before = {p - k for p in starts for k in range(1, left + 1)} - hit
        after = {p + len(slots) - 1 + k for p in starts for k in range(1, right + 1)}
        after -= hit
        for place, word in enumerate(words if is_in else []):
            lefts[word] += place in before
            rights[word] += place in after
            near[word] += place in before | after
            outside[word] += place not in hit
    index = make_index([words for words, _ in rows])
    shared = make_shared(index, mask=[is_in for _, is_in in rows])
    found = count_cooccurrences(
        shared, parse_pattern(text), Window(left, right), Report()
    )
    assert found.n_hits == n_hits
    columns = (found.near, found.left, found.right, found.outside)
    for column, wanted in zip(columns, (near, lefts, rights, outside), strict=True):
        items = shared.lexicon.all_items()
        told = dict(zip(items, column.tolist(), strict=True))
        assert told == {item: wanted[item] for item in items}
