"""The notes of the project: a list to filter, to follow and to export."""

import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.engine.store.corpora import corpus_of
from app.engine.store.documents import read_document_names
from app.engine.store.notes import NoteRow, list_notes
from app.engine.store.pairs.sets import pair_set_of
from app.engine.store.sentences import SentenceRow, has_links, read_sentences
from app.views.client.state import AppState
from app.views.widgets.cells import LANGUAGE_ROLE
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.dialogs import ask_note, fit_dialog, lay_out_dialog
from app.views.widgets.export_dialog import ExportDialog, ask_table_export
from app.views.widgets.hits import describe_place, name_source
from app.views.widgets.number_format import format_age, format_count, pluralize
from app.views.widgets.pair_set_text import verdict_name
from app.views.widgets.tables import (
    ROW_HEIGHT_TWO,
    TextDelegate,
    select_table_row,
    set_up_table,
)
from app.views.widgets.theme import GRID, scaled
from app.views.widgets.view_protocol import ReadingRequest

MAX_NOTES = 5_000  # listed; the newest
WIDTH, HEIGHT = 140 * GRID, 80 * GRID
NOTE, TEXT, MARK, PLACE, WHEN = range(5)
FIXED_WIDTHS = {MARK: 10 * GRID, PLACE: 22 * GRID, WHEN: 14 * GRID}
CHANGES = {"note", "pair", "corpus", "mining", "judgements"}  # kinds


