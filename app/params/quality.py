"""Params of the quality checks: duplicates, leakage, corrupted text, encoders."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams, refers_to
from app.params.vectors import EncoderName
from app.params.words import Corpora

CorpusCheck = Literal["language", "encoding", "boilerplate"]
Cosine = Annotated[float, Meta(ge=0, le=1)]
ExactOnly = Annotated[
    bool,
    Meta(description="Compare every pair of vectors exactly, even in large corpora."),
]
KeptCopy = Literal["first", "longest"]
AcrossCosine = Annotated[
    Cosine, Meta(description="Minimum cosine of two sentences in different languages.")
]
Margin = Annotated[
    float,
    Meta(
        ge=0,
        le=100,
        description="Minimum margin of two sentences in different languages: their "
        "cosine divided by the mean cosine of both with their neighbours.",
    ),
]


class FindDuplicates(TaskParams, frozen=True, kw_only=True, tag="find-duplicates"):
    """Find duplicate sentences, within one language or across languages."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    cosine: Annotated[
        Cosine,
        Meta(description="Minimum cosine of two sentences in one language."),
    ] = 0.7
    similarity: Annotated[
        Cosine,
        Meta(
            description="Minimum share of equal characters of two sentences in one "
            "language (normalised edit similarity)."
        ),
    ] = 0.8
    across: Annotated[
        bool, Meta(description="Also find translations in other languages.")
    ] = False
    across_cosine: AcrossCosine = 0.35
    margin: Margin = 1.25
    keep: Annotated[
        KeptCopy, Meta(description="Which sentence of a group of duplicates to keep.")
    ] = "first"
    exact: ExactOnly = False
    encoder: EncoderName = ""
    seed: Seed = 1


class FindLeakage(TaskParams, frozen=True, kw_only=True, tag="find-leakage"):
    """Find sentences of a test set that occur in other corpora, also translated."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpus: Annotated[
        str,
        Meta(
            description="The test set, which should be unseen.",
            extra=refers_to("corpus"),
        ),
    ]
    within: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Corpora to search for test sentences.",
            extra=refers_to("corpus"),
        ),
    ]
    cosine: Annotated[
        Cosine, Meta(description="Minimum cosine of two sentences in one language.")
    ] = 0.7
    similarity: Annotated[
        Cosine, Meta(description="Minimum share of equal characters in one language.")
    ] = 0.8
    across_cosine: AcrossCosine = 0.35
    margin: Margin = 1.25
    exact: ExactOnly = False
    encoder: EncoderName = ""
    seed: Seed = 1


class CheckCorpus(TaskParams, frozen=True, kw_only=True, tag="check-corpus"):
    """Find sentences in the wrong language, corrupted characters and boilerplate."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    checks: Annotated[
        tuple[CorpusCheck, ...],
        Meta(
            description="Problems to find (none given = all).",
            extra={"option": "check"},
        ),
    ] = ()
    sure: Annotated[
        Cosine,
        Meta(description="Minimum confidence of the language detector."),
    ] = 0.8
    repeats: Annotated[
        int,
        Meta(ge=2, description="A sentence that occurs this often is boilerplate."),
    ] = 5


class CompareEncoders(TaskParams, frozen=True, kw_only=True, tag="compare-encoders"):
    """Compare the neighbours and translation pairs of two encoders."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    encoders: Annotated[
        tuple[EncoderName, ...],
        Meta(
            min_length=2,
            max_length=2,
            description="Name of an encoder; specify two.",
            extra={"option": "encoder"},
        ),
    ]
    k: Annotated[
        int, Meta(ge=1, le=50, description="Number of neighbours to compare.")
    ] = 10
    sample: Annotated[
        int,
        Meta(
            ge=10,
            le=1_000_000,
            description="Maximum number of sentences sampled from each language.",
        ),
    ] = 2_000
    seed: Seed = 1
