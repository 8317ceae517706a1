"""Answer which words of sentences translate words of other sentences."""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sqlalchemy import func, or_, select

from app.arrays import DoubleArray, IntArray
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.corpora import (
    CorpusRow,
    corpus_of,
    first_sentence_id,
    position_of,
)
from app.engine.store.sentences import SentenceRow, read_sentences
from app.engine.words.cache import WordCache, word_cache
from app.engine.words.equivalents.bitext import BitextOptions, BitextSide, WordBitext
from app.engine.words.tokenizer import fold_word, tokenize
from app.engine.words.word_links.counts import count_together
from app.engine.words.word_links.scores import (
    choose_links,
    combine_evidence,
    link_confidences,
    other_pairs_dice,
)
from app.errors import UserError
from app.protocol.answers.reading import WordLink, WordLinksAnswer, WordSpan
from app.protocol.queries.reading import WordLinksQuery

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

MAX_WORDS = 400  # per side
MIN_CONFIDENCE = 0.15  # of a reported link
PLACES = 3  # decimals of a confidence
# Minimum and maximum number of sentences of a corpus in which words are counted, and
# the share of sentences with a frequent word: 8 % of English sentences have "with", 5 %
# "night".
MIN_COUNTED, MAX_COUNTED, FREQUENT_SHARE = 100, 1_000, 0.08
MAX_CACHED = 4  # bitexts and vectors of words


class _Words(NamedTuple):
    """The words of one side of the query.

    Attributes:
        spans: start and end of each word.
        texts: case-folded words.
        ids: int64 (n,), ids in the lexicon of the side; -1 for unknown words; None: the
            corpus has no index.
    """

    spans: list[WordSpan]
    texts: list[str]
    ids: IntArray | None = None


# Edits that change which sentences are linked or active.
_PAIR_EDITS = [
    f'{{"change":"{name}"%'
    for name in ("ChangeLinks", "HideSentences", "RestoreHidden")
]


class WordLinkCache:
    """Caches bitexts of two corpora and word vectors."""

    def __init__(self) -> None:
        self._bitexts: dict[tuple[int, int, int, float], WordBitext | None] = {}
        self._vectors: dict[str, dict[str, DoubleArray]] = {}
        self._frequent: dict[tuple[int, int], frozenset[str]] = {}

    def bitext(
        self, session: SearchSession, first: CorpusRow, second: CorpusRow
    ) -> WordBitext | None:
        """Return the linked pairs of a corpus with the language of another.

        The pairs are read again after each run and after edits of links or hidden
        sentences; None if a corpus is not indexed.
        """
        key = first.id, second.id, *_newest_run_and_edit(session)
        if key not in self._bitexts:
            for old in list(self._bitexts)[: 1 - MAX_CACHED]:
                del self._bitexts[old]
            self._bitexts[key] = _open_bitext(session, first, second)
        return self._bitexts[key]

    def frequent_words(
        self, session: SearchSession, corpus: CorpusRow
    ) -> frozenset[str]:
        """Return the case-folded words that occur in many sentences of a corpus.

        These are rarely content words. A corpus with few sentences has none.
        """
        key = corpus.id, corpus.n_sentences
        if key not in self._frequent:
            first = first_sentence_id(corpus.id)
            ids = range(first, first + min(corpus.n_sentences, MAX_COUNTED))
            read = [row for row in read_sentences(session.project.store, ids) if row]
            counts: Counter[str] = Counter()
            for row in read:
                cuts = tokenize(row.text, row.language)
                counts.update({fold_word(row.text[one:end]) for one, end in cuts})
            least = FREQUENT_SHARE * len(read) if len(read) >= MIN_COUNTED else np.inf
            found = frozenset(word for word, n in counts.items() if n >= least)
            self._frequent[key] = found
        return self._frequent[key]

    def similarity(
        self, encoder: "Encoder", words: list[str], others: list[str]
    ) -> DoubleArray:
        """Return the cosines of words encoded in isolation: float64 (n, m)."""
        from app.engine.numeric import normalise_rows

        known = self._vectors.setdefault(encoder.fingerprint, {})
        missing = [word for word in dict.fromkeys(words + others) if word not in known]
        if missing:
            vectors = normalise_rows(encoder.encode(missing))[0].astype(np.float64)
            known.update(zip(missing, vectors, strict=True))
        first = np.stack([known[word] for word in words])
        second = np.stack([known[word] for word in others])
        found: DoubleArray = first @ second.T  # (n, d), (d, m) -> (n, m)
        if len(known) > 50 * MAX_WORDS:
            known.clear()
        return found


