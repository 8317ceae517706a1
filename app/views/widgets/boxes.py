"""Rows, columns and tabs of widgets, made in one call."""

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLayout,
    QStackedWidget,
    QTabBar,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.views.widgets.theme import GRID


class Stretch(NamedTuple):
    """Room that grows; 0: only where nothing else does."""

    factor: int = 0


Margins = int | tuple[int, int, int, int]  # left, top, right, bottom
BoxItem = (
    QWidget
    | QLayout
    | int  # a gap, in pixels
    | Stretch
    | tuple[QWidget | QLayout, int]  # with its stretch factor
    | tuple[QWidget, int, Qt.AlignmentFlag]
)


def make_column(
    *items: BoxItem,
    parent: QWidget | None = None,
    gap: int | None = GRID,
    margins: Margins | None = 0,
) -> QVBoxLayout:
    """Lay items out from top to bottom.

    Args:
        items: widgets, layouts and gaps; a tuple adds stretch factor and alignment.
        parent: the widget that is laid out; None: the column becomes part of another.
        gap: between two items, in pixels; None: that of the style.
        margins: around the items, in pixels; None: those of the style.
    """
    column = QVBoxLayout()
    _fill(column, items, parent, gap, margins)
    return column


def make_row(
    *items: BoxItem,
    parent: QWidget | None = None,
    gap: int | None = GRID,
    margins: Margins | None = 0,
) -> QHBoxLayout:
    """Lay items out from left to right; see `make_column`."""
    row = QHBoxLayout()
    _fill(row, items, parent, gap, margins)
    return row


class TabBar(QTabBar):
    """Titles of tabs that leave the wheel to the page that scrolls around them."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what contains the tabs."""
        event.ignore()


def make_tabs(parent: QWidget | None = None, *, has_frame: bool = False) -> QTabWidget:
    """Return tabs that the wheel doesn't switch, without a frame or with one."""
    tabs = QTabWidget(parent)
    tabs.setTabBar(TabBar(tabs))
    if has_frame:
        return tabs
    tabs.setDocumentMode(True)
    tabs.tabBar().setDrawBase(False)
    return tabs


def parent_of_pages(tabs: QTabWidget) -> QWidget:
    """Return the parent that tabs give their pages.

    Qt styles a page and all that is in it again when it moves to another parent; a page
    that is made in this one doesn't move.
    """
    return tabs.findChild(QStackedWidget) or tabs


def as_widget(layout: QLayout) -> QWidget:
    """Return a widget that a layout fills."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def _fill(
    box: QBoxLayout,
    items: tuple[BoxItem, ...],
    parent: QWidget | None,
    gap: int | None,
    margins: Margins | None,
) -> None:
    if parent is not None:
        parent.setLayout(box)
    if margins is not None:
        sides = (margins,) * 4 if isinstance(margins, int) else margins
        box.setContentsMargins(*sides)
    if gap is not None:
        box.setSpacing(gap)
    for item in items:
        match item:
            case Stretch():
                box.addStretch(item.factor)
            case int():
                box.addSpacing(item)
            case QWidget():
                box.addWidget(item)
            case QLayout():
                box.addLayout(item)
            case (QWidget() as widget, stretch, alignment):
                box.addWidget(widget, stretch, alignment)
            case (QWidget() as widget, stretch):
                box.addWidget(widget, stretch)
            case (QLayout() as layout, stretch):
                box.addLayout(layout, stretch)
