"""The samples hold what their README says."""

import csv
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from app.languages import language_script
from app.paths import resource_dir

FILES = sorted((resource_dir() / "samples").glob("*.tsv"))
LANGUAGES = {"ar", "de", "el", "en", "es", "fr", "hi", "ja", "ru", "sw", "tr", "zh"}
TOPICS = {"weather", "health", "sport", "food", "travel", "work"}
GOLD = {f"g{number:02}" for number in range(1, 61)}

each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def read_rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        assert table.fieldnames == ["text", "topic", "gold"]
        return list(table)


def test_there_are_twelve_languages_in_at_least_six_scripts() -> None:
    assert {file.stem for file in FILES} == LANGUAGES
    assert len({language_script(code) for code in LANGUAGES}) >= 6


@each_file
def test_every_language_has_sentences_enough_in_every_topic(file: Path) -> None:
    rows = read_rows(file)
    assert len(rows) >= (240 if file.stem == "en" else 120)
    topics = Counter(row["topic"] for row in rows)
    assert topics.keys() == TOPICS
    assert min(topics.values()) >= 20


@each_file
def test_the_gold_is_whole_and_its_topics_agree(file: Path) -> None:
    def topics_of_gold(one: Path) -> dict[str, str]:
        return {row["gold"]: row["topic"] for row in read_rows(one) if row["gold"]}

    assert Counter(row["gold"] for row in read_rows(file) if row["gold"]) == Counter(
        GOLD
    )
    assert topics_of_gold(file) == topics_of_gold(FILES[0])


def test_the_gold_stands_elsewhere_in_each_language() -> None:
    orders = {tuple(row["gold"] for row in read_rows(file)) for file in FILES}
    assert len(orders) == len(FILES)


@each_file
def test_every_sentence_is_clean_and_stands_once(file: Path) -> None:
    texts = [row["text"] for row in read_rows(file)]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert text == unicodedata.normalize("NFC", text).strip()
        assert not any(unicodedata.category(letter)[0] == "C" for letter in text)
        assert 5 <= len(text) <= 250


def test_the_table_of_linked_sentences_is_the_gold() -> None:
    lines = (resource_dir() / "samples" / "translation" / "linked.tsv").read_text(
        "utf-8"
    )
    codes, *rows = [line.split("\t") for line in lines.splitlines()]
    columns = []
    for code in codes:
        gold = {row["gold"]: row["text"] for row in read_rows(FILES[0].with_stem(code))}
        columns.append([gold[key] for key in sorted(GOLD)])
    assert rows == [list(row) for row in zip(*columns, strict=True)]
