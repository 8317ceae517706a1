"""Search view: query, results by language, and actions on hits."""

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu, QVBoxLayout, QWidget

from app.engine.store.journal import list_searches
from app.engine.store.sentences import SentenceRow, read_sentences
from app.errors import ErrorInfo
from app.params.vectors import Encode
from app.protocol.answers.search import SearchAnswer
from app.protocol.edits.general import AddSearch
from app.views.client.state import AppState
from app.views.search.query_bar import SearchQueryBar
from app.views.search.results import SearchResults
from app.views.widgets.controls import add_action
from app.views.widgets.dialogs import ask_path, copy_text
from app.views.widgets.encoder_button import EncoderButton
from app.views.widgets.hits import Hit, cite, tabulate
from app.views.widgets.number_format import format_count
from app.views.widgets.query_field import shorten
from app.views.widgets.search_query import (
    NavigationHistory,
    SearchQuery,
    read_search_query,
)
from app.views.widgets.table_export import export_table
from app.views.widgets.theme import GRID
from app.views.widgets.view_protocol import SentenceText, TextLookup

N_HISTORY = 30  # past queries in the menu


class SearchController(QObject):
    """Does what the actions of the search say."""

    def __init__(self, view: "SearchView"):
        super().__init__(view)
        self._view, self._state = view, view.state

    def cite(self) -> None:
        """Copy the selected hit with its source."""
        hit, project = self._view.board.selected, self._state.project
        if hit is not None and project is not None:
            copy_text(cite(project, [hit.sentence]))
            self._state.notice_posted.emit(self.tr("Copied the hit with its source."))

    def ask_export(self) -> None:
        """Ask where to write the hits."""
        ask_path(
            self._view,
            self.tr("Export hits"),
            self.export_to,
            mode=QFileDialog.FileMode.AnyFile,
            start=Path.home() / "hits.tsv",
            filters=self.tr("Tab-separated (*.tsv)"),
        )

    def export_to(self, file: Path) -> None:
        """Write the hits as a TSV."""
        export_table(self._state, file, iter(tabulate(self._view.board.hits)))

    def map_hits(self) -> None:
        """Show the hits, and the sentence that was asked for, on a map."""
        ids = [hit.sentence.id for hit in self._view.board.hits]
        if self._view.question.sentence is not None:
            ids.append(self._view.question.sentence)
        if ids:
            self._state.map_wanted.emit(ids)

    def encode_missing(self) -> None:
        """Make the vectors of the corpora that have none."""
        results = self._view.results
        if results.not_encoded:
            self._state.run(Encode(corpora=tuple(map(str, results.not_encoded))))
            results.messages.clear()

    def fill_history(self, menu: QMenu) -> None:
        """Put past queries into a menu, each once."""
        project = self._state.project
        if project is None:
            return
        seen: set[tuple[str, bool]] = set()
        for _, text, filters in list_searches(project.store, limit=N_HISTORY):
            values = json.loads(filters)
            if "concordance" in values:  # that view's own queries
                continue
            question = read_search_query({**values, "text": text})
            if (text, question.words) in seen:
                continue
            seen.add((text, question.words))
            action = menu.addAction(shorten(text))
            action.setToolTip(text)
            action.triggered.connect(lambda _=False, q=question: self._view.ask(q))


