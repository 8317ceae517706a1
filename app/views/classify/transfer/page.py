"""Transfer step: the list of tests, and the scores by language of a test."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.engine.store.classifiers import read_transfer
from app.params import command_name
from app.params.classify import EvaluateTransfer
from app.results.transfer import N_ERRORS, LanguageDetails
from app.views.classify.actions import ClassifyActions
from app.views.classify.sources import describe_suggestion, suggest_transfer
from app.views.classify.transfer.details import TransferDetails
from app.views.classify.transfer.notes import TransferNotesDialog
from app.views.classify.transfer.plot import TransferFigure
from app.views.classify.transfer.results import (
    TransferRun,
    TransferScore,
    describe_transfer,
    describe_transfer_settings,
    error_rows,
    list_transfers,
    score_table,
    training_language_score,
    transfer_figures,
    transfer_notes,
    transfer_scores,
    transfer_warning,
)
from app.views.classify.transfer.table import TransferTable
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import ActionRow, FigureRow
from app.views.widgets.boxes import make_column, make_row
from app.views.widgets.controls import (
    ElidedLabel,
    make_action_button,
    make_button,
    make_label,
    offer_in_palette,
)
from app.views.widgets.dialogs import suggest_path
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.export_dialog import (
    ExportDialog,
    ExportedRows,
    ExportFileField,
    OnEnded,
    SecondFile,
    Table,
    freeze_table,
    table_formats,
)
from app.views.widgets.list_and_pages import ListAndPages
from app.views.widgets.number_format import format_count
from app.views.widgets.page_layout import make_scroll_area, make_split
from app.views.widgets.plot_export import PlotExporter
from app.views.widgets.statistics_format import SEPARATOR
from app.views.widgets.table_export import export_tables
from app.views.widgets.tables import shown_texts
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.two_line_list import TwoLineList, TwoLineRow

# Sizes in grid steps:
FULL_HEIGHT = 76  # of the board and the details
ROW, HEAD, LEAST, MOST = 3, 12, 24, 40  # of the board: language, other parts, bounds
TABLE_AND_PLOT = (90, 36)
NARROW_WIDTH = 80  # narrower pages show the plot below the details
MIN_DETAILS_HEIGHT = 34  # with less space, the page scrolls
SHORT_HEIGHT = 84  # lower pages show the figures as text
SHORT_TABLE, SHORT_DETAILS = 16, 26  # minimum heights in a low page


class TransferPage(QWidget):
    """Shows a test.

    Attributes:
        shown: the test shown; None before the first.
        rows: scores: the training language, and then the worst languages first.
    """

    place_requested = Signal(object)  # id of a sentence

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self.shown: TransferRun | None = None
        self.rows: list[TransferScore] = []
        self._shown_rows: list[TransferScore] = []  # in the table
        self._details_by_language: dict[str, LanguageDetails] = {}
        self._page = QWidget()
        make_column(make_scroll_area(self._page, self), parent=self)
        self._name = ElidedLabel("heading", takes_line=True)
        self._facts = ElidedLabel("secondary")
        self.figures = FigureRow(self._page, wraps=True)
        self.short_figures = make_label("", wraps=True)  # in a low page
        self.warning = ElidedLabel("warning")
        self._notes = ElidedLabel("secondary")
        self.notes_button = make_button(
            self.tr("Show all notes…"),
            self.tr("Show every note on what makes the figures doubtful."),
            self.show_notes,
            kind="quiet",
        )
        offer_in_palette(
            self.notes_button, self.tr("Show the notes on a transfer test…")
        )
        self._split = make_split(is_vertical=True, gap=GRID, parent=self._page)
        self._top = make_split(gap=GRID, parent=self._split)
        self.table = TransferTable(self._top)
        self.figure = TransferFigure(self.tr("Scores by language"))
        self._figure_area = make_scroll_area(self.figure, self._top)
        self._file = PlotExporter(
            state, self.figure, self.tr("Transfer board"), self._list_scores
        )
        self._file.has_own_width = True
        self._file.unmarked = self.figure.plot.unmarked
        self.details = TransferDetails(state, self._split)
        self._lay_out(actions)
        self.table.language_shown.connect(self._on_language_shown)
        self.figure.plot.language_chosen.connect(self.table.choose)
        self.details.place_requested.connect(self.place_requested)
        self.details.room_changed.connect(self._fit_board)
        actions.export_board.triggered.connect(self.ask_export)

    @property
    def language(self) -> str:
        """The language whose details are shown."""
        return self.table.current_key

    @property
    def notes(self) -> str:
        """Notes on limitations of the figures."""
        return self._notes.accessibleName()

    def show_transfer(self, one: TransferRun, others: Sequence[TransferRun]) -> None:
        """Show a test, and offer `others` for comparison."""
        project = self._state.project
        if project is None or (self.shown is not None and self.shown.id == one.id):
            return
        self.shown = one
        details = read_transfer(project.store, one.id)
        self._details_by_language = {found.name: found for found in details}
        n_before, self.rows = len(self.rows), transfer_scores(one, details)
        if len(self.rows) != n_before:
            self._give_room(len(self.rows))
        _, home = training_language_score(one, self.rows)
        self._name.setText(one.name)
        self.show_facts()
        figures = transfer_figures(one, self.rows)
        hint = self.tr("The gap is the difference of the unrounded scores.")
        self.figures.hint = hint if one.result.mean_gap is not None else ""
        self.figures.show_figures([(found.title, found.value) for found in figures])
        words = [f"{found.short_title} {found.value}" for found in figures]
        self.short_figures.setText(SEPARATOR.join(words))
        lines = [f"{found.title} {found.value}" for found in figures]
        self.short_figures.setToolTip("\n".join([*lines, self.figures.hint]).strip())
        text, self.warning.hint = transfer_warning(one, self.rows)
        self.warning.setText(text)
        self.warning.setVisible(bool(text))
        self._show_notes(transfer_notes(one))
        self._file.name = self.tr("transfer from {name}").format(name=home.title)
        self.figure.show_rows(self.rows, home)
        self._fit_board()
        self.details.show_transfer(one, self.rows, others)
        self._shown_rows = self.rows if home in self.rows else [home, *self.rows]
        self.table.show_rows(self._shown_rows, home.value, has_scores=one.has_scores)

    def show_facts(self) -> None:
        """Show the settings and current age of the test."""
        if self.shown is not None:
            self._name.hint = describe_transfer_settings(self.shown)
            self._facts.setText(self._name.hint)

    def offer_comparisons(self, others: Sequence[TransferRun]) -> None:
        """Offer the tests that are comparable with the current test."""
        self.details.comparison.offer(others)

    def focus_first(self) -> None:
        """Set the focus on the table."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export the board, with errors in a second file."""
        title = self.tr("Export transfer board")
        errors = self._errors_table()
        board = ExportedRows(
            "",
            freeze_table(self._list_scores),
            len(self._shown_rows),
            freeze_table(lambda: iter(shown_texts(self.table))),
        )
        hint = self.tr("Choose where the table is written.")
        second = None
        if errors is not None:
            words = self.tr(
                "The most confident errors of each language, at most {n}, are written "
                "to a second file, {file}."
            )
            words = words.format(n=format_count(N_ERRORS), file="{file}")
            second = SecondFile(words, _errors_file)
        file = ExportFileField(
            table_formats(),
            suggest_path(self._state, self.tr("transfer"), ".tsv"),
            hint,
        )

        def write(file: Path, on_ended: OnEnded) -> None:
            tables = {file: board.table_for(file.suffix)}
            if errors is not None:
                tables[_errors_file(file)] = errors()
            export_tables(self._state, tables, on_ended)

        dialog = ExportDialog(title, file, write, self.window(), second=second)
        dialog.offer_rows([board], 0)
        dialog.open()
        return dialog

    def _errors_table(self) -> Table | None:
        """Return the errors of the current test as a table, or None."""
        project, one, found = self._state.project, self.shown, self._details_by_language
        if not found or project is None or one is None:
            return None
        details = [found[row.key] for row in self.rows if row.key in found]
        return partial(error_rows, project, one, details)

    def _list_scores(self) -> Iterator[Sequence[str]]:
        """Return the board and settings as a table with a header."""
        assert self.shown is not None, "what exports it is disabled before"
        return score_table(self.shown, self._shown_rows)

    def _give_room(self, n_rows: int) -> None:
        """Limit the board's height, so that the details get the remaining space."""
        top = min(max(n_rows * ROW + HEAD, LEAST), MOST) * GRID
        one, two, *plot = self._split.sizes()
        height = max(one + two, FULL_HEIGHT * GRID)
        top = top * height // (FULL_HEIGHT * GRID)
        self._split.setSizes([top, height - top, *plot])

    def _show_notes(self, notes: Sequence[str]) -> None:
        """Show the first note, with a button that shows all notes."""
        self._notes.hint = "\n".join(notes)
        self._notes.setText("".join(notes[:1]))
        self._notes.setAccessibleName(" ".join(notes))
        n = len(notes)
        self._notes.setVisible(n > 0)
        self.notes_button.setVisible(n > 1)
        self.notes_button.setText(self.tr("Show all {n} notes…").format(n=n))
        self.notes_button.setAccessibleName(self.notes_button.text())

    def show_notes(self) -> None:
        """Show all notes in a dialog, so that the figures in the page don't move."""
        if self.shown is not None:
            TransferNotesDialog(transfer_notes(self.shown), self.window()).open()

    def _fit_board(self) -> None:
        """Fit the figures and the plot to the available space.

        In a low page the figures are a wrapping line of text, so that the details
        are visible. In a narrow page the plot is below the details.
        """
        is_short = self.height() < scaled(SHORT_HEIGHT * GRID)
        for widget in (self.figures, self._facts):
            widget.setVisible(not is_short)
        self.short_figures.setVisible(is_short)
        details = SHORT_DETAILS if is_short else MIN_DETAILS_HEIGHT
        least = self.details.least_height(self._split.width())
        self.details.setMinimumHeight(max(scaled(details * GRID), least))
        self._top.setMinimumHeight(scaled((SHORT_TABLE if is_short else LEAST) * GRID))
        self._figure_area.setMinimumWidth(scaled(30 * GRID))
        is_narrow = self.width() < scaled(NARROW_WIDTH * GRID)
        plot = min(self.figure.sizeHint().height(), scaled(MOST * GRID))
        self._figure_area.setMinimumHeight(plot if is_narrow else 0)
        place = self._split if is_narrow else self._top
        if self._figure_area.parentWidget() is not place:
            place.addWidget(self._figure_area)
            if not is_narrow:
                self._top.setSizes(list(TABLE_AND_PLOT))

    def _on_language_shown(self, key: str) -> None:
        self.figure.plot.choose(key)
        row = next((row for row in self._shown_rows if row.key == key), None)
        self.details.show_language(row, self._details_by_language.get(key))

    def _lay_out(self, actions: ClassifyActions) -> None:
        buttons = ActionRow()
        shown = (
            *(actions.test_again, actions.export_board, actions.export_test),
            actions.copy_test,
        )
        buttons.set_actions([(action, action.text()) for action in shown])
        head = make_row(self._name, GRID, (buttons, 1), self._file.make_menu())
        self._top.setStretchFactor(0, 1)
        self._top.setSizes(list(TABLE_AND_PLOT))
        self._split.setSizes([40 * GRID, 36 * GRID])
        make_column(
            head,
            self._facts,
            GRID,
            self.short_figures,
            self.figures,
            self.warning,
            make_row((self._notes, 1), self.notes_button),
            GRID,
            (self._split, 1),
            parent=self._page,
            gap=4,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the table and the plot for the new size."""
        super().resizeEvent(event)
        self._fit_board()

    def changeEvent(self, event: QEvent) -> None:
        """Place the table and the plot again after the text size changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.shown is not None:
            self._fit_board()
            self._give_room(len(self.rows))


def _errors_file(board: Path) -> Path:
    """Return the path of the errors file, next to the board's file."""
    return board.with_name(f"{board.stem}-errors{board.suffix}")


TRANSFER_TASK = command_name(EvaluateTransfer)


class TransferStep(QWidget):
    """The list of tests, and the page of a test.

    Attributes:
        page: the page of a test.
        tests: the list of tests.
    """

    shown_changed = Signal()
    place_requested = Signal(object)  # id of a sentence

    def __init__(
        self, state: AppState, actions: ClassifyActions, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._state = state
        self._transfers: list[TransferRun] = []
        self.tests = TwoLineList(
            self.tr("Tests"),
            self.tr("Select the test to show."),
            is_newest_first=True,
        )
        self.quick = make_action_button(actions.run_suggested_test, kind="primary")
        self._importing = make_button(
            self.tr("Import labelled texts…"),
            self.tr("Import tables with a column of labels."),
            state.view_requests.import_requested.emit,
            kind="primary",
        )
        self._empty = EmptyState(
            "",
            "",
            [self.quick, self._importing, make_action_button(actions.test)],
            icon="classify",
        )
        button = self._make_test_button(actions.test)
        self._body = ListAndPages(self.tr("Tests"), self.tests, button, self)
        self.page = TransferPage(state, actions, self._body.pages)
        self._body.add_pages(self._empty, self.page)
        make_column(self._body, parent=self)
        self.tests.choice_changed.connect(self._on_chosen)
        self.page.place_requested.connect(self.place_requested)

    @property
    def shown(self) -> TransferRun | None:
        """The test shown, or None."""
        return self.page.shown if self._body.has_rows else None

    @property
    def transfers(self) -> list[TransferRun]:
        """All tests, the newest first."""
        return self._transfers

    @property
    def texts(self) -> tuple[str, str]:
        """Heading and text of the empty page."""
        return self._empty.words

    def refresh(self) -> None:
        """Update the list of tests; show the newest if none was selected."""
        project = self._state.project
        if project is None:
            return
        self._transfers = list_transfers(project.store)
        self._body.show_rows(
            [
                TwoLineRow(one.id, one.name, describe_transfer(one, self._transfers))
                for one in self._transfers
            ]
        )
        if self.page.shown is not None:
            self.page.show_facts()
            self.page.offer_comparisons(self._transfers)
        if self._transfers and self.tests.chosen is None:
            self.tests.choose(self._transfers[0].id)
        if not self._transfers:
            self._show_next_step()
        self.shown_changed.emit()

    def choose(self, run_id: int) -> bool:
        """Show the test of a run, and return whether it exists."""
        return self.tests.choose(run_id)

    def focus_first(self) -> None:
        """Set the focus on the first control to use."""
        if self.shown is not None:
            self.page.focus_first()
        else:
            self.quick.setFocus(Qt.FocusReason.OtherFocusReason)

    def save_state(self) -> dict[str, Any]:
        """Return the state of the step."""
        one = self.shown
        return {} if one is None else {"test": one.id, "language": self.page.language}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the saved state."""
        is_there = isinstance(state.get("test"), int) and self.choose(state["test"])
        if is_there and "language" in state:
            self.page.table.choose(str(state["language"]))

    def _on_chosen(self) -> None:
        chosen = self.tests.chosen
        one = next((one for one in self._transfers if one.id == chosen), None)
        if one is not None:
            self.page.show_transfer(one, self._transfers)
            self.shown_changed.emit()

    def _show_next_step(self) -> None:
        project = self._state.project
        assert project is not None
        suggestion = suggest_transfer(project, self._state.labels.counts)
        heading = self.tr("Label one language, classify them all")
        text = self.tr(
            "A classifier trained on the labels of one language also works in others. "
            "The board shows how well, with intervals, the worst of the others first."
        )
        if suggestion is None:
            text = self.tr(
                "A test needs labelled sentences in two languages. Import a table with "
                "a label column, or label sentences with the keys 1 to 9."
            )
        if any(run.task == TRANSFER_TASK for run in self._state.runs):
            heading = self.tr("Training and testing…")
            text = self.tr("Progress is shown below. The board will appear here.")
        self._empty.set_words(heading, text)
        self.quick.setVisible(suggestion is not None)
        self._importing.setVisible(suggestion is None)
        if suggestion is not None:
            self.quick.setText(describe_suggestion(suggestion))
            self.quick.setAccessibleName(self.quick.text())

    def _make_test_button(self, action: QAction) -> QPushButton:
        """Create the button for a new test, with a short text."""
        button = make_action_button(action, kind="primary")
        button.setText(self.tr("Test…"))
        action.changed.connect(lambda: button.setText(self.tr("Test…")))
        return button
