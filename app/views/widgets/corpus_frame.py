"""How the parts of the corpora page lie: lists on the left, sentences on the right."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.views.theme import GRID
from app.views.widgets.controls import make_button
from app.views.widgets.counted_heading import CountedHeading
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.splits import make_split
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import format_count

LIST_WIDTH = 27 * GRID
LEAST_LIST = 25 * GRID  # where the heading is in two lines


class CorpusFrame(QWidget):
    """The lists with their heading beside the sentences, or what to do without any."""

    def __init__(
        self,
        on_import: Callable[[], object],
        on_folder: Callable[[], object],
        lists: Sequence[QWidget],
        body: Sequence[QWidget],
        parent: QWidget | None = None,
    ):
        """Lay parts out.

        Args:
            on_import: asks for files to import.
            on_folder: asks for a folder to import.
            lists: of the left side; the first one gets the room.
            body: of the right side; the last one gets the room.
            parent: of the frame.
        """
        super().__init__(parent)
        left, right = QWidget(), QWidget()
        left.setMinimumWidth(LEAST_LIST)
        column = _make_column(left)
        column.addLayout(self._make_heading(on_import))
        for number, widget in enumerate(lists):
            column.addWidget(widget, number == 0)
        column = _make_column(right)
        for number, widget in enumerate(body, 1):
            column.addWidget(widget, number == len(body))
        full = QWidget()
        box = QVBoxLayout(full)
        box.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        sizes = (LIST_WIDTH, 80 * GRID)
        box.addWidget(make_split(left, right, sizes=sizes, growing=1))
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._make_empty(on_import, on_folder))
        self._pages.addWidget(full)

    def show_count(self, n_corpora: int) -> None:
        """Say how many corpora there are; without any, what to do."""
        self._pages.setCurrentIndex(1 if n_corpora else 0)
        self._heading.set_count(format_count(n_corpora))

    def _make_heading(self, on_import: Callable[[], object]) -> WrappingRow:
        self._heading = CountedHeading(self.tr("Corpora"))
        head = WrappingRow()
        head.addWidget(self._heading)
        head.add_stretch()
        head.addWidget(
            make_button(
                self.tr("Import…"),
                self.tr("Import files as corpora; or drop them onto the window."),
                on_import,
            )
        )
        return head

    def _make_empty(
        self, on_import: Callable[[], object], on_folder: Callable[[], object]
    ) -> EmptyState:
        start = make_button(
            self.tr("Import…"),
            self.tr("Import files as corpora."),
            on_import,
            kind="primary",
        )
        folder = make_button(
            self.tr("Import a folder…"),
            self.tr("Import the files of a folder as the documents of one corpus."),
            on_folder,
        )
        return EmptyState(
            self.tr("No corpus yet"),
            self.tr(
                "Import a text, a table, a TMX, a folder or two files of a parallel "
                "text; or drop files or a folder onto this window."
            ),
            [start, folder],
            icon="corpora",
        )


def _make_column(widget: QWidget) -> QVBoxLayout:
    layout = QVBoxLayout(widget)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(GRID)
    return layout