class SearchView(QWidget):
    """The search page."""

    hits_shown = Signal()  # the newest question is answered and its hits are laid out

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Search")
        self.state = state
        self._trail: NavigationHistory[SearchQuery] = NavigationHistory()
        self._restored: dict[str, Any] = {}
        self.bar = SearchQueryBar(self)
        self.results = SearchResults(self)
        self.board = self.results.board
        self.jobs = SearchController(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 0)
        layout.setSpacing(GRID + 4)
        layout.addWidget(self.bar)
        layout.addWidget(self.results, 1)
        self._make_actions()
        self._connect()
        self._on_corpora_changed()

    @property
    def question(self) -> SearchQuery:
        """The question whose hits are shown; an empty one at the beginning."""
        return self._trail.current or SearchQuery()

    def ask(self, question: SearchQuery, *, is_new: bool = True) -> None:
        """Ask a question; its hits are shown when the answer comes."""
        if question.is_empty or self.state.project is None:
            return
        if is_new:
            self._trail.add(question)
        self.bar.show_question(question)
        self._show_trail()
        self.bar.say(self.tr("Searching…"))
        self.state.ask(
            question.to_query(),
            lambda answer: self._on_answer(question, answer, is_new),
        )

    def forget(self) -> None:
        """Begin anew, as before the first question."""
        self._trail = NavigationHistory()
        self.bar.show_question(SearchQuery())
        self.bar.say("")
        self._on_corpora_changed()

    def ask_sentence(self, sentence_id: int) -> None:
        """Ask for the sentences nearest to one of the project."""
        if self.state.project is None:
            return
        sentence = read_sentences(self.state.project.store, [sentence_id])[0]
        if sentence is not None:
            self._ask_row(sentence)

    def ask_text(self, wish: TextLookup) -> None:
        """Ask for the sentences nearest to a text."""
        self.ask(
            SearchQuery(
                text=wish.text,
                languages=wish.languages,
                corpora=wish.corpora,
                subcorpora=wish.subcorpora,
            )
        )

    def _ask_row(self, sentence: SentenceRow) -> None:
        self.state.select_sentence(sentence.id)
        filters = self.bar.question()
        self.ask(
            SearchQuery(
                text=sentence.text,
                sentence=sentence.id,
                language=sentence.language,
                languages=filters.languages,
                corpora=filters.corpora,
                subcorpora=filters.subcorpora,
            )
        )

    # --- making ---

    def _make_actions(self) -> None:
        add_action(self, self.tr("Type a query"), self._focus_query, keys="Ctrl+L")
        text = self.tr("Back to the query before")
        self._back = add_action(self, text, lambda: self._move(-1), keys="Alt+Left")
        text = self.tr("Forward to the query after")
        self._forward = add_action(self, text, lambda: self._move(1), keys="Alt+Right")
        text = self.tr("Search by meaning or by words")
        add_action(self, text, self.bar.switch_mode, keys="Ctrl+M")
        text = self.tr("Show past queries")
        add_action(self, text, self.bar.field.open_history, keys="Ctrl+H")
        text = self.tr("Export hits as TSV…")
        self._export = add_action(self, text, self.jobs.ask_export)
        text = self.tr("Show the hits on the map")
        self._map = add_action(self, text, self.jobs.map_hits, keys="Ctrl+Shift+H")
        text = self.tr("Encode what is not encoded")
        self._encode = add_action(self, text, self.jobs.encode_missing)
        text, copy = self.tr("Copy the hit"), QKeySequence.StandardKey.Copy
        add_action(self.board, text, self.jobs.cite, keys=copy)
        self.bar.set_actions(self._back, self._forward, self._export)
        self._show_trail()

    def _connect(self) -> None:
        self.bar.asked.connect(self._on_asked)
        self.bar.filters_changed.connect(self._on_filters_changed)
        self.bar.field.history_wanted.connect(self.jobs.fill_history)
        self.board.hit_selected.connect(self._on_hit_selected)
        self.board.hit_chosen.connect(lambda hit: self._ask_row(hit.sentence))
        self.board.digit_pressed.connect(self._on_digit_pressed)
        self.results.start.chosen.connect(lambda hit: self._ask_row(hit.sentence))
        self.results.encode_requested.connect(self.jobs.encode_missing)
        self.results.import_requested.connect(self.state.import_wanted)
        self.state.corpora_changed.connect(self._on_corpora_changed)
        self.state.embeddings_changed.connect(self._on_embeddings_changed)
        self.state.kinds_changed.connect(self._on_kinds_changed)
        encoders = self.state.encoders
        self.bar.add_tool(EncoderButton(self.state))
        encoders.changed.connect(self._on_encoders_changed)
        encoders.switched.connect(self._on_encoder_switched)
        self._on_encoders_changed()

    # --- what the user does ---

    def _on_asked(self) -> None:
        self.ask(self.bar.question())

    def _on_filters_changed(self) -> None:
        question = self.bar.question()
        if not question.is_empty:
            self.ask(question)

    def _on_hit_selected(self, hit: Hit) -> None:
        self.state.select_sentence(hit.sentence.id)

    def _on_digit_pressed(self, digit: int) -> None:
        """Label the selected hit, else the sentence that is asked for."""
        hit = self.board.selected
        wanted = hit.sentence.id if hit is not None else self.question.sentence
        if wanted is not None:
            self.state.labels.press(digit, [wanted], is_told=True)

    def _move(self, step: int) -> None:
        question = self._trail.move(step)
        if question is not None:
            self.ask(question, is_new=False)
            self.state.select_sentence(question.sentence)

    def _focus_query(self) -> None:
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.field.selectAll()

    # --- what the engine says ---

    def _on_answer(
        self, question: SearchQuery, answer: SearchAnswer | ErrorInfo, is_new: bool
    ) -> None:
        project = self.state.project
        if question != self.question or project is None:
            return
        if isinstance(answer, ErrorInfo):
            if answer.kind != "superseded":
                self.bar.say("")
                heading = self.tr("This can't be searched")
                self.results.show_nothing(heading, answer.message)
                self.hits_shown.emit()
            return
        n = self.results.show_answer(project.store, project.corpora, question, answer)
        self._show_count(n, answer)
        if is_new and not project.is_read_only:
            self.state.edit(AddSearch(question.text, question.to_json()))
        self._restore_place()
        self.hits_shown.emit()

    def _show_count(self, n: int, answer: SearchAnswer) -> None:
        words = self.tr("{n} hits of {total} sentences · {ms} ms")
        if n == 1:
            words = self.tr("1 hit of {total} sentences · {ms} ms")
        self.bar.say(
            words.format(
                n=format_count(n),
                total=format_count(answer.n_searched),
                ms=format_count(max(round(1000 * answer.elapsed_s), 1)),
            )
        )
        self._export.setEnabled(n > 0)
        self._map.setEnabled(n > 0)
        self._encode.setEnabled(bool(self.results.not_encoded))

    # --- the project ---

    def _on_corpora_changed(self) -> None:
        project = self.state.project
        corpora = project.corpora if project else []
        self.bar.show_corpora(project)
        self._show_trail()
        if self.question.is_empty or not corpora:
            self.results.show_beginning(project.store if project else None, corpora)
        else:
            self.ask(self.question, is_new=False)

    def _on_kinds_changed(self, kinds: set[str]) -> None:
        if "hidden" in kinds:
            self._on_corpora_changed()

    def _on_embeddings_changed(self) -> None:
        if self.results.not_encoded and not self.question.is_empty:
            self.ask(self.question, is_new=False)

    def _on_encoders_changed(self) -> None:
        encoders = self.state.encoders
        doubts = (encoders.doubts(), encoders.chosen)
        self.bar.show_doubts(*doubts)
        self.board.show_doubts(*doubts)

    def _on_encoder_switched(self) -> None:
        if not self.question.is_empty and not self.question.words:
            self.ask(self.question, is_new=False)

    def _show_trail(self) -> None:
        self._back.setEnabled(self._trail.can_go_back)
        self._forward.setEnabled(self._trail.can_go_forward)

    def _restore_place(self) -> None:
        """Select and scroll as a former session had it, once its hits are there."""
        place, self._restored = self._restored, {}
        if isinstance(place.get("selected"), int):
            self.board.select_hit(place["selected"])
        if isinstance(place.get("scroll"), int):
            self.board.scroll_to(place["scroll"])

    # --- what the window asks of a view ---

    def compared_sentences(self) -> tuple[SentenceText, SentenceText]:
        """Return the query and the selected hit."""
        question, hit = self.question, self.board.selected
        found = SentenceText()
        if hit is not None:
            found = SentenceText(hit.sentence.text, hit.sentence.language)
        return SentenceText(question.text, question.language), found

    def save_state(self) -> dict[str, Any]:
        """Return the question, the selected hit and the scroll position."""
        selected = self.board.selected
        return {
            "question": self.bar.question().to_json(),
            "selected": selected.sentence.id if selected else None,
            "scroll": self.board.scroll_position,
            "summary": self.bar.question().text,  # for the list of past sessions
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Ask again what was asked."""
        question = read_search_query(state.get("question", {}))
        self.bar.show_question(question)
        self._restored = state
        if not question.is_empty:
            self._trail.add(question)
            self.ask(question, is_new=False)

    def focus_first(self) -> None:
        """Put the keyboard into the query, or on the selected hit."""
        if self.results.shows_hits and self.board.selected:
            self.board.focus_first()
        else:
            self._focus_query()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icons in the colours of a new theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.bar.show_theme()
        super().changeEvent(event)
