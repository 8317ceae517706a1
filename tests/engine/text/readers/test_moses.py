from pathlib import Path

import pytest

from app.errors import UserError
from tests.engine.text.readers.reading import read_units


def write_pair(tmp_path: Path, english: bytes, french: bytes) -> tuple[Path, Path]:
    source, target = tmp_path / "x.en", tmp_path / "x.fr"
    source.write_bytes(english)
    target.write_bytes(french)
    return source, target


def test_lines_are_aligned(tmp_path: Path) -> None:
    n = 10_000
    english = "".join(f"line {i}\n" for i in range(n)).encode()
    french = "".join(f"la ligne numéro {i}\n" for i in range(n)).encode()

    units = read_units(*write_pair(tmp_path, english, french), languages=["en", "fr"])

    assert units.lines == list(range(1, n + 1))
    assert units.sides[0][n - 1] == f"line {n - 1}"
    assert units.sides[1][n - 1] == f"la ligne numéro {n - 1}"


def test_unequal_counts_are_both_named(tmp_path: Path) -> None:
    pair = write_pair(tmp_path, b"a\nb\nc\n", b"a\nb")

    with pytest.raises(UserError, match=r"x\.en has 3, x\.fr has 2"):
        read_units(*pair, languages=["en", "fr"])


def test_line_that_one_side_can_not_read_is_refused_on_both(tmp_path: Path) -> None:
    pair = write_pair(tmp_path, b"a\nb\nc\n", "é\n".encode() + b"\xe9\nc\n")

    units = read_units(*pair, languages=["en", "fr"], encoding="utf-8")

    assert units.sides == [["a", "c"], ["é", "c"]]
    assert units.refused == [(2, "x.fr: the line is not in utf-8")]


def test_languages_and_files_must_be_as_many(tmp_path: Path) -> None:
    pair = write_pair(tmp_path, b"a\n", b"b\n")

    with pytest.raises(UserError, match="2 files but 1 languages are set"):
        read_units(*pair, languages=["en"])
    with pytest.raises(UserError, match="is one file"):
        read_units(pair[0], languages=["en", "fr"], format="moses")
    with pytest.raises(UserError, match="Import the files one by one"):
        read_units(*pair, languages=["en", "fr"], format="tsv")
