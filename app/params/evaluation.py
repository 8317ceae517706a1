"""Params of the tasks that evaluate vectors."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.classify import FeaturesName
from app.params.vectors import EncoderName


class AlignedTexts(TaskParams, frozen=True, kw_only=True):
    """What every task takes that compares languages sentence by sentence."""

    source: Annotated[
        Path | None, Meta(description="Source file, one sentence a line.")
    ] = None
    target: Annotated[
        Path | None, Meta(description="Target file, line-aligned with it.")
    ] = None
    table: Annotated[
        Path | None,
        Meta(
            description="Instead of two files: a TSV with a header, one language a "
            "column and one sentence a cell; also .xz."
        ),
    ] = None
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Instead of files: a corpus of the project, by name or id; of "
            "two or more the sentences are taken that are linked in all of them.",
            extra={"option": "corpus"},
        ),
    ] = ()
    columns: Annotated[
        tuple[str, ...],
        Meta(
            description="The table's column that every other one is compared with; "
            "default: the first. Several, or with --matrix: those that are compared "
            "with each other; default: all.",
            extra={"option": "column"},
        ),
    ] = ()
    matrix: Annotated[
        bool, Meta(description="Compare every two columns of the table.")
    ] = False
    encoder: EncoderName = ""


class EvaluateRetrieval(
    AlignedTexts, frozen=True, kw_only=True, tag="evaluate-retrieval"
):
    """Measure how often the nearest neighbour of a sentence is its translation."""

    pools: Annotated[
        tuple[Path, ...],
        Meta(
            description="File of further sentences, one a line, in the language of the "
            "targets (the compared column): they are searched as well.",
            extra={"option": "pool"},
        ),
    ] = ()


class EvaluateSts(TaskParams, frozen=True, kw_only=True, tag="evaluate-sts"):
    """Measure how well cosines follow the similarity that people see in two texts."""

    data: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="LANGUAGE=FILE, or FILE, with lines score, tab, text, tab, "
            "text; also .xz.",
        ),
    ]
    across: Annotated[
        bool,
        Meta(
            description="Compare the first text of every language with the second of "
            "every other one too; the files must be aligned line by line."
        ),
    ] = False
    lowest: Annotated[
        float, Meta(ge=-1e6, le=1e6, description="Lowest score that can be given.")
    ] = 0.0
    highest: Annotated[
        float, Meta(ge=-1e6, le=1e6, description="Highest score that can be given.")
    ] = 5.0
    encoder: EncoderName = ""
    seed: Seed = 1


MeasureName = Literal[
    "eigen_similarity",
    "isotropy",
    "isoscore",
    "mean_cosine",
    "hubness",
    "uniformity",
    "alignment",
    "distance_of_translations",
    "distance_of_random_pairs",
]
DistanceName = Literal["angular", "euclidean", "cosine"]


class EvaluateSimilarityOfSpaces(
    AlignedTexts, frozen=True, kw_only=True, tag="evaluate-similarity-of-spaces"
):
    """Measure the shape of languages' vectors, and how alike two languages' are."""

    measures: Annotated[
        tuple[MeasureName, ...],
        Meta(description="Only this measure.", extra={"option": "measure"}),
    ] = ()
    distance: Annotated[
        DistanceName,
        Meta(
            description="Distance of eigen-similarity, of translations and of random "
            "pairs, between vectors of length 1."
        ),
    ] = "angular"
    n_samples: Annotated[
        int,
        Meta(ge=1, le=100_000, description="Samples of eigen-similarity."),
    ] = 1_000
    sample_size: Annotated[
        int, Meta(ge=2, le=1_000, description="Translations in each of them.")
    ] = 10
    k: Annotated[
        int, Meta(ge=1, le=1_000, description="Nearest neighbours of hubness.")
    ] = 10
    n_sentences: Annotated[
        int,
        Meta(
            ge=2,
            le=10_000,
            description="Sentences that are measured; of more, so many are drawn.",
        ),
    ] = 5_000
    seed: Seed = 1


class EvaluateDownstream(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-downstream"
):
    """Train classifiers on frozen vectors and test them, in SentEval's manner."""

    data: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE, or FILE, with lines label, tab, text, and for "
            "pairs a tab and a second text; also .xz. Cross-validated, unless a --test "
            "has the name.",
        ),
    ] = ()
    scores: Annotated[
        tuple[str, ...],
        Meta(
            description="The same with scores for labels, of pairs (relatedness).",
        ),
    ] = ()
    tests: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE: test rows of the data of that name.",
            extra={"option": "test"},
        ),
    ] = ()
    developments: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE: its development rows, by which the penalty is "
            "chosen; without: by cross-validation.",
            extra={"option": "development"},
        ),
    ] = ()
    n_folds: Annotated[int, Meta(ge=2, le=100, description="Outer folds.")] = 10
    n_inner_folds: Annotated[
        int,
        Meta(ge=2, le=100, description="Inner folds, by which the penalty is chosen."),
    ] = 10
    features: Annotated[
        FeaturesName,
        Meta(
            description="Features of a pair: u, v, u*v and |u-v| (pair) or the last "
            "two (difference); auto: as SentEval's code, pair for SNLI, else "
            "difference."
        ),
    ] = "auto"
    lowest: Annotated[
        float, Meta(ge=-1e6, le=1e6, description="Lowest score that can be given.")
    ] = 0.0
    highest: Annotated[
        float, Meta(ge=-1e6, le=1e6, description="Highest score that can be given.")
    ] = 5.0
    encoder: EncoderName = ""
    seed: Seed = 1


CorrectionName = Literal["holm", "benjamini-hochberg"]
ScoreName = Literal["downstream", "sts", "retrieval"]


class CorrelateMeasurements(
    TaskParams, frozen=True, kw_only=True, tag="correlate-measurements"
):
    """Correlate what probing finds with downstream scores, over all encoders."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    against: Annotated[
        tuple[ScoreName, ...],
        Meta(
            description="What probing is set against: downstream scores, similarity of "
            "texts (sts), retrieval. Default: the first two."
        ),
    ] = ("downstream", "sts")
    correction: Annotated[
        CorrectionName,
        Meta(
            description="Correction for many tests: of the chance of one false finding "
            "(holm), or of the share of false ones (benjamini-hochberg)."
        ),
    ] = "holm"
