"""Words, prefixes, endings and phrases are found where they stand."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.words.index import WordIndex
from app.engine.words.patterns import find_places, parse_pattern
from app.errors import UserError
from tests.engine.words.made import make_index

SENTENCES = ["Das Haus am See", "das Haustier im Haus", "HÄUSER und häuser", ""]


@pytest.fixture(scope="module")
def index() -> WordIndex:
    return make_index([text.split() for text in SENTENCES])


def found(index: WordIndex, text: str, *, case: bool = False) -> list[tuple[int, int]]:
    firsts, lasts = find_places(index, parse_pattern(text, case=case))
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "firsts"),
    [
        ("haus", [1, 7]),
        ("Haus", [1, 7]),
        ("haus*", [1, 5, 7]),
        ("h*", [1, 5, 7, 8, 10]),
        ("*tier", [5]),
        ("*ä*", [8, 10]),
        ("*us*i*r*", [5]),
        ("das haus*", [0, 4]),
        ("das * am", [0]),
        ("haus, am!", [1]),
        ("see das", []),  # not across sentences
        ("nirgends", []),
        ("nirgends haus", []),
    ],
)
def test_words_are_found_in_the_order_of_the_text(
    index: WordIndex, text: str, firsts: list[int]
) -> None:
    hits = found(index, text)
    assert [first for first, _ in hits] == firsts
    assert all(last - first == len(text.split()) - 1 for first, last in hits)


@pytest.mark.parametrize(
    ("text", "firsts"),
    [("Haus", [1, 7]), ("haus", []), ("H*", [1, 5, 7, 8]), ("*ER", [8]), ("das", [4])],
)
def test_capitals_can_count(index: WordIndex, text: str, firsts: list[int]) -> None:
    assert [first for first, _ in found(index, text, case=True)] == firsts


@pytest.mark.parametrize("text", ["", "  ", "*", "* *", "!?", "**"])
def test_what_is_empty_or_finds_every_word_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="Enter a word"):
        parse_pattern(text)


def test_one_letter_is_a_word_and_a_prefix(index: WordIndex) -> None:
    assert found(index, "a") == []
    assert found(index, "a*") == [(2, 2)]


def test_a_regular_expression_finds_words(index: WordIndex) -> None:
    firsts, _ = find_places(index, parse_pattern("^[Hh].*us$", "regex"))
    assert firsts.tolist() == [1, 7]
    with pytest.raises(UserError, match="Invalid regular expression"):
        parse_pattern("(", "regex")


def test_an_expression_that_explodes_is_told() -> None:
    index = make_index([["a" * 60 + "b"]])
    with pytest.raises(UserError, match="takes too long"):
        find_places(index, parse_pattern(r"^(a|a)*$", "regex"))


def test_lemmas_and_parts_of_speech_are_asked_for_by_name() -> None:
    went = make_index([["He", "went", "home"]], lemmas=[["he", "go", "home"]])
    assert found(went, "lemma:go") == [(1, 1)]
    assert found(went, "pos:x home") == [(1, 2)]
    assert found(went, "lemma:g* home") == [(1, 2)]


def test_a_corpus_without_lemmas_says_so(index: WordIndex) -> None:
    with pytest.raises(UserError, match=r"made has no lemmas.*CoNLL-U"):
        found(index, "lemma:gehen")
    with pytest.raises(UserError, match=r"Search for words without pos:"):
        found(index, "pos:VERB")


def test_what_elides_is_typed_as_one_word() -> None:
    french = make_index([["l'", "eau"], ["eau"]], language="fr")
    assert found(french, "l'eau") == [(0, 1)]
    assert found(french, "l'") == [(0, 0)]


def test_text_without_spaces_is_found_however_it_was_cut() -> None:
    index = make_index([["天气", "预报"], ["天气预报"], ["天", "气"]], language="zh")
    adjoining = {"begins": [0, 2, 0, 0, 1], "ends": [2, 4, 4, 1, 2]}
    for name, values in adjoining.items():
        getattr(index, name)[:] = values
    assert found(index, "天气预报") == [(0, 1), (2, 2)]
    assert found(index, "天气") == [(0, 0), (3, 4)]


def test_cut_words_that_stand_apart_are_not_one() -> None:
    assert found(make_index([["天", "气"]], language="zh"), "天气") == []


WORD = st.sampled_from(["a", "ab", "Ab", "b", "ba", "c"])


@given(
    st.lists(st.lists(WORD, max_size=5), max_size=5),
    st.lists(st.sampled_from(["a", "ab", "a*", "*b", "*", "B*", "*a*"]), max_size=3),
)
def test_phrases_are_those_that_a_scan_finds(
    sentences: list[list[str]], slots: list[str]
) -> None:
    slots = [*slots, "a*"]
    tests = [re.compile(slot.lower().replace("*", ".*")) for slot in slots]
    wanted, first = [], 0
    for words in sentences:
        for index in range(len(words) - len(slots) + 1):
            some = words[index : index + len(slots)]
            pairs = zip(tests, some, strict=True)
            if all(test.fullmatch(word.lower()) for test, word in pairs):
                wanted.append((first + index, first + index + len(slots) - 1))
        first += len(words)
    assert found(make_index(sentences), " ".join(slots)) == wanted
