"""Words in Latin letters and their n-grams, by hand and by slow references."""

import numpy as np
import pytest

from app.engine.encoders.static.table_rows import (
    NGRAM_SIZES,
    Romaniser,
    Words,
    distinct_words,
    make_romaniser,
    ngram_rows,
)


@pytest.fixture(scope="module")
def romaniser() -> Romaniser:
    return make_romaniser()


def spell(words: Words) -> list[list[str]]:
    """Write words as text, without their marks, a list for each text."""
    spelled, end = [], 0
    for size in words.sizes:
        spelled.append("".join(map(chr, words.codes[end + 1 : end + size - 1])))
        end += size
    ends = np.cumsum(words.lengths)
    return [spelled[end - n : end] for end, n in zip(ends, words.lengths, strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tom's 3 Hunde", ["toms", "3", "hunde"]),
        ("Том", ["tom"]),
        ("ΑΘΗΝΑ", ["athina"]),
        ("Ｔｏｍ", ["tom"]),
        ("漢字かな abc", ["漢", "字", "か", "な", "abc"]),
        ("naïve—café", ["naive", "cafe"]),
        ("", []),
        ("…?! 🙂", []),
        ("a\nb", ["a", "b"]),
        ("\ud800x", ["x"]),
        ("co\u00adoperate", ["cooperate"]),
    ],
)
def test_text_becomes_words_of_latin_letters(
    romaniser: Romaniser, text: str, expected: list[str]
) -> None:
    assert spell(romaniser.split([text])) == [expected]


def test_words_stay_with_their_text(romaniser: Romaniser) -> None:
    words = romaniser.split(["", "ab c", "…", "漢字", ""])
    assert spell(words) == [[], ["ab", "c"], [], ["漢", "字"], []]


def test_no_texts_have_no_words(romaniser: Romaniser) -> None:
    assert len(romaniser.split([]).lengths) == 0


def test_stored_table_gives_the_same_words(romaniser: Romaniser) -> None:
    texts = ["Том и Μαρία", "Նա"]
    again = Romaniser({name: array.copy() for name, array in romaniser.arrays.items()})
    assert spell(again.split(texts)) == spell(romaniser.split(texts))


def test_equal_words_are_kept_once(romaniser: Romaniser) -> None:
    words = romaniser.split(["la casa", "casa la casa"])
    distinct, word_ids = distinct_words(words)
    kept = spell(distinct)[0]
    assert sorted(kept) == ["casa", "la"]
    assert [kept[i] for i in word_ids] == ["la", "casa", "casa", "la", "casa"]


def slow_row(ngram: str, n_ngrams: int) -> int:
    """Hash one n-gram as `ngram_rows` says, letter by letter."""
    value = 0
    for letter in ngram:
        value = value * 0x01000193 & 0xFFFFFFFF
        value ^= ord(letter) * 0x9E3779B1 & 0xFFFFFFFF
    value = value + len(ngram) & 0xFFFFFFFF
    value ^= value >> 15
    value = value * 0x85EBCA77 & 0xFFFFFFFF
    value ^= value >> 13
    value = value * 0xC2B2AE35 & 0xFFFFFFFF
    value ^= value >> 16
    return value % n_ngrams


def test_ngrams_are_those_of_the_marked_word(romaniser: Romaniser) -> None:
    rows, counts = ngram_rows(romaniser.split(["haus a Ж"]), 1000)
    marked = ["<haus>", "<a>", "<zh>"]
    expected = [
        [
            slow_row(word[i : i + n], 1000)
            for n in NGRAM_SIZES
            for i in range(len(word) - n + 1)
        ]
        for word in marked
    ]
    assert counts.tolist() == [len(rows) for rows in expected]
    assert rows.tolist() == [row for rows in expected for row in rows]
