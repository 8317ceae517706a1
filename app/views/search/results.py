"""Results page: example queries, hits, or the reason for an empty result."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget
from sqlalchemy import Engine

from app.engine.store import corpora as store_corpora
from app.engine.store.corpora import CorpusRow
from app.engine.store.hidden_sentences import read_hidden
from app.engine.store.sentences import read_sentences
from app.protocol.answers.search import SearchAnswer
from app.views.search.hit_columns import HitColumns
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.hits import Hit, group_by_language, read_hits
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import stack_pages
from app.views.widgets.search_query import SearchQuery
from app.views.widgets.theme import GRID

N_EXAMPLES, N_TRIED, N_COLUMNS = 12, 24, 2
SHORTEST, LONGEST = 18, 90  # characters of a good example; less in dense scripts
DENSE_SHORTEST = 8


class SearchStartPage(QWidget):
    """Says what can be done here, with one sentence of several languages."""

    chosen = Signal(object)  # Hit

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        heading = make_label(self.tr("Ask in one language, find in all"), "heading")
        text = make_label(
            self.tr(
                "Type a sentence above. The sentences nearest in meaning stand side by "
                "side, one column a language. Or begin with one of these:"
            ),
            "secondary",
            wraps=True,
        )
        self._grid = QGridLayout()
        self._grid.setSpacing(GRID + 4)
        self._cards: list[SentenceCard] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4 * GRID, 6 * GRID, 0)
        layout.setSpacing(2 * GRID)
        layout.addWidget(heading)
        layout.addWidget(text)
        layout.addLayout(self._grid)
        layout.addStretch(1)

    def show_examples(
        self, store: Engine, corpora: Sequence[store_corpora.CorpusRow]
    ) -> None:
        """Offer a sentence of each of the first languages."""
        for card in self._cards:
            self._grid.removeWidget(card)
            card.deleteLater()
        self._cards = []
        for number, hit in enumerate(choose_examples(store, corpora)):
            card = SentenceCard(hit, self.tr("Find what is nearest to this sentence."))
            card.chosen.connect(self.chosen)
            row, column = divmod(number, N_COLUMNS)
            self._grid.addWidget(card, row, column)
            self._cards.append(card)


def choose_examples(
    store: Engine, corpora: Sequence[store_corpora.CorpusRow]
) -> list[Hit]:
    """Choose a sentence of middle length from a corpus of each language."""
    firsts: dict[str, store_corpora.CorpusRow] = {}
    for corpus in corpora:
        firsts.setdefault(corpus.language, corpus)
    hits: list[Hit] = []
    for number, corpus in enumerate(firsts.values()):
        start = store_corpora.first_sentence_id(corpus.id)
        ids = list(range(start, start + min(corpus.n_sentences, N_TRIED)))
        left_out = read_hidden(store, ids)
        read = read_sentences(store, [id_ for id_ in ids if id_ not in left_out])
        sentences = [row for row in read if row]
        good = [row for row in sentences if _is_good(row.text)] or sentences
        if good:  # another place in each corpus, since corpora may be aligned
            hits.append(Hit(good[(5 * number) % len(good)], corpus.name))
        if len(hits) == N_EXAMPLES:
            break
    return hits


def _is_good(text: str) -> bool:
    shortest = SHORTEST if text.isascii() or " " in text else DENSE_SHORTEST
    return shortest <= len(text) <= LONGEST


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
        self.board = HitColumns(self)
        self.start = SearchStartPage(self)
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
        """Return whether hits are on screen."""
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
        question: SearchQuery,
        answer: SearchAnswer,
    ) -> int:
        """Show an answer's hits; returns their number."""
        hits = read_hits(store, answer.hits, asked=question.sentence)
        languages = [corpus.language for corpus in corpora]
        self.board.show_hits(group_by_language(hits, languages), question.marks())
        self._name_not_encoded(corpora, answer.not_encoded)
        if hits:
            self._pages.setCurrentWidget(self.board)
        else:
            self.show_nothing(self.tr("No sentence was found"), self._advise(question))
        return len(hits)

    def show_nothing(self, heading: str, text: str) -> None:
        """Show why there are no hits."""
        self._nothing.set_words(heading, text)
        self._pages.setCurrentWidget(self._nothing)

    def _advise(self, question: SearchQuery) -> str:
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
