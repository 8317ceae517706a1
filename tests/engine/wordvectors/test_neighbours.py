"""Nearest words, analogies and similarity files against values by hand."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.wordvectors.neighbours import (
    list_neighbours,
    make_units,
    pair_cosines,
    read_similarities,
)
from app.engine.wordvectors.table import WordVectors
from app.errors import UserError

WORDS = ("man", "woman", "king", "Queen", "sea")
# directions: male/female, royal, water
VECTORS = np.array(
    [[1, 0, 0], [-1, 0, 0], [1, 1, 0], [-1, 1, 0], [0, -1, 1]], np.float32
)
UNITS = make_units(WordVectors(WORDS, VECTORS, "en"))


def test_the_nearest_words_come_first_without_the_word_itself() -> None:
    rows = list_neighbours(UNITS, "king", 10)
    assert [row.item for row in rows] == ["man", "Queen", "sea", "woman"]
    # (1, 1, 0) and (1, 0, 0): 1 / √2
    assert rows[0].cosine == pytest.approx(0.5**0.5)
    assert [row.rank for row in rows] == [1, 4, 5, 2]  # by frequency
    assert len(list_neighbours(UNITS, "king", 2)) == 2


@pytest.mark.parametrize(
    "text", ["man : king = woman", "Man:king=Woman : ?", "man : king = woman :"]
)
def test_an_analogy_is_answered_by_the_difference_of_its_words(text: str) -> None:
    rows = list_neighbours(UNITS, text, 5)
    # (1, 1)/√2 − (1, 0) + (−1, 0) is nearest to (−1, 1); the three words are left out
    assert [row.item for row in rows] == ["Queen", "sea"]
    query = np.array([0.5**0.5 - 2, 0.5**0.5])
    cosine = (-query[0] + query[1]) / (2**0.5 * np.linalg.norm(query))
    assert rows[0].cosine == pytest.approx(cosine)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("man : king", "is not an analogy. Write an analogy as a : b = c"),
        ("man : = woman", "is not an analogy"),
        ("ship", "“ship” has no word vector"),
        ("man : ship = woman", "“ship” has no word vector"),
    ],
)
def test_an_incomplete_query_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        list_neighbours(UNITS, text, 5)


def test_pairs_without_a_vector_have_no_cosine() -> None:
    pairs = [("king", "queen"), ("king", "ship"), ("man", "woman")]
    found = pair_cosines(UNITS, UNITS, pairs)
    np.testing.assert_allclose(found, [0.0, np.nan, -1.0], atol=1e-6)


def test_a_header_is_skipped_and_a_wrong_line_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("one\ttwo\tscore\na\tb\t1\nc\td\t2.5\ne\tf\t0\n", "utf-8")
    rows = read_similarities(file)
    assert rows.pairs == (("a", "b"), ("c", "d"), ("e", "f"))
    assert rows.scores.tolist() == [1, 2.5, 0]
    for text, message in (
        ("a\tb\t1\nc\td\thigh\n", "line 2: the line is not a word, a word and a num"),
        ("a b 1\n", "line 1: the line is not a word"),
        ("a\t\t1\n", "line 1: a word is empty"),
        ("a\tb\t1\n", "fewer than three pairs"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=message):
            read_similarities(file)
