"""The import dialog over folders and other documents, with the real readers."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QLabel, QRadioButton
from pytestqt.qtbot import QtBot

from app.engine.text.documents import FileNamePattern
from app.protocol.queries.corpora import PreviewQuery
from app.views.corpora.import_controller import ImportController
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.name_fields import make_pattern, read_pattern, split_name
from app.views.corpora.view import CorporaView
from tests.views.corpora.test_import_dialog import answer, open_dialog, words, write
from tests.views.dialog_design import command_forms
from tests.views.stage import Stage, build_project

GERMAN = "Wegen des Sturms fährt die Fähre morgen nicht.\n" * 2
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="de"><teiHeader><fileDesc>
<titleStmt><title>Die Fähre</title><author>A. Meer</author></titleStmt></fileDesc>
</teiHeader><text><body><p>Wegen des Sturms fährt sie nicht.</p></body></text></TEI>"""


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    stage = Stage(build_project(tmp_path / "p.isogloss", {}))
    stage.client.answers[PreviewQuery] = answer
    stage.open(qtbot)
    yield stage
    stage.close()


def make_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Briefe"
    folder.mkdir()
    for name in ("Meer_1854", "Ufer_früh", "Sand_1910"):
        write(folder, f"{name}.txt", GERMAN)
    return folder


