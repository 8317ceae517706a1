"""Dialog with the notes and labels of the project."""

import time
from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.engine.store.corpora import corpus_of
from app.engine.store.notes import NoteRow
from app.engine.store.pairs.sets import pair_set_of
from app.engine.store.sentences import has_links
from app.views.client.state import AppState
from app.views.notes.listing import (
    CLASS_PREFIX,
    EXPORTED,
    LABELS,
    NOTES,
    count_listed,
    describe_rows,
    export_row,
    read_listed,
    tabulate_listed,
)
from app.views.widgets.cells import LANGUAGE_ROLE
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import fit_dialog, lay_out_dialog
from app.views.widgets.export_dialog import ExportDialog, ExportedRows, ask_rows_export
from app.views.widgets.note_dialog import ask_note, ask_pair_note
from app.views.widgets.number_format import format_count, pluralize
from app.views.widgets.tables import (
    ROW_HEIGHT_TWO,
    TextDelegate,
    select_table_row,
    set_up_table,
)
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.view_protocol import ReadingRequest

MINUTE_MS = 60_000
PAGE_SIZE = 5_000  # notes or labels per page
WIDTH, HEIGHT = 140 * GRID, 80 * GRID
NOTE, TEXT, MARK, PLACE, WHEN = range(5)
FIXED_WIDTHS = {MARK: 10 * GRID, PLACE: 22 * GRID, WHEN: 14 * GRID}
CHANGES = {  # kinds of changes
    *("note", "label", "labels", "pair", "corpus", "mining", "judgements", "sentence"),
}


