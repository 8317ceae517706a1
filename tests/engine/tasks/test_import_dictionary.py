"""Dictionaries come in: formats, bad lines with their numbers, undo."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from translate.storage.tbx import tbxfile

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store.words.dictionaries import list_dictionaries, read_entries
from app.engine.tasks.import_dictionary import ImportDictionaryResult, import_dictionary
from app.errors import UserError
from app.params import build_params
from app.params.words import ImportDictionary
from app.protocol.edits.corpora import SetDictionaryState
from app.protocol.edits.general import Undo
from tests.engine.review.made import edit


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        yield project


def take(project: Project, file: Path, **fields: Any) -> ImportDictionaryResult:
    values = {"file": file, "source_language": "en", "target_language": "de", **fields}
    return import_dictionary(project, build_params(ImportDictionary, values), Report())


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "text", "problems"),
    [
        ("d.tsv", "source\ttarget\nHouse\tHaus | Heim\tn.\n\tx\ny\t\nz\n",
         ["line 3: the word is empty", "line 4: the translation is empty",
          "line 5: there is one word, and no translation"]),
        ("d.csv", 'en,de\nhouse,"Haus; Heim"\n', []),
        ("d.csv", 'house;Haus\nhouse;Heim\n"x;y\n',
         ["line 3: a quote is opened but never closed"]),
        ("d.txt", "house  haus\nＨＯＵＳＥ heim\na b c\n",
         ["line 3: there are more than two words, and no tab separates the "
          "translation"]),
    ],
)  # fmt: skip
def test_words_and_translations_are_read(
    project: Project, tmp_path: Path, name: str, text: str, problems: list[str]
) -> None:
    result = take(project, write(tmp_path, name, text))
    assert (result.name, result.n_entries) == ("d", 2)
    assert list(result.problems) == problems
    assert read_entries(project.store, result.id, "house") == ["haus", "heim"]
    assert read_entries(project.store, result.id, "hous*") == ["haus", "heim"]
    assert read_entries(project.store, result.id, "heim", is_turned=True) == ["house"]


def test_a_tbx_of_another_program_is_read(project: Project, tmp_path: Path) -> None:
    store: Any = tbxfile()  # the toolkit is not typed
    store.setsourcelanguage("en")
    store.settargetlanguage("de")
    for source, target in (("house", "Haus"), ("ship", "Schiff")):
        store.addsourceunit(source).target = target
    file = tmp_path / "d.tbx"
    file.write_bytes(bytes(store))
    result = take(project, file, name="Terms")
    assert (result.name, result.n_entries) == ("Terms", 2)
    assert read_entries(project.store, result.id, "ship") == ["schiff"]


@pytest.mark.parametrize(
    ("name", "text", "fields", "words"),
    [
        ("d.tsv", "only\n", {}, r"line 1: there is one word"),
        ("d.tsv", "a\tb\n", {"target_language": "en"}, "needs two languages"),
        ("d.tsv", "a\tb\n", {"source_language": "Volap!"},
         "'Volap!' is not a known language"),
        ("d.tbx", "<tmx/>", {}, "its root is not <tbx>"),
        ("d.tbx",
         '<tbx><text><body><conceptEntry><langSec xml:lang="fr"><termSec><term>x</term>'
         "</termSec></langSec></conceptEntry></body></text></tbx>", {},
         "no concept with terms in en and de"),
    ],
)  # fmt: skip
def test_what_is_no_dictionary_is_refused(
    project: Project, tmp_path: Path, name: str, text: str, fields: Any, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        take(project, write(tmp_path, name, text), **fields)
    assert not list_dictionaries(project.store)


def test_languages_are_named_as_people_name_them(
    project: Project, tmp_path: Path
) -> None:
    file = write(tmp_path, "d.tsv", "house\tHaus\n")
    taken = take(project, file, source_language="English", target_language="deu")
    assert (taken.source_language, taken.target_language) == ("en", "de")


def test_a_form_asks_for_both_languages() -> None:
    with pytest.raises(msgspec.ValidationError, match="source_language"):
        build_params(ImportDictionary, {"file": "d.tsv", "source_language": "",
                                        "target_language": "de"})  # fmt: skip


def test_a_deleted_dictionary_comes_back(project: Project, tmp_path: Path) -> None:
    id_ = take(project, write(tmp_path, "d.tsv", "a\tb\n")).id
    change = SetDictionaryState(dictionaries=(id_,), state="deleted")
    assert edit(project, change).text == "Deleted the dictionary “d”."
    assert not list_dictionaries(project.store)
    edit(project, Undo())
    assert [row.id for row in list_dictionaries(project.store)] == [id_]
