"""Queries about map selections, comparisons and similarities."""

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from app.protocol.answers.maps import (
    ComparisonAnswer,
    SelectionAnswer,
    SimilarityAnswer,
)
from app.protocol.base import BaseQuery


class SelectionQuery(BaseQuery[SelectionAnswer], frozen=True, kw_only=True):
    """Request a description of selected sentences in contrast to the rest of a map.

    Attributes:
        projection: id of the map.
        file: an `.npy` file of int64 sentence ids, for selections of any size; the
            window writes it to a temporary folder. None: use `sentences`.
        sentences: the ids, for small selections.
        n_words, n_typical: maximum lengths of these lists in the answer.
        requester: the part of the window that asks; a newer query of the same part
            replaces an older one.
    """

    projection: int
    file: Path | None = None
    sentences: Annotated[tuple[int, ...], Meta(max_length=2_000)] = ()
    n_words: Annotated[int, Meta(ge=0, le=100)] = 20
    n_typical: Annotated[int, Meta(ge=0, le=100)] = 10
    requester: str = ""


class CompareProjectionsQuery(BaseQuery[ComparisonAnswer], frozen=True, kw_only=True):
    """Request the sentences with different neighbours by the encoders of two maps.

    The neighbours are the nearest vectors among the sentences of both maps, not the
    nearest points in the pictures.

    Attributes:
        one, other: ids of maps.
        k: number of neighbours.
        requester: as in `SelectionQuery`.
    """

    one: int
    other: int
    k: Annotated[int, Meta(ge=1, le=50)] = 10
    requester: str = ""


class SimilarityQuery(BaseQuery[SimilarityAnswer], frozen=True, kw_only=True):
    """Request the cosines of all sentences of a map with one of them.

    Attributes:
        projection: id of the map.
        sentence: id of the sentence.
        requester: as in `SelectionQuery`.
    """

    projection: int
    sentence: int
    requester: str = ""


MapQuery = SelectionQuery | CompareProjectionsQuery | SimilarityQuery
