"""Answer the window's searches, and load what the first search needs."""

import time
from typing import TYPE_CHECKING

import numpy as np

from app.engine.project.active_sentences import count_active
from app.engine.search.keyword_search import (
    count_by_keywords,
    find_by_keywords,
    find_exact_text,
)
from app.engine.search.languages import matches_language
from app.engine.search.sentence_orders import order_sentences
from app.engine.search.session import QueryVector, SearchSession
from app.engine.store.sentences import list_translations, read_sentences
from app.engine.text.language_detection import MIN_CONFIDENCE, guess_language
from app.errors import UserError
from app.protocol.answers.search import (
    FoundSentence,
    OrderAnswer,
    SearchAnswer,
    WarmUpAnswer,
)
from app.protocol.base import reply
from app.protocol.queries.encoders import WarmQuery
from app.protocol.queries.search import MAX_K, KeywordQuery, NearestQuery, OrderQuery

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

MAX_HITS = 600  # 80 bytes each, in an answer of at most 256 KB


SearchQuery = NearestQuery | KeywordQuery | OrderQuery | WarmQuery


def answer_search_query(session: SearchSession, query: SearchQuery) -> object:
    """Return the answer to a search.

    Raises:
        UserError: the query is empty or names something that does not exist.
    """
    match query:
        case NearestQuery():
            return reply(query, _answer_nearest(session, query))
        case KeywordQuery():
            return reply(query, _answer_keywords(session, query))
        case OrderQuery():
            return reply(query, _answer_order(session, query))
        case WarmQuery():
            return reply(query, _warm_up(session, query))


def _answer_nearest(session: SearchSession, query: NearestQuery) -> SearchAnswer:
    """Find the best k sentences of each language."""
    from app.engine.search.nearest import NearestSentences, nearest_sentences
    from app.engine.search.reranking import n_candidates, rerank

    begun = time.monotonic()
    encoder = session.encoder(query.encoder)
    query_vector = _query_vector(session, query, encoder)
    corpora = session.searched_corpora(query.corpora, query.subcorpora)
    scan = session.scan(query_vector, encoder, corpora, query.languages)
    most = _most_hits(len(scan.parts))
    k = min(query.k, most)
    exact: list[int] = []
    if query.sentence is None:
        ids = {corpus.id for corpus in session.corpora()}
        exact = find_exact_text(session.project, query.text, ids)
    translations = _known_translations(session, query.sentence, exact)
    nearest: dict[str, NearestSentences] = {}
    if not query_vector.is_unknown:
        n = n_candidates(k, len(scan.parts)) if query.reranker else k
        nearest = {
            language: nearest_sentences(
                parts, query_vector.vector, n, translations=translations
            )
            for language, parts in scan.parts.items()
        }
    if query.reranker and nearest:
        reranker = session.encoder(query.reranker)
        nearest = rerank(session, reranker, _query_text(session, query), nearest, k)
    hits: list[FoundSentence] = []
    for language, best in nearest.items():
        found = zip(best.ids.tolist(), best.scores.tolist(), strict=True)
        hits += [FoundSentence(id_, round(s, 6), language) for id_, s in found]
    hits.sort(
        key=lambda hit: (
            -(hit.score or 0.0),
            hit.sentence not in translations,
            hit.sentence,
        )
    )
    return SearchAnswer(
        hits[:MAX_HITS],
        scan.n_searched,
        time.monotonic() - begun,
        scan.not_encoded,
        query_vector.is_unknown,
        "" if query.sentence is not None else _clear_language(query.text),
        query.reranker if nearest else "",
        exact=exact,
        has_more=k < most and any(len(one.ids) >= k for one in nearest.values()),
    )


def _most_hits(n_languages: int) -> int:
    """Return the largest number of hits of each language in an answer."""
    return min(max(1, MAX_HITS // max(1, n_languages)), MAX_K)


def _known_translations(
    session: SearchSession, sentence: int | None, exact: list[int]
) -> set[int]:
    """Return the ids of the known translations of the sentences that are searched."""
    asked = exact if sentence is None else [sentence]
    known = list_translations(session.project.store, asked)
    return {id_ for ids in known.values() for id_ in ids}


def _clear_language(text: str) -> str:
    """Return the language of a text; empty if it is not clear."""
    guess = guess_language([text])
    return guess.code if guess.confidence >= MIN_CONFIDENCE else ""


def _query_vector(
    session: SearchSession, query: NearestQuery, encoder: "Encoder"
) -> QueryVector:
    if query.sentence is not None:
        return session.query_of_sentence(query.sentence, encoder)
    if not query.text.strip():
        raise UserError("The query is empty. Type a text.")
    return session.query_of_text(query.text, encoder)


def _query_text(session: SearchSession, query: NearestQuery) -> str:
    """Return the text of a query: the typed text or its sentence."""
    if query.sentence is None:
        return query.text
    (sentence,) = read_sentences(session.project.store, [query.sentence])
    return "" if sentence is None else sentence.text


def _answer_keywords(session: SearchSession, query: KeywordQuery) -> SearchAnswer:
    """Find the first k sentences of each language that contain words."""
    begun = time.monotonic()
    corpora = session.searched_corpora(query.corpora, query.subcorpora)
    by_language = find_by_keywords(session.project, query.text, corpora, query.k)
    n = count_by_keywords(session.project, query.text, corpora)
    wanted = {
        language: ids
        for language, ids in by_language.items()
        if matches_language(language, query.languages)
    }
    most = _most_hits(len(wanted))
    k = min(query.k, most)
    hits = [
        FoundSentence(id_, None, language)
        for language, ids in wanted.items()
        for id_ in ids[:k]
    ]
    hits.sort(key=lambda hit: hit.sentence)
    n_searched = sum(count_active(session.project, corpus) for corpus in corpora)
    return SearchAnswer(
        hits[:MAX_HITS],
        n_searched,
        time.monotonic() - begun,
        n_found={language: n[language] for language in wanted},
        has_more=k < most and any(n[language] > k for language in wanted),
    )


def _answer_order(session: SearchSession, query: OrderQuery) -> OrderAnswer:
    """Sort and filter the sentences of corpora."""
    corpora = session.searched_corpora(query.corpora, query.subcorpora)
    ids = order_sentences(session.project, corpora, query)
    return OrderAnswer(session.share_array(ids), len(ids))


def _warm_up(session: SearchSession, query: WarmQuery) -> WarmUpAnswer:
    """Search once, so that encoder and vectors are in memory."""
    from app.engine.encoders.imported.vectors import VectorsEncoder

    begun = time.monotonic()
    guess_language(["a"])
    encoder = session.encoder(query.encoder)
    if query.reranker:
        session.encoder(query.reranker).encode(["a"])
    # an encoder of imported vectors can't encode a text, but has vectors to map
    is_blind = isinstance(encoder, VectorsEncoder)
    zero = QueryVector(np.zeros(encoder.dim, np.float32))
    query_vector = zero if is_blind else session.query_of_text("a", encoder)
    scan = session.scan(query_vector, encoder, session.searched_corpora())
    return WarmUpAnswer(
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        dim=encoder.dim,
        n_searched=scan.n_searched,
        not_encoded=scan.not_encoded,
        elapsed_s=time.monotonic() - begun,
    )
