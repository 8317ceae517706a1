"""Names of imported corpora: as their files, without ending and language."""

from pathlib import Path

import pytest

from app.languages import strip_language
from app.params.corpora import name_corpora


@pytest.mark.parametrize(
    ("file", "code", "name"),
    [
        ("letters.txt", "en", "letters"),
        ("letters.en.txt", "en", "letters"),
        ("letters_en.txt.gz", "en", "letters"),
        ("letters.en", "en", "letters"),
        ("letters.de.txt", "en", "letters.de"),
        ("en.txt", "en", "en"),
        ("news.deu.txt", "de", "news"),
        ("news.zh-Hans.tsv", "zh-Hans", "news"),
        ("news.en-de.tsv", "en", "news.en-de"),
        ("version 1.2.txt", "en", "version 1.2"),
        ("7.txt", "en", "7.txt"),
        ("7.txt.gz", "en", "7.txt"),
        ("7.en.txt", "en", "7.en"),
    ],
)
def test_a_corpus_is_called_as_its_file_but_by_no_id(
    file: str, code: str, name: str
) -> None:
    assert name_corpora([Path(file)], [code]) == [name]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["letters.en.txt", "letters.de.txt"], ["letters.en", "letters.de"]),
        (["letters.en", "letters.de"], ["letters.en", "letters.de"]),
        (["letters.txt", "Briefe.txt"], ["letters", "Briefe"]),
        (["news.en-de.tsv", "news.en-de.tsv"], ["news.en", "news.de"]),
        (["news.tsv.xz", "news.tsv.xz"], ["news.en", "news.de"]),
        (["press_en_de.tsv", "press_en_de.tsv"], ["press.en", "press.de"]),
    ],
)
def test_sides_keep_their_language_where_their_names_are_equal(
    files: list[str], names: list[str]
) -> None:
    assert name_corpora([Path(file) for file in files], ["en", "de"]) == names


def test_only_languages_of_the_text_are_stripped() -> None:
    assert strip_language("made.in", ["en"]) == "made.in"
    assert strip_language("news_en-de", ["de", "en"]) == "news"
    assert strip_language(".en", ["en"]) == ".en"
    assert strip_language("press_en_de_ru", ["en", "de", "ru"]) == "press"
    assert strip_language("press_en_de_ru", ["de", "ru"]) == "press_en"
