"""Distinctive words of sentences, by hand."""

import math
from collections import Counter

import pytest

from app.engine.projection import distinctive_words
from app.engine.projection.distinctive_words import (
    count_word_sentences,
    find_distinctive_words,
    find_function_words,
    find_listed_words,
    find_words_of_groups,
)
from app.engine.words import tokenizer


def test_a_word_counts_once_a_sentence_and_signs_do_not() -> None:
    counts = count_word_sentences(["Rain, rain! 42", "rain ... and Snow"])
    assert counts == Counter({"rain": 2, "and": 1, "snow": 1})


def test_the_log_odds_ratio_worked_out_by_hand() -> None:
    own, others = Counter(rain=6, the=4), Counter(snow=6, the=4)
    (rain,) = find_distinctive_words(own, others, 5)
    # the prior: 5 of 20 words, of rain 1.5: 7.5 of 15 words here and 1.5 of 15 there
    wanted = math.log(7.5 / 7.5) - math.log(1.5 / 13.5)
    assert rain.z == pytest.approx(wanted / math.sqrt(1 / 7.5 + 1 / 1.5))
    assert (rain.word, rain.n, rain.n_others) == ("rain", 6, 0)


def test_each_group_is_marked_against_the_others() -> None:
    groups = [Counter(rain=6, the=4), Counter(snow=6, the=4), Counter(law=6, the=4)]
    marked = find_words_of_groups(groups, 1)
    assert [[word.word for word in group] for group in marked] == [
        ["rain"],
        ["snow"],
        ["law"],
    ]


def test_a_frequent_word_yields_to_one_that_is_only_here() -> None:
    own, others = Counter(the=400, ferry=50), Counter(the=7_000, law=9_000)
    found = find_distinctive_words(own, others, 2)
    assert [word.word for word in found] == ["ferry", "the"]


def test_a_function_word_comes_after_a_word_of_the_subject() -> None:
    own, others = Counter(you=18, bus=6, a=76), Counter(you=42, bus=4, a=954)
    you, bus = sorted(find_distinctive_words(own, others, 2), key=lambda w: w.word)[
        ::-1
    ]
    assert you.z > bus.z  # it is much surer to be more frequent here
    # but ln(1 + 100/60) is less than a half of ln(1 + 100/10)
    found = find_distinctive_words(own, others, 2)
    assert [word.word for word in found] == ["bus", "you"]


def test_frequent_words_of_a_language_with_enough_sentences_are_function_words() -> (
    None
):
    counts = Counter(the=150, you=7, ferry=5)
    assert find_function_words(counts, 200, "") == {"the", "you"}
    assert find_function_words(counts, 99, "") == set()


def test_a_list_names_function_words_however_rare_they_are() -> None:
    counts = Counter({"near": 2, "don’t": 1, "ferry": 90, "he's": 3})
    assert find_function_words(counts, 10, "en") == {"near", "don’t", "he's"}
    assert "ferry" not in find_function_words(counts, 200, "en")  # a subject, not “the”


@pytest.mark.parametrize(
    ("language", "listed", "others"),
    [
        ("de", ["wird", "diesem"], ["regen"]),
        ("fr", ["l’", "qu'", "avez-vous"], ["arc-en-ciel"]),
        ("el", ["κανείσ", "ότι"], ["θάλασσα"]),  # the list has no accents
        ("nb", ["ikke"], ["fjord"]),
        ("zh-Hans", ["我们"], ["学校"]),
        ("mi", [], ["te"]),  # no list
    ],
)
def test_function_words_are_listed_as_each_language_writes_them(
    language: str, listed: list[str], others: list[str]
) -> None:
    assert find_listed_words([*listed, *others], language) == set(listed)


def test_with_a_short_list_frequent_words_are_function_words_too() -> None:
    counts = Counter({"क्या": 12, "की": 2, "बारिश": 3})
    assert find_function_words(counts, 200, "hi") == {"क्या", "की"}


def test_words_of_a_script_without_spaces_are_found_with_icu() -> None:
    assert count_word_sentences(["学校に行く", "雨 in 学校!"]) == Counter(
        {"学校": 2, "行く": 1, "雨": 1, "in": 1}
    )


def test_without_icu_two_letters_of_a_script_without_spaces_are_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (tokenizer, distinctive_words):
        monkeypatch.setattr(module, "unspaced_segmenter", lambda: "characters")
    assert count_word_sentences(["学校に行く", "in 学校!"]) == Counter(
        {"学校": 2, "校に": 1, "に行": 1, "行く": 1, "in": 1}
    )


def test_an_apostrophe_ends_a_word_in_languages_that_elide() -> None:
    assert count_word_sentences(["L’eau"], "fr") == Counter({"l’": 1, "eau": 1})
    assert count_word_sentences(["Don’t"], "en") == Counter({"don’t": 1})


def test_nothing_marks_all_against_nothing() -> None:
    assert find_distinctive_words(Counter(rain=6), Counter(), 5) == []
    assert find_distinctive_words(Counter(rain=6), Counter(rain=4), 5) == []
