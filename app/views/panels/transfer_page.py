"""The page of a test: figures, the board as table and plot, and what lies behind."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.engine.store.transfer_rows import read_transfer
from app.transfer import LanguageDetails
from app.views.state import AppState
from app.views.theme import GRID, scaled
from app.views.transfer_lines import board_lines, error_lines
from app.views.transfers import (
    BoardRow,
    Transfer,
    board_rows,
    describe_settings,
    figures_of,
    home_of,
)
from app.views.widgets.action_row import ActionRow
from app.views.widgets.dialogs import ask_path
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.figure_row import FigureRow
from app.views.widgets.plot_file import PlotFile
from app.views.widgets.scrolled import make_scrolled
from app.views.widgets.splits import make_split
from app.views.widgets.transfer_behind import TransferBehind
from app.views.widgets.transfer_plot import TransferFigure
from app.views.widgets.transfer_table import TransferTable
from app.views.widgets.tsv import export_table

WHOLE = 76  # of the board and what lies behind, in steps of the grid
ROW, HEAD, LEAST, MOST = 3, 12, 24, 40  # of the board: a language, the rest, bounds
BUTTONS = ("export_board", "copy", "again")
NARROW = 80  # width of a page whose plot stands below the table
LEAST_BEHIND = 34  # lower than board and this, the page scrolls


class TransferPage(QWidget):
    """Shows a test.

    Attributes:
        shown: the test; None before the first.
        rows: its languages, the worst first.
    """

    place_wanted = Signal(object)  # id of a sentence

    def __init__(
        self,
        state: AppState,
        actions: dict[str, QAction],
        parent: QWidget | None = None,
    ):
        """Make an empty page; `actions`: the view's, by name."""
        super().__init__(parent)
        self._state = state
        self.shown: Transfer | None = None
        self.rows: list[BoardRow] = []
        self._details: dict[str, LanguageDetails] = {}
        self._name = ElidedLabel("heading")
        self._facts = ElidedLabel("secondary")
        self.figures = FigureRow()
        self._notes = ElidedLabel("secondary")
        self.table = TransferTable()
        self.figure = TransferFigure(self.tr("Scores by language"))
        self._file = PlotFile(
            state, self.figure, self.tr("Transfer board"), self.figure.table
        )
        self.behind = TransferBehind(state)
        self._lay_out(actions)
        self.table.language_shown.connect(self._on_language_shown)
        self.figure.plot.language_chosen.connect(self.table.choose)
        self.behind.place_wanted.connect(self.place_wanted)

    @property
    def language(self) -> str:
        """The language whose details are shown."""
        return self.table.current_key

    @property
    def notes(self) -> str:
        """What makes the figures doubtful."""
        return self._notes.accessibleName()

    def show_transfer(self, one: Transfer, others: Sequence[Transfer]) -> None:
        """Show a test; `others`: those it can be compared with."""
        project = self._state.project
        if project is None or (self.shown is not None and self.shown.id == one.id):
            return
        self.shown = one
        details = read_transfer(project.store, one.id)
        self._details = {found.name: found for found in details}
        n_before, self.rows = len(self.rows), board_rows(one, details)
        if len(self.rows) != n_before:
            self._give_room(len(self.rows))
        _, home = home_of(one, self.rows)
        self._name.setText(one.name)
        self._facts.setText(describe_settings(one))
        self.figures.show_figures(figures_of(one, self.rows))
        self._show_notes(one.told.notes)
        self._file.name = self.tr("transfer from {name}").format(name=home.title)
        self.figure.show_rows(self.rows, home)
        self.behind.show_transfer(one, self.rows, others)
        self.table.show_rows(self.rows, home.value, has_scores=one.has_scores)
        self._on_language_shown(self.table.current_key)

    def focus_first(self) -> None:
        """Put the keyboard on the table."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def export_to(self, file: Path) -> None:
        """Write the board to a file, and the errors to one beside it."""
        export_table(self._state, file, board_lines(self.rows))
        if self._details:
            other = file.with_name(f"{file.stem}-errors{file.suffix}")
            export_table(self._state, other, self._error_lines())

    def ask_export(self) -> None:
        """Ask where to write the board."""
        ask_path(
            self.window(),
            self.tr("Export the board"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / "transfer.tsv",
            filters=self.tr("Tab-separated (*.tsv)"),
        )

    def _give_room(self, n_rows: int) -> None:
        """Leave the room that few languages need not to what lies behind them."""
        top = min(max(n_rows * ROW + HEAD, LEAST), MOST) * GRID
        height = max(sum(self._split.sizes()), WHOLE * GRID)
        top = top * height // (WHOLE * GRID)
        self._split.setSizes([top, height - top])

    def _error_lines(self) -> Iterator[Sequence[str]]:
        keys = [row.key for row in self.rows if row.key in self._details]
        return error_lines([self._details[key] for key in keys])

    def _show_notes(self, notes: Sequence[str]) -> None:
        """Say what makes the figures doubtful, the first of it in sight."""
        more = self.tr("(and {n} more)").format(n=len(notes) - 1)
        self._notes.hint = "\n".join(notes)
        self._notes.setText(f"{notes[0]} {more}" if len(notes) > 1 else "".join(notes))
        self._notes.setAccessibleName(" ".join(notes))
        self._notes.setVisible(bool(notes))

    def _turn_board(self) -> None:
        """Put the plot below the table where there is no room beside it."""
        is_narrow = self.width() < scaled(NARROW * GRID)
        way = Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal
        self._top.setMinimumHeight(scaled((2 if is_narrow else 1) * LEAST * GRID))
        if self._top.orientation() != way:
            self._top.setOrientation(way)
            self._top.setSizes([LEAST, LEAST] if is_narrow else [90, 36])

    def _on_language_shown(self, key: str) -> None:
        self.figure.plot.choose(key)
        row = next((row for row in self.rows if row.key == key), None)
        self.behind.show_language(row, self._details.get(key))

    def _lay_out(self, actions: dict[str, QAction]) -> None:
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self._name, 1)
        head.addWidget(self._file.make_menu())
        buttons = ActionRow()
        buttons.set_actions([(actions[name], actions[name].text()) for name in BUTTONS])
        figure = make_scrolled(self.figure)
        figure.setMinimumWidth(scaled(30 * GRID))
        sizes = 90 * GRID, 36 * GRID
        self._top = top = make_split(
            self.table, figure, sizes=sizes, growing=0, gap=GRID
        )
        self.behind.setMinimumHeight(scaled(LEAST_BEHIND * GRID))
        sizes = 40 * GRID, 36 * GRID
        self._split = make_split(
            top, self.behind, sizes=sizes, is_vertical=True, gap=GRID
        )
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(buttons)
        layout.addSpacing(GRID)
        layout.addWidget(self.figures)
        layout.addWidget(self._notes)
        layout.addSpacing(GRID)
        layout.addWidget(self._split, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(make_scrolled(page))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place table and plot as there is room."""
        super().resizeEvent(event)
        self._turn_board()
