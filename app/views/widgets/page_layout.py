"""Layout of pages: splitters, headings, scroll areas, stacked pages."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import (
    QLabel,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from app.views.widgets.boxes import Stretch, as_widget, make_column, make_row
from app.views.widgets.controls import make_label
from app.views.widgets.theme import GRID

MAX_SIZE = (1 << 24) - 1  # Qt's maximum widget size in pixels: no limit


def make_scroll_area(page: QWidget, parent: QWidget | None = None) -> QScrollArea:
    """Put a page into a scroll area that does not take the focus."""
    area = QScrollArea(parent)
    _fill_scroll_area(area, page)
    return area


def _fill_scroll_area(area: QScrollArea, page: QWidget) -> None:
    page.setObjectName("scrolled")
    page.setMinimumWidth(1)  # may be narrower than its hint
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(page)


class FixedLines(QScrollArea):
    """Texts with a fixed height in lines, so that nothing below them moves.

    A longer text scrolls.
    """

    def __init__(self, n_lines: int, *labels: QLabel, parent: QWidget | None = None):
        super().__init__(parent)
        self._n_lines = n_lines
        page = as_widget(make_column(*labels, Stretch(1)))
        _fill_scroll_area(self, page)
        policy = QSizePolicy.Policy
        self.setSizePolicy(policy.Preferred, policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the height of the lines."""
        height = self._n_lines * self.fontMetrics().lineSpacing()
        return QSize(super().sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        """Return a minimum size without a minimum width."""
        return QSize(1, self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Update the height when the text size changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()


LIST_WIDTH = 27 * GRID
LIST_AND_PAGE = (LIST_WIDTH, 110 * GRID)


def make_split(
    *parts: QWidget,
    sizes: Sequence[int] = (),
    growing: int | None = None,
    is_vertical: bool = False,
    gap: int = 2 * GRID,
    parent: QWidget | None = None,
) -> QSplitter:
    """Put widgets into a splitter whose parts cannot be collapsed.

    Args:
        parts: widgets from left to right.
        sizes: initial sizes of the parts, in pixels.
        growing: index of the part that takes the remaining room; None: all parts.
        is_vertical: whether the parts are arranged from top to bottom.
        gap: width of the handle between two parts, in pixels.
        parent: parent of the splitter. Qt restyles all parts whenever a widget that
            contains them gets another parent.
    """
    way = Qt.Orientation.Vertical if is_vertical else Qt.Orientation.Horizontal
    split = QSplitter(way, parent)
    split.setChildrenCollapsible(False)
    split.setHandleWidth(gap)
    for part in parts:
        split.addWidget(part)
    if growing is not None:
        split.setStretchFactor(growing, 1)
    if sizes:
        split.setSizes(list(sizes))
    return split


def add_heading(
    heading: str, rows: QWidget, count: QLabel, button: QWidget | None = None
) -> QWidget:
    """Add a heading to a layout, with a count and a button on the right."""
    head = make_row(make_label(heading, "heading"), (count, 1))
    if button is not None:
        head.addWidget(button)
    return as_widget(make_column(head, (rows, 1)))


def lay_out_page(page: QWidget, messages: QWidget, content: QWidget) -> None:
    """Lay out a page: messages in full width, and content with margins."""
    full = make_column(content, margins=2 * GRID)
    make_column(messages, (full, 1), parent=page, gap=0)


def stack_pages(
    page: QWidget, messages: QWidget, pages: Sequence[QWidget]
) -> QStackedWidget:
    """Lay out messages above a stack of pages."""
    stack = QStackedWidget(page)
    for one in pages:
        stack.addWidget(one)
    make_column(messages, (stack, 1), parent=page)
    return stack