def rows_of(dialog: ImportDialog) -> list[list[str]]:
    table = dialog.documents.table
    cells = [
        [table.item(row, column) for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]
    return [[cell.text() if cell else "" for cell in row] for row in cells]


def test_a_folder_shows_its_documents_and_the_fields_of_their_names(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(stage, qtbot, make_folder(tmp_path))
    assert rows_of(dialog) == [["Meer_1854"], ["Sand_1910"], ["Ufer_früh"]]
    documents = dialog.form.documents
    assert documents.card.summary == "3 found"

    with qtbot.waitSignal(dialog.preview_shown):
        documents.pattern.setText("{author}_{year}")
        documents.pattern.textEdited.emit("{author}_{year}")

    assert documents.card.summary == "3 found · author · year"
    assert rows_of(dialog) == [
        ["Meer_1854", "Meer", "1854"],
        ["Sand_1910", "Sand", "1910"],
        ["Ufer_früh", "Ufer", ""],
    ]
    assert dialog.ok.text() == "Import 6 sentences in German"
    params = dialog.params()
    assert (params.files, params.fields_pattern) == (
        (tmp_path / "Briefe",),
        "{author}_{year}",
    )
    assert dialog.form.sides[0].name.placeholderText() == "Briefe"


def name_parts(dialog: ImportDialog, *fields: str) -> None:
    boxes = dialog.form.documents.names.boxes
    for box, field in zip(boxes, fields, strict=True):
        box.setEditText(field)


def labels_of(dialog: ImportDialog) -> list[str]:
    labels = dialog.form.documents.names.findChildren(QLabel)
    return [one.text() for one in labels if not one.isHidden()]


def test_the_parts_of_file_names_are_named(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = make_folder(tmp_path)
    (folder / "Brief").mkdir()
    write(folder / "Brief", "von Arnim_1835.txt", GERMAN)
    write(folder / "Brief", "Ufer_1836.txt", GERMAN)
    write(folder / "Brief", "Meer_1837.txt", GERMAN)
    write(folder / "Brief", "Sand_1838.txt", GERMAN)
    dialog = open_dialog(stage, qtbot, folder)
    documents = dialog.form.documents
    documents.card.set_open(True)
    names = documents.names
    assert labels_of(dialog) == [
        "Example: Brief/Meer_1837",
        *("Brief", "Meer", "1837"),
    ]
    assert names.sign.currentText() == "Parts between underscores (_)"
    with qtbot.waitSignal(dialog.preview_shown):
        name_parts(dialog, "", "author", "year")
    assert documents.pattern.text() == "{author}_{year}"
    assert ["Brief/von Arnim_1835", "von Arnim", "1835"] in rows_of(dialog)
    with qtbot.waitSignal(dialog.preview_shown):
        name_parts(dialog, "genre", "author", "author")
    problem = "Two parts have the name author. Enter a different name for one of them."
    assert problem in labels_of(dialog)
    assert not dialog.ok.isEnabled()
    with qtbot.waitSignal(dialog.preview_shown):
        names.boxes[2].setEditText("year")
    assert problem not in labels_of(dialog)
    assert documents.pattern.text() == "{genre}/{author}_{year}"
    assert ["Brief/Ufer_1836", "Brief", "Ufer", "1836"] in rows_of(dialog)
    assert command_forms(dialog) == []
    documents.pattern.setText("{_}/{who}_{year}")
    documents.pattern.textEdited.emit("{_}/{who}_{year}")
    assert [box.currentText() for box in names.boxes] == ["", "who", "year"]
    names.sign.setCurrentIndex(names.sign.findText("Parts between spaces"))
    assert documents.pattern.text() == "", "the parts are others"


def test_the_file_of_a_single_text_is_an_example(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(stage, qtbot, write(tmp_path, "Ufer-1836.txt", GERMAN))
    dialog.form.documents.card.set_open(True)
    assert labels_of(dialog) == ["Example: Ufer-1836", "Ufer", "1836"]
    with qtbot.waitSignal(dialog.preview_shown):
        name_parts(dialog, "author", "year")
    assert rows_of(dialog) == [["Ufer-1836", "Ufer", "1836"]]


@given(
    st.lists(
        st.tuples(st.sampled_from("_- ./"), st.sampled_from(["a", "Meer", "18"])),
        min_size=1,
        max_size=6,
    ),
    st.lists(
        st.sampled_from(["", "author", "year", "genre"]), unique_by=id, max_size=6
    ),
    st.sampled_from(["_", "-", " ", ".", ""]),
)
def test_a_pattern_of_parts_is_read_as_it_was_made(
    pieces: list[tuple[str, str]], named: list[str], sign: str
) -> None:
    name = "".join(sign + text for sign, text in pieces)[1:]
    parts = split_name(name, sign)
    assert "".join(part.sign + part.text for part in parts) == name
    rest = iter([*named, *[""] * len(parts)])
    fields = [next(rest) if part.text else "" for part in parts]
    pattern = make_pattern(parts, fields)
    assert read_pattern(parts, pattern) == fields
    if pattern:
        wanted = {
            field: part.text for field, part in zip(fields, parts, strict=True) if field
        }
        assert FileNamePattern(pattern).match(PurePosixPath(name)) == wanted


def test_numbers_pattern_and_splitting_are_kept_for_the_next_import(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = make_folder(tmp_path)
    write(folder, "von_Arnim_früh.txt", GERMAN)
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    view.show()
    imports = view.imports
    imports.ask([folder])
    (dialog,) = view.findChildren(ImportDialog)
    qtbot.waitUntil(lambda: dialog.documents.table.rowCount() > 0)
    documents = dialog.form.documents
    with qtbot.waitSignal(dialog.preview_shown):
        documents.pattern.setText("{author}_{time}")
        documents.pattern.textEdited.emit("{author}_{time}")
    assert documents.numbers.keys == ["author", "time"]
    with qtbot.waitSignal(dialog.preview_shown):
        documents.numbers.tick(["time"])
    assert rows_of(dialog)[2] == ["Ufer_früh", "Ufer", ""]
    assert "'früh' is not a number" in words(dialog)
    dialog.form.file.splits.setChecked(True)
    qtbot.waitUntil(dialog.ok.isEnabled)
    dialog.ok.click()

    again = ImportController(stage.state, view)
    again.restore_state({"splits": "?", "pattern": 3})  # of another version
    again.restore_state(imports.save_state())
    again.ask([folder])
    dialog = view.findChildren(ImportDialog)[-1]
    qtbot.waitUntil(
        lambda: "is not a number" in words(dialog) and dialog.ok.isEnabled()
    )
    params = dialog.params()
    boxes = dialog.form.documents.names.boxes
    assert [box.currentText() for box in boxes] == ["author", "time"]
    assert params.fields_pattern == "{author}_{time}"
    assert (params.number_fields, params.split) == (("time",), True)


def test_files_become_one_corpus_where_that_is_chosen(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [write(tmp_path, f"{n}.txt", GERMAN) for n in ("eins", "zwei")]
    dialog = open_dialog(stage, qtbot, *files)
    together = next(
        button
        for button in dialog.findChildren(QRadioButton)
        if button.text().startswith("One corpus")
    )
    with qtbot.waitSignal(dialog.preview_shown):
        together.click()
    assert rows_of(dialog) == [["eins"], ["zwei"]]
    assert dialog.ok.text() == "Import 4 sentences in German"
    params = dialog.params()
    assert (params.files, params.together) == (tuple(files), True)
    assert params.languages == ("de",)


def test_columns_of_a_table_are_offered_as_fields(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    text = "text,book,year\n" + "".join(
        f"Wegen des Sturms fährt sie nicht.,{book},{year}\n"
        for book, year in (("Meer", "1854"), ("Ufer", "1900"), ("Meer", "1854"))
    )
    dialog = open_dialog(stage, qtbot, write(tmp_path, "t.csv", text))
    documents = dialog.form.documents
    assert documents.fields.keys == ["text", "book", "year"]
    assert dialog.documents.isHidden()
    with qtbot.waitSignal(dialog.preview_shown):
        documents.document.setCurrentIndex(documents.document.findData("book"))
        documents.fields.tick(["year"])
    assert rows_of(dialog) == [["Meer", "1854"], ["Ufer", "1900"]]
    params = dialog.params()
    assert (params.document_column, params.field_columns) == ("book", ("year",))


def test_a_tei_file_tells_its_fields_and_its_language(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(stage, qtbot, write(tmp_path, "f.xml", TEI))
    assert rows_of(dialog) == [["f", "Die Fähre", "A. Meer"]]
    assert dialog.ok.text() == "Import 1 sentence in German"
    assert dialog.params().languages == ()


def test_a_pattern_that_is_none_is_told_before_the_import(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = open_dialog(stage, qtbot, make_folder(tmp_path))
    with qtbot.waitSignal(dialog.preview_shown):
        dialog.form.documents.pattern.setText("author")
        dialog.form.documents.pattern.textEdited.emit("author")
    assert not dialog.ok.isEnabled()


NOVELS = "title\tauthor\tyear\tnumber\ttext\n" + "".join(
    f"Heidi\tSpyri\t1880\t{n}\tWegen des Sturms fährt die Fähre heute nicht.\n"
    f"Pankraz\tKeller\t1856\t{n}x\tWir bleiben also noch eine Nacht am Hafen.\n"
    for n in range(30)
)


def button_row(dialog: ImportDialog) -> str:
    return dialog.skipped.text() if dialog.skipped.isVisible() else ""


def test_columns_that_are_no_text_become_fields(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    rows = "".join(sorted(NOVELS.splitlines(keepends=True)[1:]))
    table = NOVELS.splitlines(keepends=True)[0] + rows
    dialog = open_dialog(stage, qtbot, write(tmp_path, "novels.tsv", table))
    with qtbot.waitSignal(dialog.preview_shown):
        pass
    assert "With title, author, year" in words(dialog)
    assert button_row(dialog) == "1 column is not imported"
    params = dialog.params()
    assert (params.document_column, params.field_columns) == (
        "title",
        ("author", "year"),
    )
    assert dialog.form.documents.card.summary == "2 found · author · year"
    assert rows_of(dialog)[0] == ["Heidi", "Spyri", "1880"]

    dialog.skipped.click()
    section = dialog.form.documents
    assert section.card.is_open
    with qtbot.waitSignal(dialog.preview_shown):
        section.fields.tick(["number"])
    assert "With title, number" in words(dialog)
    assert button_row(dialog) == "2 columns are not imported"
    assert dialog.params().field_columns == ("number",), "the user's choice stays"


def test_documents_of_the_part_that_was_read_are_at_least_so_many(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    rows = [f"{n // 1_000}\t{GERMAN.splitlines()[0]}\n" for n in range(60_000)]
    file = write(tmp_path, "t.tsv", "".join(["title\ttext\n", *rows]))
    dialog = open_dialog(stage, qtbot, file)
    with qtbot.waitSignal(dialog.preview_shown):
        pass
    n = dialog.documents.table.rowCount()
    assert 2 < n < 60
    assert dialog.form.documents.card.summary == f"at least {n} found"
    assert f"Documents (at least {n})" in words(dialog)


def test_hard_line_breaks_are_joined_unless_the_user_keeps_them(
    stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    line = "Wegen des Sturms fährt die Fähre morgen nicht und so bleiben wir"
    text = f"{line}\n{line}\nnoch eine Nacht. Der Wind dreht.\n\n" * 20
    dialog = open_dialog(stage, qtbot, write(tmp_path, "buch.txt", text))
    with qtbot.waitSignal(dialog.preview_shown):
        pass
    form = dialog.form.file
    assert form.joins.isChecked()
    assert dialog.ok.text() == "Import 40 sentences in German"
    first = dialog.table.item(0, 0)
    assert first is not None
    assert first.text() == f"{line} {line} noch eine Nacht."
    assert (dialog.params().join_lines, dialog.params().split) == ("yes", True)

    with qtbot.waitSignal(dialog.preview_shown):
        form.joins.setChecked(False)
    assert dialog.params().join_lines == "no"
    assert dialog.ok.text() == "Import 80 sentences in German"
