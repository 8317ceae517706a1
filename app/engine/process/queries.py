"""Answer queries: dispatch to the features, and search answers."""

import time
from typing import TYPE_CHECKING, Any, cast

import msgspec
import numpy as np

from app.engine.encoders.imported.vectors import VectorsEncoder
from app.engine.project.active_sentences import count_active
from app.engine.runtime.report import Report
from app.engine.search.keyword_search import find_by_keywords
from app.engine.search.languages import matches_language
from app.engine.search.sentence_orders import order_sentences
from app.engine.search.session import QueryVector, SearchSession
from app.engine.store.corpora import corpus_of
from app.engine.store.findings import open_finding_places
from app.errors import UserError
from app.protocol.answers.encoders import EncoderListing
from app.protocol.base import A, BaseQuery, reply
from app.protocol.queries import Query
from app.protocol.queries.attribution import TokensQuery
from app.protocol.queries.classify import (
    CompareTransfersQuery,
    LabelCountsQuery,
    LabelOrderQuery,
    PredictionChangesQuery,
    PredictionsQuery,
    SuggestQuery,
)
from app.protocol.queries.corpora import PreviewQuery
from app.protocol.queries.encoders import EncodersQuery, WarmQuery
from app.protocol.queries.maps import (
    CompareProjectionsQuery,
    SelectionQuery,
    SimilarityQuery,
)
from app.protocol.queries.pairs import (
    AgreementQuery,
    ExplainQuery,
    MiningPlanQuery,
    QueueQuery,
    RecipeQuery,
    ThresholdQuery,
)
from app.protocol.queries.quality import FindingsQuery
from app.protocol.queries.search import NearestQuery, OrderQuery, WordsQuery
from app.protocol.queries.words import (
    ChainQuery,
    CollocatesQuery,
    ConcordanceQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
    LineNeighboursQuery,
)

if TYPE_CHECKING:
    from app.engine.encoders.encoder import Encoder

MAX_HITS = 600  # of 80 bytes each in an answer of at most 64 KB


def answer_query(
    session: SearchSession, query: BaseQuery[A], report: Report | None = None
) -> A:
    """Return the answer to a query, of the type that the query declares.

    Args:
        session: the open project with its caches.
        query: one of `Query`.
        report: cancels a query that takes long.

    Raises:
        UserError: the query names something that does not exist.
        Cancelled: a newer query replaced this one.
    """
    return cast("A", _dispatch(session, cast("Query", query), report or Report()))


def _dispatch(desk: SearchSession, query: Query, report: Report) -> object:
    """Call the handler of a query; mypy reports a query without one (no return)."""
    match query:
        case NearestQuery():
            return reply(query, _answer_nearest(desk, query))
        case WordsQuery():
            return reply(query, _answer_words(desk, query))
        case OrderQuery():
            return reply(query, _answer_order(desk, query))
        case FindingsQuery():
            return reply(query, _answer_findings(desk, query))
        case WarmQuery():
            return reply(query, _warm_up(desk, query))
        case PreviewQuery():
            return reply(query, _answer_preview(query))
        case RecipeQuery():
            return reply(query, _answer_recipe(desk, query))
        case EncodersQuery():
            return reply(query, _answer_encoders(desk))
        case QueueQuery() | ExplainQuery() | ThresholdQuery() | AgreementQuery():
            from app.engine.review.answers import answer_pair_query

            return answer_pair_query(desk, query)
        case (
            PredictionsQuery()
            | PredictionChangesQuery()
            | SuggestQuery()
            | CompareTransfersQuery()
            | LabelCountsQuery()
            | LabelOrderQuery()
        ):
            from app.engine.classify.queries import answer_classify_query

            return answer_classify_query(desk, query)
        case TokensQuery():
            from app.engine.attribution.answer import answer_tokens

            return reply(query, answer_tokens(desk, query))
        case SelectionQuery() | CompareProjectionsQuery() | SimilarityQuery():
            from app.engine.projection.queries import answer_map_query

            return answer_map_query(desk, query)
        case MiningPlanQuery():
            from app.engine.mining.plan import plan_mining

            return reply(query, plan_mining(desk, query))
        case (
            ConcordanceQuery()
            | LineNeighboursQuery()
            | FrequenciesQuery()
            | CollocatesQuery()
            | KeynessQuery()
            | EquivalentsQuery()
            | ChainQuery()
        ):
            from app.engine.words.answers import answer_word_query

            return answer_word_query(desk, query, report)


