"""The table of lines reads pages, grows without a jump, and finds a line again."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem
from pytestqt.qtbot import QtBot
from sqlalchemy import insert

from app.engine.project.project import Project, create_project
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.views.concordance.model import (
    KWIC,
    LABEL,
    LINE,
    PAGE_SIZE,
    PLACE,
    KwicLines,
    KwicModel,
)
from app.views.concordance.table import KwicTable
from tests.engine.search.made import add_corpus

N = 1_000
NAMES = {1: "Logs"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder: Path = tmp_path_factory.mktemp("kwic") / "port.isogloss"
    with create_project(folder) as project:
        texts = [f"🚢 Day {n}: the wind is north." for n in range(N)]
        add_corpus(project, "Logs", "en", texts)
        documents = [(0, 600, "1850"), (600, 300, "1851")]
        with project.store.begin() as connection:
            for first, n, name in documents:
                row = {"corpus_id": 1, "first": first, "n_sentences": n, "name": name}
                connection.execute(insert(schema.document).values(**row))
        yield project


def lines(n: int, *, start: int = 0) -> KwicLines:
    """Return that "wind" is found in each sentence, with a word on both sides."""
    texts = [f"🚢 Day {index}: the wind is north." for index in range(start, start + n)]
    begins = np.array([text.index("wind") for text in texts])
    ids = first_sentence_id(1) + start + np.arange(n)
    words = np.full((n, 12), -1, np.int32)
    words[:, 4], words[:, 5] = begins - 4, begins - 1  # L1
    words[:, 6], words[:, 7] = begins + 5, begins + 7  # R1
    return KwicLines(np.stack([ids, begins, begins + 4], axis=1), words)


def cell(model: KwicModel, row: int, column: int) -> str:
    return str(model.data(model.index(row, column), Qt.ItemDataRole.DisplayRole))


def test_rows_are_read_by_page_and_say_where_they_stand(project: Project) -> None:
    model = KwicModel()
    model.show_lines(project.store, NAMES, lines(N))
    assert model.rowCount() == N
    assert cell(model, 700, PLACE) == "Logs · 1851"
    assert cell(model, 950, PLACE) == "Logs"  # in no document
    assert cell(model, 700, LINE) == "701"
    assert cell(model, 700, KWIC) == "🚢 Day 700: the [wind] is north."
    assert cell(model, 700, LABEL) == ""
    assert model.pages.n_reads == 2
    row = model.row_at(701)
    assert row is not None
    assert row.words == {"L1": (11, 14), "R1": (20, 22)}
    before, hit, _ = row.parts()
    assert hit.text == "wind"
    assert before.marks[0].start == 12  # the ship counts twice in UTF-16
    assert model.pages.n_reads == 2


def test_all_lines_come_below_the_first_without_a_jump(
    project: Project, qtbot: QtBot
) -> None:
    table = KwicTable()
    qtbot.addWidget(table)
    table.resize(900, 400)
    table.show()
    assert not table.show_lines(project.store, NAMES, lines(200))
    table.select_row(150)
    table.scroll_to_row(140)
    with qtbot.waitSignal(table.lines.rowsInserted) as inserted:
        assert table.show_lines(project.store, NAMES, lines(N))
    assert inserted.args[1:] == [200, N - 1]
    assert (table.current_line, table.top_row) == (
        (first_sentence_id(1) + 150, 15),
        140,
    )
    assert cell(table.lines, 201, LINE) == "202"  # of the page that was not full
    assert table.lines.row_of((first_sentence_id(1) + 999, 15)) == 999
    assert len(table.visible_ids()) < 20


def test_other_lines_keep_the_current_one_where_it_is_among_them(
    project: Project, qtbot: QtBot
) -> None:
    table = KwicTable()
    qtbot.addWidget(table)
    table.show_lines(project.store, NAMES, lines(50))
    table.select_row(30)
    selected: list[int] = []
    table.line_selected.connect(selected.append)
    assert not table.show_lines(project.store, NAMES, lines(50, start=20))
    assert table.current_line == (first_sentence_id(1) + 30, lines(31).lines[30, 1])
    assert table.currentIndex().row() == 10
    assert selected == []


def test_a_million_lines_are_shown_at_once_and_read_where_they_are_seen(
    project: Project, qtbot: QtBot
) -> None:
    table = KwicTable()
    qtbot.addWidget(table)
    table.resize(900, 400)
    many = KwicLines(np.tile(lines(N).lines, (N, 1)))
    table.show_lines(project.store, NAMES, many)
    table.scroll_to_row(999_000)
    table.grab()
    assert table.lines.rowCount() == 1_000_000
    assert table.lines.pages.n_reads <= 3
    table.selectAll()
    assert table.n_selected == 1_000_000
    assert len(table.selected_ids(PAGE_SIZE)) == PAGE_SIZE
    assert many.begins_with(KwicLines(many.lines[:5]))


def test_a_sentence_that_is_gone_says_so(project: Project) -> None:
    model = KwicModel()
    gone = KwicLines(np.array([[first_sentence_id(9), 0, 3]]))
    model.show_lines(project.store, NAMES, gone)
    assert cell(model, 0, KWIC) == "(deleted)"
    assert cell(model, 0, PLACE) == ""


def test_a_narrow_column_shows_the_document_with_its_end(
    project: Project, qtbot: QtBot
) -> None:
    table = KwicTable()
    qtbot.addWidget(table)
    name = "A Corpus with a Name that Needs all the Room of the Column and more"
    table.show_lines(project.store, {1: name}, lines(3))
    delegate = table.itemDelegateForColumn(PLACE)
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, table.columnWidth(PLACE), 24)
    index = table.lines.index(0, PLACE)
    assert isinstance(delegate, QStyledItemDelegate)
    delegate.initStyleOption(option, index)
    assert option.text == "1850"
    assert index.data(Qt.ItemDataRole.ToolTipRole) == f"{name} · 1850"
