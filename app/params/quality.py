"""Params of the quality checks: duplicates, leakage, damaged text, two encoders."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.vectors import EncoderName
from app.params.words import Corpora

CorpusCheck = Literal["language", "encoding", "boilerplate"]
Cosine = Annotated[float, Meta(ge=0, le=1)]
ExactOnly = Annotated[
    bool, Meta(description="Compare every two vectors, however many there are.")
]
KeptCopy = Literal["first", "longest"]
AcrossCosine = Annotated[
    Cosine, Meta(description="Least cosine of two sentences in different languages.")
]
Margin = Annotated[
    float,
    Meta(
        ge=0,
        le=100,
        description="Least margin of two sentences in different languages: cosine "
        "over the mean cosine of both with their nearest.",
    ),
]


class FindDuplicates(TaskParams, frozen=True, kw_only=True, tag="find-duplicates"):
    """Find sentences that are said twice, in one language or across languages."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    cosine: Annotated[
        Cosine,
        Meta(description="Least cosine of two sentences in one language."),
    ] = 0.7
    similarity: Annotated[
        Cosine,
        Meta(
            description="Least share of equal letters of two sentences in one language "
            "(normalised edit similarity)."
        ),
    ] = 0.8
    across: Annotated[
        bool, Meta(description="Look for translations in other languages too.")
    ] = False
    across_cosine: AcrossCosine = 0.35
    margin: Margin = 1.25
    keep: Annotated[
        KeptCopy, Meta(description="Which sentence of those that are alike is kept.")
    ] = "first"
    exact: ExactOnly = False
    encoder: EncoderName = ""
    seed: Seed = 1


class FindLeakage(TaskParams, frozen=True, kw_only=True, tag="find-leakage"):
    """Find which sentences of one corpus are in another, also as a translation."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpus: Annotated[
        str, Meta(description="Name or id of what should be unseen: a test set.")
    ]
    within: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1, description="Name or id of a corpus where it is looked for."
        ),
    ]
    cosine: Annotated[
        Cosine, Meta(description="Least cosine of two sentences in one language.")
    ] = 0.7
    similarity: Annotated[
        Cosine, Meta(description="Least share of equal letters in one language.")
    ] = 0.8
    across_cosine: AcrossCosine = 0.35
    margin: Margin = 1.25
    exact: ExactOnly = False
    encoder: EncoderName = ""
    seed: Seed = 1


class CheckCorpus(TaskParams, frozen=True, kw_only=True, tag="check-corpus"):
    """Find sentences in the wrong language, damaged characters and boilerplate."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    checks: Annotated[
        tuple[CorpusCheck, ...],
        Meta(description="What is looked for; none: all.", extra={"option": "check"}),
    ] = ()
    sure: Annotated[
        Cosine,
        Meta(description="Probability from which the language detector is believed."),
    ] = 0.8
    repeats: Annotated[
        int,
        Meta(ge=2, description="A sentence that stands so often is boilerplate."),
    ] = 5


class CompareEncoders(TaskParams, frozen=True, kw_only=True, tag="compare-encoders"):
    """Compare two encoders on corpora: neighbours, pairs and languages that moved."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    encoders: Annotated[
        tuple[EncoderName, ...],
        Meta(
            min_length=2,
            max_length=2,
            description="Name of an encoder; give two.",
            extra={"option": "encoder"},
        ),
    ]
    k: Annotated[int, Meta(ge=1, le=50, description="Neighbours compared.")] = 10
    sample: Annotated[
        int,
        Meta(
            ge=10,
            le=1_000_000,
            description="Sentences of each language that are asked about at most.",
        ),
    ] = 2_000
    seed: Seed = 1
