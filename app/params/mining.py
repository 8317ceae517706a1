"""Params of the tasks that mine translations, score pairs and evaluate mining."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams
from app.params.vectors import EncoderName

MarginName = Literal["ratio", "distance", "absolute"]
RetrievalName = Literal["max", "intersection", "forward", "backward"]
IndexName = Literal["exact", "ivf", "sq8", "hnsw"]

Neighbourhood = Annotated[
    int,
    Meta(
        ge=1,
        le=128,
        description="Neighbours of each sentence whose mean cosine its pairs are "
        "compared with.",
    ),
]
Margin = Annotated[
    MarginName,
    Meta(
        description="Score of a pair: its cosine divided by the mean of the "
        "neighbours' (ratio), less it (distance), or as it is (absolute)."
    ),
]
Retrieval = Annotated[
    RetrievalName,
    Meta(
        description="Which pairs are taken: the best target of each source (forward), "
        "the best source of each target (backward), those in both (intersection), or "
        "the best of both, each sentence once (max)."
    ),
]
Score = Annotated[float, Meta(ge=-1_000, le=1_000)]
Threshold = Annotated[
    Score | None,
    Meta(description="Lowest score of a pair; default: all that are found."),
]
LanguagesField = Annotated[
    str,
    Meta(
        description="Language of the sentences that take part, in a corpus of several; "
        "empty: all.",
    ),
]


class MinePairs(TaskParams, frozen=True, kw_only=True, tag="mine-pairs"):
    """Mine pairs of sentences that are translations of each other."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("mine",)

    source: Annotated[
        str, Meta(min_length=1, description="Name or id of the source corpus.")
    ]
    target: Annotated[
        str,
        Meta(
            description="Name or id of the target corpus; empty: the source corpus, "
            "between two of its languages."
        ),
    ] = ""
    source_language: LanguagesField = ""
    target_language: LanguagesField = ""
    name: Annotated[
        str, Meta(max_length=200, description="Name of the result; empty: made.")
    ] = ""
    encoder: EncoderName = ""
    k: Neighbourhood = 4
    margin: Margin = "ratio"
    retrieval: Retrieval = "max"
    threshold: Threshold = None
    candidates: Annotated[
        bool,
        Meta(
            description="Keep every other pair of neighbours above the threshold too, "
            "beside the pairs that are taken."
        ),
    ] = False
    index: Annotated[
        IndexName,
        Meta(
            description="How neighbours are found: all compared (exact), or for very "
            "large corpora about right, by clusters (ivf; sq8 in a quarter of the "
            "memory) or by a graph (hnsw); what share it finds is measured and told."
        ),
    ] = "exact"
    duplicates: Annotated[
        Literal["once", "each"],
        Meta(
            description="Sentences of equal text in a corpus: the first stands for all "
            "(once), or each takes part."
        ),
    ] = "once"
    filters: Annotated[
        tuple[str, ...],
        Meta(
            description='Filter of the pairs, such as "length min=3 max=300"; in the '
            "order given.",
            extra={"option": "filter"},
        ),
    ] = ()


class ScorePairs(TaskParams, frozen=True, kw_only=True, tag="score-pairs"):
    """Score how good the pairs of an existing bitext are."""

    source: Annotated[
        str,
        Meta(
            min_length=1,
            description="Source side: a corpus of the project (name or id), or a "
            "file, one sentence a line.",
        ),
    ]
    target: Annotated[
        str,
        Meta(
            min_length=1,
            description="Target side: a corpus linked with it, or a file that is "
            "line-aligned with it.",
        ),
    ]
    out: Annotated[
        Path | None,
        Meta(
            description="TSV to write: score, cosine, source, target; none may "
            "be there."
        ),
    ] = None
    encoder: EncoderName = ""
    k: Neighbourhood = 4
    margin: Margin = "ratio"


class EvaluateMining(TaskParams, frozen=True, kw_only=True, tag="evaluate-mining"):
    """Measure mining against a gold standard: precision, recall and F1."""

    source: Annotated[
        Path, Meta(description="Source sentences: id, tab, text; also .xz.")
    ]
    target: Annotated[
        Path, Meta(description="Target sentences: id, tab, text; also .xz.")
    ]
    gold: Annotated[
        Path, Meta(description="True pairs: source id, tab, target id; also .xz.")
    ]
    margin: Margin = "ratio"
    k: Neighbourhood = 4
    retrieval: Retrieval = "max"
    encoder: EncoderName = ""
    threshold: Annotated[
        Score | None,
        Meta(
            description="Lowest score of a pair; default: the one with the best F1.",
        ),
    ] = None
