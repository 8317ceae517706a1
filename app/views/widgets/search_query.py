"""Search query with its filters, and the back/forward history of queries."""

from typing import Any, Generic, TypeVar

import msgspec

from app.protocol.queries.search import KeywordQuery, NearestQuery

Q = TypeVar("Q")


class SearchQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A question to the search.

    Attributes:
        text: what was typed, or the sentence's text.
        sentence: id of the sentence asked about; None for typed text.
        language: of the sentence; empty for typed text.
        words: look for the words themselves, not for the meaning.
        reranks: the nearest sentences are scored again, if an encoder can do that.
        languages: only in these; empty: in all.
        corpora, subcorpora: ids; only in these; none of either: in all.
        k: hits of each language.
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
        """Return whether there is nothing to ask."""
        return not self.text.strip()

    def to_query(self, reranker: str = "") -> NearestQuery | KeywordQuery:
        """Make the query that the engine answers.

        Args:
            reranker: name of the encoder that can score hits again, or empty.
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
        """The words, prefixes and phrases to mark in the hits; empty: by meaning."""
        return self.text if self.words else ""

    def is_like(self, other: "SearchQuery | None") -> bool:
        """Return whether another query differs in nothing but the number of hits."""
        return other is not None and self == msgspec.structs.replace(other, k=self.k)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the history and the window's state."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return values


def read_search_query(values: Any) -> SearchQuery:
    """Read a question back; what another version wrote gives an empty one."""
    try:
        return msgspec.convert(values, SearchQuery)
    except msgspec.ValidationError:
        return SearchQuery()


class NavigationHistory(Generic[Q]):
    """The questions of this session, walked back and forth as in a browser."""

    def __init__(self) -> None:
        self._questions: list[Q] = []
        self._place = -1

    @property
    def current(self) -> Q | None:
        """The question where we are."""
        return self._questions[self._place] if self._questions else None

    @property
    def can_go_back(self) -> bool:
        """Return whether a question was asked before."""
        return self._place > 0

    @property
    def can_go_forward(self) -> bool:
        """Return whether we came back from a question."""
        return self._place < len(self._questions) - 1

    def add(self, question: Q) -> None:
        """Go on to a new question; those we came back from are dropped."""
        if question == self.current:
            return
        self._questions = [*self._questions[: self._place + 1], question]
        self._place = len(self._questions) - 1

    def replace(self, question: Q) -> None:
        """Replace the question where we are."""
        self._questions[self._place] = question

    def move(self, step: int) -> Q | None:
        """Go back (-1) or forward (1); None at the end."""
        if not 0 <= self._place + step < len(self._questions):
            return None
        self._place += step
        return self._questions[self._place]
