import unicodedata
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.text.normalisation import (
    REPAIRED_CONTROL,
    REPAIRED_FORM,
    clean_text,
    clean_texts,
    escape_controls,
    near_hashes,
    near_key,
    text_hashes,
)


@pytest.mark.parametrize(
    ("text", "expected", "reason"),
    [
        ("plain", "plain", ""),
        ("  spaces \t", "spaces", ""),
        ("a\tb\r\nc\u2028d", "a b c d", ""),
        ("a\x00b\x1b\ufeffc", "abc", REPAIRED_CONTROL),
        ("e\u0301", "é", REPAIRED_FORM),
        ("می\u200cخواهم", "می\u200cخواهم", ""),
        ("a\u00a0b", "a\u00a0b", ""),
        ("\x00", "", REPAIRED_CONTROL),
    ],
)
def test_text_is_cleaned(text: str, expected: str, reason: str) -> None:
    assert clean_text(text) == (expected, reason)
    assert clean_texts([text]) == ([expected], {0: reason} if reason else {})


@given(st.lists(st.text(max_size=8), max_size=8))
def test_a_block_is_cleaned_as_its_texts_are(texts: list[str]) -> None:
    cleaned, repaired = clean_texts(texts)

    assert cleaned == [clean_text(text)[0] for text in texts]
    assert all(unicodedata.is_normalized("NFC", text) for text in cleaned)
    assert repaired == {
        index: reason
        for index, text in enumerate(texts)
        if (reason := clean_text(text)[1])
    }


def test_hash_is_blake2b_signed_little_endian() -> None:
    digest = blake2b("café".encode(), digest_size=8).digest()

    hashes = text_hashes(["café", "tea"])

    assert hashes[0] == int.from_bytes(digest, "little", signed=True)
    assert len(text_hashes([])) == 0


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        ("Hello, world!", "hello world", True),
        ("Straße", "STRASSE.", True),
        ("你好。", "你好", True),
        ("कि", "का", False),  # they differ in a mark only
        ("a1", "a2", False),
        ("!!!", "???", False),
    ],
)
def test_near_texts_share_a_key(one: str, other: str, is_near: bool) -> None:
    assert (near_key(one) == near_key(other)) == is_near
    hashes = near_hashes([one, other])
    assert (hashes[0] == hashes[1]) == is_near


def test_marks_that_turn_a_name_around_are_shown_as_codes() -> None:
    assert escape_controls("report\u202efdp.txt\x1b") == "report\\u202efdp.txt\\u001b"
    assert escape_controls("\u05e9\u05dc\u05d5\u05dd \u200f1") == "שלום \u200f1"
