"""The import dialog over folders and other documents, with the real readers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QRadioButton
from pytestqt.qtbot import QtBot

from app.protocol.queries.corpora import PreviewQuery
from app.views.corpora.import_controller import ImportController
from app.views.corpora.import_dialog import ImportDialog
from app.views.corpora.view import CorporaView
from tests.views.corpora.test_import_dialog import answer, open_dialog, words, write
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
    assert "'früh' is no number" in words(dialog)
    dialog.form.file.splits.setChecked(True)
    qtbot.waitUntil(dialog.ok.isEnabled)
    dialog.ok.click()

    again = ImportController(stage.state, view)
    again.restore_state({"splits": "?", "pattern": 3})  # of another version
    again.restore_state(imports.save_state())
    again.ask([folder])
    dialog = view.findChildren(ImportDialog)[-1]
    qtbot.waitUntil(lambda: "is no number" in words(dialog) and dialog.ok.isEnabled())
    params = dialog.params()
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
