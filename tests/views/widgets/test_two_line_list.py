"""Rows of a list stay on screen where they are when new ones come above them."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.views.widgets.two_line_list import TwoLineList, TwoLineRow


def rows_from(newest: int) -> list[TwoLineRow]:
    return [
        TwoLineRow(id_, f"Map {id_}", "12 sentences") for id_ in range(newest, 0, -1)
    ]


@pytest.mark.parametrize("chosen", [20, 17, 3])
def test_the_chosen_row_stays_in_place_when_a_row_comes_above(
    qtbot: QtBot, chosen: int
) -> None:
    view = TwoLineList("Maps", "Select a map.")
    qtbot.addWidget(view)
    view.resize(200, 300)
    view.show_rows(rows_from(20))
    view.show()
    view.choose(chosen)
    QApplication.processEvents()
    index = view.visualRect(view.currentIndex())
    view.show_rows(rows_from(22))
    QApplication.processEvents()
    assert view.chosen == chosen
    assert view.visualRect(view.currentIndex()) == index


def test_the_rows_on_screen_stay_in_place_without_a_choice(qtbot: QtBot) -> None:
    view = TwoLineList("Maps", "Select a map.")
    qtbot.addWidget(view)
    view.resize(200, 300)
    view.show_rows(rows_from(20))
    view.show()
    view.verticalScrollBar().setValue(4)
    QApplication.processEvents()
    first = view.indexAt(view.rect().topLeft()).data()
    view.show_rows(rows_from(21))
    QApplication.processEvents()
    assert view.indexAt(view.rect().topLeft()).data() == first


def test_a_list_with_fixed_room_is_as_narrow_for_any_titles(qtbot: QtBot) -> None:
    view = TwoLineList("Maps", "Select a map.", has_fixed_room=True)
    qtbot.addWidget(view)
    narrowest = view.minimumWidth()
    for title in ("PCA", "All sentences of the letters from the harbour"):
        view.show_rows([TwoLineRow(1, title, "12 sentences")])
        assert view.minimumWidth() == narrowest
