"""Search view: query, and results by language."""

from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QWidget

from app.engine.store.pairs.texts import UNSPACED
from app.engine.store.words.keyword_index import find_partly_matched
from app.languages import elides, primary_language
from app.protocol.answers.search import SearchAnswer
from app.protocol.queries.encoders import WarmQuery
from app.protocol.queries.reading import MarkedText
from app.views.client.state import AppState
from app.views.search.controller import SearchController
from app.views.search.query_bar import DOT, SearchQueryBar
from app.views.search.results import SearchResults
from app.views.search.translations import open_translations
from app.views.widgets.boxes import make_column
from app.views.widgets.controls import add_action
from app.views.widgets.encoder_button import EncoderButton
from app.views.widgets.hits import Hit
from app.views.widgets.number_format import format_count
from app.views.widgets.search_query import SearchQuery, read_search_query
from app.views.widgets.theme import GRID
from app.views.widgets.view_protocol import SentenceText, TextLookup
from app.views.widgets.word_marks import MAX_WORDS, WordMarker, code_points

MAX_MARKED = 1_000  # hits with marked words
LOADING_MS = 200  # a restored session may leave Search at once


class HitPlace(NamedTuple):
    """The selection and scroll position of hits.

    Attributes:
        selected: sentence id of the selected hit.
        scroll: scroll position in pixels.
    """

    selected: int | None
    scroll: int


