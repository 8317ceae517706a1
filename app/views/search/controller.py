"""Controller of the search view: sends queries and performs actions on hits."""

import json
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.engine.store.corpora import corpus_of
from app.engine.store.journal import list_searches
from app.engine.store.sentences import SentenceRow, read_sentences
from app.errors import ErrorInfo
from app.params.vectors import Encode
from app.protocol.answers.search import SearchAnswer
from app.protocol.edits.corpora import SaveHits
from app.protocol.edits.general import AddSearch
from app.protocol.queries.search import MAX_K
from app.views.client.state import AppState
from app.views.search.hit_columns import HitColumns
from app.views.widgets.controls import add_action, describe_action
from app.views.widgets.corpus_choices import ChosenIds, names_of_ids
from app.views.widgets.dialogs import ask_name, copy_text
from app.views.widgets.document_columns import DocumentColumns
from app.views.widgets.export_dialog import ExportDialog, ask_table_export
from app.views.widgets.hits import cite, tabulate
from app.views.widgets.query_field import shorten
from app.views.widgets.search_query import (
    NavigationHistory,
    SearchQuery,
    read_search_query,
)
from app.views.widgets.sentence_editor import offer_sentence_actions

N_PAST_QUERIES = 30  # queries in the menu
MAX_SAVED = 10_000  # hits in a saved list
MAX_NAME = 60  # characters of a proposed list name


