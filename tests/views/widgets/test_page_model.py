"""The page model keeps Qt's contract and reads only the pages that are shown."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from sqlalchemy import Engine, insert

from app.engine.store import schema
from app.engine.store.connections import connect_reading, connect_writing
from app.engine.store.corpora import first_sentence_id
from app.views.widgets.cells import ID_ROLE, MAX_ROWS, ROW_HEIGHT
from app.views.widgets.id_order import ArrayOrder, RangeOrder, ReversedOrder
from app.views.widgets.page_model import (
    LABEL,
    LANGUAGE,
    LENGTH,
    LINE,
    N_PAGES,
    PAGE_SIZE,
    SENTENCE,
    TRANSLATIONS,
    PageModel,
)
from tests.views.stage import build_project, link, sentence_id

LONG = {"Numbers": ("en", [f"Sentence number {n}." for n in range(3_000)])}
DISPLAY = int(Qt.ItemDataRole.DisplayRole)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = build_project(tmp_path_factory.mktemp("long") / "p.isogloss", LONG)
    return connect_reading(folder)


def make_model(store: Engine) -> PageModel:
    model = PageModel()
    model.show_ids(store, RangeOrder([(first_sentence_id(1), 3_000)]))
    return model


def test_model_keeps_the_contract_of_qt(qapp: object, store: Engine) -> None:
    model = make_model(store)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_ids(store, RangeOrder([(first_sentence_id(1), 5)]))
    model.forget_rows()
    model.show_ids(None, RangeOrder())
    assert model.rowCount() == 0


def test_a_cell_shows_its_sentence(store: Engine) -> None:
    model = make_model(store)
    shown = [model.index(2_000, column).data() for column in range(4)]
    assert shown[1] == "Sentence number 2000."
    assert shown[2:] == ["English", "21"]
    assert shown[0].replace("\u202f", ",") in ("2,001", "2001")


def test_nothing_is_read_before_it_is_shown(store: Engine) -> None:
    assert make_model(store).pages.n_reads == 0


def test_a_page_is_read_once(store: Engine) -> None:
    model = make_model(store)
    for row in range(PAGE_SIZE):
        model.index(row, 1).data()
    assert model.pages.n_reads == 1


def test_only_the_pages_last_used_are_kept(store: Engine) -> None:
    model = make_model(store)
    for page in range(N_PAGES + 1):
        model.index(page * PAGE_SIZE, 1).data()
    model.index(N_PAGES * PAGE_SIZE, 1).data()  # the newest is still there
    assert model.pages.n_reads == N_PAGES + 1
    model.index(0, 1).data()  # the oldest is not
    assert model.pages.n_reads == N_PAGES + 2


def test_an_array_gives_another_order(store: Engine) -> None:
    model = make_model(store)
    ids = first_sentence_id(1) + np.array([7, 3, 2_999], dtype=np.int64)
    model.show_ids(store, ArrayOrder(ids))
    assert [model.index(row, 1).data() for row in range(3)] == [
        "Sentence number 7.",
        "Sentence number 3.",
        "Sentence number 2999.",
    ]
    assert model.row_of(first_sentence_id(1) + 3) == 1
    assert model.row_of(first_sentence_id(1) + 4) == -1


def test_a_missing_sentence_is_said_to_be_deleted(store: Engine) -> None:
    model = PageModel()
    model.show_ids(store, ArrayOrder(np.array([first_sentence_id(9)], dtype=np.int64)))
    assert model.index(0, 1).data() == "(deleted)"
    assert model.index(0, 0).data() == ""


def test_a_row_knows_its_id(store: Engine) -> None:
    model = make_model(store)
    assert model.index(11, 0).data(ID_ROLE) == first_sentence_id(1) + 11


def test_rows_never_exceed_what_a_table_can_show(store: Engine) -> None:
    model = PageModel()
    model.show_ids(store, RangeOrder([(first_sentence_id(1), 2**31)]))
    assert model.rowCount() == MAX_ROWS
    assert MAX_ROWS * ROW_HEIGHT < 2**31


def test_ranges_follow_each_other() -> None:
    order = RangeOrder([(100, 3), (500, 0), (900, 2)])
    assert order.part(1, 9).tolist() == [101, 102, 900, 901]
    assert [order.row_of(id_) for id_ in (102, 901, 103, 500)] == [2, 4, -1, -1]
    assert len(order) == 5


def test_right_to_left_sentences_are_aligned_right(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    reading = connect_reading(folder)
    model = PageModel()
    model.show_ids(
        reading, RangeOrder([(first_sentence_id(1), 3), (first_sentence_id(3), 3)])
    )
    role = int(Qt.ItemDataRole.TextAlignmentRole)
    alignments = [model.index(row, 1).data(role) for row in (0, 3)]
    is_right = [bool(value & Qt.AlignmentFlag.AlignRight) for value in alignments]
    assert is_right == [False, True]


def test_an_order_knows_whether_its_sentences_are_of_several_corpora() -> None:
    first, second = first_sentence_id(1), first_sentence_id(2)
    one = ArrayOrder(np.array([first + 8, first]))
    both = ArrayOrder(np.array([first + 8, second, first]))
    assert [one.spans_corpora(), both.spans_corpora()] == [False, True]
    assert ReversedOrder(both).spans_corpora()
    assert not ArrayOrder(np.empty(0, np.int64)).spans_corpora()
    assert not RangeOrder([(first, 3), (first + 5, 2)]).spans_corpora()
    assert RangeOrder([(first, 3), (second, 2)]).spans_corpora()


def test_translations_and_labels_are_counted(tmp_path: Path) -> None:
    folder = build_project(tmp_path / "p.isogloss")
    link(folder, [(sentence_id(1, 1), sentence_id(c, 1)) for c in (2, 3)])
    reading, writing = connect_reading(folder), connect_writing(folder, wal=True)
    model = PageModel()
    columns = (LINE, SENTENCE, LANGUAGE, LENGTH, TRANSLATIONS, LABEL)
    model.show_ids(
        reading,
        RangeOrder([(first_sentence_id(1), 3), (first_sentence_id(2), 3)]),
        columns=columns,
    )
    assert [model.index(row, 4).data() for row in (0, 1, 4)] == ["", "2", "1"]
    left_out = {"sentence_id": sentence_id(3, 1), "state": "hidden", "step": 1}
    with writing.begin() as connection:
        connection.execute(insert(schema.hidden).values(left_out))
    writing.dispose()
    model.forget_rows()
    assert [model.index(row, 4).data() for row in (0, 1, 4)] == ["", "1", "1"]
    assert model.index(1, 5).data() == ""
