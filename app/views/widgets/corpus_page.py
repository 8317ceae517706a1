"""The sentences of the chosen corpora, with find and filter above the table."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from sqlalchemy import Engine

from app.engine.store import rows
from app.engine.store.arrays import map_array
from app.engine.store.document_book import DocumentBook
from app.engine.store.document_rows import tell_apart
from app.errors import ErrorInfo
from app.questions import OrderQuery, SentenceOrder
from app.views.corpus_choices import language_choices
from app.views.label_book import MAX_AT_ONCE
from app.views.state import AppState
from app.views.theme import GRID
from app.views.widgets.chips import Chips
from app.views.widgets.controls import describe, make_label
from app.views.widgets.hidden_bar import HiddenBar, part_of
from app.views.widgets.id_order import ArrayOrder, IdOrder, RangeOrder
from app.views.widgets.page_model import (
    LABEL,
    LANGUAGE,
    LENGTH,
    LINE,
    SENTENCE,
    TRANSLATIONS,
    Column,
)
from app.views.widgets.sentence_table import SentenceTable
from app.views.widgets.wrapping_row import WrappingRow
from app.views.words import count_words, format_count

FIND_AFTER_MS = 200  # without another key
DOCUMENT, MANY = "document", 2  # column; documents from which on it is shown


class CorpusPage(QWidget):
    """Find, filter and table of the chosen corpora."""

    shown = Signal()  # the wanted sentences are in the table

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._corpora: list[rows.CorpusRow] = []
        self._restored: dict[str, Any] = {}
        self.table = SentenceTable(self)
        self.find_field = QLineEdit()
        self.find_field.setPlaceholderText(self.tr("Find in these sentences (Ctrl+F)"))
        self.find_field.setClearButtonEnabled(True)
        describe(
            self.find_field, self.tr("Find"), self.tr("Words, a beginning (haus*).")
        )
        self.languages = Chips(self.tr("All languages"))
        self._count = make_label("", "secondary", wraps=True)
        self.left_out = HiddenBar()
        self.left_out.switch.toggled.connect(self.refresh)
        self._timer = QTimer(self, singleShot=True, interval=FIND_AFTER_MS)
        self._timer.timeout.connect(self.refresh)
        self._lay_out()
        self.find_field.textChanged.connect(lambda: self._timer.start())
        self.find_field.returnPressed.connect(self._on_find_entered)
        self.languages.changed.connect(self.refresh)
        self.table.sort_changed.connect(self.refresh)
        self.table.digit_pressed.connect(self._on_digit_pressed)
        state.labels.labelled.connect(self._on_labelled)

    def show_corpora(self, corpora: Sequence[rows.CorpusRow]) -> None:
        """Show the sentences of corpora."""
        if list(corpora) == self._corpora:
            return
        self._corpora = list(corpora)
        languages = language_choices(corpora)
        self.languages.blockSignals(True)
        self.languages.set_choices(languages)
        self.languages.blockSignals(False)
        self.languages.setVisible(len(languages) > 1)
        self.refresh()

    def forget_filters(self) -> None:
        """Show every sentence, in the order of the files."""
        self.table.sort_by("", is_descending=False)
        for widget in (self.find_field, self.languages):
            widget.blockSignals(True)
        self.find_field.clear()
        self.languages.choose(())
        for widget in (self.find_field, self.languages):
            widget.blockSignals(False)
        self.refresh()

    def selected_sentences(
        self, *, limit: int | None = None
    ) -> Iterator[tuple[int, rows.SentenceRow]]:
        """Give the selected sentences with their corpus's id.

        Args:
            limit: at most so many.
        """
        for n, sentence in enumerate(self.table.selected_sentences()):
            if limit is not None and n >= limit:
                return
            yield rows.corpus_of(sentence.id), sentence

    def refresh(self) -> None:
        """Show what is wanted: at once in the files' order, else when it is made."""
        self._timer.stop()
        find, languages = self.find_field.text().strip(), self.languages.chosen
        self.left_out.show_counts(self._state.project, self._corpora)
        is_whole = not any(row.subcorpus for row in self._corpora)
        is_whole = is_whole and not self.left_out.n_left_out
        if is_whole and not find and not self.table.sort_key:
            ranges = [
                (rows.first_id(row.id), row.n_sentences)
                for row in self._corpora
                if not languages or row.language in languages
            ]
            self._show(RangeOrder(ranges), "")
            return
        query = OrderQuery(
            corpora=tuple(row.id for row in self._corpora if not row.subcorpus),
            subcorpora=tuple({row.subcorpus for row in self._corpora} - {0}),
            languages=languages,
            find=find,
            order_by=cast("SentenceOrder", self.table.sort_key or "position"),
            descending=self.table.is_descending,
            hidden="only" if self.left_out.switch.isChecked() else "without",
        )
        self._state.ask(query, lambda answer: self._on_answer(query, answer))

    def _n_of(self, corpus: rows.CorpusRow) -> int:
        """Count the sentences of a corpus, or of the part of it that is shown."""
        part = part_of(self._state.project, corpus)
        return corpus.n_sentences if part is None else part.counts[corpus.id]

    def _on_answer(self, query: OrderQuery, answer: dict[str, Any] | ErrorInfo) -> None:
        project = self._state.project
        if project is None:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self._count.setText(answer.message)
            return
        order = ArrayOrder(map_array(project.folder / answer["file"]))
        self._show(order, query.find)

    def _show(self, order: IdOrder, find: str) -> None:
        project = self._state.project
        store = project.store if project is not None else None
        mark = find.strip('"*')
        self.table.show_ids(store, order, columns=self._columns(), find=mark)
        total = sum(self._n_of(row) for row in self._corpora)
        told = count_words(total, self.tr("1 sentence"), self.tr("{n} sentences"))
        if len(order) != total:
            words = self.tr("{n} of {sentences}")
            told = words.format(n=format_count(len(order)), sentences=told)
        self._count.setText(told)
        self._restore_place()
        self.shown.emit()

    def _columns(self) -> tuple[Column, ...]:
        """Leave out columns that would say the same, or nothing, in every row."""
        project = self._state.project
        columns = [LINE, SENTENCE]
        if len({row.language for row in self._corpora}) > 1:
            columns.append(LANGUAGE)
        columns.append(LENGTH)
        if project is not None:
            if any(rows.has_links(project.store, row.id) for row in self._corpora):
                columns.append(TRANSLATIONS)
            if any(rows.has_labels(project.store, row.id) for row in self._corpora):
                columns.append(LABEL)
            columns += self._document_column(project.store)
        return tuple(columns)

    def _document_column(self, store: Engine) -> list[Column]:
        """Name the document of each sentence where there are several."""
        book = DocumentBook(store)
        model = self.table.page_model
        model.readers.pop(DOCUMENT, None)
        listed = [row for corpus in self._corpora for row in book.stretches(corpus.id)]
        short = tell_apart(row.name for row in listed)
        if len(short) < MANY:
            return []
        model.readers[DOCUMENT] = lambda ids: {
            id_: short.get(book.name_of(id_), "") for id_ in ids
        }
        return [Column(DOCUMENT, is_sortable=False, title=self.tr("Document"))]

    def _on_digit_pressed(self, digit: int) -> None:
        """Label what is selected, and go on to the next row."""
        ids = self.table.selected_ids(MAX_AT_ONCE + 1)
        if self._state.labels.press(digit, ids):
            self.table.step_on()

    def _on_labelled(self) -> None:
        """Show labels as they are now; the first one brings their column."""
        if LABEL in self.table.page_model.columns:
            self.table.page_model.forget_rows()
        elif self._corpora:
            self.refresh()

    def _on_find_entered(self) -> None:
        self.refresh()
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        row = WrappingRow()
        row.addWidget(self.find_field)
        row.addWidget(self._count)
        row.addWidget(self.left_out)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(row)
        layout.addWidget(self.languages)
        layout.addWidget(self.table, 1)

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Give find, filter, order and place."""
        return {
            "find": self.find_field.text(),
            "languages": list(self.languages.chosen),
            "sort": [self.table.sort_key, self.table.is_descending],
            "top": self.table.top_row,
            "current": self.table.current_id,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Bring back find, filter and order; place and row when they are shown."""
        key, is_descending = state.get("sort", ["", False])
        self.table.sort_by(str(key), is_descending=bool(is_descending))
        self.find_field.blockSignals(True)
        self.find_field.setText(str(state.get("find", "")))
        self.find_field.blockSignals(False)
        self.languages.blockSignals(True)
        self.languages.choose(state.get("languages", ()))
        self.languages.blockSignals(False)
        self._restored = state
        self.refresh()

    def _restore_place(self) -> None:
        place, self._restored = self._restored, {}
        if isinstance(place.get("current"), int):
            self.table.select_sentence(place["current"])
        if isinstance(place.get("top"), int):
            self.table.scroll_to_row(place["top"])