class SearchController(QObject):
    """Sends queries, navigates their history, and performs actions on hits.

    Attributes:
        not_encoded: ids of the corpora that the last answer could not search.
        has_more: whether more hits can be requested.
    """

    query_sent = Signal(object)  # SearchQuery
    cleared = Signal()  # the query was cleared
    answered = Signal(object, object)  # SearchQuery, SearchAnswer
    failed = Signal(str)  # reason why the query failed

    def __init__(self, state: AppState, columns: HitColumns, view: QWidget):
        """Add the actions to the view; they apply to the hits in the columns."""
        super().__init__(view)
        self._state, self._columns, self._view = state, columns, view
        self._history: NavigationHistory[SearchQuery] = NavigationHistory()
        self._sent_reranker = ""  # sent with the newest query
        self._has_newer_vectors = False  # vectors newer than the newest query
        self.not_encoded: list[int] = []
        self.has_more = False
        self._make_actions()

    def _make_actions(self) -> None:
        add, tr = partial(add_action, self._view), self.tr
        self.back = add(
            tr("Back to the previous query"),
            slot=lambda: self._move(-1),
            keys="Alt+Left",
        )
        self.forward = add(
            tr("Forward to the next query"),
            slot=lambda: self._move(1),
            keys="Alt+Right",
        )
        self.more = add(tr("Show more hits"), slot=self.show_more)
        self.export = add(tr("Export hits…"), slot=self.ask_export)
        self.save = add(
            tr("Save hits…"),
            tr("Save the hits in the project under a name. Concordance opens them."),
            slot=self.ask_save,
            keys=QKeySequence.StandardKey.Save,
        )
        self._map = add(
            tr("Show hits on the map"), slot=self.map_hits, keys="Ctrl+Shift+H"
        )
        self._encode = add(
            tr("Encode corpora without vectors"), slot=self.encode_missing
        )
        self.search = add_action(
            self._columns,
            tr("Search from this sentence"),
            tr("Find the sentences nearest in meaning to the selected hit."),
            self.search_hit,
            "S",
        )
        copy = QKeySequence.StandardKey.Copy
        add_action(self._columns, tr("Copy the hit"), slot=self.cite, keys=copy)
        add_action(
            self._columns,
            tr("Attribution…"),
            tr("Compare the query and the selected hit token by token."),
            self._state.view_requests.attribution_requested.emit,
        )
        offer_sentence_actions(self._state, self._columns)

    def refresh_actions(self) -> None:
        """Enable the available actions."""
        has_hits = bool(self._columns.hits) and not self.query.is_empty
        self.more.setEnabled(has_hits and self.has_more)
        hint = self.tr("Show up to twice as many hits, the new ones below the others.")
        if has_hits and not self.has_more:
            hint = self.tr("All hits are shown.")
        describe_action(self.more, hint)
        self.back.setEnabled(self._history.can_go_back)
        self.forward.setEnabled(self._history.can_go_forward)
        self.export.setEnabled(has_hits)
        self.save.setEnabled(has_hits and self._state.can_write)
        self._map.setEnabled(has_hits)
        self.search.setEnabled(has_hits)
        self._encode.setEnabled(bool(self.not_encoded))

    # --- queries ---

    @property
    def query(self) -> SearchQuery:
        """The query of the displayed hits; empty before the first query."""
        return self._history.current or SearchQuery()

    @property
    def reranker(self) -> str:
        """The name of the encoder for re-ranking hits; empty: none."""
        found = self._state.encoders.reranker
        return "" if found is None else found.name

    def send(self, query: SearchQuery, *, is_new: bool = True) -> None:
        """Send a query; emits `answered` or `failed`, or `cleared` if it is empty.

        Args:
            query: an empty query returns to the start page.
            is_new: add the query to the history.
        """
        if self._state.project is None or (
            query.is_empty and is_new and self.query.is_empty
        ):
            return
        if is_new:
            self._history.add(query)
            self._state.select_sentence(query.sentence)  # deselects a previous hit
        if query.is_empty:
            self.not_encoded, self.has_more = [], False
            self.cleared.emit()
            return
        self._sent_reranker = self.reranker
        self._has_newer_vectors = False
        self.query_sent.emit(query)
        self._state.ask(
            query.to_query(self.reranker),
            lambda answer: self._on_answer(query, answer, is_new),
        )

    def show_more(self) -> None:
        """Request twice as many hits per language."""
        query = self.query
        self._history.replace(replace(query, k=min(2 * query.k, MAX_K)))
        self.repeat()

    def repeat(self) -> None:
        """Send the current query again."""
        if not self.query.is_empty:
            self.send(self.query, is_new=False)

    def read_text_again(self) -> None:
        """Update the text of a query from a sentence after the sentence was edited."""
        query, sentence = self.query, None
        if query.sentence is not None:
            sentence = self.find_sentence(query.sentence)
        if sentence is not None:
            text = sentence.text
            self._history.replace(replace(query, text=text))

    def note_new_vectors(self) -> None:
        """Repeat a query that could not search all corpora, now or after its answer."""
        self._has_newer_vectors = True
        if self.not_encoded:
            self.repeat()

    @property
    def lacks_reranking(self) -> bool:
        """Whether the query was sent before the reranker was known."""
        is_late = bool(self.reranker) and not self._sent_reranker
        query = self.query
        return is_late and query.reranks and not (query.words or query.is_empty)

    def restore(self, query: SearchQuery) -> None:
        """Send the query of a saved session."""
        if not query.is_empty:
            self._history.add(query)
            self.repeat()

    def reset(self) -> None:
        """Clear the query and the history."""
        self._history = NavigationHistory()
        self.not_encoded, self.has_more = [], False

    def search_sentence(self, sentence: SentenceRow, filters: SearchQuery) -> None:
        """Search for the sentences nearest to a project sentence, with filters."""
        self.send(
            SearchQuery(
                text=sentence.text,
                sentence=sentence.id,
                language=sentence.language,
                languages=filters.languages,
                corpora=filters.corpora,
                subcorpora=filters.subcorpora,
            )
        )

    def find_sentence(self, sentence_id: int) -> SentenceRow | None:
        """Read a sentence; None if it was deleted."""
        project = self._state.project
        return read_sentences(project.store, [sentence_id])[0] if project else None

    def _move(self, step: int) -> None:
        query = self._history.move(step)
        if query is not None:
            self.send(query, is_new=False)
            self._state.select_sentence(query.sentence)

    def _on_answer(
        self, query: SearchQuery, answer: SearchAnswer | ErrorInfo, is_new: bool
    ) -> None:
        project = self._state.project
        if query != self.query or project is None:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.failed.emit(answer.message)
            return
        self.not_encoded = list(answer.not_encoded)
        self.has_more = answer.has_more
        self.answered.emit(query, answer)
        if is_new and not project.is_read_only:
            self._state.edit(AddSearch(query.text, query.to_json()))
        if self.not_encoded and self._has_newer_vectors:
            self.repeat()

    def fill_history(self, menu: QMenu) -> None:
        """Add past queries of the project to a menu, without repetitions."""
        project = self._state.project
        if project is None:
            return
        seen: set[tuple[str, bool]] = set()
        for _, text, filters in list_searches(project.store, limit=N_PAST_QUERIES):
            values = json.loads(filters)
            if "concordance" in values:  # queries of the concordance view
                continue
            query = read_search_query({**values, "text": text})
            if (text, query.words) in seen:
                continue
            seen.add((text, query.words))
            action = menu.addAction(shorten(text))
            action.setToolTip(text)
            action.triggered.connect(lambda _=False, q=query: self.send(q))

    # --- hits ---

    def cite(self) -> None:
        """Copy the selected hit with its source."""
        hit, project = self._columns.selected, self._state.project
        if hit is not None and project is not None:
            copy_text(cite(project, [hit.sentence]))
            self._state.notice_posted.emit(self.tr("Copied the hit with its source."))

    def ask_export(self) -> ExportDialog:
        """Ask how and where to export the hits."""
        hits, query, project = self._columns.hits, self.query, self._state.project
        searched = ChosenIds(query.corpora, query.subcorpora)
        documents = DocumentColumns(
            project.store if project is not None else None,
            sorted({corpus_of(hit.sentence.id) for hit in hits}),
        )
        table = tabulate(
            hits,
            query.text,
            query.languages,
            names_of_ids(project, searched),
            documents,
        )
        return ask_table_export(
            self._state,
            self._view,
            self.tr("Export hits"),
            self.tr("hits"),
            lambda: iter(table),
            len(hits),
        )

    def ask_save(self) -> None:
        """Ask for a name and save the hits as a list."""
        query = self.query
        searched = ChosenIds(query.corpora, query.subcorpora)
        hits = SaveHits(
            name=query.text.strip()[:MAX_NAME],
            text=query.text,
            sentences=tuple(hit.sentence.id for hit in self._columns.hits[:MAX_SAVED]),
            words=query.words,
            corpora=names_of_ids(self._state.project, searched),
            languages=query.languages,
        )
        ask_name(
            self._state,
            self._view,
            self.tr("Name of the hit list"),
            hits.name,
            lambda name: self._save_as(hits, name),
            words=self.tr("Save hits"),
        )

    def _save_as(self, hits: SaveHits, name: str) -> None:
        self._state.edit(replace(hits, name=name))
        words = self.tr("Saved as {name}. Concordance lists it in Saved hit lists.")
        self._state.notice_posted.emit(words.format(name=name))

    def search_hit(self) -> None:
        """Search for the sentences nearest to the selected hit."""
        if self._columns.selected is not None:
            self._columns.hit_chosen.emit(self._columns.selected)

    def map_hits(self) -> None:
        """Show the hits and the query sentence on a map."""
        ids = [hit.sentence.id for hit in self._columns.hits]
        if self.query.sentence is not None:
            ids.append(self.query.sentence)
        if ids:
            self._state.view_requests.map_requested.emit(ids)

    def encode_missing(self) -> None:
        """Encode the corpora without vectors."""
        if self.not_encoded:
            self._state.run(Encode(corpora=tuple(map(str, self.not_encoded))))

    def label(self, digit: int) -> None:
        """Label the selected hit, or the query sentence if no hit is selected."""
        hit = self._columns.selected
        sentence = hit.sentence.id if hit is not None else self.query.sentence
        if sentence is not None:
            self._state.labels.label_by_key(digit, [sentence], announce=True)
