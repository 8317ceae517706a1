"""Pair files in other languages than their names say."""

from pathlib import Path

import pytest

from app.engine.training.pair_languages import check_pair_languages
from app.errors import UserError

ENGLISH = (
    "The ferry will not sail tomorrow because of the storm.",
    "We are staying one more night in the harbour.",
)
GERMAN = (
    "Wegen des Sturms fährt die Fähre morgen nicht.",
    "Wir bleiben noch eine Nacht im Hafen.",
)


def write(file: Path, *columns: tuple[str, ...]) -> Path:
    lines = ("\t".join(cells) for cells in zip(*columns, strict=True))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_the_column_of_another_language_is_named(tmp_path: Path) -> None:
    right = write(tmp_path / "eng-deu.tsv", ENGLISH, GERMAN)
    wrong = write(tmp_path / "eng-fra.tsv", ENGLISH, GERMAN)
    (warning,) = check_pair_languages([right, wrong])
    assert warning.startswith("eng-fra.tsv, column 2: The text looks like German (")
    assert warning.endswith("sure), not French.")
    swapped = write(tmp_path / "deu-eng.tsv", ENGLISH, GERMAN)
    first, second = check_pair_languages([swapped])
    assert "column 1: The text looks like English" in first
    assert "column 2: The text looks like German" in second


def test_a_name_without_languages_says_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.tsv", ENGLISH, GERMAN)
    assert not list(check_pair_languages([file]))


def test_a_line_without_a_tab_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "eng-deu.tsv"
    file.write_text("one\n", encoding="utf-8")
    with pytest.raises(UserError, match="the line has no tab"):
        list(check_pair_languages([file]))
