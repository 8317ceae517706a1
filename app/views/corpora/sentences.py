"""The sentences of the selected corpora, with find, filters and hidden sentences."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget
from sqlalchemy import Engine

from app.engine.store.arrays import map_array
from app.engine.store.corpora import CorpusRow, corpus_of, first_sentence_id
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
from app.views.widgets.boxes import make_column
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

HIDDEN_STATES = ("hidden", "removed")


class HiddenBar(QWidget):
    """Counts of hidden and removed sentences, with buttons to show and restore them.

    Attributes:
        switch: shows the hidden sentences instead of the active ones.
        restore: its menu restores all hidden or all removed sentences.
    """

    restore_requested = Signal(object)  # ids of sentences: int64 (n,)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._project: ProjectReader | None = None
        self._corpora: list[CorpusRow] = []
        hint = self.tr("Show only hidden sentences, or the others again.")
        self.switch = make_button(self.tr("Hidden"), hint, kind="quiet")
        self.switch.setCheckable(True)
        describe(self.switch, self.tr("Hidden sentences"), hint)
        self._removed = make_label("", "secondary")
        self.restore = make_button(
            self.tr("Restore"),
            self.tr("Restore hidden or removed sentences. You can undo this."),
            kind="quiet",
        )
        menu = QMenu(self.restore)
        self._restore_hidden = menu.addAction("", partial(self._request, "hidden"))
        self._restore_removed = menu.addAction("", partial(self._request, "removed"))
        self.restore.setMenu(menu)
        row = WrappingRow()
        self.setLayout(row)
        for widget in (self.switch, self._removed, self.restore):
            row.addWidget(widget)
            widget.hide()
        self.hide()

    @property
    def shows_hidden(self) -> bool:
        """Whether the hidden sentences are shown instead of the active ones."""
        return self.switch.isChecked()

    @property
    def n_excluded(self) -> int:
        """Number of hidden and removed sentences of the complete corpora."""
        counts = self._project.hidden if self._project is not None else {}
        return sum(sum(counts.get(row.id, ())) for row in self._corpora)

    def show_counts(
        self, project: ProjectReader | None, corpora: Sequence[CorpusRow]
    ) -> None:
        """Count hidden and removed sentences; hide the bar if there are none."""
        self._project, self._corpora = project, list(corpora)
        n_hidden, n_removed = self._count()
        if not n_hidden:
            with QSignalBlocker(self.switch):
                self.switch.setChecked(False)
        words = self.tr("{n} hidden")
        if self.shows_hidden:
            words = self.tr("Show the others")
        self.switch.setText(words.format(n=format_count(n_hidden)))
        self.switch.setAccessibleName(self.switch.text())
        self.switch.setVisible(n_hidden > 0)
        words = self.tr("{n} removed").format(n=format_count(n_removed))
        self._removed.setText(words)
        self._removed.setVisible(n_removed > 0)
        for action, n, words in (
            (self._restore_hidden, n_hidden, self.tr("Restore {n} hidden")),
            (self._restore_removed, n_removed, self.tr("Restore {n} removed")),
        ):
            action.setText(words.format(n=format_count(n)))
            action.setVisible(n > 0)
        can_write = project is not None and not project.is_read_only
        self.setVisible(n_hidden + n_removed > 0)
        self.restore.setVisible(can_write and n_hidden + n_removed > 0)

    def _request(self, state: str) -> None:
        ids = self._ids(state, self._corpora)
        if len(ids):
            self.restore_requested.emit(ids)

    def _count(self) -> HiddenCount:
        """Count hidden and removed sentences; ids are read for sub-corpora only."""
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
        """Return the ids of hidden or removed sentences of corpora: int64 (n,)."""
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
    """Return the sub-corpus that a row belongs to, or None for a complete corpus."""
    parts = project.subcorpora if project is not None else []
    return next((row for row in parts if row.id == corpus.subcorpus), None)


FIND_AFTER_MS = 200  # after the last key
DOCUMENT = "document"  # column
MIN_DOCUMENTS = 2  # for which the columns are shown
FIELD, MAX_FIELDS = "field:", 3  # columns of a document's fields


class CorpusSentences(QWidget):
    """Search field, filters and table of the sentences of the selected corpora."""

    shown = Signal()  # the table shows the requested rows

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self._state = state
        self._corpora: list[CorpusRow] = []
        self._restored: dict[str, Any] = {}
        self._asked: OrderQuery | None = None  # the query whose answer will be shown
        self.table = SentenceTable(self)
        self.find_field = QLineEdit()
        self.find_field.setPlaceholderText(self.tr("Find in these sentences (Ctrl+F)"))
        self.find_field.setClearButtonEnabled(True)
        describe(
            self.find_field, self.tr("Find"), self.tr("Words, or a prefix (haus*).")
        )
        self.languages = Chips(self.tr("All languages"))
        self._count = make_label("", "secondary", wraps=True)
        self.hidden_bar = HiddenBar()
        self.hidden_bar.switch.toggled.connect(self.refresh)
        self._timer = QTimer(self, singleShot=True, interval=FIND_AFTER_MS)
        self._timer.timeout.connect(self.refresh)
        self._lay_out()
        self.find_field.textChanged.connect(self._timer.start)
        self.find_field.returnPressed.connect(self._on_find_entered)
        self.languages.changed.connect(self.refresh)
        self.table.sort_changed.connect(self.refresh)
        self.table.digit_pressed.connect(self._on_digit_pressed)
        state.labels.labelled.connect(self._on_labelled)

    def show_corpora(self, corpora: Sequence[CorpusRow]) -> None:
        """Show the sentences of corpora."""
        if list(corpora) == self._corpora:
            return
        self._corpora = list(corpora)
        languages = language_choices(corpora)
        with QSignalBlocker(self.languages):
            self.languages.set_choices(languages)
        self.languages.setVisible(len(languages) > 1)
        self.refresh()
        if self._asked is not None:  # do not show old rows until the answer
            project = self._state.project
            store = project.store if project is not None else None
            self.table.show_ids(store, RangeOrder([]), columns=self._columns())
            self._count.setText(self.tr("Reading…"))

    def clear_filters(self) -> None:
        """Clear both filters and show every sentence in file order."""
        self.table.sort_by("", is_descending=False)
        self._set_filters("", ())
        self.refresh()

    def _set_filters(self, find: str, languages: Sequence[str]) -> None:
        """Change both filters without a query."""
        # Do not block its signals: the clear button would not be updated.
        self.find_field.setText(find)
        self._timer.stop()
        with QSignalBlocker(self.languages):
            self.languages.choose(languages)

    def selected_sentences(
        self, *, limit: int | None = None
    ) -> Iterator[tuple[int, SentenceRow]]:
        """Return the selected sentences with their corpus ids."""
        for sentence in islice(self.table.selected_sentences(), limit):
            yield corpus_of(sentence.id), sentence

    def refresh(self) -> None:
        """Show file order at once, and any other order when the engine has answered."""
        self._timer.stop()
        find, languages = self.find_field.text().strip(), self.languages.chosen
        self.hidden_bar.show_counts(self._state.project, self._corpora)
        is_whole = not any(row.subcorpus for row in self._corpora)
        is_whole = is_whole and not self.hidden_bar.n_excluded
        if is_whole and not find and not self.table.sort_key:
            ranges = [
                (first_sentence_id(row.id), row.n_sentences)
                for row in self._corpora
                if not languages or row.language in languages
            ]
            self._asked = None
            self._show(RangeOrder(ranges), "")
            return
        query = OrderQuery(
            corpora=tuple(row.id for row in self._corpora if not row.subcorpus),
            subcorpora=tuple({row.subcorpus for row in self._corpora} - {0}),
            languages=languages,
            find=find,
            order_by=cast("SentenceOrder", self.table.sort_key or "position"),
            descending=self.table.is_descending,
            hidden="only" if self.hidden_bar.shows_hidden else "without",
        )
        self._asked = query
        self._state.ask(query, partial(self._on_answer, query))

    def _n_of(self, corpus: CorpusRow) -> int:
        """Count the sentences of a corpus, or of its part in a sub-corpus."""
        part = find_subcorpus(self._state.project, corpus)
        return corpus.n_sentences if part is None else part.counts[corpus.id]

    def _on_answer(self, query: OrderQuery, answer: OrderAnswer | ErrorInfo) -> None:
        project = self._state.project
        if project is None or query is not self._asked:
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
        count = pluralize(total, self.tr("1 sentence"), self.tr("{n} sentences"))
        if len(order) != total:
            words = self.tr("{n} of {sentences}")
            count = words.format(n=format_count(len(order)), sentences=count)
        self._count.setText(count)
        self._restore_place()
        self.shown.emit()

    def _columns(self) -> tuple[Column, ...]:
        """Return the columns, without those that are equal or empty in every row."""
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
            columns += self._document_columns(project.store)
        return tuple(columns)

    def _document_columns(self, store: Engine) -> list[Column]:
        """Return the columns of documents and fields if there are several documents."""
        documents = DocumentCache(store)
        model = self.table.page_model
        for key in [*model.readers]:
            if key == DOCUMENT or key.startswith(FIELD):
                del model.readers[key]
        listed = [
            row for corpus in self._corpora for row in documents.sections(corpus.id)
        ]
        short = shorten_document_names(row.name for row in listed)
        if len(short) < MIN_DOCUMENTS:
            return []
        model.readers[DOCUMENT] = lambda ids: {
            id_: short.get(documents.name_of(id_), "") for id_ in ids
        }
        columns = [Column(DOCUMENT, is_sortable=False, title=self.tr("Document"))]
        for name in documents.fields([row.id for row in self._corpora])[:MAX_FIELDS]:
            key, title = f"{FIELD}{name}", name[:1].upper() + name[1:]
            model.readers[key] = partial(_read_field, documents, name)
            columns.append(Column(key, is_sortable=False, title=title, rank=4))
        return columns

    def _on_digit_pressed(self, digit: int) -> None:
        """Label the selected sentences and go to the next row."""
        ids = self.table.selected_ids(MAX_LABELLED_AT_ONCE + 1)
        if self._state.labels.label_by_key(digit, ids):
            self.table.step_on()

    def _on_labelled(self) -> None:
        """Show the labels again; the first label adds the label column."""
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
        row.addWidget(self.hidden_bar)
        make_column(row, self.languages, (self.table, 1), parent=self)

    # --- session ---

    def save_state(self) -> dict[str, Any]:
        """Return the search text, filter, order and position."""
        return {
            "find": self.find_field.text(),
            "languages": list(self.languages.chosen),
            "sort": [self.table.sort_key, self.table.is_descending],
            "top": self.table.top_row,
            "current": self.table.current_id,
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore search text, filter and order now, and the row once it is shown."""
        key, is_descending = state.get("sort", ["", False])
        self.table.sort_by(str(key), is_descending=bool(is_descending))
        self._set_filters(str(state.get("find", "")), state.get("languages", ()))
        self._restored = state
        self.refresh()

    def _restore_place(self) -> None:
        place, self._restored = self._restored, {}
        if isinstance(place.get("current"), int):
            self.table.select_sentence(place["current"])
        if isinstance(place.get("top"), int):
            self.table.scroll_to_row(place["top"])


def _read_field(
    documents: DocumentCache, name: str, ids: Sequence[int]
) -> dict[int, str]:
    """Return the value of a document field by sentence."""
    return {id_: documents.values_of(id_, [name])[0] for id_ in ids}
