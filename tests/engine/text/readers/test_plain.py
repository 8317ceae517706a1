import gzip
from pathlib import Path

import pytest

from app.errors import UserError
from tests.engine.text.readers.reading import read_units


def test_a_line_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress("One.\n\nDeux \xe9.\n".encode()))

    units = read_units(path, languages=["en"])

    assert units.lines == [1, 2, 3]
    assert units.sides == [["One.", "", "Deux é."]]
    assert units.reading.encoding == "utf-8"


def test_paragraphs_are_split_and_keep_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One. Two.\nThree.\n\nFour! Five?", encoding="utf-8")

    units = read_units(path, languages=["en"], split=True)

    assert units.sides == [["One.", "Two.", "Three.", "Four!", "Five?"]]
    assert units.lines == [1, 1, 2, 4, 4]


def test_hard_wrapped_paragraphs_are_joined(tmp_path: Path) -> None:
    line = "A line of some sixty characters that goes on and on and on with"
    path = tmp_path / "book.txt"
    text = f"{line}\n{line}\nthe end. Next.\n\n" * 20
    path.write_text(text, encoding="utf-8")

    units = read_units(path, languages=["en"], split=True)

    assert units.sides[0][:3] == [f"{line} {line} the end.", "Next.", units.sides[0][0]]
    assert units.lines[:3] == [1, 3, 5]
    assert len(units.lines) == 40
    assert "Lines were joined into paragraphs" in units.reading.notes[0]


def test_lines_can_be_joined_without_splitting_and_kept_though_they_are_wrapped(
    tmp_path: Path,
) -> None:
    line = "A line of some sixty characters that goes on and on and on with"
    path = tmp_path / "book.txt"
    path.write_text(f"{line}\n{line}\nthe end. Next.\n\n" * 20, encoding="utf-8")

    joined = read_units(path, languages=["en"], join_lines="yes")
    kept = read_units(path, languages=["en"], join_lines="no", split=True)

    assert joined.sides[0] == [f"{line} {line} the end. Next."] * 20
    assert joined.lines[:2] == [1, 5]
    assert kept.sides[0][:4] == [line, line, "the end.", "Next."]


def test_thai_is_split_at_spaces_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("สวัสดีครับ วันนี้ อากาศดี\n", encoding="utf-8")

    units = read_units(path, languages=["th"], split=True)

    assert units.sides == [["สวัสดีครับ", "วันนี้", "อากาศดี"]]
    assert units.reading.notes == [
        "Thai was split at spaces and line ends, which are not always sentences."
    ]


def test_two_languages_for_one_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One.\n", encoding="utf-8")

    with pytest.raises(UserError, match="Choose one file for each language"):
        read_units(path, languages=["en", "fr"])
