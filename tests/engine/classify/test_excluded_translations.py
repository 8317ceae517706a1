"""Test rows are kept separate from training rows."""

from pathlib import Path

import pytest
from sqlalchemy import insert

from app.engine.classify.labelled_rows import LabelledRows, read_labelled
from app.engine.classify.overlap import exclude_translations
from app.engine.project.project import Project, create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.errors import UserError
from tests.engine.classify.barn import add_labelled

ENGLISH = [("a", "one"), ("b", "two"), ("a", "three"), ("b", "four")]
GERMAN = [("b", "zwei"), ("a", "eins"), ("a", "fünf")]


def link(project: Project, *pairs: tuple[int, int]) -> None:
    rows = [
        {
            "source_id": first_sentence_id(1) + one,
            "target_id": first_sentence_id(2) + other,
            "kind": "g",
        }
        for one, other in pairs
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), rows)


def read(
    folder: Path, *pairs: tuple[int, int]
) -> tuple[LabelledRows, dict[str, LabelledRows]]:
    with create_project(folder / "p.isogloss") as project:
        add_labelled(project, "English", "en", ENGLISH)
        add_labelled(project, "Deutsch", "de", GERMAN)
        if pairs:
            link(project, *pairs)
        english, german = (read_labelled(project, n) for n in ("English", "Deutsch"))
        return exclude_translations(project, english, {"de": german, "en": english})


def test_rows_with_a_translation_in_a_test_are_tested_and_not_trained_on(
    tmp_path: Path,
) -> None:
    train, tests = read(tmp_path, (0, 1), (1, 0))
    assert train.texts == (["three", "four"],)
    assert train.labels == ["a", "b"]
    assert tests["en"].texts == (["one", "two"],)
    assert tests["de"].texts == (["zwei", "eins", "fünf"],)


def test_a_test_on_the_training_rows_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="none of its rows was excluded"):
        read(tmp_path)


def test_rows_of_files_know_no_translations(tmp_path: Path) -> None:
    file = tmp_path / "train.tsv"
    file.write_text("a\tone\nb\ttwo\n", encoding="utf-8")
    rows = read_labelled(None, str(file))
    with pytest.raises(UserError, match="Train on a corpus"):
        exclude_translations(None, rows, {"de": rows})
