"""Mark in other sentences the words that translate a word or a short text."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from app.arrays import DoubleArray
from app.engine.search.session import SearchSession
from app.engine.store.corpora import CorpusRow, corpus_of
from app.engine.store.sentences import SentenceRow, read_sentences
from app.engine.words.cache import word_cache
from app.engine.words.tokenizer import fold_word, tokenize
from app.engine.words.word_links.answer import (
    PLACES,
    WordLinkCache,
    associate,
    read_words,
)
from app.engine.words.word_links.scores import combine_evidence, link_confidences
from app.errors import UserError
from app.protocol.answers.reading import TranslatedWord, WordMarksAnswer
from app.protocol.queries.reading import MarkedText, WordMarksQuery

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

MIN_CONFIDENCE = 0.25  # of a marked word
MAX_BITEXTS = 2  # target corpora whose links are counted


def answer_word_marks(session: SearchSession, query: WordMarksQuery) -> WordMarksAnswer:
    """Return for each text the words of its target sentences that translate it.

    The vectors of the words are compared. For a sentence of the project and targets in
    at most two corpora, the association of the words in linked sentences counts, too.
    Without an encoder that can encode words, only this association does. Frequent words
    of a corpus are marked only for a single word or a selected part of a text.
    """
    ids = list({id_ for text in query.texts for id_ in text.targets})
    rows = {row.id: row for row in read_sentences(session.project.store, ids) if row}
    corpora = {row.id: row for row in session.corpora()}
    marker = _Marker(session, corpora, is_linked=_n_corpora(rows) <= MAX_BITEXTS)
    found = [
        marker.mark(text, [rows[id_] for id_ in text.targets if id_ in rows])
        for text in query.texts
    ]
    return WordMarksAnswer(found)


def _n_corpora(ids: dict[int, SentenceRow]) -> int:
    return len({corpus_of(id_) for id_ in ids})


class _Marker:
    """Marks the targets of texts, one text after another."""

    def __init__(
        self, session: SearchSession, corpora: dict[int, CorpusRow], *, is_linked: bool
    ):
        self._session, self._corpora, self._is_linked = session, corpora, is_linked
        self._words = word_cache(session)
        self._cache = session.cache(WordLinkCache, WordLinkCache)
        self._encoder: Encoder | None = None
        with suppress(UserError):  # with stored vectors only, it can't encode words
            self._encoder = session.encoder("")

    def mark(
        self, text: MarkedText, targets: Sequence[SentenceRow]
    ) -> list[TranslatedWord]:
        """Return the words of the targets that translate the marked part of a text."""
        cuts = tokenize(text.text)
        indices = [
            index
            for index, (begin, end) in enumerate(cuts)
            if text.end == 0 or (begin < text.end and end > text.begin)
        ]
        own = [fold_word(text.text[begin:end]) for begin, end in cuts]
        sides = [
            (row, corpus, read_words(self._words, corpus, [row], None))
            for row in (targets if indices else ())
            if (corpus := self._corpora.get(corpus_of(row.id))) is not None
        ]
        # One call for all words: the overhead of a call exceeds the cost of its words.
        cosines = self._similarity(
            own, [word for *_, side in sides for word in side.texts]
        )
        found: list[TranslatedWord] = []
        is_sentence = text.end == 0 and len(cuts) > 1
        begin = 0
        for row, corpus, side in sides:
            end = begin + len(side.texts)
            association = self._association(text, len(own), row, corpus)
            evidence = _combine(association, cosines[:, begin:end])
            best = link_confidences(evidence)[indices].max(axis=0)
            left_out = (
                self._cache.frequent_words(self._session, corpus)
                if is_sentence
                else frozenset()
            )
            found += [
                TranslatedWord(row.id, span.begin, span.end, round(share, PLACES))
                for word, span, share in zip(
                    side.texts, side.spans, best.tolist(), strict=True
                )
                if share >= MIN_CONFIDENCE and word not in left_out
            ]
            begin = end
        return found

    def _similarity(self, own: list[str], others: list[str]) -> DoubleArray:
        """Return the cosines of words: float64 (n, m); 0 without an encoder."""
        if self._encoder is None or not others:
            return np.zeros((len(own), len(others)))
        return self._cache.similarity(self._encoder, own, others)

    def _association(
        self, text: MarkedText, n: int, row: SentenceRow, corpus: CorpusRow
    ) -> DoubleArray | None:
        """Return the association in linked sentences; None without links."""
        source = self._corpora.get(corpus_of(text.sentence))
        if not self._is_linked or source is None or source.id == corpus.id:
            return None
        bitext = self._cache.bitext(self._session, source, corpus)
        asked = read_sentences(self._session.project.store, [text.sentence])[0]
        if bitext is None or asked is None:
            return None
        first = read_words(self._words, source, [asked], bitext.source)
        second = read_words(self._words, corpus, [row], bitext.target)
        if first.ids is None or second.ids is None or len(first.ids) != n:
            return None
        return associate(bitext, first.ids, second.ids)


def _combine(association: DoubleArray | None, cosines: DoubleArray) -> DoubleArray:
    """Return the evidence that words translate each other: float64 (n, m), 0…1.

    The places of words count only between linked sentences, since the words of a query
    have no comparable order.
    """
    if association is not None and association.shape == cosines.shape:
        return combine_evidence(association, cosines)
    squared: DoubleArray = np.clip(cosines, 0, 1) ** 2
    return squared
