"""New rows of a list of the newest first move none that is on the screen."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QTableWidget, QTableWidgetItem
from pytestqt.qtbot import QtBot

from app.views.widgets.kept_rows import RowKeeper
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

EXACTLY = Qt.MatchFlag.MatchExactly


@pytest.fixture
def listed(qtbot: QtBot) -> TwoLineList:
    listed = TwoLineList("Tests", "Select a test.", is_newest_first=True)
    qtbot.addWidget(listed)
    listed.resize(200, 300)
    listed.show()
    return listed


def rows(*ids: int) -> list[TwoLineRow]:
    return [TwoLineRow(id_, f"Test {id_}", "just now") for id_ in ids]


def place(listed: TwoLineList, id_: int) -> int:
    """Return the pixel that a row begins at."""
    QApplication.processEvents()  # the layout follows
    return listed.visualRect(listed.model().index(listed.ids.index(id_), 0)).y()


def test_a_new_row_comes_last_while_all_rows_fit_and_is_marked(
    listed: TwoLineList,
) -> None:
    listed.show_rows(rows(2, 1))
    listed.choose(1)
    before = place(listed, 1), place(listed, 2)
    listed.show_rows(rows(3, 2, 1))
    assert listed.ids == [2, 1, 3]
    assert (place(listed, 1), place(listed, 2)) == before
    assert listed.chosen == 1
    assert [row.facts for row in listed.rows] == ["just now"] * 2 + ["new · just now"]
    listed.choose(3)
    listed.show_rows(rows(4, 3, 2, 1))
    facts = {row.id: row.facts for row in listed.rows}
    assert (facts[3], facts[4]) == ("just now", "new · just now")


def test_the_newest_row_is_first_when_the_list_is_shown_again(
    listed: TwoLineList,
) -> None:
    listed.show_rows(rows(2, 1))
    listed.choose(1)
    listed.show_rows(rows(3, 2, 1))
    listed.hide()
    listed.show()
    assert listed.ids == [3, 2, 1]
    assert listed.chosen == 1
    assert listed.rows == rows(3, 2, 1)


@pytest.mark.parametrize("scrolled", [0, 137])
def test_a_longer_list_scrolls_with_a_new_row(
    listed: TwoLineList, scrolled: int
) -> None:
    listed.show_rows(rows(*range(20, 0, -1)))
    listed.choose(18)
    listed.verticalScrollBar().setValue(scrolled)
    before = place(listed, 18)
    listed.show_rows(rows(*range(22, 0, -1)))
    assert listed.ids[:2] == [22, 21]
    assert place(listed, 18) == before
    assert listed.chosen == 18
    assert listed.rows[0].facts == "new · just now"


def test_a_restored_row_has_its_old_place(listed: TwoLineList) -> None:
    listed.show_rows(rows(3, 1))
    listed.show_rows(rows(3, 2, 1))
    assert listed.ids == [3, 2, 1]
    assert listed.rows == rows(3, 2, 1)


def test_a_short_table_has_room_below_until_it_is_scrolled_back(qtbot: QtBot) -> None:
    table = QTableWidget(2, 1)
    qtbot.addWidget(table)
    for row in range(2):
        table.setItem(row, 0, QTableWidgetItem(str(row)))
    keeper = RowKeeper(table, lambda index: index.data())
    table.resize(200, 300)
    table.show()
    qtbot.waitExposed(table)
    bar = table.verticalScrollBar()
    for number in (2, 3):
        before = table.visualItemRect(table.findItems("1", EXACTLY)[0])
        with keeper.keep():
            table.insertRow(0)
            table.setItem(0, 0, QTableWidgetItem(str(number)))
        table.resize(200, 290 + number)  # the bar gets its range again
        QApplication.processEvents()
        assert table.visualItemRect(table.findItems("1", EXACTLY)[0]) == before
        assert not keeper.is_scrolled
    assert bar.value() == 2 * table.rowHeight(0)
    keeper.show_top()
    table.resize(200, 300)
    QApplication.processEvents()
    assert bar.maximum() == 0
    assert table.indexAt(QPoint(1, 1)).data() == "3"
