"""Queries: short reads that need the engine; `Query` is their union."""

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
from app.protocol.queries.pairs import PairQuery
from app.protocol.queries.quality import FindingsQuery
from app.protocol.queries.reading import ReadQuery
from app.protocol.queries.search import KeywordQuery, NearestQuery, OrderQuery
from app.protocol.queries.training import PairLanguagesQuery
from app.protocol.queries.translation import (
    LanguageColumnsQuery,
    SentenceTranslationsQuery,
)
from app.protocol.queries.words import StepsQuery, VectorQuery, WordIndexQuery

Query = (
    NearestQuery
    | KeywordQuery
    | OrderQuery
    | FindingsQuery
    | PreviewQuery
    | EncodersQuery
    | WarmQuery
    | CompareRetrievalsQuery
    | RetrievalErrorsQuery
    | TreebankQuery
    | TokensQuery
    | SentenceTranslationsQuery
    | LanguageColumnsQuery
    | PairLanguagesQuery
    | PairQuery
    | ClassifyQuery
    | MapQuery
    | StepsQuery
    | WordIndexQuery
    | VectorQuery
    | ReadQuery
)


def query_kind(query: Query) -> tuple[type, str]:
    """Return the kind of a query; a newer query of the same kind replaces it."""
    return type(query), getattr(query, "requester", "")
