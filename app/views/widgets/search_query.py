"""Search query with its filters, and the back/forward history of queries."""

from typing import Any, Generic, TypeVar

import msgspec

from app.protocol.queries.search import KeywordQuery, NearestQuery

Q = TypeVar("Q")


class SearchQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A search query with its filters.

    Attributes:
        text: typed text, or the text of the sentence.
        sentence: id of the query sentence; None for typed text.
        language: language of the sentence; empty for typed text.
        words: whether to search for words instead of meaning.
        reranks: whether to rerank the nearest sentences if an encoder supports it.
        languages: languages to search; empty: all.
        corpora, subcorpora: ids of corpora to search; both empty: all.
        k: number of hits per language.
    """

    text: str = ""
    sentence: int | None = None
    language: str = ""
    words: bool = False
    reranks: bool = True
    languages: tuple[str, ...] = ()
    corpora: tuple[int, ...] = ()
    subcorpora: tuple[int, ...] = ()
    k: int = 12

    @property
    def is_empty(self) -> bool:
        """Return whether the query is empty."""
        return not self.text.strip()

    def to_query(self, reranker: str = "") -> NearestQuery | KeywordQuery:
        """Return the query for the engine.

        Args:
            reranker: name of the encoder that reranks hits, or empty.
        """
        if self.words:
            return KeywordQuery(
                text=self.text.strip(),
                k=self.k,
                corpora=self.corpora,
                subcorpora=self.subcorpora,
                languages=self.languages,
            )
        return NearestQuery(
            text="" if self.sentence is not None else self.text.strip(),
            sentence=self.sentence,
            k=self.k,
            corpora=self.corpora,
            subcorpora=self.subcorpora,
            languages=self.languages,
            reranker=reranker if self.reranks else "",
            requester="search",
        )

    @property
    def marked(self) -> str:
        """Words and phrases to mark in hits; empty for a search by meaning."""
        return self.text if self.words else ""

    def is_like(self, other: "SearchQuery | None") -> bool:
        """Return whether another query differs at most in the number of hits."""
        return other is not None and self == msgspec.structs.replace(other, k=self.k)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the history and the window's state."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


def read_search_query(values: Any) -> SearchQuery:
    """Read a stored query; return an empty one if it can't be read."""
    try:
        return msgspec.convert(values, SearchQuery)
    except msgspec.ValidationError:
        return SearchQuery()


class NavigationHistory(Generic[Q]):
    """History of the queries of this session, with back and forward."""

    def __init__(self) -> None:
        self._questions: list[Q] = []
        self._place = -1

    @property
    def current(self) -> Q | None:
        """The current query."""
        return self._questions[self._place] if self._questions else None

    @property
    def can_go_back(self) -> bool:
        """Return whether there is a previous query."""
        return self._place > 0

    @property
    def can_go_forward(self) -> bool:
        """Return whether there is a next query."""
        return self._place < len(self._questions) - 1

    def add(self, question: Q) -> None:
        """Add a new query after the current one, and remove later queries."""
        if question == self.current:
            return
        self._questions = [*self._questions[: self._place + 1], question]
        self._place = len(self._questions) - 1

    def replace(self, question: Q) -> None:
        """Replace the current query."""
        self._questions[self._place] = question

    def move(self, step: int) -> Q | None:
        """Go back (-1) or forward (1), and return the query, or None at the end."""
        if not 0 <= self._place + step < len(self._questions):
            return None
        self._place += step
        return self._questions[self._place]
