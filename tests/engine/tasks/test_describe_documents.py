"""Fields of documents: from a table, by hand, and taken back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from openpyxl import Workbook

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store.documents import list_documents
from app.engine.store.journal import read_undo_state
from app.engine.tasks.describe_documents import DescribeResult, describe_documents
from app.engine.tasks.make_subcorpus import make_subcorpus
from app.errors import UserError
from app.params import build_params
from app.params.corpora import DescribeDocuments, MakeSubcorpus
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits import Change
from app.protocol.edits.corpora import SetDocumentField
from app.protocol.edits.general import Redo, Undo
from tests.engine.tasks.importing import run_import, write

OLD = {
    "Roman/Keller": {"genre": "Roman"},
    "Roman/Гоголь": {"genre": "Roman"},
    "Brief/鲁迅": {"genre": "Brief"},
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as made:
        for name in OLD:
            file = tmp_path / "Texte" / f"{name}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("Wort.\nWorte.\n", encoding="utf-8")
        folder = tmp_path / "Texte"
        run_import(made, folder, languages=["de"], fields_pattern="{genre}/{_}")
        yield made


def describe(project: Project, file: Path) -> DescribeResult:
    params: DescribeDocuments = build_params(
        DescribeDocuments, {"corpus": "Texte", "file": file}
    )
    return describe_documents(project, params, Report())


def fields_of(project: Project) -> dict[str, dict[str, str]]:
    return {row.name: row.fields for row in list_documents(project.store, 1)}


def change(project: Project, made: Change) -> EditAnswer:
    return apply_edit(project, made, lambda kind, id_: None)


def test_a_table_gives_fields_and_one_undo_takes_all_of_them_back(
    project: Project, tmp_path: Path
) -> None:
    table = write(
        tmp_path,
        "document\tauthor\tyear\n"
        "Roman/Keller\tGottfried Keller\t1854\n"
        "Гоголь.txt\tНиколай Гоголь\tum 1842\n"
        "Drama/Schiller\tSchiller\t1781\n"
        "Keller\tein anderer\t1900\n",
        "t.tsv",
    )

    told = describe(project, table)

    assert fields_of(project) == {
        "Roman/Keller": {
            "genre": "Roman",
            "author": "Gottfried Keller",
            "year": "1854",
        },
        "Roman/Гоголь": {"genre": "Roman", "author": "Николай Гоголь"},
        "Brief/鲁迅": {"genre": "Brief"},
    }
    assert (told.n_documents, told.n_described) == (3, 2)
    assert told.unknown == ("Drama/Schiller (line 4)",)
    assert told.without_row == ("Brief/鲁迅",)
    assert told.problems == (
        "Line 5 names Roman/Keller again. The first line is used.",
        "Roman/Гоголь: 'um 1842' is not a year, so the field year stays as it was.",
    )
    change(project, Undo())
    assert fields_of(project) == OLD
    change(project, Redo())
    assert fields_of(project)["Roman/Keller"]["year"] == "1854"


def test_an_empty_cell_leaves_what_is_there_and_a_workbook_is_read_too(
    project: Project, tmp_path: Path
) -> None:
    book = Workbook()
    sheet: Any = book.active
    for row in (("name", "genre", "year"), ("鲁迅", None, 1923)):
        sheet.append(row)
    book.save(tmp_path / "t.xlsx")

    describe(project, tmp_path / "t.xlsx")

    assert fields_of(project)["Brief/鲁迅"] == {"genre": "Brief", "year": "1923"}


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("t.tsv", "document\tyear\nNiemand\t1800\n", "No row of"),
        ("t.tsv", "document\tyear\tyear\nKeller\t1\t2\n", "two columns called year"),
        ("t.txt", "Keller 1854\n", "is not a table"),
    ],
)
def test_a_table_that_fits_nothing_is_refused_and_changes_nothing(
    project: Project, tmp_path: Path, name: str, text: str, sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        describe(project, write(tmp_path, text, name))
    assert fields_of(project) == OLD
    assert read_undo_state(project.store) == (False, False)


def test_a_corpus_without_documents_is_refused(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write(tmp_path, "Wort\n"), languages=["de"])
    params: DescribeDocuments = build_params(
        DescribeDocuments, {"corpus": "a", "file": write(tmp_path, "a\tb\n", "t.tsv")}
    )
    with pytest.raises(UserError, match="a has no documents"):
        describe_documents(project, params, Report())
    part = MakeSubcorpus(corpora=("a",), steps=("sample n=1",), name="part")
    make_subcorpus(project, part, Report())
    with pytest.raises(UserError, match="Choose the corpus a"):
        describe_documents(
            project, msgspec.structs.replace(params, corpus="part"), Report()
        )


def set_field(project: Project, firsts: tuple[int, ...], value: str) -> EditAnswer:
    made = SetDocumentField(corpus=1, documents=firsts, field="genre", value=value)
    return change(project, made)


def test_a_field_set_by_hand_is_undone_where_two_documents_became_alike(
    project: Project,
) -> None:
    told = set_field(project, (0, 2), "Prosa")

    assert told.text == "2 documents: genre is Prosa."
    alike = {name: {"genre": "Prosa"} for name in OLD}
    assert fields_of(project) == alike | {"Roman/Гоголь": {"genre": "Roman"}}
    set_field(project, (0,), "")
    assert fields_of(project)["Brief/鲁迅"] == {}
    for _ in range(2):
        change(project, Undo())
    assert fields_of(project) == OLD


def test_a_field_that_cannot_be_set_is_refused(project: Project) -> None:
    year = SetDocumentField(corpus=1, documents=(0,), field="Year", value="früh")
    with pytest.raises(UserError, match="'früh' is not a year"):
        change(project, year)
    with pytest.raises(UserError, match="not in the project any more"):
        set_field(project, (1,), "x")
    with pytest.raises(UserError, match="not in the project any more"):
        change(
            project,
            SetDocumentField(corpus=9, documents=(0,), field="genre", value="x"),
        )
    assert fields_of(project) == OLD
