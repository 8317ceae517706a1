"""Detection of a combined encoder's languages by their letters."""

import math

import numpy as np
import pytest

from app.engine.encoders.combined.language_router import (
    SMOOTHING,
    LanguageRouter,
    _hash_ngrams,
    make_profile,
)
from tests.engine.training.synthetic import make_pairs

ENGLISH = [
    "the ship leaves the harbour in the morning",
    "we saw the light of the old tower",
    "nobody knows who wrote this letter",
    "the children are playing in the garden",
] * 5
WELSH = [
    "mae'r llong yn gadael yr harbwr yn y bore",
    "gwelsom olau'r hen dŵr ddoe",
    "does neb yn gwybod pwy ysgrifennodd y llythyr",
    "mae'r plant yn chwarae yn yr ardd",
] * 5
MADE = [foreign for _, foreign in make_pairs(200)]


def router(*, is_base_multilingual: bool = False) -> LanguageRouter:
    added = {"cy": make_profile(WELSH), "xx": make_profile(MADE)}
    return LanguageRouter(
        make_profile(ENGLISH), added, is_base_multilingual=is_base_multilingual
    )


def test_texts_reach_the_encoder_of_their_language() -> None:
    texts = ["the garden of the tower", "yr ardd ger y llong", MADE[0], "letter"]
    assert router().route(texts).tolist() == [-1, 0, 1, -1]


@pytest.mark.parametrize("text", ["", "   ", "12:30", "…?!", "🙂"])
def test_a_text_without_letters_goes_to_the_base(text: str) -> None:
    assert router().route([text]).tolist() == [-1]


def test_a_text_of_an_unseen_language_stays_with_a_multilingual_base() -> None:
    georgian = "ბავშვები ბაღში თამაშობენ და მღერიან ყოველ დილით"
    assert router(is_base_multilingual=True).route([georgian, MADE[1]]).tolist() == [
        -1,
        1,
    ]


def test_no_text_and_lone_surrogates_are_routed() -> None:
    assert len(router().route([])) == 0
    assert len(router().route(["ba\ud800do", "\udfff"])) == 2


def test_shares_are_those_of_counted_ngrams() -> None:
    profile = make_profile(["ab"])
    # " a", "ab", "b " and so on: 2 letters, 3 bigrams, 2 trigrams with a letter
    grams = _hash_ngrams(["ab"])
    assert len(grams.buckets) == 7
    counts = np.bincount(grams.buckets, minlength=len(profile.log_shares))
    total = 7 + SMOOTHING * len(profile.log_shares)
    expected = [math.log((count + SMOOTHING) / total) for count in counts]
    assert profile.log_shares == pytest.approx(np.array(expected), abs=1e-5)


def test_no_ngram_crosses_two_texts() -> None:
    apart = [_hash_ngrams([text]).buckets.tolist() for text in ("ab", "cd")]
    together = _hash_ngrams(["ab", "cd"])
    for i, alone in enumerate(apart):
        found = together.buckets[together.text_ids == i].tolist()
        assert sorted(found) == sorted(alone)


def test_saved_arrays_make_the_same_router() -> None:
    first = router(is_base_multilingual=True)
    again = LanguageRouter.from_arrays(
        first.arrays(), first.languages, is_base_multilingual=True
    )
    texts = [*ENGLISH, *WELSH, *MADE]
    assert again.route(texts).tolist() == first.route(texts).tolist()
    with pytest.raises(KeyError):
        LanguageRouter.from_arrays(
            first.arrays(), ["cy", "fr"], is_base_multilingual=True
        )
