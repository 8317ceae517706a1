"""What a word is in each script, which rows it has, and its n-grams."""

from pathlib import Path
from zlib import crc32

import pytest

from app.engine.text.word_vocabulary import (
    WORD_BEGIN,
    WORD_END,
    WORDS_FILE,
    WordVocabulary,
    count_words,
    load_word_vocabulary,
    most_frequent,
    split_words,
    word_ngrams,
    write_words,
)
from app.errors import UserError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The CAT, 2nd.", ["the", "cat", ",", "2nd", "."]),
        ("Straße", ["strasse"]),
        ("ﬁn ｂ", ["fin", "b"]),
        ("我爱你。", ["我", "爱", "你", "。"]),
        ("カメラです", ["カ", "メ", "ラ", "で", "す"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("한국어 말", ["한국어", "말"]),
        ("iPhone用 10個", ["iphone", "用", "10", "個"]),
        ("👍🏽!", ["👍", "🏽", "!"]),
        ("a\u2028b\tc\n", ["a", "b", "c"]),
        ("\ud800x", ["\ufffd", "x"]),
        ("", []),
        (" \u3000", []),
    ],
)
def test_text_is_cut_into_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_no_more_words_than_asked_for() -> None:
    assert split_words("a b c d", 2) == ["a", "b"]


def test_known_words_have_their_row_and_others_a_hashed_one() -> None:
    words = WordVocabulary(["the", "cat"])
    hashed = 2 + crc32(b"dog") % 10
    assert words.rows(["cat", "dog", "the"], 10).tolist() == [1, hashed, 0]


def test_ngrams_are_three_and_four_characters_with_marks() -> None:
    begin, end = WORD_BEGIN, WORD_END
    assert word_ngrams("abc") == [
        *(f"{begin}ab", "abc", f"bc{end}"),
        *(f"{begin}abc", f"abc{end}"),
    ]
    assert word_ngrams("a") == [f"{begin}a{end}"]


def test_ngrams_are_hashed_into_rows() -> None:
    rows, lengths = WordVocabulary(["x"]).ngrams(["a", "abc"], 1000)
    expected = [
        crc32(ngram.encode()) % 1000
        for word in ("a", "abc")
        for ngram in word_ngrams(word)
    ]
    assert rows.tolist() == expected
    assert lengths.tolist() == [1, 5]


def test_share_of_unknown_words_is_counted() -> None:
    words = WordVocabulary(["the", "cat"])
    assert words.count_pieces(["The cat sat", ""]).unknown_share == pytest.approx(1 / 3)
    assert words.count_pieces([""]).unknown_share == 0
    assert words.count_pieces(["the dog", ""]).n_unknown.tolist() == [1, 0]


def test_most_frequent_words_come_first_and_equal_ones_by_letter() -> None:
    assert most_frequent(count_words(["b a c", "b c"]), 2) == ["b", "c"]


def test_written_words_are_read_again(tmp_path: Path) -> None:
    (tmp_path / WORDS_FILE).write_bytes(write_words(["été", "我"]))
    assert load_word_vocabulary(tmp_path).rows(["我"], 0).tolist() == [1]


@pytest.mark.parametrize(
    "content", [None, b"", b"a\nb", b"a\na\n", b"\xff\xfe\n"], ids=repr
)
def test_missing_or_damaged_words_are_a_users_error(
    tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / WORDS_FILE).write_bytes(content)
    with pytest.raises(UserError, match=r"words\.txt"):
        load_word_vocabulary(tmp_path)
