"""The sentences of the selected corpora, with find, filters and hidden sentences."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QMenu, QVBoxLayout, QWidget
from sqlalchemy import Engine

from app.engine.store import corpora as store_corpora
from app.engine.store.arrays import map_array
from app.engine.store.corpora import CorpusRow
from app.engine.store.documents import DocumentCache, shorten_document_names
from app.engine.store.hidden_sentences import HiddenCount, hidden_ids
from app.engine.store.labels import has_labels
from app.engine.store.sentences import SentenceRow, has_links
from app.engine.store.subcorpora import SubcorpusRow, subcorpus_ids
from app.errors import ErrorInfo
from app.protocol.answers.search import OrderAnswer
from app.protocol.queries.search import OrderQuery, SentenceOrder
from app.views.client.labels import MAX_LABELLED_AT_ONCE
from app.views.client.project_reader import ProjectReader
from app.views.client.state import AppState
from app.views.widgets.adaptive_rows import WrappingRow
from app.views.widgets.chips import Chips
from app.views.widgets.controls import describe, make_button, make_label
from app.views.widgets.corpus_choices import language_choices
from app.views.widgets.id_order import ArrayOrder, IdOrder, RangeOrder
from app.views.widgets.number_format import format_count, pluralize
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
from app.views.widgets.theme import GRID

HIDDEN_STATES = ("hidden", "removed")


class HiddenBar(QWidget):
    """A switch to the hidden sentences, the removed ones counted, and *Bring back*.

    Attributes:
        switch: shows the hidden sentences instead of the others.
        back: its menu brings back the hidden or the removed ones, all of them.
    """

    back_wanted = Signal(object)  # ids of sentences: int64 (n,)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._project: ProjectReader | None = None
        self._corpora: list[CorpusRow] = []
        hint = self.tr("Show the hidden sentences; press again for the others.")
        self.switch = make_button(self.tr("Hidden"), hint, kind="quiet")
        self.switch.setCheckable(True)
        describe(self.switch, self.tr("Hidden sentences"), hint)
        self._removed = make_label("", "secondary")
        self.back = make_button(
            self.tr("Bring back"),
            self.tr("Let sentences take part again; this can be undone."),
            kind="quiet",
        )
        menu = QMenu(self.back)
        self._back_hidden = menu.addAction("", lambda: self._ask_back("hidden"))
        self._back_removed = menu.addAction("", lambda: self._ask_back("removed"))
        self.back.setMenu(menu)
        row = WrappingRow()
        self.setLayout(row)
        for widget in (self.switch, self._removed, self.back):
            row.addWidget(widget)
            widget.hide()
        self.hide()

    @property
    def n_left_out(self) -> int:
        """Sentences of these corpora, or of the whole ones, that take no part."""
        counts = self._project.hidden if self._project is not None else {}
        return sum(sum(counts.get(row.id, ())) for row in self._corpora)

    def show_counts(
        self, project: ProjectReader | None, corpora: Sequence[CorpusRow]
    ) -> None:
        """Show how many are hidden and removed; without any there is nothing to see."""
        self._project, self._corpora = project, list(corpora)
        n_hidden, n_removed = self._count()
        if not n_hidden and self.switch.isChecked():
            self.switch.blockSignals(True)
            self.switch.setChecked(False)
            self.switch.blockSignals(False)
        words = self.tr("1 hidden") if n_hidden == 1 else self.tr("{n} hidden")
        if self.switch.isChecked():
            words = self.tr("Show the others")
        self.switch.setText(words.format(n=format_count(n_hidden)))
        self.switch.setAccessibleName(self.switch.text())
        self.switch.setVisible(n_hidden > 0)
        words = self.tr("{n} removed").format(n=format_count(n_removed))
        self._removed.setText(words)
        self._removed.setVisible(n_removed > 0)
        for action, n, words in (
            (self._back_hidden, n_hidden, self.tr("The {n} hidden")),
            (self._back_removed, n_removed, self.tr("The {n} removed")),
        ):
            action.setText(words.format(n=format_count(n)))
            action.setVisible(n > 0)
        can_write = project is not None and not project.is_read_only
        self.setVisible(n_hidden + n_removed > 0)
        self.back.setVisible(can_write and n_hidden + n_removed > 0)

    def _ask_back(self, state: str) -> None:
        ids = self._ids(state, self._corpora)
        if len(ids):
            self.back_wanted.emit(ids)

    def _count(self) -> HiddenCount:
        """Count what is left out of the shown corpora: ids are read of parts only."""
        n = HiddenCount(0, 0)
        counts = self._project.hidden if self._project is not None else {}
        for row in self._corpora:
            one = counts.get(row.id, HiddenCount(0, 0))
            if any(one) and find_subcorpus(self._project, row) is not None:
                one = HiddenCount(
                    *(len(self._ids(state, [row])) for state in HIDDEN_STATES)
                )
            n = HiddenCount(n.n_hidden + one.n_hidden, n.n_removed + one.n_removed)
        return n

    def _ids(self, state: str, corpora: Sequence[CorpusRow]) -> NDArray[np.int64]:
        """Name the sentences of corpora that are hidden, or removed."""
        found, project = [np.empty(0, np.int64)], self._project
        if project is None:
            return found[0]
        for row in corpora:
            ids = hidden_ids(project.store, row.id, state=state)
            part = find_subcorpus(project, row)
            if part is not None:
                chosen = subcorpus_ids(project.folder, part)
                ids = np.intersect1d(ids, chosen, assume_unique=True)
            found.append(ids)
        return np.concatenate(found)


def find_subcorpus(
    project: ProjectReader | None, corpus: CorpusRow
) -> SubcorpusRow | None:
    """Give the sub-corpus of which a row is the part in one corpus; None: the whole."""
    parts = project.subcorpora if project is not None else []
    return next((row for row in parts if row.id == corpus.subcorpus), None)


FIND_AFTER_MS = 200  # without another key
DOCUMENT, MANY = "document", 2  # column; documents from which on it is shown


class CorpusSentences(QWidget):
    """Find, filter and table of the chosen corpora."""

    shown = Signal()  # the wanted sentences are in the table

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._corpora: list[store_corpora.CorpusRow] = []
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

    def show_corpora(self, corpora: Sequence[store_corpora.CorpusRow]) -> None:
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
    ) -> Iterator[tuple[int, SentenceRow]]:
        """Return the selected sentences with their corpus's id.

        Args:
            limit: at most so many.
        """
        for n, sentence in enumerate(self.table.selected_sentences()):
            if limit is not None and n >= limit:
                return
            yield store_corpora.corpus_of(sentence.id), sentence

    def refresh(self) -> None:
        """Show what is wanted: at once in the files' order, else when it is made."""
        self._timer.stop()
        find, languages = self.find_field.text().strip(), self.languages.chosen
        self.left_out.show_counts(self._state.project, self._corpora)
        is_whole = not any(row.subcorpus for row in self._corpora)
        is_whole = is_whole and not self.left_out.n_left_out
        if is_whole and not find and not self.table.sort_key:
            ranges = [
                (store_corpora.first_sentence_id(row.id), row.n_sentences)
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

    def _n_of(self, corpus: store_corpora.CorpusRow) -> int:
        """Count the sentences of a corpus, or of the part of it that is shown."""
        part = find_subcorpus(self._state.project, corpus)
        return corpus.n_sentences if part is None else part.counts[corpus.id]

    def _on_answer(self, query: OrderQuery, answer: OrderAnswer | ErrorInfo) -> None:
        project = self._state.project
        if project is None:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self._count.setText(answer.message)
            return
        order = ArrayOrder(map_array(project.folder / answer.file))
        self._show(order, query.find)

    def _show(self, order: IdOrder, find: str) -> None:
        project = self._state.project
        store = project.store if project is not None else None
        mark = find.strip('"*')
        self.table.show_ids(store, order, columns=self._columns(), find=mark)
        total = sum(self._n_of(row) for row in self._corpora)
        told = pluralize(total, self.tr("1 sentence"), self.tr("{n} sentences"))
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
            if any(has_links(project.store, row.id) for row in self._corpora):
                columns.append(TRANSLATIONS)
            if any(has_labels(project.store, row.id) for row in self._corpora):
                columns.append(LABEL)
            columns += self._document_column(project.store)
        return tuple(columns)

    def _document_column(self, store: Engine) -> list[Column]:
        """Name the document of each sentence where there are several."""
        book = DocumentCache(store)
        model = self.table.page_model
        model.readers.pop(DOCUMENT, None)
        listed = [row for corpus in self._corpora for row in book.stretches(corpus.id)]
        short = shorten_document_names(row.name for row in listed)
        if len(short) < MANY:
            return []
        model.readers[DOCUMENT] = lambda ids: {
            id_: short.get(book.name_of(id_), "") for id_ in ids
        }
        return [Column(DOCUMENT, is_sortable=False, title=self.tr("Document"))]

    def _on_digit_pressed(self, digit: int) -> None:
        """Label what is selected, and go on to the next row."""
        ids = self.table.selected_ids(MAX_LABELLED_AT_ONCE + 1)
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
        """Return find, filter, order and place."""
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
