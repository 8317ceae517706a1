"""Parts with a line between them that moves; a list under its heading; a page."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.views.theme import GRID
from app.views.widgets.controls import make_label

LIST_WIDTH = 27 * GRID
LIST_AND_PAGE = (LIST_WIDTH, 110 * GRID)


def make_split(
    *parts: QWidget,
    sizes: Sequence[int] = (),
    growing: int | None = None,
    is_vertical: bool = False,
    gap: int = 2 * GRID,
) -> QSplitter:
    """Put parts side by side; none can be made to vanish.

    Args:
        parts: from left to right.
        sizes: of the parts at first, in pixels.
        growing: place of the part that takes what room is left; None: all do.
        is_vertical: from top to bottom instead.
        gap: between two parts, in pixels: where the pointer moves the line.
    """
    way = Qt.Orientation.Vertical if is_vertical else Qt.Orientation.Horizontal
    split = QSplitter(way)
    split.setChildrenCollapsible(False)
    split.setHandleWidth(gap)
    split.setStyleSheet("QSplitter::handle { background: transparent; }")
    for part in parts:
        split.addWidget(part)
    if growing is not None:
        split.setStretchFactor(growing, 1)
    if sizes:
        split.setSizes(list(sizes))
    return split


def put_heading(
    heading: str, rows: QWidget, count: QLabel, button: QWidget | None = None
) -> QWidget:
    """Put a heading above a list, with its count and a button on the right."""
    head = QHBoxLayout()
    head.setSpacing(GRID)
    head.addWidget(make_label(heading, "heading"))
    head.addWidget(count, 1)
    if button is not None:
        head.addWidget(button)
    whole = QWidget()
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(GRID)
    column.addLayout(head)
    column.addWidget(rows, 1)
    return whole


def fill_page(page: QWidget, messages: QWidget, content: QWidget) -> None:
    """Lay a page out: messages across it, and what it shows with room around."""
    full = QWidget()
    box = QVBoxLayout(full)
    box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
    box.addWidget(content)
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(messages)
    layout.addWidget(full, 1)


def stack_pages(
    page: QWidget, messages: QWidget, pages: Sequence[QWidget]
) -> QStackedWidget:
    """Lay a page out: messages above, and one of several pages below."""
    stack = QStackedWidget(page)
    for one in pages:
        stack.addWidget(one)
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(GRID)
    layout.addWidget(messages)
    layout.addWidget(stack, 1)
    return stack
