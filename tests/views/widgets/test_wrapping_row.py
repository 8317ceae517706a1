"""A row of controls that goes on in the next line."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.views.widgets.adaptive_rows import WrappingRow

GAP, WIDTH, HEIGHT = 8, 100, 20


@pytest.fixture
def row(qapp: QApplication) -> QWidget:
    """Three widgets of one size, the last behind a stretch."""
    whole = QWidget()
    row = WrappingRow(GAP)
    for index in range(3):
        if index == 2:
            row.add_stretch()
        widget = QWidget()
        widget.setFixedSize(QSize(WIDTH, HEIGHT))
        row.addWidget(widget)
    whole.setLayout(row)
    return whole


def places(whole: QWidget, width: int) -> list[tuple[int, int]]:
    whole.resize(width, whole.heightForWidth(width))
    layout = whole.layout()
    assert layout is not None
    layout.activate()
    return [
        (child.x(), child.y())
        for child in whole.children()
        if isinstance(child, QWidget)
    ]


def test_what_follows_a_stretch_ends_a_line_that_is_long_enough(row: QWidget) -> None:
    assert places(row, 400) == [(0, 0), (WIDTH + GAP, 0), (300, 0)]
    assert row.height() == HEIGHT


def test_what_does_not_fit_is_in_the_next_line(row: QWidget) -> None:
    assert places(row, 3 * WIDTH) == [(0, 0), (WIDTH + GAP, 0), (0, HEIGHT + GAP)]
    assert row.height() == 2 * HEIGHT + GAP


def test_a_hidden_widget_takes_no_room(row: QWidget) -> None:
    row.findChildren(QWidget)[0].hide()
    (_, first), (_, second) = pairwise(places(row, 2 * WIDTH + GAP))
    assert first == (0, 0)
    assert second == (WIDTH + GAP, 0)


def test_a_label_that_wraps_is_in_one_line_only_where_all_of_it_fits(
    qapp: QApplication,
) -> None:
    whole, row = QWidget(), WrappingRow(GAP)
    label = QLabel("66 of 109 pairs at or above (61 %)")
    label.setWordWrap(True)
    row.addWidget(label)
    whole.setLayout(row)
    metrics = label.fontMetrics()
    wide = metrics.horizontalAdvance(label.text()) + 1
    assert whole.heightForWidth(wide) == metrics.height()
    assert whole.heightForWidth(wide - 2) == 2 * metrics.height()
    places(whole, wide // 2 + 40)
    assert (label.width(), label.height()) == (whole.width(), 2 * metrics.height())
