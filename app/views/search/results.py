"""Results page: example queries, hits, or the reason for an empty result."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget
from sqlalchemy import Engine

from app.engine.store import corpora as store_corpora
from app.engine.store.corpora import CorpusRow
from app.engine.store.hidden_sentences import read_hidden
from app.engine.store.sentences import count_translations, read_sentences
from app.languages import primary_language
from app.protocol.answers.encoders import EncoderInfo
from app.protocol.answers.search import SearchAnswer
from app.views.search.hit_columns import HitColumns
from app.views.widgets.boxes import Stretch, make_column
from app.views.widgets.controls import make_button, make_label
from app.views.widgets.empty_state import EmptyState
from app.views.widgets.encoder_use import name_languages
from app.views.widgets.hit_card import SentenceCard
from app.views.widgets.hits import Hit, group_by_language, read_hits
from app.views.widgets.message_bar import MessageBar
from app.views.widgets.page_layout import stack_pages
from app.views.widgets.search_query import SearchQuery
from app.views.widgets.theme import GRID

N_EXAMPLES, N_TRIED, N_COLUMNS = 12, 24, 2
SHORTEST, LONGEST = 18, 90  # characters of a good example; fewer in dense scripts
DENSE_SHORTEST = 8


class SearchStartPage(QWidget):
    """Explains the search, with an example sentence in several languages."""

    chosen = Signal(object)  # Hit

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        heading = make_label(self.tr("Search in one language, find in all"), "heading")
        text = make_label(
            self.tr(
                "Type a sentence above to find the sentences nearest in meaning, one "
                "column per language. Or start with one of these examples:"
            ),
            "secondary",
            wraps=True,
        )
        self._grid = QGridLayout()
        self._grid.setSpacing(GRID + 4)
        self._cards: list[SentenceCard] = []
        make_column(
            heading,
            text,
            self._grid,
            Stretch(1),
            parent=self,
            gap=2 * GRID,
            margins=(0, 0, 6 * GRID, 0),
        )

    @property
    def examples(self) -> list[Hit]:
        """The displayed examples."""
        return [card.hit for card in self._cards]

    def show_examples(
        self, store: Engine, corpora: Sequence[store_corpora.CorpusRow]
    ) -> None:
        """Show one example sentence for each of the first languages."""
        for card in self._cards:
            self._grid.removeWidget(card)
            card.deleteLater()
        self._cards = []
        for number, hit in enumerate(choose_examples(store, corpora)):
            card = SentenceCard(hit, self.tr("Find the sentences nearest to this one."))
            card.chosen.connect(self.chosen)
            row, column = divmod(number, N_COLUMNS)
            self._grid.addWidget(card, row, column)
            self._cards.append(card)


def choose_examples(
    store: Engine, corpora: Sequence[store_corpora.CorpusRow]
) -> list[Hit]:
    """Choose a sentence of medium length from one corpus of each language.

    Prefer sentences with translations: a search for one of them has hits.
    """
    firsts: dict[str, store_corpora.CorpusRow] = {}
    for corpus in corpora:
        if not corpus.is_word_list:
            firsts.setdefault(corpus.language, corpus)
    hits: list[Hit] = []
    for number, corpus in enumerate(firsts.values()):
        start = store_corpora.first_sentence_id(corpus.id)
        ids = list(range(start, start + min(corpus.n_sentences, N_TRIED)))
        hidden = read_hidden(store, ids)
        read = read_sentences(store, [id_ for id_ in ids if id_ not in hidden])
        sentences = [row for row in read if row]
        good = [row for row in sentences if _is_good(row.text)] or sentences
        linked = count_translations(store, [row.id for row in good])
        good = [row for row in good if row.id in linked] or good
        if good:  # a different position per corpus: corpora may be aligned
            hits.append(Hit(good[(5 * number) % len(good)], corpus.name))
        if len(hits) == N_EXAMPLES:
            break
    return hits


def _is_good(text: str) -> bool:
    shortest = SHORTEST if text.isascii() or " " in text else DENSE_SHORTEST
    return shortest <= len(text) <= LONGEST


def order_languages(
    store: Engine,
    corpora: Sequence[CorpusRow],
    query: SearchQuery,
    hits: Sequence[Hit],
    typed: str = "",
) -> list[str]:
    """Order the hit columns: the query language first, then by similarity.

    If the language of a typed text is uncertain, the language of the nearest sentence
    comes first, which is usually the same. Keyword hits have no score: their columns
    are in the order of the corpora.

    Args:
        hits: hits, best first.
        typed: likely language of a typed text; empty: uncertain.
    """
    if query.words:
        return [corpus.language for corpus in corpora]
    languages = list(dict.fromkeys(hit.sentence.language for hit in hits))
    if query.sentence is not None:
        asked = read_sentences(store, [query.sentence])[0]
        typed = asked.language if asked else ""
    wanted = primary_language(typed) if typed else ""
    return sorted(languages, key=lambda code: primary_language(code) != wanted)


N_NAMES = 3  # corpora named in a message


class SearchResults(QWidget):
    """Shows one of four pages, and a message about corpora without vectors.

    Attributes:
        search_pages: all pages except that of an empty project.
    """

    encode_requested = Signal()
    retry_requested = Signal()
    import_requested = Signal()
    encoders_requested = Signal()  # to choose another encoder

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._query: SearchQuery | None = None  # query of the displayed hits
        self.messages = MessageBar(self)
        self.columns = HitColumns(self)
        self.start = SearchStartPage(self)
        self.start.setObjectName("scrolled")
        self._no_corpus = EmptyState(
            self.tr("Nothing to search yet"),
            self.tr("Import a corpus to search its sentences by meaning."),
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
        self.retry_button = make_button(
            self.tr("Search again"),
            self.tr("Send the query again."),
            self.retry_requested.emit,
        )
        self._message = EmptyState("", "", [self.retry_button], icon="search")
        self._start_area = QScrollArea()  # for windows too small for all examples
        self._start_area.setWidgetResizable(True)
        self._start_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._start_area.setWidget(self.start)
        self.search_pages = self._start_area, self.columns, self._message
        self._pages = stack_pages(
            self, self.messages, (self._no_corpus, *self.search_pages)
        )

    @property
    def shows_hits(self) -> bool:
        """Return whether hits are shown."""
        return self._pages.currentWidget() is self.columns

    @property
    def words(self) -> tuple[str, str]:
        """The heading and text of the message shown instead of hits."""
        return self._message.words

    def show_start(self, store: Engine | None, corpora: Sequence[CorpusRow]) -> None:
        """Show the start page, or the import button in an empty project."""
        self.messages.clear()
        if store is None or not corpora:
            self._pages.setCurrentWidget(self._no_corpus)
            return
        self.start.show_examples(store, corpora)
        self._pages.setCurrentWidget(self._start_area)

    def show_answer(
        self,
        store: Engine,
        corpora: Sequence[CorpusRow],
        query: SearchQuery,
        answer: SearchAnswer,
        encoder: EncoderInfo | None,
    ) -> None:
        """Show the hits of an answer by an encoder.

        For a repeated query, columns and visible hits keep their positions.
        """
        asked = answer.exact if query.sentence is None else [query.sentence]
        hits = read_hits(store, answer.hits, asked=asked)
        languages = order_languages(store, corpora, query, hits, answer.language)
        groups = group_by_language(hits, languages)
        is_repeated = self.shows_hits and query.is_like(self._query)
        if is_repeated and self._query is not None:
            is_continued = query.k > self._query.k
            groups = self._continue(groups, is_continued=is_continued)
        self._query = query
        self.columns.show_hits(
            groups, query.marked, answer.n_found, keeps_place=is_repeated
        )
        self.messages.clear()
        missing = [corpus for corpus in corpora if corpus.id in answer.not_encoded]
        unknown = [
            corpus
            for corpus in missing
            if encoder is not None and not encoder.has_language(corpus.language)
        ]
        can_encode = [corpus for corpus in missing if corpus not in unknown]
        if can_encode:
            self._name_not_encoded(can_encode)
        if encoder is not None and unknown:
            self._name_unknown(encoder, unknown)
        if hits:
            self._pages.setCurrentWidget(self.columns)
            return
        advice = self._advise(query, answer)
        if missing and not query.words:
            advice = self.tr("Encode the corpora, or search by words.")
            if not can_encode:
                advice = self.tr("Choose another encoder, or search by words.")
        self.show_message(self.tr("No hits"), advice)

    def _continue(
        self, groups: dict[str, list[Hit]], *, is_continued: bool
    ) -> dict[str, list[Hit]]:
        """Keep the displayed order of columns and, if continued, append new hits.

        Re-ranking more hits can score a new hit highest: it is appended all the same.
        """
        shown = {column.language: column.hits for column in self.columns.columns}
        ordered = {code: groups.get(code, []) for code in shown} | groups
        if is_continued:
            for code, before in shown.items():
                by_id = {hit.sentence.id: hit for hit in ordered[code]}
                kept = {it.sentence.id: it for it in before if it.sentence.id in by_id}
                ordered[code] = list((kept | by_id).values())
        return ordered

    def show_message(self, heading: str, text: str) -> None:
        """Show why there are no hits."""
        self.retry_button.hide()
        self._message.set_words(heading, text)
        self._pages.setCurrentWidget(self._message)

    def show_failure(self, message: str) -> None:
        """Show why the query failed, and offer to send it again."""
        self.show_message(self.tr("The query failed"), message)
        self.retry_button.show()

    def forget_failure(self) -> None:
        """Remove the message about the failed query."""
        if not self.retry_button.isHidden():
            self.show_message(self.tr("Searching…"), "")

    def _advise(self, query: SearchQuery, answer: SearchAnswer) -> str:
        if answer.is_unknown:
            return self.tr("The encoder knows no part of this text. Try another text.")
        if query.languages or query.corpora or query.subcorpora:
            return self.tr("Select more languages or corpora.")
        if query.words:
            return self.tr("Try other words, or search by meaning.")
        return self.tr("Try another text.")

    def _name_not_encoded(self, corpora: Sequence[CorpusRow]) -> None:
        """Offer to encode corpora."""
        names = [corpus.name for corpus in corpora]
        listed = ", ".join(names[:N_NAMES]) + (" …" if len(names) > N_NAMES else "")
        words = self.tr("{names} has no vectors and was not searched. Encode it first.")
        if len(names) > 1:
            words = self.tr(
                "{n} corpora have no vectors and were not searched ({names}). Encode "
                "them first."
            )
        button = make_button(
            self.tr("Encode corpora"),
            self.tr("Encode these corpora now."),
            self._on_encode,
        )
        self.messages.post(words.format(n=len(names), names=listed), buttons=[button])

    def _name_unknown(self, encoder: EncoderInfo, corpora: Sequence[CorpusRow]) -> None:
        """Offer another encoder for the languages that the current one can't encode."""
        words = self.tr(
            "{name} can't encode {languages}, so these texts were not searched."
        )
        names = name_languages(corpus.language for corpus in corpora)
        button = make_button(
            self.tr("Show encoders"),
            self.tr("Choose an encoder of these languages."),
            self.encoders_requested.emit,
        )
        text = words.format(name=encoder.name, languages=names)
        self.messages.post(text, buttons=[button])

    def _on_encode(self) -> None:
        self.messages.clear()
        self.encode_requested.emit()
