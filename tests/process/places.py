"""The places of what a user can click, before and after something happens."""

from collections.abc import Iterator
from typing import NamedTuple

import shiboken6
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QTabBar,
    QWidget,
)

from tests.process.user import CLICKED, describe

MAX_LISTED = 8  # faults of one event: the others follow from them
LEAST_MOVE = 3  # pixels: a line with a letter of another font is higher by less


class Place(NamedTuple):
    """A control, or one of its parts, and where it is.

    Attributes:
        part: the number of a tab, or the text of the current row; None: the control.
        rect: in the window, in pixels.
    """

    control: QWidget
    part: int | str | None
    rect: QRect
    name: str


def control_places(window: QWidget) -> list[Place]:
    """Return the places of the controls of a window that can be seen."""
    found: list[Place] = []
    for control in window.findChildren(QWidget):
        is_seen = control.isVisible() and not control.visibleRegion().isEmpty()
        if is_seen and control.window() is window and _is_control(control):
            found += _parts(control, window)
    return found


def moved_controls(before: list[Place], window: QWidget) -> list[str]:
    """Return which controls that were seen before are now elsewhere, or nowhere."""
    places = control_places(window)
    now = {(id(one.control), one.part): one for one in places}
    corners = {(type(one.control), one.rect.topLeft().toTuple()) for one in places}
    faults = []
    for old in before:
        is_valid = shiboken6.isValid(old.control)
        new = now.get((id(old.control), old.part)) if is_valid else None
        corner = type(old.control), old.rect.topLeft().toTuple()
        if new is not None:
            if _is_moved(old.rect, new.rect):
                change = f"{old.rect.getRect()} -> {new.rect.getRect()}"
                faults.append(f"{old.name} moved: {change}")
        elif isinstance(old.part, str) or (is_valid and _keeps_room(old.control)):
            continue  # another row is the current one; nothing takes the place
        elif is_valid or corner not in corners:  # else it was made again there
            faults.append(f"{old.name} vanished: {old.rect.getRect()}")
    return faults[:MAX_LISTED]


def _is_moved(old: QRect, new: QRect) -> bool:
    first = new.topLeft() - old.topLeft()
    last = new.bottomRight() - old.bottomRight()
    edges = (first.x(), first.y(), last.x(), last.y())
    return any(abs(distance) >= LEAST_MOVE for distance in edges)


def _keeps_room(control: QWidget) -> bool:
    return control.isHidden() and control.sizePolicy().retainSizeWhenHidden()


def _is_control(widget: QWidget) -> bool:
    if isinstance(widget, QHeaderView) or isinstance(
        widget.parent(), QAbstractSpinBox | QComboBox
    ):
        return False
    is_focusable = widget.focusPolicy() != Qt.FocusPolicy.NoFocus
    return isinstance(widget, CLICKED) or (
        is_focusable and not isinstance(widget, QLabel)
    )


def _parts(control: QWidget, window: QWidget) -> Iterator[Place]:
    origin, name = control.mapTo(window, QPoint(0, 0)), describe(control)
    yield Place(control, None, QRect(origin, control.size()), name)
    if isinstance(control, QTabBar):
        for tab in range(control.count()):
            rect = control.tabRect(tab).translated(origin)
            yield Place(control, tab, rect, f"tab {control.tabText(tab)!r}")
    if isinstance(control, QAbstractItemView):
        row = control.currentIndex()
        rect = control.visualRect(row)
        if row.isValid() and control.viewport().rect().intersects(rect):
            text = str(row.data())
            rect = rect.translated(origin + control.viewport().pos())
            yield Place(control, text, rect, f"row {text[:30]!r} of {name}")
