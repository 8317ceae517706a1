"""Params of the quality checks: duplicates, leakage, corrupted text, encoders."""

from typing import Annotated, Literal

from msgspec import Meta

from app.params.base import Seed, WritingTask, option
from app.params.vectors import EncoderName
from app.params.words import Corpora

CorpusCheck = Literal["language", "encoding", "boilerplate", "untranslated"]
Cosine = Annotated[float, Meta(ge=0, le=1)]
ExactOnly = Annotated[
    bool, option("Compare every pair of vectors exactly, even in large corpora.")
]
KeptCopy = Literal["first", "longest"]
AcrossCosine = Annotated[
    Cosine, option("Minimum cosine of two sentences in different languages.")
]
Margin = Annotated[
    float,
    option(
        "Minimum margin of two sentences in different languages: their cosine "
        "divided by the mean cosine of both with their neighbours.",
        ge=0,
        le=100,
    ),
]


class FindDuplicates(WritingTask, frozen=True, kw_only=True, tag="find-duplicates"):
    """Find duplicate sentences, within one language or across languages."""

    corpora: Corpora = ()
    cosine: Annotated[
        Cosine, option("Minimum cosine of two sentences in one language.")
    ] = 0.7
    similarity: Annotated[
        Cosine,
        option(
            "Minimum share of equal characters of two sentences in one language "
            "(normalised edit similarity)."
        ),
    ] = 0.8
    across: Annotated[
        bool, option("Also find translations in other languages that are not linked.")
    ] = False
    across_cosine: AcrossCosine = 0.35
    margin: Margin = 1.25
    keep: Annotated[
        KeptCopy, option("Which sentence of a group of duplicates to keep.")
    ] = "first"
    exact: ExactOnly = False
    encoder: EncoderName = ""
    seed: Seed = 1


class FindLeakage(WritingTask, frozen=True, kw_only=True, tag="find-leakage"):
    """Find sentences of a test set that occur in other corpora, also translated."""

    corpus: Annotated[
        str, option("The test set, which should be unseen.", refers_to="corpus")
    ]
    within: Annotated[
        tuple[str, ...],
        option(
            "Corpora to search for test sentences.", min_length=1, refers_to="corpus"
        ),
    ]
    cosine: Annotated[
        Cosine, option("Minimum cosine of two sentences in one language.")
    ] = 0.7
    similarity: Annotated[
        Cosine, option("Minimum share of equal characters in one language.")
    ] = 0.8
    across_cosine: AcrossCosine = 0.35
    margin: Margin = 1.25
    exact: ExactOnly = False
    encoder: EncoderName = ""
    seed: Seed = 1


class CheckCorpus(WritingTask, frozen=True, kw_only=True, tag="check-corpus"):
    """Find wrong languages, corrupted characters, boilerplate and untranslated text."""

    corpora: Corpora = ()
    checks: Annotated[
        tuple[CorpusCheck, ...],
        option("Problems to find. Default: all.", name="check"),
    ] = ()
    sure: Annotated[Cosine, option("Minimum confidence of the language detector.")] = (
        0.8
    )
    repeats: Annotated[
        int, option("A sentence that occurs this often is boilerplate.", ge=2)
    ] = 5


class CompareEncoders(WritingTask, frozen=True, kw_only=True, tag="compare-encoders"):
    """Compare the neighbours and translation pairs of two encoders."""

    corpora: Corpora = ()
    encoders: Annotated[
        tuple[EncoderName, ...],
        option(
            "Name of an encoder; specify two.",
            min_length=2,
            max_length=2,
            name="encoder",
        ),
    ]
    k: Annotated[int, option("Number of neighbours to compare.", ge=1, le=50)] = 10
    sample: Annotated[
        int,
        option(
            "Maximum number of sentences sampled from each language.",
            ge=10,
            le=1_000_000,
        ),
    ] = 2_000
    seed: Seed = 1
