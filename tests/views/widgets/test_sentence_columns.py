"""Which columns of the table of sentences give way in a narrow place."""

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.engine.project.project import open_project
from app.views.widgets.cells import ROW_HEIGHT
from app.views.widgets.id_order import RangeOrder
from app.views.widgets.page_model import LABEL, LENGTH, LINE, SENTENCE
from app.views.widgets.sentence_table import LEAST, WIDTHS, SentenceTable
from app.views.widgets.tables import ROW_HEIGHT_TWO
from app.views.widgets.theme import scaled
from tests.views.stage import build_project, sentence_id


def test_the_label_stays_where_the_length_gives_way(
    tmp_path: Path, qtbot: QtBot
) -> None:
    table = SentenceTable()
    qtbot.addWidget(table)
    with open_project(
        build_project(tmp_path / "p.isogloss", is_encoded=False)
    ) as project:
        order = RangeOrder([(sentence_id(1, 0), 3)])
        columns = (LINE, SENTENCE, LENGTH, LABEL)
        table.show_ids(project.store, order, columns=columns)
        room = sum(scaled(n) for n in (LEAST, WIDTHS["line"], WIDTHS["label"]))
        table.resize(room + 40, 300)
        table.show()
        qtbot.waitUntil(lambda: table.isColumnHidden(2))
        assert [table.isColumnHidden(n) for n in range(4)] == [
            False,
            False,
            True,
            False,
        ]


def test_corpora_with_a_long_common_beginning_look_different(
    tmp_path: Path, qtbot: QtBot
) -> None:
    names = [f"press_of_the_world_{code}" for code in ("en", "de")]
    folder = build_project(
        tmp_path / "q.isogloss",
        {name: ("en", ["The wind is north."]) for name in names},
        is_encoded=False,
    )
    table = SentenceTable()
    qtbot.addWidget(table)
    with open_project(folder) as project:
        order = RangeOrder([(sentence_id(1, 0), 1), (sentence_id(2, 0), 1)])
        table.show_ids(project.store, order, columns=(LINE, SENTENCE))
        assert table.textElideMode() == Qt.TextElideMode.ElideMiddle
        model = table.model()
        tips = [
            model.index(row, 2).data(Qt.ItemDataRole.ToolTipRole) for row in range(2)
        ]
        assert tips == names


def test_a_row_stays_under_the_pointer_where_rows_get_two_lines(
    tmp_path: Path, qtbot: QtBot
) -> None:
    texts = [f"The wind of day {n} is north." for n in range(60)]
    folder = build_project(
        tmp_path / "r.isogloss", {"Winds": ("en", texts)}, is_encoded=False
    )
    table = SentenceTable()
    qtbot.addWidget(table)
    with open_project(folder) as project:
        order = RangeOrder([(sentence_id(1, 0), len(texts))])
        table.show_ids(project.store, order, columns=(LINE, SENTENCE))
        table.resize(900, 400)
        table.show()
        for row in (5, 59):
            table.resize(900, 400)
            qtbot.waitUntil(lambda: table.rowHeight(0) == scaled(ROW_HEIGHT))
            table.select_sentence(sentence_id(1, row))
            place = table.visualRect(table.currentIndex()).center()
            table.resize(500, 400)
            assert table.rowHeight(0) == scaled(ROW_HEIGHT_TWO)
            assert table.rowAt(place.y()) == row
        table.resize(900, 400)
        table.always_two_lines = True
        table.resize(880, 400)
        assert table.rowHeight(0) == scaled(ROW_HEIGHT_TWO), "also where it is wide"
