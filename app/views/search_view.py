"""Search: a query at the top, and its nearest sentences side by side by language."""

from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine.store import rows
from app.errors import ErrorInfo
from app.messages import AddSearch
from app.views.search_jobs import SearchJobs
from app.views.state import AppState
from app.views.theme import GRID
from app.views.view import ConcordanceWish, LookedAt
from app.views.widgets.controls import add_action
from app.views.widgets.encoder_button import EncoderButton
from app.views.widgets.hits import Hit
from app.views.widgets.question import Question, Trail, read_question
from app.views.widgets.search_bar import SearchBar
from app.views.widgets.search_results import SearchResults
from app.views.words import format_count


class SearchView(QWidget):
    """The search page."""

    hits_shown = Signal()  # the newest question is answered and its hits are laid out

    def __init__(self, state: AppState, parent: QWidget | None = None):
        super().__init__(parent)
        self.title = self.tr("Search")
        self.state = state
        self._trail: Trail[Question] = Trail()
        self._restored: dict[str, Any] = {}
        self.bar = SearchBar(self)
        self.results = SearchResults(self)
        self.board = self.results.board
        self.jobs = SearchJobs(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 0)
        layout.setSpacing(GRID + 4)
        layout.addWidget(self.bar)
        layout.addWidget(self.results, 1)
        self._make_actions()
        self._connect()
        self._on_corpora_changed()

    @property
    def question(self) -> Question:
        """The question whose hits are shown; an empty one at the beginning."""
        return self._trail.current or Question()

    def ask(self, question: Question, *, is_new: bool = True) -> None:
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
        self._trail = Trail()
        self.bar.show_question(Question())
        self.bar.say("")
        self._on_corpora_changed()

    def ask_sentence(self, sentence_id: int) -> None:
        """Ask for the sentences nearest to one of the project."""
        if self.state.project is None:
            return
        sentence = rows.read_sentences(self.state.project.store, [sentence_id])[0]
        if sentence is not None:
            self._ask_row(sentence)

    def ask_text(self, wish: ConcordanceWish) -> None:
        """Ask for the sentences nearest to a text."""
        self.ask(
            Question(
                text=wish.text,
                languages=wish.languages,
                corpora=wish.corpora,
                subcorpora=wish.subcorpora,
            )
        )

    def _ask_row(self, sentence: rows.SentenceRow) -> None:
        self.state.select_sentence(sentence.id)
        filters = self.bar.question()
        self.ask(
            Question(
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
        self, question: Question, answer: dict[str, Any] | ErrorInfo, is_new: bool
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

    def _show_count(self, n: int, answer: dict[str, Any]) -> None:
        words = self.tr("{n} hits of {total} sentences · {ms} ms")
        if n == 1:
            words = self.tr("1 hit of {total} sentences · {ms} ms")
        self.bar.say(
            words.format(
                n=format_count(n),
                total=format_count(answer.get("n_searched", 0)),
                ms=format_count(max(round(1000 * answer.get("elapsed_s", 0)), 1)),
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

    def looked_at(self) -> tuple[LookedAt, LookedAt]:
        """Give the query and the selected hit."""
        question, hit = self.question, self.board.selected
        found = LookedAt()
        if hit is not None:
            found = LookedAt(hit.sentence.text, hit.sentence.language)
        return LookedAt(question.text, question.language), found

    def save_state(self) -> dict[str, Any]:
        """Give the question, the selected hit and the scroll position."""
        selected = self.board.selected
        return {
            "question": self.bar.question().to_json(),
            "selected": selected.sentence.id if selected else None,
            "scroll": self.board.scroll_position,
            "summary": self.bar.question().text,  # for the list of past sessions
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Ask again what was asked."""
        question = read_question(state.get("question", {}))
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
