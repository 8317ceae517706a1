from pathlib import Path
from typing import Any

import pytest

from app.errors import UserError
from tests.engine.text.readers.reading import read_units


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "fields", "values"),
    [
        ('{"id": 1, "text": "one"}', {"languages": ["en"]}, ["one"]),
        ('{"a": "one"}', {"languages": ["en"], "columns": ["a"]}, ["one"]),
        ('{"eng": "one", "fr": "un"}', {"languages": ["en", "fra"]}, ["one", "un"]),
        ('{"en": "one", "fr": "un"}', {"languages": ["fr"]}, ["un"]),
        (
            '{"a": {"en": "one", "fr": "un"}}',
            {"languages": ["fr", "en"]},
            ["un", "one"],
        ),
        ('{"id": 1, "a": {"en": "one", "fr": "un"}}', {}, ["one", "un"]),
        (
            '{"translation": {"en": "one", "fr": "un"}}',
            {
                "languages": ["en", "fr"],
                "columns": ["translation.en", "translation.fr"],
            },
            ["one", "un"],
        ),
    ],
)
def test_keys_are_found(
    line: str, fields: dict[str, Any], values: list[str], tmp_path: Path
) -> None:
    units = read_units(write(tmp_path, line + "\n"), **fields)

    assert [side[0] for side in units.sides] == values


def test_lines_that_are_no_objects_are_refused(tmp_path: Path) -> None:
    text = (
        '{"text": "one", "topic": "x"}\n{"text": \n[1]\n\n{"text": null}\n{"text": 5}'
    )

    units = read_units(write(tmp_path, text), languages=["en"], label_column="topic")

    assert units.sides == [["one", "", "5"]]
    assert units.labels == ["x", "", ""]
    assert units.lines == [1, 4, 6]
    assert units.refused == [
        (2, "the line is not a JSON object"),
        (3, "the line is not a JSON object"),
        (5, "the key 'text' is missing or contains no text"),
    ]


def test_key_that_can_not_be_told_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, '{"a": "one", "b": "two"}\n')

    with pytest.raises(UserError, match=r"t\.jsonl \(keys: a, b\)"):
        read_units(path, languages=["en"])
    with pytest.raises(UserError, match="1 column but 2 languages"):
        read_units(path, languages=["en", "fr"], columns=["a"])
