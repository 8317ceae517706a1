"""Fields in names, words in texts: whatever the names and texts are."""

import unicodedata
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.text.documents import (
    DocumentCheck,
    FileNamePattern,
    SourceDocument,
    read_number,
)
from app.engine.text.normalisation import clean_text
from app.engine.text.token_annotations import SourceToken, SourceWord, locate_words

names = st.text(
    st.characters(exclude_categories=("C", "Z"), exclude_characters="/_{}"), min_size=1
).map(lambda text: unicodedata.normalize("NFC", text)).filter(
    lambda text: "_" not in text and text.strip(".") and text.strip() == text
)  # fmt: skip


@given(names, names, st.integers(0, 2100))
def test_fields_that_were_put_into_a_name_are_read_out_of_it(
    genre: str, author: str, year: int
) -> None:
    path = PurePosixPath("corpora", genre, f"{author}_{year}")
    found = FileNamePattern("{genre}/{author}_{year}").match(path)
    assert found == {"genre": genre, "author": author, "year": str(year)}


@pytest.mark.parametrize(
    ("pattern", "name", "fields"),
    [
        ("{author}_{year}", "von_Arnim_1820", {"author": "von_Arnim", "year": "1820"}),
        ("{author}_{year}", "a/b/Keller_n.d.", {"author": "Keller", "year": "n.d."}),
        ("{author}_{year}", "von_Arnim_undated", None),  # where does the author end?
        ("{author}_{name}", "von_Arnim_I", {"author": "von", "name": "Arnim_I"}),
        ("{genre}/{_}", "Roman/x", {"genre": "Roman"}),
        ("{genre}/{_}", "x", None),
        ("{title} ({year})", "K, T (1)", {"title": "K, T", "year": "1"}),
        ("{author}.{n}", "K-3", None),
    ],
)  # fmt: skip
def test_a_pattern_stands_for_the_end_of_a_path(
    pattern: str, name: str, fields: dict[str, str] | None
) -> None:
    assert FileNamePattern(pattern).match(PurePosixPath(name)) == fields


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=8))
def test_words_that_were_joined_are_found_again_or_not_at_all(forms: list[str]) -> None:
    text = clean_text(" ".join(forms))[0]
    tokens = [SourceToken(form, (SourceWord(form, "", ""),)) for form in forms]
    found = locate_words(text, tokens)
    if all(form.isalpha() and clean_text(form)[0] == form for form in forms):
        assert found is not None
    for start, end, form, _, _ in found or ():
        assert text[start:end] == form


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("1854", "1854"),
        ("1854.0", "1854"),
        ("-44", "-44"),
        ("१८५४", "१८५४"),
        ("1854.5", ""),
        ("18540302", ""),
        ("inf", ""),
        ("1_854", ""),
        ("1854?", ""),
    ],
)
def test_a_year_is_a_whole_number(value: str, kept: str) -> None:
    assert read_number(value, is_whole=True) == kept


def test_a_field_declared_as_a_number_is_told_where_it_is_none() -> None:
    check = DocumentCheck(["Seiten"])
    kept = check.keep(
        SourceDocument("Heft", (("Seiten", "viele"), ("Ort", " Bern "), ("x", "")))
    )
    assert kept == SourceDocument("Heft", (("Ort", "Bern"),))
    told = "Heft: 'viele' is not a number, so it has no field Seiten."
    assert check.problems == [told]
