"""Each filter by hand; a recipe runs only uncached filters."""

from pathlib import Path

import pytest

from app.engine.mining import filters
from app.engine.mining.filters import (
    BitextTexts,
    apply_filter,
    find_names,
    find_numbers,
)
from app.engine.mining.recipe import MaskCache, PairSet, run_recipe, texts_set
from app.engine.runtime.report import Report
from app.engine.text.scripts import script_share
from app.errors import UserError
from app.params.filters import format_filter, parse_filter, parse_recipe


def kept(line: str, source: str, target: str, languages: str = " ") -> bool:
    texts = BitextTexts([source], [target], *languages.split(" "))
    return bool(apply_filter(texts, parse_filter(line))[0])


@pytest.mark.parametrize(
    ("line", "source", "target", "expected"),
    [
        ("length", "Hafen", "harbour", True),
        ("length min=6", "Hafen", "harbour", False),
        ("length max=6", "Hafen", "harbour", False),
        ("length", "", "harbour", False),
        ("ratio max=2", "aaaa", "bb", True),
        ("ratio max=2", "aaaaa", "bb", False),
        ("ratio max=2 usual=0.35", "a harbour town", "港口城市", True),
        ("ratio max=2", "a harbour town", "港口城市", False),
        ("identity", "The Harbour!", "the harbour", False),
        ("identity", "the harbour", "der Hafen", True),
        ("identity similar=0.8", "the harbour of Kiel", "the harbour of Köln", False),
        ("numbers", "7 boats in 1,990", "1990: 7 Boote", True),
        ("numbers", "7 boats", "8 Boote", False),
        ("numbers max=1", "7 boats", "8 Boote", True),
        ("numbers", "७ नावें", "7 boats", True),
        ("numbers", "3 of 3", "3", False),
        ("names", "In Kiel lives Anna", "Hier wohnt Anna in Kiel", True),
        ("names", "He met Anna there", "Er traf Peter dort", False),
        ("names", "He met Anna there", "Anna traf ihn dort", True),
        ("names", "He met Anna there", "Он встретил Анну там", True),
        ("names", "where is it", "wo ist das", True),
        ("addresses", "see www.a.org.", "siehe www.a.org", True),
        ("addresses", "mail x@a.org", "mail y@a.org", False),
        ("regex pattern=^<", "<b>", "b", False),
        ("regex pattern=^< side=target", "<b>", "b", True),
        ("regex pattern=b$ action=keep", "ab", "cb", True),
        ("regex pattern=b$ action=keep side=target", "ab", "ca", False),
        ("regex 'pattern=\\p{Greek}' action=keep", "ab", "cα", True),
    ],
)
def test_a_filter_keeps_what_it_says(
    line: str, source: str, target: str, expected: bool
) -> None:
    assert kept(line, source, target) is expected


def test_a_pattern_that_takes_for_ever_is_refused() -> None:
    with pytest.raises(
        UserError, match=r"takes more than 0.5\u00a0s on one text \('aaaa"
    ):
        kept("regex 'pattern=^(a|a)*$'", "a" * 40 + "!", "b")


def test_addresses_are_found_in_a_long_word_at_once() -> None:
    assert kept("addresses", "a" * 200_000, "b")  # minutes, if each letter began one


def test_scripts_are_those_of_the_languages() -> None:
    assert kept("script", "Привет", "Hello", "ru en")
    assert not kept("script", "Privet", "Hello", "ru en")
    assert kept("script", "Privet", "Hello", "xx en")  # nothing is known of xx
    assert script_share("Киев is", "Cyrl") == pytest.approx(4 / 6)
    assert script_share("123", "Cyrl") == 1


def test_a_language_is_held_against_a_text_only_when_it_is_plain() -> None:
    german, english = "Wo ist denn hier der Bahnhof, bitte?", "Where is the station?"
    assert kept("language", german, english, "de en")
    assert not kept("language", english, english, "de en")
    assert kept("language", "Radio", "Radio", "de en")
    assert kept("language", german, english)


def test_numbers_and_names_are_found_in_any_script() -> None:
    assert dict(find_numbers("١٬٠٠٠ and 1.000 and ３")) == {"1000": 2, "3": 1}
    assert find_names("Yesterday Anna met Пётр. She left") == ["anna", "petr"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("shade", "Unknown filter 'shade'. Filters: length, ratio"),
        ("length 3", "'3' is not a parameter. Write name=value"),
        ("length min=300 max=3", "min 300 is above max 3"),
        ("length min=x", r"'length min=x', min: it must be a whole number\."),
        ("length least=3", "there is no least"),
        ("regex", "pattern: it is missing"),
        ("regex pattern='", "Can't read the filter .*: No closing quotation"),
    ],
)
def test_a_line_that_is_no_filter_is_refused(line: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_filter(line)


def test_a_filter_comes_back_from_its_line() -> None:
    for line in ("length max=9", "regex 'pattern=a b' side=source", "ratio max=3.0"):
        assert format_filter(parse_filter(line)) == line
    assert parse_recipe(["", " numbers"]) == [parse_filter("numbers")]


TEXTS = BitextTexts(["one 1", "two 2", "three 3"], ["eins 1", "zwei 3", "drei 3 drei"])


def test_a_recipe_says_what_each_step_did() -> None:
    recipe = parse_recipe(["numbers", "length max=7", "ratio max=1"])
    result = run_recipe(texts_set(TEXTS), recipe, MaskCache(), Report())
    assert result.kept.tolist() == [False, False, False]
    told = [(s.n_left, s.n_removed, s.n_alone, s.examples) for s in result.steps]
    assert told == [(2, 1, 1, [1]), (1, 1, 1, [2]), (0, 1, 3, [0])]


def test_only_changed_steps_look_at_the_texts(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    whole = texts_set(TEXTS)

    def read(start: int, end: int) -> BitextTexts:
        seen.append((start, end))
        return whole.read(start, end)

    pairs = PairSet(whole.key, whole.n, read)
    for shelf, lines, n_looks in (
        (MaskCache(tmp_path), ["numbers", "length"], 2),
        (MaskCache(tmp_path), ["length", "numbers"], 0),  # from the folder
        (MaskCache(tmp_path), ["numbers", "length max=7"], 1),
        (MaskCache(), ["numbers"], 1),
    ):
        seen.clear()
        run_recipe(pairs, parse_recipe(lines), shelf, Report())
        assert len(seen) == n_looks


def test_other_languages_are_other_pairs() -> None:
    named = TEXTS._replace(source_language="en")
    assert texts_set(TEXTS).key != texts_set(named).key


def test_a_pattern_that_is_slow_in_many_pairs_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(filters, "SEARCH_ALL_S", 0.0)

    with pytest.raises(UserError, match=r"takes too long: .*\u00a0s for 1 pair\."):
        kept("regex 'pattern=(?:a?){18}a{18}$'", "a" * 17 + "b", "b")
