from pathlib import Path

import pytest

from app.engine.text.readers import conllu as module
from app.errors import UserError
from tests.engine.text.readers.reading import read_units


def word(number: str, form: str, misc: str = "_") -> str:
    return "\t".join([number, form, *["_"] * 7, misc])


def write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "t.conllu"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_text_is_the_comment_or_the_joined_words(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "# text = Le lac.",
        "# genre = news",
        word("1", "Le"),
        "",
        word("1", "Au"),
        word("2-3", "du", "SpaceAfter=No"),
        word("2", "de"),
        word("3", "le"),
        word("3.1", "elided"),
        word("4", "!"),
    )

    units = read_units(path, languages=["fr"], label_column="genre")

    assert units.sides == [["Le lac.", "Au du!"]]
    assert units.lines == [1, 5]
    assert units.labels == ["news", ""]


def test_sentences_that_are_no_conllu_are_refused(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "1\tshort",
        "",
        "# text = alone",
        "",
        word("x", "y"),
        "",
        word("1", "a"),
    )

    units = read_units(path, languages=["fr"])

    assert units.sides == [["a"]]
    assert units.refused == [
        (1, "a word does not have 10 columns, as CoNLL-U requires"),
        (3, "the sentence has comments but no words"),
        (5, "the words are not valid CoNLL-U"),
    ]


def test_file_without_empty_lines_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.engine.text.lines.CHUNK", 64)
    monkeypatch.setattr(module, "_MAX_SENTENCE", 5)
    path = write(tmp_path, *[word(str(i), "a") for i in range(1, 30)])

    with pytest.raises(UserError, match="an empty line ends each sentence"):
        read_units(path, languages=["fr"])
