"""Queries about review queues, explanations, thresholds and agreement."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from app.params.pairs import JudgementFilter
from app.protocol.base import BaseQuery


class QueueQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Ids of a mining's pairs in a wanted order, filtered.

    The answer: {"file": "arrays/views/….npy" (int64 ids), "n", "n_by_verdict": {"":
    not judged, "accept": …}}.

    Attributes:
        order: best score first; by the place of the source, its best pair first; those
            that narrow the threshold most; or shuffled.
        which: only those that are so judged now.
        lowest, highest: bounds of the score.
        tag: only those with this tag.
        find: only those whose texts hold this, on either side.
        with_candidates: those that were not taken too.
        asker: the part of the window that asks: its questions are a kind apart.
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
    asker: str = ""


class ExplainQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Why a pair has its score.

    The answer: {"pair", "score", "margin", "cosine" (the numerator), "source_mean",
    "target_mean", "denominator" (null for the absolute margin), "text": these in a
    sentence, "source_neighbours": [{"sentence", "cosine"}] (targets nearest to the
    source), "target_neighbours": the same turned round, "runner_up": {"sentence",
    "score"} or null, "reverse": the same for the source, "length_ratio" (characters,
    longer by shorter, or null), "strip": {"source": [{"start", "end" (characters of the
    text as it is now), "similarity" (cosine with the most alike word of the other side,
    or null), "match": its place in the other list, or null}], "target": […]} or null,
    "strip_text": how the strip was made, "notes": what can't be told and why}.
    """

    pair: int
    k: Annotated[int, Meta(ge=1, le=50)] = 4


class ThresholdQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """Precision over the threshold, estimated from judgements.

    The answer: {"n_judged", "curve": [{"threshold", "precision", "low", "high", "n"
    (judgements at or above it), "n_kept" (pairs)}], "advice": the lowest threshold at
    which the precision is at least `precision`, in the same form, or null, "text": that
    in a sentence, "warning": a sentence or ""}.
    """

    mining: int
    precision: Annotated[float, Meta(gt=0, lt=1)] = 0.95


class AgreementQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """How far annotators agree on the pairs that several have judged.

    The answer: {"annotators": [{"who", "n"}], "n_shared", "raw", "kappa", "alpha":
    [value, low, high] or null each, "n_conflicts", "text"}.
    """

    mining: int


class MiningPlanQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """What mining would take on this machine, reckoned from a measurement.

    The answer: {"seconds", "memory_bytes", "text": both in a sentence, and what to
    choose where that is long, "n_sources", "n_targets"}.

    Attributes:
        source, target, source_language, target_language, encoder, k, index: those of
            `MinePairs`.
    """

    source: str
    target: str = ""
    source_language: str = ""
    target_language: str = ""
    encoder: str = ""
    k: Annotated[int, Meta(ge=1, le=128)] = 4
    index: Literal["exact", "ivf", "sq8", "hnsw"] = "exact"


class RecipeQuery(BaseQuery[dict[str, Any]], frozen=True, kw_only=True):
    """What the filters of a recipe would do with a sample of a mining's pairs.

    The answer: {"pairs": size of the sample, "steps": [{"filter", "n_left",
    "n_removed", "n_alone", "examples": [pair ids], "was_known"}]}.
    """

    mining: int
    filters: tuple[str, ...]
    sample: Annotated[int, Meta(ge=1, le=20_000)] = 2_000


PairQuery = (
    QueueQuery
    | ExplainQuery
    | ThresholdQuery
    | AgreementQuery
    | MiningPlanQuery
    | RecipeQuery
)
