"""The checker of layouts finds what does not fit, and nothing else."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QTabBar, QWidget

from tests.views.clipping import layout_faults


@pytest.fixture
def window() -> Iterator[QWidget]:
    window = QWidget()
    window.resize(400, 300)
    window.show()
    yield window
    window.close()
    window.deleteLater()


def put(parent: QWidget, place: tuple[int, int, int, int], text: str) -> QPushButton:
    """Put a button at x, y with a width and height."""
    button = QPushButton(text, parent)
    button.setGeometry(*place)
    button.show()
    return button


def test_controls_side_by_side_are_right(window: QWidget) -> None:
    put(window, (0, 0, 150, 40), "Import")
    put(window, (150, 0, 150, 40), "Export")
    QLabel("", window).setGeometry(100, 0, 100, 40)
    assert layout_faults(window) == []


def test_an_overlap_is_found(window: QWidget) -> None:
    put(window, (0, 0, 150, 40), "Import")
    put(window, (140, 10, 150, 40), "Export")
    assert layout_faults(window) == [
        "overlap: QPushButton 'Export' and QPushButton 'Import'"
    ]


def test_a_text_without_room_is_found(window: QWidget) -> None:
    put(window, (0, 0, 20, 40), "Import files")
    put(window, (0, 100, 150, 40), "Export").setFixedHeight(6)
    assert layout_faults(window) == [
        "text cut: 'Import files'",
        "too low: QPushButton 'Export'",
    ]


def test_a_shortened_title_of_a_tab_is_found(window: QWidget) -> None:
    bar = QTabBar(window, usesScrollButtons=False)
    bar.setElideMode(Qt.TextElideMode.ElideRight)
    for title in ("Colours", "Map"):
        bar.addTab(title)
    bar.show()
    bar.resize(bar.sizeHint())
    assert layout_faults(window) == []
    bar.resize(bar.minimumSizeHint())
    assert layout_faults(window) == ["text cut: 'Colours'"]


def test_what_reaches_out_is_found_unless_it_can_be_scrolled(window: QWidget) -> None:
    put(window, (350, 0, 150, 40), "Import")
    area = QScrollArea(window)
    area.setGeometry(0, 100, 200, 100)
    content = QWidget()
    content.resize(500, 500)
    area.setWidget(content)
    put(content, (150, 90, 150, 40), "Export")
    put(content, (0, 400, 150, 40), "Report")
    area.show()
    assert layout_faults(window) == ["cut off: QPushButton 'Import'"]
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    assert "cut off: QPushButton 'Export'" in layout_faults(window)
