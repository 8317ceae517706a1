"""A list on the left and the page of the selected row on the right."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStackedWidget, QWidget

from app.views.widgets.boxes import as_widget, make_column, make_row
from app.views.widgets.controls import describe, make_label
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import (
    LIST_AND_PAGE,
    LIST_WIDTH,
    MAX_SIZE,
    make_split,
)
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

FOLD_WIDTH = (
    75 * GRID
)  # pixels; a narrower list becomes a drop-down list above the page


class ListAndPages(QWidget):
    """A counted list next to pages; while the list is empty only the start page shows.

    Attributes:
        list: the rows on the left.
        selector: the rows of a folded list.
        split: the splitter between the list and the pages.
        pages: the parent of all pages. Qt styles a page again when it moves to another
            parent, so pages are made in this one.
    """

    folded = Signal(bool)  # the list has become a drop-down list, or is a list again

    def __init__(
        self,
        heading: str,
        rows: TwoLineList,
        button: QWidget | None,
        parent: QWidget | None = None,
        *,
        folds: bool = False,
    ):
        """Lay out the parts; call `add_pages` next.

        Args:
            heading: title of the list.
            button: shown to the right of the heading, or None.
            folds: fold the list into a drop-down list above the page where it is
                narrow, as with large text.
        """
        super().__init__(parent)
        self._folds = folds
        self.list = rows
        self._heading = make_label(heading, "heading")
        self._count = make_label("", "secondary")
        self.selector = self._make_selector()
        head = make_row(self._heading, (self._count, 1), (self.selector, 1))
        if button is not None:
            head.addWidget(button)
        self._left = as_widget(make_column(head, (rows, 1)))
        self._left.hide()
        self.pages = QStackedWidget()
        # If room is short, the page shrinks: the list is as wide as its heading.
        self.pages.setMinimumWidth(LIST_WIDTH)
        self.split = make_split(
            self._left, self.pages, sizes=LIST_AND_PAGE, growing=1, parent=self
        )
        self._sizes = list(LIST_AND_PAGE)  # of the parts while the list is not folded
        make_column(self.split, parent=self)
        rows.choice_changed.connect(self._show_choice)

    def add_pages(self, start: QWidget, first: QWidget) -> None:
        """Add the start page, for an empty list, and the page of the rows."""
        self._start, self._first = start, first
        self.pages.addWidget(start)
        self.pages.addWidget(first)

    @property
    def has_rows(self) -> bool:
        """Return whether the list is shown instead of the start page."""
        return bool(self.list.rows)

    @property
    def is_folded(self) -> bool:
        """Whether the rows are in a drop-down list."""
        return self.list.isHidden()

    @property
    def sizes(self) -> list[int]:
        """Widths of the list and of the pages, to be saved."""
        return self._sizes if self.is_folded else self.split.sizes()

    def show_rows(self, rows: list[TwoLineRow], n: int | None = None) -> None:
        """Show the rows, or the start page if there are none.

        Args:
            n: shown next to the heading unless 0; None for the number of rows.
        """
        self.list.show_rows(rows)
        self._show_choice()
        n = len(rows) if n is None else n
        self._count.setText(format_count(n) if n else "")
        self._left.setVisible(bool(rows))
        if not rows:
            self.show_page(self._start)
        elif self.pages.currentWidget() is self._start:
            self.show_page(self._first)

    def show_page(self, page: QWidget) -> None:
        """Show one of the pages."""
        self.pages.setCurrentWidget(page)

    def restore_sizes(self, sizes: object) -> None:
        """Restore the splitter from a saved state, if the state fits it."""
        if isinstance(sizes, list) and len(sizes) == self.split.count():
            self._sizes = sizes
            if not self.is_folded:
                self.split.setSizes(sizes)

    def _make_selector(self) -> QComboBox:
        selector = QComboBox()
        describe(
            selector, self.list.accessibleName(), self.list.accessibleDescription()
        )
        policy = QSizePolicy.Policy
        selector.setSizePolicy(policy.Ignored, policy.Fixed)
        selector.setModel(self.list.model())
        selector.hide()
        selector.activated.connect(lambda row: self.list.choose(self.list.rows[row].id))
        return selector

    def _show_choice(self) -> None:
        index = self.list.currentIndex()
        self.selector.setCurrentIndex(index.row())
        hint = index.data(Qt.ItemDataRole.ToolTipRole)
        self.selector.setToolTip(hint or self.selector.accessibleDescription())

    def _fold_if_narrow(self) -> None:
        is_narrow = self._folds and self.width() < scaled(FOLD_WIDTH, self)
        if is_narrow == self.is_folded:
            return
        if is_narrow:
            self._sizes = self.split.sizes()
        for widget in (self._heading, self._count, self.list):
            widget.setVisible(not is_narrow)
        self.selector.setVisible(is_narrow)
        way = Qt.Orientation
        self.split.setOrientation(way.Vertical if is_narrow else way.Horizontal)
        self.split.setHandleWidth(GRID if is_narrow else 2 * GRID)
        self._limit_height()
        self.split.setSizes([1, self.height()] if is_narrow else self._sizes)
        self.folded.emit(is_narrow)

    def _limit_height(self) -> None:
        """Limit the height of a folded list to its row."""
        height = self._left.sizeHint().height() if self.is_folded else MAX_SIZE
        self._left.setMaximumHeight(height)
        self.split.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the list where it is narrow."""
        super().resizeEvent(event)
        self._fold_if_narrow()

    def changeEvent(self, event: QEvent) -> None:
        """Fold the list after a change of text size, if it is too narrow."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "split"):
            self._fold_if_narrow()
            self._limit_height()
