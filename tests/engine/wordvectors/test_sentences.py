"""Sentences in mapped words: weighted means, retrieval, word by word, the plane."""

import msgspec
import numpy as np
import pytest

from app.engine.runtime.report import Report
from app.engine.wordvectors.plane import place_words
from app.engine.wordvectors.sentences import (
    SplitSentences,
    retrieval_precision,
    sentence_vectors,
    split_sentences,
    translate_words,
)
from app.engine.wordvectors.spaces import MapDetails, WordSpace, join_spaces
from app.engine.wordvectors.table import WordLookup, WordVectors
from app.params.word_vectors import RetrievalName
from app.protocol.answers.words import WordMapAnswer

DETAILS = MapDetails(
    method="dictionary",
    n_seeds=0,
    n_pairs=0,
    criterion=1.0,
    chance_criterion=None,
    has_converged=True,
)


@pytest.fixture(scope="module")
def space() -> WordSpace:
    """Make three words in each language; the map turns (x, y, z) into (y, z, x)."""
    source = WordVectors(("sea", "storm", "boat"), np.eye(3, dtype=np.float32), "en")
    target = WordVectors(("Meer", "Sturm", "Boot"), np.eye(3, dtype=np.float32), "de")
    turn = np.roll(np.eye(3, dtype=np.float32), 1, axis=0)  # e1 -> e2 -> e3 -> e1
    shuffled = WordVectors(("Boot", "Meer", "Sturm"), target.vectors, "de")
    return join_spaces(source, shuffled, turn, DETAILS, Report())


def test_words_are_found_without_case_and_punctuation(space: WordSpace) -> None:
    lookup = WordLookup(space.source.words)
    found = split_sentences(["The Sea, the storm!", ""], "en", lookup)
    assert found.words == [["the", "sea", "the", "storm"], []]
    assert found.rows == [[-1, 0, -1, 1], []]
    assert found.coverage == 0.5


def test_a_mean_is_weighted_by_inverse_document_frequency() -> None:
    # 1,000 sentences: row 0 is in all of them, row 1 in one, twice
    rows = [[0, 1, 1], *([[0]] * 998), []]
    sentences = SplitSentences([[] for _ in rows], rows)
    vectors = sentence_vectors(sentences, np.eye(2, dtype=np.float32))
    # weights max(1, log10(1000 / 999)) = 1 and log10(1000 / 1) = 3; each word once
    np.testing.assert_allclose(vectors[0], np.array([1, 3]) / 10**0.5, rtol=1e-6)
    np.testing.assert_allclose(vectors[1], [1, 0])
    assert not vectors[-1].any()


def test_retrieval_counts_the_right_row_and_misses_empty_sentences() -> None:
    others = np.eye(4, 8, dtype=np.float32)
    queries = others.copy()
    queries[2], queries[3] = others[1], 0  # one wrong, one without a vector
    at = retrieval_precision(queries, others, "nn", Report())
    assert at[0] == 0.5
    assert at[2] == 0.75  # all four rows are among ten; an empty sentence stays a miss


def test_each_word_is_replaced_and_unknown_ones_are_copied(space: WordSpace) -> None:
    lookup = WordLookup(space.source.words)
    sentences = split_sentences(["Storm at sea 7", "boat"], "en", lookup)
    methods: tuple[RetrievalName, ...] = ("nn", "isf")
    for method in methods:
        found = translate_words(space, sentences, method)
        assert found == ["Sturm at Meer 7", "Boot"]


def test_the_answer_fits_in_a_line() -> None:
    random = np.random.default_rng(1)
    source, target = (
        WordVectors(
            tuple(f"достопримечательность{row}" for row in range(1_500)),
            random.standard_normal((1_500, 8)).astype(np.float32),
            code,
        )
        for code in ("ru", "uk")
    )
    turn = np.eye(8, dtype=np.float32)
    found = place_words(join_spaces(source, target, turn, DETAILS, Report()), 1_500)
    assert len(msgspec.json.encode(found)) < 256 * 1024
    assert msgspec.json.decode(msgspec.json.encode(found), type=WordMapAnswer) == found


def test_the_plane_is_that_of_the_mapped_words(space: WordSpace) -> None:
    found = place_words(space, 3)
    places = {one.item: one.place for one in found.targets}
    pairs = {"sea": "Meer", "storm": "Sturm", "boat": "Boot"}
    for one in found.sources:
        assert one.after == pytest.approx(places[pairs[one.item]], abs=2e-3)
        assert one.before != one.after
    # three unit vectors at right angles lie in a plane around their mean
    assert found.share == pytest.approx(1)
    assert [one.item for one in place_words(space, 2).sources] == ["sea", "storm"]
