"""Key words, by hand and against scipy."""

import numpy as np
import pytest

from app.engine.runtime.report import Report
from app.engine.words.ngrams import build_stream, count_sides, score_keyness
from app.engine.words.selection import share_ids
from tests.engine.words.made import make_index, make_shared

ONES, OTHERS, SIZES = np.array([10, 5, 0]), np.array([2, 0, 4]), (1000, 800)


def test_log_ratio_is_that_worked_out_by_hand() -> None:
    keys = score_keyness(ONES, OTHERS, *SIZES)
    # 10 per 1000 against 2 per 800: four times; a count of nought stands as 0.5
    assert keys.log_ratio == pytest.approx([2, 3, np.log2(0.5 / 1000 / (4 / 800))])
    variance = 1 / 10 - 1 / 1000 + 1 / 2 - 1 / 800
    half = 1.959964 * np.sqrt(variance) / np.log(2)
    assert (keys.low[0], keys.high[0]) == pytest.approx((2 - half, 2 + half))


def test_log_likelihood_is_that_of_scipy_with_a_sign() -> None:
    stats = pytest.importorskip("scipy.stats")
    keys = score_keyness(ONES, OTHERS, *SIZES)
    for item, sign in enumerate((1, 1, -1)):
        one, other = int(ONES[item]), int(OTHERS[item])
        table = [[one, other], [SIZES[0] - one, SIZES[1] - other]]
        wanted = stats.chi2_contingency(
            table, correction=False, lambda_="log-likelihood"
        ).statistic
        assert keys.log_likelihood[item] == pytest.approx(sign * wanted)


def test_ngrams_of_two_corpora_are_counted_side_by_side() -> None:
    one = make_shared(make_index([["a", "b"], ["b", "a", "b"]])).parts[0]
    other = make_shared(make_index([["zz", "a"], ["A", "B"]])).parts[0]
    shared = share_ids([one, other])
    stream = build_stream(shared, Report())
    found = count_sides(stream, 2, one.n_tokens, 1, Report())
    words = shared.lexicon.items(stream.tokens)
    told = {
        " ".join(words[index : index + 2]): tuple(counts)
        for index, counts in zip(
            found.places.tolist(), found.counts.tolist(), strict=True
        )
    }
    assert told == {"a b": (2, 1), "b a": (1, 0), "zz a": (0, 1)}
    rare = count_sides(stream, 2, one.n_tokens, 3, Report())
    assert rare.counts.tolist() == [[2, 1]]
