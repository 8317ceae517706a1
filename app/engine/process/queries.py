"""Dispatch each query to the feature that answers it."""

from typing import Any, overload

from app.engine.runtime.report import Report
from app.engine.search.answers import answer_search_query
from app.engine.search.session import SearchSession
from app.engine.store.findings import open_finding_places
from app.engine.store.runs import read_retrieval_hits
from app.protocol.answers.encoders import EncoderListing
from app.protocol.answers.evaluation import RetrievalComparison
from app.protocol.answers.pairs import RecipePreview
from app.protocol.answers.quality import FindingsAnswer
from app.protocol.answers.training import PairLanguages
from app.protocol.answers.translation import LanguageColumns
from app.protocol.base import A, BaseQuery, reply
from app.protocol.queries import Query
from app.protocol.queries.attribution import TokensQuery
from app.protocol.queries.classify import ClassifyQuery
from app.protocol.queries.corpora import PreviewQuery
from app.protocol.queries.encoders import EncodersQuery, WarmQuery
from app.protocol.queries.evaluation import (
    CompareRetrievalsQuery,
    RetrievalErrorsQuery,
    TreebankQuery,
)
from app.protocol.queries.maps import MapQuery
from app.protocol.queries.pairs import (
    MiningPlanQuery,
    PairExportQuery,
    RecipeQuery,
    ReviewQuery,
    SimilarTextsQuery,
)
from app.protocol.queries.quality import FindingsQuery
from app.protocol.queries.reading import (
    ExampleWordsQuery,
    LinkedCorporaQuery,
    ReadingQuery,
    WordLinksQuery,
    WordMarksQuery,
)
from app.protocol.queries.search import KeywordQuery, NearestQuery, OrderQuery
from app.protocol.queries.training import PairLanguagesQuery
from app.protocol.queries.translation import (
    LanguageColumnsQuery,
    SentenceTranslationsQuery,
)
from app.protocol.queries.words import StepsQuery, VectorQuery, WordIndexQuery


@overload
def answer_query(
    session: SearchSession, query: BaseQuery[A], report: Report | None = None
) -> A: ...


@overload
def answer_query(
    session: SearchSession, query: Query, report: Report | None = None
) -> object: ...


def answer_query(
    session: SearchSession, query: Any, report: Report | None = None
) -> object:
    """Return the answer to a query, of the type that the query declares.

    Args:
        query: one of `Query`.

    Raises:
        UserError: the query names something that does not exist.
        Cancelled: a newer query replaced this one.
    """
    return _dispatch(session, query, report or Report())


def _dispatch(session: SearchSession, query: Query, report: Report) -> object:
    """Call the handler of a query; mypy reports a query without one (no return)."""
    if isinstance(query, ReviewQuery):
        from app.engine.review.answers import answer_pair_query

        return answer_pair_query(session, query)
    if isinstance(query, ClassifyQuery):
        from app.engine.classify.queries import answer_classify_query

        return answer_classify_query(session, query)
    if isinstance(query, MapQuery):
        from app.engine.projection.queries import answer_map_query

        return answer_map_query(session, query)
    match query:
        case NearestQuery() | KeywordQuery() | OrderQuery() | WarmQuery():
            return answer_search_query(session, query)
        case FindingsQuery():
            return reply(query, _answer_findings(session, query))
        case PreviewQuery():
            from app.engine.exchange.import_preview import preview_bounded

            return reply(query, preview_bounded(query.params))
        case RecipeQuery():
            return reply(query, _answer_recipe(session, query))
        case EncodersQuery():
            return reply(query, _answer_encoders(session))
        case LanguageColumnsQuery():
            from app.engine.translation.data import read_header

            return reply(query, LanguageColumns(tuple(read_header(query.file))))
        case CompareRetrievalsQuery():
            return reply(query, _compare_retrievals(session, query))
        case RetrievalErrorsQuery():
            from app.engine.evaluation.retrieval_errors import list_retrieval_errors

            return reply(query, list_retrieval_errors(session.project, query))
        case TreebankQuery():
            from app.engine.probing.treebanks.offers import answer_treebank_query

            return reply(query, answer_treebank_query(query, report))
        case PairLanguagesQuery():
            from app.engine.training.pair_languages import check_pair_languages

            return reply(query, PairLanguages(tuple(check_pair_languages(query.files))))
        case PairExportQuery():
            from app.engine.exchange.pair_export import preview_pair_export

            return reply(query, preview_pair_export(session.project, query.params))
        case MiningPlanQuery():
            from app.engine.mining.plan import plan_mining

            return reply(query, plan_mining(session, query))
        case SimilarTextsQuery():
            from app.engine.alignment.similar_texts import find_similar_texts

            return reply(query, find_similar_texts(session.project, query))
        case ReadingQuery() | LinkedCorporaQuery():
            from app.engine.reading.answer import answer_reading_query

            return answer_reading_query(session, query)
        case ExampleWordsQuery():
            from app.engine.reading.example_words import find_example_words

            return reply(query, find_example_words(session, query))
        case _:
            return _dispatch_word_query(session, query, report)


_WordQuery = (
    TokensQuery
    | SentenceTranslationsQuery
    | StepsQuery
    | WordLinksQuery
    | WordMarksQuery
    | VectorQuery
    | WordIndexQuery
)


def _dispatch_word_query(
    session: SearchSession, query: _WordQuery, report: Report
) -> object:
    """Call the handler of a query about words, or about the words of a sentence."""
    if isinstance(query, VectorQuery):
        from app.engine.wordvectors.answers import answer_word_vector_query

        return answer_word_vector_query(session, query)
    match query:
        case TokensQuery():
            from app.engine.attribution.answer import answer_tokens

            return reply(query, answer_tokens(session, query))
        case SentenceTranslationsQuery():
            from app.engine.translation.answers import answer_sentence_translations

            return reply(query, answer_sentence_translations(session, query, report))
        case StepsQuery():
            from app.engine.subcorpora.execution import answer_steps_query

            return reply(query, answer_steps_query(session, query, report))
        case WordLinksQuery():
            from app.engine.words.word_links.answer import answer_word_links

            return reply(query, answer_word_links(session, query))
        case WordMarksQuery():
            from app.engine.words.word_links.marks import answer_word_marks

            return reply(query, answer_word_marks(session, query))
        case _:
            from app.engine.words.answers import answer_word_query

            return answer_word_query(session, query, report)


def _answer_findings(session: SearchSession, query: FindingsQuery) -> FindingsAnswer:
    places = open_finding_places(session.project.store, query.run, query.kinds)
    return FindingsAnswer(session.share_array(places), len(places))


def _answer_recipe(session: SearchSession, query: RecipeQuery) -> RecipePreview:
    from app.engine.mining.recipe import MaskCache, preview_recipe

    return preview_recipe(session.project, query, session.cache(MaskCache, MaskCache))


def _compare_retrievals(
    session: SearchSession, query: CompareRetrievalsQuery
) -> RetrievalComparison:
    from app.engine.evaluation.retrieval_comparison import compare_retrievals

    store = session.project.store
    ones, others = (read_retrieval_hits(store, run) for run in (query.one, query.other))
    return compare_retrievals(ones, others)


def _answer_encoders(session: SearchSession) -> EncoderListing:
    from app.engine.encoders.registry import describe_encoders

    return describe_encoders(session.project.folder)