class SearchView(QWidget):
    """The page with a query and its hits by language."""

    hits_shown = Signal()  # the hits of the newest query are shown

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Search")
        self._state = state
        self._restored: dict[str, Any] = {}
        self._answered: SearchQuery | None = None  # whose hits are shown
        self._places: dict[SearchQuery, HitPlace] = {}  # of previous queries
        self._language = ""  # of the answered query
        self._reranker = ""  # encoder that re-ranked the hits; empty: none
        self._loading = QTimer(self, singleShot=True, interval=LOADING_MS)
        self.bar = SearchQueryBar(self)
        self.results = SearchResults(self)
        for page in self.results.search_pages:
            state.inspectable_made.emit(page)
        self.columns = self.results.columns
        self.controller = SearchController(state, self.columns, self)
        self._marker = WordMarker(state, "search", self)
        make_column(
            self.bar,
            (self.results, 1),
            parent=self,
            gap=GRID + 4,
            margins=(3 * GRID, 2 * GRID, 2 * GRID, 0),
        )
        self._make_actions()
        self._connect()
        self._on_corpora_changed()

    def ask_sentence(self, sentence_id: int) -> None:
        """Search for the sentences nearest to a sentence of the project."""
        sentence = self.controller.find_sentence(sentence_id)
        if sentence is not None:
            self.controller.search_sentence(sentence, self.bar.query())

    def ask_example(self) -> None:
        """Search for the first example if there are no hits."""
        examples = self.results.start.examples
        if self.controller.query.is_empty and examples:
            self._on_hit_chosen(examples[0])
            self._focus_query()

    def ask_text(self, lookup: TextLookup) -> None:
        """Search for the sentences nearest to a text."""
        self.controller.send(
            SearchQuery(
                text=lookup.text,
                languages=lookup.languages,
                corpora=lookup.corpora,
                subcorpora=lookup.subcorpora,
            )
        )

    def show_translations(self) -> None:
        """Translate the selected hit, or the query if no hit is selected."""
        query, hit = self.compared_sentences()
        sentence = hit if hit.text else query
        if not sentence.text.strip():
            words = self.tr("Type a query or select a hit to translate.")
            self._state.notice_posted.emit(words)
            return
        open_translations(self._state, sentence, self)

    def reset(self) -> None:
        """Return to the start page."""
        self.controller.reset()
        self.bar.show_query(SearchQuery())
        self.bar.show_status("")
        self._on_corpora_changed()

    # --- layout ---

    def _make_actions(self) -> None:
        find = add_action(
            self,
            self.tr("Type a query"),
            self.tr("Select the text of the query (Ctrl+F or Ctrl+L)."),
            self._focus_query,
        )
        find.setShortcuts(
            [QKeySequence(QKeySequence.StandardKey.Find), QKeySequence("Ctrl+L")]
        )
        text = self.tr("Search by meaning or by words")
        add_action(self, text, slot=self.bar.switch_mode, keys="Ctrl+M")
        text = self.tr("Show past queries")
        add_action(self, text, slot=self.bar.field.open_history, keys="Ctrl+H")
        add_action(
            self,
            self.tr("Translate into…"),
            self.tr(
                "Translate the selected hit, or else the query, with a translation "
                "model of the project."
            ),
            self.show_translations,
        )
        controller = self.controller
        self.bar.set_actions(
            (controller.back, controller.forward),
            (controller.export, controller.save, controller.more),
        )
        self.bar.add_tool(EncoderButton(self._state))

    def _connect(self) -> None:
        state, controller = self._state, self.controller
        self.bar.submitted.connect(self._on_submitted)
        self.bar.filters_changed.connect(self._on_submitted)
        self.bar.field.history_requested.connect(controller.fill_history)
        self.columns.hit_selected.connect(self._on_hit_selected)
        self.columns.hit_chosen.connect(self._on_hit_chosen)
        self.columns.digit_pressed.connect(controller.label)
        self.results.start.chosen.connect(self._on_hit_chosen)
        self.results.encode_requested.connect(controller.encode_missing)
        self.results.retry_requested.connect(controller.repeat)
        self.results.import_requested.connect(state.view_requests.import_requested)
        self._loading.timeout.connect(self._on_loading_due)
        state.project_opened.connect(self._loading.start)
        state.project_closed.connect(self._forget_places)
        state.engine_reopened.connect(self._loading.start)
        state.encoders.switched.connect(self._loading.start)
        self.bar.field.selectionChanged.connect(self._on_words_selected)
        self._marker.changed.connect(self._on_words_marked)
        controller.query_sent.connect(self._on_query_sent)
        controller.cleared.connect(self._on_cleared)
        controller.answered.connect(self._on_answered)
        controller.failed.connect(self._on_failed)
        self.results.encoders_requested.connect(state.encoders.view_requested)
        state.corpora_changed.connect(self._on_corpora_changed)
        state.embeddings_changed.connect(controller.note_new_vectors)
        state.kinds_changed.connect(self._on_kinds_changed)
        state.texts_changed.connect(self._on_texts_changed)
        state.encoders.changed.connect(self._on_encoders_changed)
        state.encoders.switched.connect(self._on_encoder_switched)
        self._on_encoders_changed()

    # --- user ---

    def _on_submitted(self) -> None:
        self.controller.send(self.bar.query())

    def _on_words_selected(self) -> None:
        if self.results.shows_hits:
            self._mark_words()

    def _on_words_marked(self) -> None:
        self.columns.mark_words(self._marker.words)

    def _on_hit_selected(self, hit: Hit) -> None:
        self._state.select_sentence(hit.sentence.id)

    def _on_hit_chosen(self, hit: Hit) -> None:
        self.controller.search_sentence(hit.sentence, self.bar.query())

    def _focus_query(self) -> None:
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.field.selectAll()

    # --- engine ---

    def _on_loading_due(self) -> None:
        if self.isVisible() and self._state.project is not None:
            # Errors are not shown here: a search will report them.
            query = WarmQuery(reranker=self.controller.reranker)
            self._state.ask(query, lambda _: None)

    def _on_query_sent(self, query: SearchQuery) -> None:
        if self._answered is not None and not query.is_like(self._answered):
            self._places[self._answered] = self._place()
            if not self._restored and query in self._places:
                self._restored = self._places[query]._asdict()
        self.bar.show_query(query)
        self.bar.show_status(self.tr("Searching…"))
        self.results.forget_failure()
        self.controller.refresh_actions()

    def _on_cleared(self) -> None:
        """Return to the start page, and keep the past queries."""
        self.bar.show_query(self.controller.query)
        self.bar.show_status("")
        self.columns.show_hits({})
        self._marker.clear()
        self._on_corpora_changed()

    def _on_failed(self, message: str) -> None:
        self.bar.show_status("")
        self.results.show_failure(message)
        self.hits_shown.emit()

    def _on_answered(self, query: SearchQuery, answer: SearchAnswer) -> None:
        project = self._state.project
        assert project is not None, "answers of a closed project are dropped"
        self._answered = query
        self._language = query.language or answer.language
        self._reranker = answer.reranker
        self.columns.encoder = answer.reranker or self._state.encoders.chosen
        encoder = self._state.encoders.in_use
        self.results.show_answer(project.store, project.corpora, query, answer, encoder)
        self._show_count(answer)
        self._mark_words()
        self._restore_selection()
        self.hits_shown.emit()

    def _is_short(self, query: SearchQuery) -> bool:
        """Return whether to mark the translations of the complete query."""
        n_words = len(query.text.split())
        if primary_language(self._language) in UNSPACED:
            n_words = len(query.text) // 2  # words of about two characters
        return n_words <= MAX_WORDS

    def _mark_words(self) -> None:
        """Mark the translations of the selected query words, or of a short query."""
        query, field = self.controller.query, self.bar.field
        begin = code_points(query.text, max(field.selectionStart(), 0))
        end = begin + len(field.selectedText())
        has_part = field.text() == query.text and 0 < end - begin < len(query.text)
        hits = self.columns.hits
        if query.words or not hits or not (has_part or self._is_short(query)):
            self._marker.clear()
            return
        text = MarkedText(
            text=query.text,
            targets=tuple(hit.sentence.id for hit in hits[:MAX_MARKED]),
            begin=begin if has_part else 0,
            end=end if has_part else 0,
            sentence=query.sentence or 0,
        )
        self._marker.ask(text)

    def _show_count(self, answer: SearchAnswer) -> None:
        n = len(self.columns.hits)
        n_found = sum(answer.n_found.values()) or n
        text = self.tr("{n} hits in {total} sentences")
        if n < n_found:
            text = self.tr("{n} of {found} hits in {total} sentences")
        elif n == 1:
            text = self.tr("1 hit in {total} sentences")
        elapsed_ms = max(round(1000 * answer.elapsed_s), 1)
        found, total = format_count(n_found), format_count(answer.n_searched)
        parts = [
            text.format(n=format_count(n), found=found, total=total),
            self.tr("re-ranked") if answer.reranker else "",
            self.tr("{ms}\u00a0ms").format(ms=format_count(elapsed_ms)),
        ]
        query, hint = self.controller.query, ""
        if n and not query.words and not self._is_short(query):
            hint = self.tr("Select words to mark translations")
        elif n and query.words:
            hint = self._explain_parts(query.text)
        self.bar.show_status(DOT.join(filter(None, parts)), hint)
        self.controller.refresh_actions()

    def _explain_parts(self, words: str) -> str:
        """Explain that hits include parts of words, unlike in Concordance."""
        texts = [
            hit.sentence.text
            for hit in self.columns.hits[:MAX_MARKED]
            if not elides(hit.sentence.language)  # Concordance splits such words too
        ]
        found = (find_partly_matched(text, words) for text in texts)
        joined = next(filter(None, found), "")
        hint = self.tr("Includes parts of words, such as {word}, unlike Concordance")
        return hint.format(word=joined) if joined else ""

    # --- project ---

    def _on_corpora_changed(self) -> None:
        project = self._state.project
        corpora = self._state.corpora
        self.bar.show_corpora(project)
        self._show_coverage()  # may have been measured before an import
        self.controller.refresh_actions()
        if self.controller.query.is_empty or not corpora:
            self.results.show_start(project.store if project else None, corpora)
        else:
            self.controller.repeat()

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if "hidden" in kinds:
            self._on_corpora_changed()

    def _on_texts_changed(self) -> None:
        self.controller.read_text_again()
        self._on_corpora_changed()

    def _on_encoder_switched(self) -> None:
        if not self.controller.query.words:
            self.controller.repeat()

    def _on_encoders_changed(self) -> None:
        self.bar.show_reranker(self.controller.reranker)
        if self.controller.lacks_reranking:
            self.controller.repeat()
        self._show_coverage()

    def _show_coverage(self) -> None:
        encoders = self._state.encoders
        for part in (self.bar, self.columns):
            part.show_coverage(encoders.doubts(), encoders.chosen, encoders.outdated())

    # --- session ---

    def _restore_selection(self) -> None:
        """Restore the selection and scroll position once the hits are shown."""
        saved, self._restored = self._restored, {}
        if isinstance(saved.get("selected"), int):
            self.columns.select_hit(saved["selected"])
        if isinstance(saved.get("scroll"), int):
            self.columns.scroll_to(saved["scroll"])

    def compared_sentences(self) -> tuple[SentenceText, SentenceText]:
        """Return the query and the selected hit."""
        query, hit = self.controller.query, self.columns.selected
        found = SentenceText()
        if hit is not None:
            found = SentenceText(hit.sentence.text, hit.sentence.language)
        return SentenceText(query.text, query.language), found

    def scoring_encoder(self) -> str:
        """Return the encoder of the displayed scores; empty: the encoder in use."""
        return self._reranker

    def save_state(self) -> dict[str, Any]:
        """Return the query, the selected hit and the scroll position."""
        query = self.bar.query()
        return {
            "question": query.to_json(),
            **self._place()._asdict(),
            "summary": query.text,  # for the list of past sessions
        }

    def _forget_places(self) -> None:
        self._answered = None
        self._places.clear()

    def _place(self) -> HitPlace:
        hit, scroll = self.columns.selected, self.columns.scroll_position
        return HitPlace(hit.sentence.id if hit is not None else None, scroll)

    def restore_state(self, state: dict[str, Any]) -> None:
        """Repeat the query of a saved session."""
        query = read_search_query(state.get("question", {}))
        self.bar.show_query(query)
        self._restored = state
        self.controller.restore(query)

    def focus_first(self) -> None:
        """Focus the selected hit, or the query."""
        hit = self.columns.selected
        if self.results.shows_hits and hit is not None:
            self.columns.focus_first()
            if self._state.selection is None:
                self._state.select_sentence(hit.sentence.id)
        else:
            self._focus_query()

    def showEvent(self, event: QShowEvent) -> None:
        """Load the encoder after a delay, so that the first search is fast."""
        super().showEvent(event)
        self._loading.start()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icons in the colours of a new theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.bar.show_theme()
        super().changeEvent(event)
