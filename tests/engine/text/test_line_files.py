"""Names of pair files and of the languages in them."""

from pathlib import Path

import pytest

from app.engine.text.line_files import describe_pair_file, describe_texts


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("deu", "German"),
        ("eng-deu", "English – German"),
        ("ar-en.1-4", "Arabic – English"),
        ("en-zh-Hans.set3", "English – Chinese (Simplified)"),
        ("eng-deu.news", "English – German (news)"),
        ("letters", "letters"),
    ],
)
def test_texts_are_named_by_languages_without_ids(name: str, expected: str) -> None:
    assert describe_texts(name) == expected


def test_only_files_that_the_project_wrote_are_named_by_languages() -> None:
    assert describe_pair_file(Path("work/en-de.1-2.tsv")) == "English – German"
    assert describe_pair_file(Path("work/en-de.set3.tsv")) == "English – German"
    assert describe_pair_file(Path("mine/eng-deu.tsv.xz")) == "eng-deu.tsv.xz"
