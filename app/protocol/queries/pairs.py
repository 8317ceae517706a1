"""Queries about review queues, explanations, thresholds and agreement."""

from typing import Annotated, Literal

from msgspec import Meta

from app.params.mining import IndexName, Neighbourhood
from app.params.pairs import ExportPairs, JudgementFilter
from app.protocol.answers.pairs import (
    AgreementAnswer,
    MiningPlan,
    PairExplanation,
    PairExportPreview,
    QueueAnswer,
    RecipePreview,
    SimilarTexts,
    ThresholdAnswer,
)
from app.protocol.base import BaseQuery

MAX_COMPARED = 50  # maximum of corpora compared with each other


class QueueQuery(BaseQuery[QueueAnswer], frozen=True, kw_only=True):
    """Request the ids of the pairs in a pair set, filtered and sorted.

    Attributes:
        order: by descending score; by source position, then descending score; most
            informative for the threshold first; or shuffled.
        which: only pairs with this verdict.
        lowest, highest: inclusive bounds of the score.
        tag: only pairs with this tag.
        find: only pairs that contain this text on either side.
        with_candidates: include pairs that were not selected.
        requester: name of the sender, whose newer queries replace older ones.
    """

    mining: int
    order: Literal["score", "source", "value", "shuffled"] = "score"
    descending: bool = True
    which: JudgementFilter = "all"
    lowest: float | None = None
    highest: float | None = None
    tag: str = ""
    find: str = ""
    with_candidates: bool = False
    seed: int = 1
    requester: str = ""


class ExplainQuery(BaseQuery[PairExplanation], frozen=True, kw_only=True):
    """Request an explanation of a pair's score, with k neighbours of each side."""

    pair: int
    k: Annotated[int, Meta(ge=1, le=50)] = 4


class ThresholdQuery(BaseQuery[ThresholdAnswer], frozen=True, kw_only=True):
    """Request the threshold that reaches a precision, estimated from judgements."""

    mining: int
    precision: Annotated[float, Meta(gt=0, lt=1)] = 0.95


class AgreementQuery(BaseQuery[AgreementAnswer], frozen=True, kw_only=True):
    """Request the agreement of annotators on pairs judged by several annotators."""

    mining: int


class PairExportQuery(BaseQuery[PairExportPreview], frozen=True, kw_only=True):
    """Request the number and the first pairs of an export."""

    params: ExportPairs


class MiningPlanQuery(BaseQuery[MiningPlan], frozen=True, kw_only=True):
    """Request an estimate of time and memory for mining.

    Attributes:
        source, target, source_language, target_language, encoder, k, index: see
            `MinePairs`.
    """

    source: str
    target: str = ""
    source_language: str = ""
    target_language: str = ""
    encoder: str = ""
    k: Neighbourhood = 4
    index: IndexName = "exact"


class RecipeQuery(BaseQuery[RecipePreview], frozen=True, kw_only=True):
    """Request the effect of a recipe's filters on a sample of a pair set."""

    mining: int
    filters: tuple[str, ...]
    sample: Annotated[int, Meta(ge=1, le=20_000)] = 2_000


class SimilarTextsQuery(BaseQuery[SimilarTexts], frozen=True, kw_only=True):
    """Request the two corpora in different languages with the most similar content.

    Attributes:
        corpora: ids of the corpora to compare; the first of the two in this order is
            the source.
        fingerprint: fingerprint of the encoder whose vectors are compared; corpora
            without vectors are left out.
    """

    corpora: Annotated[tuple[int, ...], Meta(max_length=MAX_COMPARED)]
    fingerprint: Annotated[str, Meta(min_length=1)]


ReviewQuery = QueueQuery | ExplainQuery | ThresholdQuery | AgreementQuery
PairQuery = (
    ReviewQuery | PairExportQuery | MiningPlanQuery | RecipeQuery | SimilarTextsQuery
)