def _answer_findings(desk: SearchSession, query: FindingsQuery) -> dict[str, Any]:
    """Name the findings that are left to do."""
    places = open_finding_places(desk.project.store, query.run, query.kinds)
    return {"file": desk.write_view(places), "n": len(places)}


def _answer_nearest(desk: SearchSession, query: NearestQuery) -> dict[str, Any]:
    """Find the best k of each language."""
    from app.engine.search.nearest import nearest_sentences

    begun = time.monotonic()
    encoder = desk.encoder(query.encoder)
    looked_for = _query_vector(desk, query, encoder)
    corpora = desk.corpora(query.corpora, query.subcorpora)
    scan = desk.scan(looked_for, encoder, corpora, query.languages)
    k = min(query.k, max(1, MAX_HITS // max(1, len(scan.parts))))
    hits: list[dict[str, Any]] = []
    if not looked_for.is_unknown:
        for language, parts in scan.parts.items():
            found = nearest_sentences(parts, looked_for.vector, k)
            hits += [
                _hit(int(id_), language, float(score))
                for id_, score in zip(found.ids, found.scores, strict=True)
            ]
    hits.sort(key=lambda hit: (-hit["score"], hit["sentence"]))
    return {
        "hits": hits[:MAX_HITS],
        "n_searched": scan.n_searched,
        "elapsed_s": time.monotonic() - begun,
        "not_encoded": scan.not_encoded,
        "is_unknown": looked_for.is_unknown,
    }


def _query_vector(
    desk: SearchSession, query: NearestQuery, encoder: "Encoder"
) -> QueryVector:
    if query.sentence is not None:
        return desk.query_of_sentence(query.sentence, encoder)
    if not query.text.strip():
        raise UserError("There is nothing to look for: type a text.")
    return desk.query_of_text(query.text, encoder)


def _answer_words(desk: SearchSession, query: WordsQuery) -> dict[str, Any]:
    """Find the first k of each language; a keyword has no score."""
    begun = time.monotonic()
    corpora = desk.corpora(query.corpora, query.subcorpora)
    found = find_by_keywords(desk.project, query.text, corpora, query.k)
    wanted = {
        language: ids
        for language, ids in found.items()
        if matches_language(language, query.languages)
    }
    k = max(1, MAX_HITS // max(1, len(wanted)))
    hits = [
        _hit(id_, language, None) for language, ids in wanted.items() for id_ in ids[:k]
    ]
    return {
        "hits": sorted(hits, key=lambda hit: int(hit["sentence"]))[:MAX_HITS],
        "n_searched": sum(count_active(desk.project, corpus) for corpus in corpora),
        "elapsed_s": time.monotonic() - begun,
        "not_encoded": [],
    }


def _hit(sentence: int, language: str, score: float | None) -> dict[str, Any]:
    return {
        "sentence": sentence,
        "corpus_id": corpus_of(sentence),
        "score": None if score is None else round(score, 6),
        "language": language,
    }


def _answer_order(desk: SearchSession, query: OrderQuery) -> dict[str, Any]:
    corpora = desk.corpora(query.corpora, query.subcorpora)
    ids = order_sentences(desk.project, corpora, query)
    return {"file": desk.write_view(ids), "n": len(ids)}


def _warm_up(desk: SearchSession, query: WarmQuery) -> dict[str, Any]:
    """Search once, so that encoder and vectors are in memory."""
    begun = time.monotonic()
    encoder = desk.encoder(query.encoder)
    # one of vectors alone has nothing to encode with, but vectors to map
    is_blind = isinstance(encoder, VectorsEncoder)
    nothing = QueryVector(np.zeros(encoder.dim, np.float32))
    query_vector = nothing if is_blind else desk.query_of_text("a", encoder)
    scan = desk.scan(query_vector, encoder, desk.corpora())
    return {
        "encoder": encoder.name,
        "fingerprint": encoder.fingerprint,
        "dim": encoder.dim,
        "n_searched": scan.n_searched,
        "not_encoded": scan.not_encoded,
        "elapsed_s": time.monotonic() - begun,
    }


def _answer_preview(query: PreviewQuery) -> dict[str, Any]:
    from app.engine.exchange.import_preview import preview_import

    preview: dict[str, Any] = msgspec.to_builtins(preview_import(query.params))
    return preview


def _answer_recipe(desk: SearchSession, query: RecipeQuery) -> dict[str, Any]:
    from app.engine.mining.recipe import MaskCache, preview_recipe

    return preview_recipe(desk.project, query, desk.cache(MaskCache, MaskCache))


def _answer_encoders(desk: SearchSession) -> EncoderListing:
    from app.engine.encoders.registry import describe_encoders

    return describe_encoders(desk.project.folder)
