"""A list on the left and the page of the selected row on the right."""

from PySide6.QtWidgets import QStackedWidget, QWidget

from app.views.widgets.boxes import make_column
from app.views.widgets.controls import make_label
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import (
    LIST_AND_PAGE,
    LIST_WIDTH,
    add_heading,
    make_split,
)
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow


class ListAndPages(QWidget):
    """A counted list next to pages; while the list is empty only the start page shows.

    Attributes:
        list: the rows on the left.
        split: the splitter between the list and the pages.
        pages: the parent of all pages. Qt styles a page again when it moves to another
            parent, so pages are made in this one.
    """

    def __init__(
        self,
        heading: str,
        rows: TwoLineList,
        button: QWidget | None,
        parent: QWidget | None = None,
    ):
        """Lay the parts out; `add_pages` follows.

        Args:
            heading: title of the list.
            button: shown to the right of the heading; None: no button.
        """
        super().__init__(parent)
        self.list = rows
        self._count = make_label("", "secondary")
        self._left = add_heading(heading, rows, self._count, button)
        self._left.hide()
        self.pages = QStackedWidget()
        # Where room is short, the page gives way: the list is as wide as its heading.
        self.pages.setMinimumWidth(LIST_WIDTH)
        self.split = make_split(
            self._left, self.pages, sizes=LIST_AND_PAGE, growing=1, parent=self
        )
        make_column(self.split, parent=self)

    def add_pages(self, start: QWidget, first: QWidget) -> None:
        """Add what is shown while the list is empty, and the page of its rows."""
        self._start, self._first = start, first
        self.pages.addWidget(start)
        self.pages.addWidget(first)

    @property
    def has_rows(self) -> bool:
        """Return whether the list is shown, not the start page."""
        return bool(self.list.rows)

    def show_rows(self, rows: list[TwoLineRow], n: int | None = None) -> None:
        """Show the rows, or the start page if there are none.

        Args:
            n: shown next to the heading unless 0; None: the number of rows.
        """
        self.list.show_rows(rows)
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
            self.split.setSizes(sizes)
