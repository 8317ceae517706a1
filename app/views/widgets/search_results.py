"""The body of the search: examples, hits, or why there are none."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QWidget
from sqlalchemy import Engine

from app.engine.store.rows import CorpusRow
from app.views.widgets.controls import make_button
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.hit_board import HitBoard
from app.views.widgets.hits import group_by_language, read_hits
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.question import Question
from app.views.widgets.search_start import SearchStart
from app.views.widgets.splits import stack_pages

N_NAMES = 3  # corpora named in a sentence


class SearchResults(QWidget):
    """Shows one of four pages under a bar that names corpora without vectors.

    Attributes:
        not_encoded: ids of the corpora that the last answer could not search.
    """

    encode_requested = Signal()
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.not_encoded: list[int] = []
        self.messages = MessageBar(self)
        self.board = HitBoard(self)
        self.start = SearchStart(self)
        self.start.setObjectName("scrolled")
        self._no_corpus = EmptyState(
            self.tr("Nothing to search yet"),
            self.tr("Import a corpus, and its sentences can be searched by meaning."),
            [
                make_button(
                    self.tr("Import…"),
                    self.tr("Import a file as a corpus."),
                    self.import_requested.emit,
                    kind="primary",
                )
            ],
            icon="search",
        )
        self._nothing = EmptyState("", "", icon="search")
        self._beginning = QScrollArea()  # a small window can't show every example
        self._beginning.setWidgetResizable(True)
        self._beginning.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._beginning.setWidget(self.start)
        pages = (self._no_corpus, self._beginning, self.board, self._nothing)
        self._pages = stack_pages(self, self.messages, pages)

    @property
    def shows_hits(self) -> bool:
        """Tell whether hits are on screen."""
        return self._pages.currentWidget() is self.board

    @property
    def words(self) -> tuple[str, str]:
        """Why there are no hits: heading and advice."""
        return self._nothing.words

    def show_beginning(
        self, store: Engine | None, corpora: Sequence[CorpusRow]
    ) -> None:
        """Show what to do before the first question."""
        self.not_encoded = []
        self.messages.clear()
        if store is None or not corpora:
            self._pages.setCurrentWidget(self._no_corpus)
            return
        self.start.show_examples(store, corpora)
        self._pages.setCurrentWidget(self._beginning)

    def show_answer(
        self,
        store: Engine,
        corpora: Sequence[CorpusRow],
        question: Question,
        answer: dict[str, Any],
    ) -> int:
        """Show an answer's hits; returns their number."""
        hits = read_hits(store, answer["hits"], asked=question.sentence)
        languages = [corpus.language for corpus in corpora]
        self.board.show_hits(group_by_language(hits, languages), question.marks())
        self._name_not_encoded(corpora, answer.get("not_encoded", []))
        if hits:
            self._pages.setCurrentWidget(self.board)
        else:
            self.show_nothing(self.tr("No sentence was found"), self._advise(question))
        return len(hits)

    def show_nothing(self, heading: str, text: str) -> None:
        """Show why there are no hits."""
        self._nothing.set_words(heading, text)
        self._pages.setCurrentWidget(self._nothing)

    def _advise(self, question: Question) -> str:
        if self.not_encoded and not question.words:
            return self.tr("Encode the corpora, or look for the words themselves.")
        if question.languages or question.corpora:
            return self.tr("Take more languages or corpora in.")
        if question.words:
            return self.tr("Try other words, or search by meaning.")
        return self.tr("Try other words.")

    def _name_not_encoded(self, corpora: Sequence[CorpusRow], ids: list[int]) -> None:
        self.not_encoded = list(ids)
        self.messages.clear()
        names = [corpus.name for corpus in corpora if corpus.id in ids]
        if not names:
            return
        listed = ", ".join(names[:N_NAMES]) + (" …" if len(names) > N_NAMES else "")
        words = self.tr("{names} is not encoded, so it is not searched by meaning.")
        if len(names) > 1:
            words = self.tr(
                "{n} corpora are not encoded, so they are not searched by meaning: "
                "{names}."
            )
        button = make_button(
            self.tr("Encode"),
            self.tr("Make the vectors of these corpora now."),
            self.encode_requested.emit,
        )
        self.messages.post(words.format(n=len(names), names=listed), buttons=[button])
