"""A page that scrolls up and down where it is higher than its place."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget


def make_scrolled(page: QWidget) -> QScrollArea:
    """Put a page into an area that scrolls; the keyboard passes it by."""
    page.setObjectName("scrolled")
    page.setMinimumWidth(1)  # as wide as its place, where it asks for more too
    area = QScrollArea(widgetResizable=True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(page)
    return area