class NotesDialog(QDialog):
    """Lists notes and flagged pairs, or labels, in a separate window.

    Attributes:
        table: page of notes or labels, newest first.
        choice: notes, all labels, or the labels of a class.
        newer_button, older_button: show another page.
        find_field: words to find in notes, texts and locations.
        open_button: shows the sentence in Read or its corpus, or the pair in Review.
    """

    def __init__(self, state: AppState, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Notes and labels"))
        self._state = state
        self._notes: list[NoteRow] = []
        self._page, self._has_older = 0, False
        self._cells: list[list[str]] = []  # displayed text by row
        self._linked: dict[int, bool] = {}  # whether each corpus has links
        self.table, self.find_field = self._make_table(), QLineEdit()
        self.choice = QComboBox()
        self._count = make_label("", "secondary")
        self._empty = make_label("", "secondary", wraps=True)
        self._make_controls()
        self._lay_out()
        self.table.itemSelectionChanged.connect(self._on_selection_changed)
        self.table.itemActivated.connect(self.open_current)
        self.find_field.textChanged.connect(self._filter)
        self.choice.activated.connect(self._on_choice_activated)
        state.labels.changed.connect(self._offer_choices)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.project_opened.connect(self.close)
        state.project_closed.connect(self.close)
        clock = QTimer(self, interval=MINUTE_MS)
        clock.timeout.connect(self._show_ages)
        clock.start()
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(
            self.find_field.setFocus
        )
        fit_dialog(self, WIDTH, HEIGHT)
        state.labels.need()
        self._offer_choices()
        self.refresh()

    @property
    def shown_rows(self) -> list[list[str]]:
        """The cells of the visible rows."""
        return [self._cells[row] for row in self._shown()]

    def refresh(self) -> None:
        """Read the notes again, and keep the selection."""
        project, current = self._state.project, self._current
        if project is None:
            return
        notes = read_listed(
            project.store, self._listed, PAGE_SIZE + 1, self._page * PAGE_SIZE
        )
        self._has_older = len(notes) > PAGE_SIZE
        del notes[PAGE_SIZE:]
        if notes == self._notes and self._cells:
            return
        self._notes = notes
        self._show_columns()
        self._linked.clear()
        self._fill()
        same = (row for row, one in enumerate(self._notes) if _is_same(one, current))
        select_table_row(self.table, next(same, 0), TEXT)
        self._filter()

    def open_current(self) -> None:
        """Show the pair in Review, or the sentence in Read or in its corpus."""
        row = self._current
        if row is None:
            return
        if row.pair_id:
            self._state.view_requests.review_requested.emit(
                pair_set_of(row.pair_id), row.pair_id
            )
        elif self._is_linked(row):
            self._state.view_requests.reading_requested.emit(
                ReadingRequest(row.sentence_id)
            )
        else:
            self._state.view_requests.place_requested.emit(row.sentence_id)
        self._show_window()

    def show_in_corpus(self) -> None:
        """Show the sentence, or the source of the pair, in its corpus."""
        if self._current is not None:
            self._state.view_requests.place_requested.emit(self._current.sentence_id)
            self._show_window()

    def edit_note(self) -> None:
        """Open the note editor for the sentence or the pair."""
        row = self._current
        if row is not None and row.pair_id:
            ask_pair_note(self._state, self, row.pair_id, row.text)
        elif row is not None:
            ask_note(self._state, self, row.sentence_id)

    def ask_export(self) -> ExportDialog:
        """Ask where to export the visible rows, or the rows of all pages."""
        project, shown = self._state.project, self.tr("Shown on this page")
        choices = [ExportedRows(shown, self._tabulate_shown, len(self._shown()))]
        if project is not None and (self._page or self._has_older):
            n = count_listed(project.store, self._listed)
            table = partial(tabulate_listed, self._state, self._listed)
            choices.append(ExportedRows(self.tr("All pages"), table, n))
        title, name = self.tr("Export labels"), self.tr("labels")
        if self._listed == NOTES:
            title, name = self.tr("Export notes"), self.tr("notes")
        return ask_rows_export(self._state, self, title, name, choices)

    # --- rows ---

    @property
    def _current(self) -> NoteRow | None:
        row = self.table.currentRow()
        is_shown = 0 <= row < len(self._notes) and not self.table.isRowHidden(row)
        return self._notes[row] if is_shown else None

    def _shown(self) -> list[int]:
        n = self.table.rowCount()
        return [row for row in range(n) if not self.table.isRowHidden(row)]

    def _is_linked(self, row: NoteRow) -> bool:
        """Return whether Read can show the corpus of a sentence with translations."""
        project, corpus = self._state.project, corpus_of(row.sentence_id)
        if corpus not in self._linked and project is not None:
            self._linked[corpus] = has_links(project.store, corpus)
        return self._linked.get(corpus, False)

    @property
    def _listed(self) -> str:
        """The listed entries: notes, labels, or the labels of a class."""
        return str(self.choice.currentData() or NOTES)

    def _show_ages(self) -> None:
        """Update the ages of the notes."""
        for index, (cells, _) in enumerate(describe_rows(self._state, self._notes)):
            self._cells[index] = cells
            if (item := self.table.item(index, WHEN)) is not None:
                item.setText(cells[WHEN])

    def _fill(self) -> None:
        found = describe_rows(self._state, self._notes)
        self._cells = [cells for cells, _ in found]
        self.table.setRowCount(len(self._notes))
        for index, (row, (cells, language)) in enumerate(
            zip(self._notes, found, strict=True)
        ):
            written = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.changed_at))
            hint = self.tr("{time}, {who}").format(time=written, who=row.who)
            for column, cell in enumerate(cells):
                item = QTableWidgetItem(cell)
                item.setToolTip(hint if column == WHEN else cell)
                if column == TEXT:
                    item.setData(LANGUAGE_ROLE, language)
                self.table.setItem(index, column, item)

    def _tabulate_shown(self) -> Iterator[Sequence[str]]:
        yield EXPORTED
        for index in self._shown():
            yield export_row(self._notes[index], self._cells[index])

    def _filter(self) -> None:
        """Hide the rows that do not contain the words."""
        words = self.find_field.text().casefold().split()
        for row, cells in enumerate(self._cells):
            text = " ".join(cells).casefold()
            self.table.setRowHidden(row, not all(word in text for word in words))
        n = len(self._shown())
        self._count.setText(self._describe_count(n))
        self._empty.setText(self._describe_emptiness())
        self._empty.setVisible(not n)
        self.newer_button.setVisible(self._page > 0)
        self.older_button.setVisible(self._has_older)
        self.table.setVisible(bool(n))
        self._export.setEnabled(bool(n))
        self._on_selection_changed()

    def _describe_count(self, n: int) -> str:
        text = pluralize(n, self.tr("1 label"), self.tr("{n} labels"))
        if self._listed == NOTES:
            text = pluralize(n, self.tr("1 note"), self.tr("{n} notes"))
        if not self._page and not self._has_older:
            return text
        first = self._page * PAGE_SIZE
        words = self.tr("{notes} from {first} to {last}, newest first")
        return words.format(
            notes=text,
            first=format_count(first + 1),
            last=format_count(first + len(self._notes)),
        )

    def _describe_emptiness(self) -> str:
        """Return the reason why the table is empty."""
        if self._notes and self._listed == NOTES:
            return self.tr("No note contains this.")
        if self._notes:
            return self.tr("No label contains this.")
        if self._listed != NOTES:
            return self.tr("No labels yet. Select sentences and press 1–9.")
        return self.tr(
            "No notes yet. Press N to write one on the selected sentence, or on "
            "the pair in Review. Flagged pairs are listed, too."
        )

    def _show_columns(self) -> None:
        """Show the columns of notes or of labels."""
        is_notes = self._listed == NOTES
        self.table.setColumnHidden(NOTE, not is_notes)
        heading = self.table.horizontalHeaderItem(MARK)
        if heading is not None:
            heading.setText(self.tr("Mark") if is_notes else self.tr("Label"))

    # --- slots ---

    def _offer_choices(self) -> None:
        """Offer notes, labels, and the current classes."""
        listed = self._listed
        self.choice.clear()
        self.choice.addItem(self.tr("Notes and flags"), NOTES)
        self.choice.addItem(self.tr("All labels"), LABELS)
        for name in self._state.labels.classes:
            words = self.tr("Label: {name}").format(name=name)
            self.choice.addItem(words, f"{CLASS_PREFIX}{name}")
        self.choice.setCurrentIndex(max(self.choice.findData(listed), 0))
        if self._listed != listed:  # the last label of the class was removed
            self._on_choice_activated()

    def _on_choice_activated(self) -> None:
        self._show_page(0)

    def _show_page(self, page: int) -> None:
        self._page = page
        self.refresh()

    def _show_newer(self) -> None:
        self._show_page(max(self._page - 1, 0))

    def _show_older(self) -> None:
        self._show_page(self._page + 1)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if kinds & CHANGES:
            self.refresh()

    def _on_selection_changed(self) -> None:
        row = self._current
        words = self.tr("Show in corpus")
        if row is not None and row.pair_id:
            words = self.tr("Open in Review")
        elif row is not None and self._is_linked(row):
            words = self.tr("Open in Read")
        self.open_button.setText(words)
        describe(self.open_button, words, self.tr("Show where the note is (Enter)."))
        self.open_button.setEnabled(row is not None)
        self._place.setVisible(row is None or bool(row.pair_id) or self._is_linked(row))
        self._place.setEnabled(row is not None)
        self._edit.setEnabled(row is not None and self._state.can_write)

    def _show_window(self) -> None:
        window = self.parentWidget()
        if window is not None:
            window.window().activateWindow()

    # --- layout ---

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, 5)
        table.setHorizontalHeaderLabels(
            [
                self.tr("Note"),
                self.tr("Sentence or pair"),
                self.tr("Mark"),
                self.tr("Where"),
                self.tr("When"),
            ]
        )
        set_up_table(table, ROW_HEIGHT_TWO)
        delegate = TextDelegate(table)
        delegate.max_lines = 2
        table.setItemDelegate(delegate)
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        for column in (NOTE, TEXT):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column, width in FIXED_WIDTHS.items():
            table.setColumnWidth(column, scaled(width))
        describe(table, self.tr("Notes"), has_tooltip=False)
        return table

    def _make_controls(self) -> None:
        self.find_field.setPlaceholderText(self.tr("Find notes or labels"))
        self.find_field.setClearButtonEnabled(True)
        hint = self.tr(
            "Show only notes or labels of this page whose text, sentence or place "
            "contains these words."
        )
        describe(self.find_field, self.tr("Find notes"), hint)
        hint = self.tr("List notes and flagged pairs, or labels.")
        describe(self.choice, self.tr("Listed"), hint)
        self.open_button = make_button("", "", self.open_current, kind="primary")
        self._place = make_button(
            self.tr("Show in corpus"),
            self.tr("Show the sentence in the table of its corpus."),
            self.show_in_corpus,
        )
        self._edit = make_button(
            self.tr("Edit note…"),
            self.tr("Edit the note on the sentence or pair. Empty text removes it."),
            self.edit_note,
        )
        self._export = make_button(
            self.tr("Export…"),
            self.tr("Export the notes or labels as a table."),
            self.ask_export,
        )
        self._close = make_button(
            self.tr("Close"), self.tr("Close this window."), self.accept, kind="quiet"
        )
        hint = self.tr("Show newer notes or labels.")
        self.newer_button = make_button(self.tr("Newer"), hint, self._show_newer)
        hint = self.tr("Show older notes or labels.")
        self.older_button = make_button(self.tr("Older"), hint, self._show_older)
        pages = (self.newer_button, self.older_button)
        for button in (self._place, self._edit, self._export, self._close, *pages):
            button.setAutoDefault(False)
        self.open_button.setAutoDefault(False)

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        for row in (top, bottom):
            row.setSpacing(GRID)
        top.addWidget(self.find_field, 1)
        top.addWidget(self.choice)
        for widget in (self._count, self.newer_button, self.older_button):
            top.addWidget(widget)
        for button in (self._edit, self._export):
            bottom.addWidget(button)
        bottom.addStretch()
        for button in (self._close, self._place, self.open_button):
            bottom.addWidget(button)
        layout = lay_out_dialog(self)
        layout.addWidget(make_label(self.windowTitle(), "heading"))
        layout.addLayout(top)
        layout.addWidget(self._empty)
        layout.addWidget(self.table, 1)
        layout.addStretch(0)
        layout.addLayout(bottom)


def _is_same(one: NoteRow, other: NoteRow | None) -> bool:
    """Return whether both entries are about the same sentence or pair."""
    return other is not None and one[:1] + one[4:6] == other[:1] + other[4:6]
