"""Coverage: measures of pieces and vectors, and the verdict on a language."""

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from app.engine.encoders.coverage import (
    HUB_FACTOR,
    MIN_FOR_HUBS,
    K,
    assess_coverage,
    count_occurrences,
    measure_pieces,
    measure_vectors,
    measure_words,
    skewness,
)
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.text.word_vocabulary import PieceCounts
from app.languages import is_trained_on
from app.results.coverage import LanguageCoverage

GOOD = LanguageCoverage(
    language="de",
    verdict="green",
    n=500,
    trained=True,
    unknown=0.0,
    pieces=2.0,
    script=1.0,
    hubs=0.01,
)


class PairPieces:
    """Cuts words into pairs of letters; x is unknown."""

    def count_pieces(self, texts: Sequence[str]) -> PieceCounts:
        words = [text.split() for text in texts]
        pieces = [sum((len(w) + 1) // 2 for w in each) for each in words]
        unknown = [text.count("x") for text in texts]
        return PieceCounts(np.array(pieces, np.int32), np.array(unknown, np.int32))


def on_circle(*degrees: float) -> np.ndarray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_occurrences_are_counted_as_by_hand() -> None:
    # nearest: 0 -> 10, 10 -> 0, 30 -> 10, 100 -> 30
    counts = count_occurrences(on_circle(0, 10, 30, 100), k=1)
    assert counts.tolist() == [1, 2, 1, 0]


def test_occurrences_are_those_of_a_plain_loop() -> None:
    vectors = np.random.default_rng(3).normal(size=(40, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = np.zeros(40, int)
    for i, row in enumerate(vectors):
        order = sorted(range(40), key=lambda j: -float(row @ vectors[j]))
        for j in [j for j in order if j != i][:5]:
            expected[j] += 1
    assert count_occurrences(vectors, k=5).tolist() == expected.tolist()


def test_skewness_is_the_standardised_third_moment() -> None:
    # deviations -1 -1 -1 3: third moment 6, standard deviation sqrt(3)
    assert skewness(np.array([0, 0, 0, 4])) == pytest.approx(6 / 3**1.5)
    assert skewness(np.array([2, 2, 2])) == 0


def test_a_sentence_near_to_all_is_a_hub() -> None:
    noise = np.random.default_rng(1).normal(size=(200, 200)) / 100
    vectors = (np.eye(200) + noise).astype(np.float32)
    vectors[7] = 1
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    counts = count_occurrences(vectors)
    assert counts[7] == 199
    facts = measure_vectors(vectors)
    assert facts.hub_row == 7
    assert facts.hubs == pytest.approx((counts >= HUB_FACTOR * K).mean())
    assert facts.skewness == pytest.approx(skewness(counts))


def test_zero_vectors_are_counted_and_are_nobodys_neighbours() -> None:
    vectors = np.random.default_rng(0).normal(size=(150, 8)).astype(np.float32)
    vectors[:30] = 0
    facts = measure_vectors(vectors)
    assert facts.zero == pytest.approx(0.2)
    assert facts.hub_row is None or facts.hub_row >= 30


def test_hubs_of_few_sentences_are_not_told() -> None:
    facts = measure_vectors(on_circle(*range(MIN_FOR_HUBS - 1)))
    assert (facts.hubs, facts.skewness, facts.hub_row) == (None, None, None)
    assert measure_vectors(np.zeros((0, 4), np.float32)).zero == 0


def test_pieces_are_counted_by_words() -> None:
    facts = measure_pieces(PairPieces(), ["abcd ef", "xy z!"])
    # pieces: 2 + 1 and 1 + 1, one of them unknown; words: 4; letters: 8 of 9 known
    assert facts == (1 / 5, 5 / 4, "word", 8 / 9)


def test_whole_words_are_only_known_or_not() -> None:
    assert measure_words(PairPieces(), ["ab cd xy z"]) == (1 / 4, None, "word", None)


def test_pieces_are_counted_by_characters_where_words_are_not_spaced() -> None:
    facts = measure_pieces(PairPieces(), ["港の手紙。", "ไป"])
    assert facts.per == "character"
    assert facts.pieces == pytest.approx((3 + 1) / 6)


def test_a_vocabulary_counts_what_it_cuts(vocabulary: Vocabulary) -> None:
    texts = ["", "\ue000\ue001 a", "a a"]
    counts = vocabulary.count_pieces(texts)
    known = [vocabulary.tokenise([text])[0] for text in texts]
    expected = [int((ids != vocabulary.space_id).sum()) for ids in known]
    assert counts.n_pieces.tolist() == expected
    assert counts.n_unknown[0] == 0 < counts.n_unknown[1]
    unknown = counts.n_unknown.sum() / counts.n_pieces.sum()
    assert vocabulary.count_pieces(texts).unknown_share == pytest.approx(unknown)


def test_a_made_up_script_has_no_piece(vocabulary: Vocabulary) -> None:
    facts = measure_pieces(vocabulary, ["\ue000\ue001 \ue002\ue003"])
    assert (facts.unknown, facts.script) == (1, 0)


@pytest.mark.parametrize(
    ("changes", "verdict", "why"),
    [
        ({}, "green", ""),
        ({"trained": None}, "green", ""),
        ({"trained": False}, "amber", "The encoder was not trained on it."),
        ({"unknown": 0.021}, "amber", "2.1\u00a0% of pieces are unknown."),
        ({"unknown": 0.12}, "red", "12\u00a0% of pieces are unknown."),
        ({"unknown": 0.05, "pieces": 1.0, "per": "character"}, "green", ""),
        (
            {"script": 0.5},
            "red",
            "Only 50\u00a0% of its letters are in the vocabulary.",
        ),
        ({"zero": 0.2}, "red", "20\u00a0% of sentences have no vector."),
        ({"hubs": 0.05}, "amber", "5.0\u00a0% of sentences are hubs."),
        ({"hubs": None, "unknown": None, "pieces": None, "script": None}, "green", ""),
        ({"unknown": 0.2, "pieces": None, "script": None}, "green", ""),
        ({"unknown": 0.7, "pieces": None}, "red", "70\u00a0% of words are unknown."),
        ({"pieces": 3.75}, "amber", "It needs 3.8 pieces per word."),
        ({"n": 12}, "amber", "Only 12 sentences were measured."),
        ({"n": 1}, "amber", "Only 1 sentence was measured."),
    ],
)
def test_a_verdict_has_its_reason(
    changes: dict[str, object], verdict: str, why: str
) -> None:
    coverage = msgspec.structs.replace(GOOD, **changes)
    assert assess_coverage(coverage) == (verdict, why)


def test_red_reasons_come_before_amber_ones() -> None:
    coverage = msgspec.structs.replace(GOOD, unknown=0.9, script=0.1, trained=False)
    why = (
        "90\u00a0% of pieces are unknown and only 10\u00a0% of its letters are in the "
    )
    assert assess_coverage(coverage) == ("red", f"{why}vocabulary.")


@pytest.mark.parametrize(
    ("language", "trained", "expected"),
    [
        ("de", ("deu", "en"), True),
        ("pt-BR", ("por",), True),
        ("zh-Hant", ("cmn",), True),
        ("ar-Latn", ("ar",), False),
        ("sr-Cyrl", ("sr",), True),
        ("sw", ("de",), False),
        ("sw", (), None),
    ],
)
def test_training_languages_are_told_by_language_and_script(
    language: str, trained: tuple[str, ...], expected: bool | None
) -> None:
    assert is_trained_on(language, trained) is expected
