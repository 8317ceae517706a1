"""Answers about sentences: hits of a search, an order of sentences."""

import msgspec


class FoundSentence(msgspec.Struct, frozen=True):
    """A sentence that a search found.

    Attributes:
        sentence: id of the sentence.
        score: cosine, -1…1; None for a search for words.
    """

    sentence: int
    score: float | None = None
    language: str = ""


class SearchAnswer(msgspec.Struct, frozen=True):
    """Hits of a search, best first.

    Attributes:
        n_searched: number of sentences in the corpora searched.
        elapsed_s: duration of the search.
        not_encoded: ids of corpora without vectors, which were not searched.
        is_unknown: the encoder knows no part of the text, so there are no hits.
        language: code of the likely language of a typed text; empty: unclear.
        reranker: name of the encoder whose scores these are; empty: the one in use.
        exact: ids of the sentences whose text is exactly the typed one.
        n_found: for a search for words: number of sentences with the words, by
            language.
        has_more: whether a larger k would return more hits.
    """

    hits: list[FoundSentence]
    n_searched: int
    elapsed_s: float
    not_encoded: list[int] = []
    is_unknown: bool = False
    language: str = ""
    reranker: str = ""
    exact: list[int] = []
    n_found: dict[str, int] = {}
    has_more: bool = False


class OrderAnswer(msgspec.Struct, frozen=True):
    """Sentences in an order.

    Attributes:
        file: a .npy file of int64 ids, (n,).
    """

    file: str
    n: int


class WarmUpAnswer(msgspec.Struct, frozen=True):
    """The encoder in use, after its vectors were mapped and scanned once.

    Attributes:
        not_encoded: ids of the corpora that have no vectors.
    """

    encoder: str
    fingerprint: str
    dim: int
    n_searched: int
    not_encoded: list[int]
    elapsed_s: float