class NotesDialog(QDialog):
    """Lists notes on sentences and pairs, and flagged pairs, beside the window.

    Attributes:
        table: the notes, the newest first.
        find_field: words to find in notes, texts and places.
        open_button: shows the sentence in Read or its corpus, or the pair in Review.
    """

    def __init__(self, state: AppState, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Notes"))
        self._state = state
        self._notes: list[NoteRow] = []
        self._cells: list[list[str]] = []  # what the table shows, row by row
        self._linked: dict[int, bool] = {}  # corpora
        self.table, self.find_field = self._make_table(), QLineEdit()
        self._count = make_label("", "secondary")
        self._empty = make_label("", "secondary", wraps=True)
        self._make_controls()
        self._lay_out()
        self.table.itemSelectionChanged.connect(self._on_selection_changed)
        self.table.itemActivated.connect(self.open_current)
        self.find_field.textChanged.connect(self._filter)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.project_opened.connect(self.close)
        state.project_closed.connect(self.close)
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(
            self.find_field.setFocus
        )
        fit_dialog(self, WIDTH, HEIGHT)
        self.refresh()

    @property
    def shown_rows(self) -> list[list[str]]:
        """The cells of the rows that are shown."""
        return [self._cells[row] for row in self._shown()]

    def refresh(self) -> None:
        """Read the notes again; the selected one stays selected."""
        project, current = self._state.project, self._current
        if project is None:
            return
        notes = list_notes(project.store, limit=MAX_NOTES)
        if notes == self._notes and self._cells:
            return
        self._notes = notes
        self._linked.clear()
        self._fill()
        same = (row for row, one in enumerate(self._notes) if _is_same(one, current))
        select_table_row(self.table, next(same, 0), NOTE)
        self._filter()

    def open_current(self) -> None:
        """Show the pair in Review, or the sentence in Read or in its corpus."""
        row = self._current
        if row is None:
            return
        if row.pair_id:
            self._state.review_requested.emit(pair_set_of(row.pair_id), row.pair_id)
        elif self._is_linked(row):
            self._state.reading_requested.emit(ReadingRequest(row.sentence_id))
        else:
            self._state.place_requested.emit(row.sentence_id)
        self._show_window()

    def show_in_corpus(self) -> None:
        """Show the sentence, or the source of the pair, in its corpus."""
        if self._current is not None:
            self._state.place_requested.emit(self._current.sentence_id)
            self._show_window()

    def edit_note(self) -> None:
        """Ask for the note on the sentence; notes on pairs are edited in Review."""
        if self._current is not None and not self._current.pair_id:
            ask_note(self._state, self, self._current.sentence_id)

    def ask_export(self) -> ExportDialog:
        """Ask where to write the notes that are shown."""
        return ask_table_export(
            self._state,
            self,
            self.tr("Export notes"),
            self.tr("notes"),
            self._tabulate,
            len(self._shown()),
        )

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
        """Return whether Read can show the corpus of a sentence beside others."""
        project, corpus = self._state.project, corpus_of(row.sentence_id)
        if corpus not in self._linked and project is not None:
            self._linked[corpus] = has_links(project.store, corpus)
        return self._linked.get(corpus, False)

    def _fill(self) -> None:
        sentences, places = self._read_sentences()
        names = {row.id: row.name for row in self._state.minings}
        self._cells = []
        self.table.setRowCount(len(self._notes))
        for place, row in enumerate(self._notes):
            source, target = (
                sentences.get(i) for i in (row.sentence_id, row.target_id)
            )
            text = row.source_text or (source.text if source else "")
            where = places.get(row.sentence_id, "")
            if row.pair_id:
                other = row.target_text or (target.text if target else "")
                text = f"{text} – {other}"
                where = names.get(pair_set_of(row.pair_id), "")
            mark = verdict_name(row.verdict) if row.verdict else ""
            cells = [row.text, text, mark, where, format_age(row.changed_at)]
            self._cells.append(cells)
            written = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.changed_at))
            hint = self.tr("{time}, {who}").format(time=written, who=row.who)
            for column, cell in enumerate(cells):
                item = QTableWidgetItem(cell)
                item.setToolTip(hint if column == WHEN else cell)
                if column == TEXT:
                    item.setData(LANGUAGE_ROLE, source.language if source else "")
                self.table.setItem(place, column, item)

    def _read_sentences(self) -> tuple[dict[int, SentenceRow], dict[int, str]]:
        """Read the sentences of all notes, and the places of those with a note."""
        project = self._state.project
        if project is None:
            return {}, {}
        ids = {row.sentence_id for row in self._notes}
        targets = {row.target_id for row in self._notes if row.target_id}
        found = read_sentences(project.store, sorted(ids | targets))
        sentences = {row.id: row for row in found if row is not None}
        documents = read_document_names(project.store, sorted(ids & sentences.keys()))
        corpora = {row.id: row.name for row in project.corpora}
        places = {}
        for id_ in ids & sentences.keys():
            corpus = corpora.get(corpus_of(id_), "")
            source = name_source(corpus, documents.get(id_, ""))
            places[id_] = describe_place(source, sentences[id_].line)
        return sentences, places

    def _tabulate(self) -> Iterator[Sequence[str]]:
        yield ("note", "sentence", "mark", "place", "time", "who")
        for place in self._shown():
            row, cells = self._notes[place], self._cells[place]
            written = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(row.changed_at))
            yield (*cells[:WHEN], written, row.who)

    def _filter(self) -> None:
        """Hide the rows that don't contain the words."""
        words = self.find_field.text().casefold().split()
        for row, cells in enumerate(self._cells):
            text = " ".join(cells).casefold()
            self.table.setRowHidden(row, not all(word in text for word in words))
        n, total = len(self._shown()), len(self._notes)
        text = pluralize(n, self.tr("1 note"), self.tr("{n} notes"))
        if total == MAX_NOTES:
            words_of_limit = self.tr("{notes} of the newest {n}")
            text = words_of_limit.format(notes=text, n=format_count(total))
        self._count.setText(text)
        empty = self.tr("No note contains this.")
        if not total:
            empty = self.tr(
                "No notes yet. Press N to write one on the selected sentence, or on "
                "the pair in Review. Flagged pairs are listed, too."
            )
        self._empty.setText(empty)
        self._empty.setVisible(not n)
        self.table.setVisible(bool(n))
        self._export.setEnabled(bool(n))
        self._on_selection_changed()

    # --- slots ---

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
        is_sentence = row is not None and not row.pair_id
        self._place.setVisible(row is None or bool(row.pair_id) or self._is_linked(row))
        self._place.setEnabled(row is not None)
        self._edit.setEnabled(is_sentence and self._state.can_write)

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
        self.find_field.setPlaceholderText(self.tr("Find notes"))
        self.find_field.setClearButtonEnabled(True)
        hint = self.tr(
            "Show only notes whose text, sentence or place contains these words."
        )
        describe(self.find_field, self.tr("Find notes"), hint)
        self.open_button = make_button("", "", self.open_current, kind="primary")
        self._place = make_button(
            self.tr("Show in corpus"),
            self.tr("Show the sentence in the table of its corpus."),
            self.show_in_corpus,
        )
        self._edit = make_button(
            self.tr("Edit note…"),
            self.tr("Edit the note on the sentence. Empty text removes it."),
            self.edit_note,
        )
        self._export = make_button(
            self.tr("Export…"),
            self.tr("Write the notes that are shown to a table."),
            self.ask_export,
        )
        self._close = make_button(
            self.tr("Close"), self.tr("Close this."), self.accept, kind="quiet"
        )
        for button in (self._place, self._edit, self._export, self._close):
            button.setAutoDefault(False)
        self.open_button.setAutoDefault(False)

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        for row in (top, bottom):
            row.setSpacing(GRID)
        top.addWidget(self.find_field, 1)
        top.addWidget(self._count)
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
    """Return whether both are on the same sentence or pair."""
    return other is not None and one[:1] + one[4:6] == other[:1] + other[4:6]
