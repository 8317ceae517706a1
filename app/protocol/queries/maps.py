"""Queries about map selections, comparisons and similarities."""

from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from app.protocol.base import BaseQuery


class SelectionQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """What marks the sentences that were chosen on a map, against the others on it.

    The answer: {"n", "languages": [[code, n]], "corpora": [[id, n]], "classes":
    [[name, n]] (labels; "" stands for none), "clusters": [[number, n]], each with the
    most frequent first; "words": [{"word", "z" (log-odds, standard errors), "n",
    "n_others"}], the most marking first, of a sample where there are very many; and
    "typical": [ids], of the sentences nearest to the mean of the selection}.

    Attributes:
        projection: id of the map.
        file: an `.npy` of int64 ids of sentences, for selections of any size; written
            by the window, within the folder of its caches. None: `sentences`.
        sentences: ids, where they are few.
        n_words, n_typical: how many at most.
        asker: the part of the window that asks: its questions are a kind apart.
    """

    projection: int
    file: Path | None = None
    sentences: Annotated[tuple[int, ...], Meta(max_length=2_000)] = ()
    n_words: Annotated[int, Meta(ge=0, le=100)] = 20
    n_typical: Annotated[int, Meta(ge=0, le=100)] = 10
    asker: str = ""


class CompareProjectionsQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Which sentences have other neighbours by another encoder, on two maps.

    The neighbours are those in the spaces of the vectors, among the sentences of both
    maps; not those on the pictures.

    The answer: {"file": "arrays/views/….npy" (int64 ids, the most changed first), "n",
    "shares": a file of float32 (n,), share of the k nearest that are kept (0…1), in the
    same order, "k", "n_shared": sentences of both maps, "kept": mean share, "low",
    "high": 95 % interval of it; "is_sample": so many sentences that not all were
    compared}.

    Attributes:
        one, other: ids of maps.
        k: neighbours.
    """

    one: int
    other: int
    k: Annotated[int, Meta(ge=1, le=50)] = 10
    asker: str = ""


class SimilarityQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """How near every sentence of a map is to one of them, by the vectors.

    The answer: {"file": "arrays/views/….npy" (float32 (n,), cosine, in the order of the
    map's ids; NaN where the corpus is gone)}.

    Attributes:
        projection: id of the map.
        sentence: id of the sentence.
        asker: the part of the window that asks: its questions are a kind apart.
    """

    projection: int
    sentence: int
    asker: str = ""


MapQuery = SelectionQuery | CompareProjectionsQuery | SimilarityQuery