def answer_word_links(session: SearchSession, query: WordLinksQuery) -> WordLinksAnswer:
    """Score the links between the words of two groups of sentences.

    Raises:
        UserError: a sentence or its corpus was deleted.
    """
    known = {row.id: row for row in session.corpora()}
    sides = [_read_side(session, ids, known) for ids in (query.first, query.second)]
    corpora, rows = zip(*sides, strict=True)
    cache = session.cache(WordLinkCache, WordLinkCache)
    words = word_cache(session)
    bitext = cache.bitext(session, *corpora)
    first = read_words(words, corpora[0], rows[0], bitext and bitext.source)
    second = read_words(words, corpora[1], rows[1], bitext and bitext.target)
    if not (first.spans and second.spans):
        return WordLinksAnswer(first.spans, second.spans, [], 0)
    similarity, encoder = None, ""
    try:
        opened = session.encoder(query.encoder)
        similarity = cache.similarity(opened, first.texts, second.texts)
        encoder = opened.name
    except UserError:  # an encoder with stored vectors only can't encode words
        pass
    association = np.zeros((len(first.spans), len(second.spans)))
    n_pairs = 0
    if bitext is not None and first.ids is not None and second.ids is not None:
        association = associate(bitext, first.ids, second.ids)
        n_pairs = bitext.pairs.n
    confidences = link_confidences(combine_evidence(association, similarity))
    chosen = choose_links(confidences, MIN_CONFIDENCE)
    links = [
        WordLink(one, other, round(confidence, PLACES))
        for one, other, confidence in zip(
            chosen.first.tolist(),
            chosen.second.tolist(),
            chosen.confidences.tolist(),
            strict=True,
        )
    ]
    links.sort(key=lambda link: (-link.confidence, link.first, link.second))
    return WordLinksAnswer(first.spans, second.spans, links, n_pairs, encoder)


def associate(bitext: WordBitext, words: IntArray, others: IntArray) -> DoubleArray:
    """Return the association of words in the other pairs: float64 (n, m), 0…1.

    Args:
        words: int64 (n,), ids of the source side; -1 for unknown words.
        others: int64 (m,), ids of the target side.
    """
    source, target = bitext.source.words, bitext.target.words
    found = np.zeros((len(words), len(others)))
    own, its = np.unique(words[words >= 0]), np.unique(others[others >= 0])
    if not len(own) or not len(its):
        return found
    both = count_together(source, target, own, its)
    n_own, n_its = source.n_pairs_of[own], target.n_pairs_of[its]
    scores = other_pairs_dice(np.maximum(both, 1), n_own[:, None], n_its)
    rows, columns = words >= 0, others >= 0
    found[np.ix_(rows, columns)] = scores[
        np.ix_(np.searchsorted(own, words[rows]), np.searchsorted(its, others[columns]))
    ]
    return found


def _newest_run_and_edit(session: SearchSession) -> tuple[int, float]:
    """Return the id of the newest run, and the time of the newest edit of pairs."""
    edit = schema.edit.c
    is_of_pairs = or_(*(edit.change.like(pattern) for pattern in _PAIR_EDITS))
    newest = (
        select(edit.created_at)
        .where(edit.undone == 0, is_of_pairs)
        .order_by(edit.id.desc())
    )
    with session.project.store.connect() as connection:
        run = connection.scalar(select(func.max(schema.run.c.id))) or 0
        return run, connection.scalar(newest.limit(1)) or 0.0


def _open_bitext(
    session: SearchSession, first: CorpusRow, second: CorpusRow
) -> WordBitext | None:
    cache = word_cache(session)
    options = BitextOptions([first], "", second.language)
    bitext, missing = cache.bitexts.open(session.project, options, cache.index)
    return None if {first.id, second.id} & set(missing) else bitext


def _read_side(
    session: SearchSession, ids: tuple[int, ...], known: dict[int, CorpusRow]
) -> tuple[CorpusRow, list[SentenceRow]]:
    rows = read_sentences(session.project.store, ids)
    found = [row for row in rows if row is not None]
    corpora = {corpus_of(id_) for id_ in ids}
    if len(found) < len(ids) or len(corpora) > 1 or not corpora <= known.keys():
        raise UserError("The sentence is not in the project any more.")
    return known[corpora.pop()], found


def read_words(
    cache: WordCache,
    corpus: CorpusRow,
    rows: list[SentenceRow],
    side: BitextSide | None,
) -> _Words:
    """Read the words of sentences from the index, or else tokenize the texts."""
    index = cache.index(corpus)
    ids_of = side.ids.get(corpus.id) if side is not None else None
    spans: list[WordSpan] = []
    texts: list[str] = []
    ids: list[int] = []
    for row in rows:
        if index is None:
            cuts = tokenize(row.text, row.language)
        else:
            position = int(position_of(row.id))
            begin, end = index.starts[position : position + 2].tolist()
            own = slice(begin, end)
            cuts = list(
                zip(index.begins[own].tolist(), index.ends[own].tolist(), strict=True)
            )
            if ids_of is not None:
                ids += ids_of[index.layer("word").tokens[own]].tolist()
        spans += [WordSpan(row.id, *cut) for cut in cuts]
        texts += [fold_word(row.text[begin:end]) for begin, end in cuts]
    has_ids = len(ids) == len(spans)
    known = np.array(ids[:MAX_WORDS], np.int64) if has_ids else None
    return _Words(spans[:MAX_WORDS], texts[:MAX_WORDS], known)
