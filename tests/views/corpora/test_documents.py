"""Documents in the window: listed, sorted, written, exported, shown on a map."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.documents import DocumentRow
from app.params.corpora import DescribeDocuments
from app.protocol import events
from app.protocol.edits.corpora import SetDocumentField
from app.views.corpora.documents import NAME, DocumentModel
from app.views.corpora.view import CorporaView
from app.views.map.colouring import (
    ColourColumn,
    Colouring,
    list_columns,
    read_colouring,
)
from app.views.map.drawing.points import MapPoints
from app.views.shell.inspector import Inspector
from tests.views.stage import Stage, build_project, sentence_id

TEXTS = [f"Satz {n}" for n in range(6)]
# first, sentences, name, fields: "a/x" lies in two sections
DOCUMENTS: list[tuple[int, int, str, dict[str, str]]] = [
    (0, 1, "a/x", {"author": "Meer", "year": "900"}),
    (1, 2, "a/y", {"author": "Ærø", "year": "1854"}),
    (3, 1, "a/x", {"author": "Meer", "year": "900"}),
    (4, 2, "b/z", {"place": "Bern"}),
]


def write_documents(folder: Path, rows: list[Any]) -> None:
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(schema.document.delete())
        for first, n, name, fields in rows:
            row = {"corpus_id": 1, "first": first, "n_sentences": n, "name": name}
            said = json.dumps(fields, ensure_ascii=False)
            connection.execute(insert(schema.document).values(**row, fields=said))


@pytest.fixture
def stage(tmp_path: Path, qtbot: QtBot) -> Iterator[Stage]:
    corpora = {"Texte": ("de", TEXTS), "Plain": ("de", TEXTS)}
    folder = build_project(tmp_path / "p.isogloss", corpora, is_encoded=False)
    write_documents(folder, DOCUMENTS)
    stage = Stage(folder)
    stage.open(qtbot)
    yield stage
    stage.close()


@pytest.fixture
def view(stage: Stage, qtbot: QtBot) -> CorporaView:
    view = CorporaView(stage.state)
    qtbot.addWidget(view)
    view.resize(1000, 800)
    view.show()
    view.documents.card.set_open(True)
    return view


def column(view: CorporaView, index: int) -> list[str]:
    model = view.documents.model
    return [str(model.index(row, index).data()) for row in range(model.rowCount())]


def test_documents_are_listed_whole_and_hidden_where_there_are_none(
    view: CorporaView,
) -> None:
    assert view.documents.card.summary == "3 documents · author · year · place"
    assert column(view, 0) == ["a/x", "a/y", "b/z"]
    assert column(view, 1) == ["2", "2", "2"]
    view.list.choose([2])
    assert view.documents.isHidden()
    view.list.choose([1, 2])
    assert view.documents.isHidden()


@pytest.mark.parametrize(
    ("index", "order", "names"),
    [
        (3, Qt.SortOrder.AscendingOrder, ["a/x", "a/y", "b/z"]),  # 900, 1854
        (3, Qt.SortOrder.DescendingOrder, ["a/y", "a/x", "b/z"]),  # none comes last
        (2, Qt.SortOrder.AscendingOrder, ["a/x", "a/y", "b/z"]),
        (4, Qt.SortOrder.AscendingOrder, ["b/z", "a/x", "a/y"]),
    ],
)
def test_numbers_are_sorted_as_numbers_and_what_is_missing_comes_last(
    view: CorporaView, index: int, order: Qt.SortOrder, names: list[str]
) -> None:
    view.documents.table.sortByColumn(index, order)
    assert column(view, 0) == names
    view.documents.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert column(view, 0) == ["a/x", "a/y", "b/z"]


def test_a_click_on_a_document_shows_its_first_sentence(
    view: CorporaView, qtbot: QtBot
) -> None:
    board = view.documents
    point = board.table.visualRect(board.model.index(2, 0)).center()
    with qtbot.waitSignal(board.document_chosen):
        QTest.mouseClick(board.table.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert view.page.table.current_id == sentence_id(1, 4)


def test_chosen_documents_get_a_value_and_a_cell_is_written_in_place(
    view: CorporaView, stage: Stage
) -> None:
    board = view.documents
    board.table.selectAll()
    assert board.set.text() == "Set for 3"
    board.field.setCurrentText("genre")
    board.value.setText("Brief")
    board.set.click()
    board.model.setData(board.model.index(1, 2), "Aerö ")
    board.model.setData(board.model.index(0, 2), "Meer")  # as it was: nothing to do
    assert stage.client.changes() == [
        SetDocumentField(corpus=1, documents=(0, 1, 4), field="genre", value="Brief"),
        SetDocumentField(corpus=1, documents=(1,), field="author", value="Aerö"),
    ]


def test_what_changed_in_the_store_is_shown_and_the_choice_kept(
    view: CorporaView, stage: Stage
) -> None:
    view.documents.table.selectRow(1)
    rows = [(*row[:3], {"genre": "Brief"}) for row in DOCUMENTS]
    write_documents(stage.folder, rows)
    stage.client.event_received.emit(events.Changed("document", 1))
    assert view.documents.card.summary == "3 documents · genre"
    chosen = view.documents.table.selectionModel().selectedRows()
    assert [index.data() for index in chosen] == ["a/y"]


def test_a_table_of_fields_is_a_job(
    view: CorporaView, stage: Stage, tmp_path: Path
) -> None:
    view.documents.import_fields(tmp_path / "t.tsv")
    wanted = DescribeDocuments(corpus="1", file=tmp_path / "t.tsv")
    assert stage.client.runs() == [wanted]


def test_sentences_name_their_document_in_table_and_export(
    view: CorporaView, stage: Stage, qtbot: QtBot, tmp_path: Path
) -> None:
    model = view.page.table.page_model
    titles = [model.title(column) for column in range(len(model.columns))]
    assert titles[-4:] == ["Document", "Author", "Year", "Place"]
    last = len(model.columns) - 4
    names = [model.index(row, last).data() for row in range(model.rowCount())]
    assert names == ["x", "y", "y", "x", "z", "z"]
    assert model.index(1, last + 2).data() == "1854"
    view.page.table.selectAll()
    with qtbot.waitSignal(stage.state.file_written):
        view.sentence_controller.ask_export().export_to(tmp_path / "s.tsv")
    lines = (tmp_path / "s.tsv").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t")[-4:] for line in lines]
    assert cells[0] == ["document", "author", "year", "place"]
    assert cells[2] == ["a/y", "Ærø", "1854", ""]
    assert cells[6] == ["b/z", "", "", "Bern"]


def test_the_inspector_names_the_document_of_a_sentence(
    stage: Stage, qtbot: QtBot
) -> None:
    inspector = Inspector(stage.state)
    qtbot.addWidget(inspector)
    stage.state.select_sentence(sentence_id(1, 2))
    said = [label.text() for label in inspector._document.widgets(QLabel)]
    assert said[-3:] == ["a/y", "author: Ærø", "year: 1854"]
    stage.state.select_sentence(sentence_id(2, 2))
    assert inspector._document.isHidden()


def colouring(stage: Stage, points: MapPoints, key: str) -> Colouring:
    assert stage.state.project is not None
    steps = read_colouring(stage.state.project, points, ColourColumn(key, key))
    return [found for found in steps if found is not None][-1]


def test_a_map_is_coloured_by_a_field_of_the_documents(stage: Stage) -> None:
    ids = [sentence_id(1, n) for n in (0, 1, 3, 5)] + [sentence_id(2, 0)]
    none = cast("Any", None)
    points = MapPoints(
        none, np.array(ids, np.int64), np.full(5, -1, np.int32), none, none
    )
    assert stage.state.project is not None
    keys = [column.key for column in list_columns(stage.state.project, points, ())]
    assert {"field:author", "field:place", "field:year"} <= set(keys)

    author = colouring(stage, points, "field:author")
    assert author.names == ("Meer", "Ærø", "No author")
    assert author.codes.tolist() == [0, 1, 0, 2, 2]
    year = colouring(stage, points, "field:year")
    assert year.is_number
    assert year.codes[0] == year.codes[2] == 0
    assert year.codes[3] == year.codes[4] > year.codes[1] > 0


def test_a_project_that_is_only_read_lets_no_field_be_written(
    view: CorporaView, stage: Stage
) -> None:
    assert stage.state.project is not None
    stage.state.project.is_read_only = True
    view.documents.show_corpus(view.chosen[0])
    view.documents.table.selectRow(0)
    assert not view.documents.set.isEnabled()
    flags = view.documents.model.flags(view.documents.model.index(0, 2))
    assert not flags & Qt.ItemFlag.ItemIsEditable


def test_documents_of_one_name_are_shown_with_their_folders() -> None:
    model = DocumentModel()
    names = ["Nachlass/1848/Brief", "Nachlass/1849/Brief", "Nachlass/1849/Rede"]
    model.show_documents([DocumentRow(n, 1, name, {}) for n, name in enumerate(names)])
    shown = [model.index(row, NAME).data() for row in range(3)]
    assert shown == ["1848/Brief", "1849/Brief", "Nachlass/1849/Rede"]
    tips = model.index(0, NAME).data(Qt.ItemDataRole.ToolTipRole)
    assert tips == "Nachlass/1848/Brief"
