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
    """Request a description of selected sentences compared with the rest of a map.

    Attributes:
        projection: id of the map.
        file: `.npy` file of int64 sentence ids in a temporary folder, for selections of
            any size; None: use `sentences`.
        sentences: ids of a small selection.
        n_words, n_typical: maximum lengths of the lists in the answer.
        requester: name of the sender; a newer query of the same sender replaces an
            older one.
    """

    projection: int
    file: Path | None = None
    sentences: Annotated[tuple[int, ...], Meta(max_length=2_000)] = ()
    n_words: Annotated[int, Meta(ge=0, le=100)] = 20
    n_typical: Annotated[int, Meta(ge=0, le=100)] = 10
    requester: str = ""


class CompareProjectionsQuery(BaseQuery[ComparisonAnswer], frozen=True, kw_only=True):
    """Request the sentences that have different neighbours in the encoders of two maps.

    Neighbours are the nearest vectors among the sentences of both maps, not the nearest
    points on the maps.

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
    """Request the cosines between a sentence of a map and all its sentences.

    Attributes:
        projection: id of the map.
        sentence: id of the sentence.
        requester: as in `SelectionQuery`.
    """

    projection: int
    sentence: int
    requester: str = ""


MapQuery = SelectionQuery | CompareProjectionsQuery | SimilarityQuery
