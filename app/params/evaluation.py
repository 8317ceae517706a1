"""Params of the tasks that evaluate vectors."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams, refers_to
from app.params.classify import FeaturesName
from app.params.vectors import EncoderName


class AlignedTexts(TaskParams, frozen=True, kw_only=True):
    """Base of tasks that compare languages sentence by sentence."""

    source: Annotated[
        Path | None, Meta(description="Source file with one sentence per line.")
    ] = None
    target: Annotated[
        Path | None,
        Meta(description="Target file, aligned line by line with the source file."),
    ] = None
    table: Annotated[
        Path | None,
        Meta(
            description="TSV file with a header, one column per language and one "
            "sentence per cell, instead of two files. Can be "
            "compressed (.xz)."
        ),
    ] = None
    corpora: Annotated[
        tuple[str, ...],
        Meta(
            description="Corpora of the project instead of files. Select two or more: "
            "the sentences that are linked in all of them are used.",
            extra=refers_to("corpus", option="corpus"),
        ),
    ] = ()
    columns: Annotated[
        tuple[str, ...],
        Meta(
            description="Column of the table that all others are compared with "
            "(default: the first). With several columns or a matrix, "
            "these columns are compared with each other (default: "
            "all).",
            extra={"option": "column"},
        ),
    ] = ()
    matrix: Annotated[bool, Meta(description="Compare all pairs of columns.")] = False
    encoder: EncoderName = ""


VariantKind = Literal["causality", "entities", "numbers"]


class EvaluateRetrieval(
    AlignedTexts, frozen=True, kw_only=True, tag="evaluate-retrieval"
):
    """Measure how often the nearest neighbour of a sentence is its translation."""

    pools: Annotated[
        tuple[Path, ...],
        Meta(
            description="File with additional sentences, one per line, in the "
            "target language (that of the compared column). They are "
            "added to the search pool.",
            extra={"option": "pool"},
        ),
    ] = ()
    variants: Annotated[
        tuple[VariantKind, ...],
        Meta(
            description="Add variants of the English sentences in the target language "
            "(that of the compared column) to the search pool, each with one fact "
            "changed, as xsim++ does: causality (negations and antonyms), entities, "
            "numbers.",
            extra={"option": "variant"},
        ),
    ] = ()
    n_random: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        Meta(
            description="Search each translation among this many random sentences, by "
            "dot product (999 in Chidambaram et al. 2019), and measure precision at 1, "
            "3 and 10. Default: search all sentences by cosine."
        ),
    ] = None
    seed: Seed = 1


class EvaluateSts(TaskParams, frozen=True, kw_only=True, tag="evaluate-sts"):
    """Measure how well cosines correlate with human similarity scores of two texts."""

    data: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="LANGUAGE=FILE or FILE, with tab-separated columns: score "
            "and two texts. Can be compressed (.xz). Sets named such as "
            "STS14/images are also averaged by the part before the slash.",
        ),
    ]
    across: Annotated[
        bool,
        Meta(
            description="Also compare the first text of each language with the "
            "second text of every other language. The files must be "
            "aligned line by line."
        ),
    ] = False
    lowest: Annotated[
        float, Meta(ge=-1e6, le=1e6, description="Lowest possible score.")
    ] = 0.0
    highest: Annotated[
        float, Meta(ge=-1e6, le=1e6, description="Highest possible score.")
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
    """Measure the shape and the similarity of languages' vector spaces."""

    measures: Annotated[
        tuple[MeasureName, ...],
        Meta(
            description="Measure to compute (nothing selected = all).",
            extra={"option": "measure"},
        ),
    ] = ()
    distance: Annotated[
        DistanceName,
        Meta(
            description="Distance between unit vectors for eigen-similarity, "
            "translations and random pairs."
        ),
    ] = "angular"
    n_samples: Annotated[
        int,
        Meta(ge=1, le=100_000, description="Number of samples for eigen-similarity."),
    ] = 1_000
    sample_size: Annotated[
        int, Meta(ge=2, le=1_000, description="Translations per sample.")
    ] = 10
    k: Annotated[
        int, Meta(ge=1, le=1_000, description="Nearest neighbours for hubness.")
    ] = 10
    n_sentences: Annotated[
        int,
        Meta(
            ge=2,
            le=10_000,
            description="Maximum number of sentences; larger sets are sampled.",
        ),
    ] = 5_000
    seed: Seed = 1


class EvaluateDownstream(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-downstream"
):
    """Train and test classifiers on frozen vectors, as SentEval does."""

    data: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE or FILE, with tab-separated columns: label, "
            "text and, for pairs, a second text. Can be compressed "
            "(.xz). Cross-validated unless there is a test file of "
            "the same name.",
        ),
    ] = ()
    scores: Annotated[
        tuple[str, ...],
        Meta(
            description="The same for pairs with scores instead of labels "
            "(relatedness).",
        ),
    ] = ()
    tests: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE with the test rows of the data of that name.",
            extra={"option": "test"},
        ),
    ] = ()
    developments: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=FILE with the development rows, used to choose the "
            "penalty. Without them, the penalty is chosen by "
            "cross-validation.",
            extra={"option": "development"},
        ),
    ] = ()
    n_folds: Annotated[
        int, Meta(ge=2, le=100, description="Outer folds of cross-validation.")
    ] = 10
    n_inner_folds: Annotated[
        int,
        Meta(ge=2, le=100, description="Inner folds, used to choose the penalty."),
    ] = 10
    features: Annotated[
        FeaturesName,
        Meta(
            description="Features of a pair: u, v, u*v and |u-v| (pair), or only "
            "the last two (difference). auto follows SentEval's code: "
            "pair for SNLI, difference otherwise."
        ),
    ] = "auto"
    n_hidden: Annotated[
        int,
        Meta(
            ge=0,
            le=8_192,
            description="Hidden sigmoid units of a perceptron (SentEval's nhid); 0: "
            "logistic regression.",
        ),
    ] = 0
    dropout: Annotated[
        float,
        Meta(
            ge=0, le=0.95, description="Share of inputs dropped in that hidden layer."
        ),
    ] = 0.0
    normalised: Annotated[
        bool,
        Meta(description="Scale vectors to length 1; SentEval uses them as they are."),
    ] = True
    lowest: Annotated[
        Annotated[float, Meta(ge=-1e6, le=1e6)] | None,
        Meta(
            description="Lowest possible score. Default: the whole number at or below "
            "the lowest score of the data."
        ),
    ] = None
    highest: Annotated[
        Annotated[float, Meta(ge=-1e6, le=1e6)] | None,
        Meta(
            description="Highest possible score. Default: the whole number at or above "
            "the highest score of the data."
        ),
    ] = None
    encoder: EncoderName = ""
    language: Annotated[
        str,
        Meta(
            description="Language of the texts (code). Translation models have an "
            "encoder for each language. Default: detected for each text."
        ),
    ] = ""
    seed: Seed = 1


CorrectionName = Literal["holm", "benjamini-hochberg"]
ScoreName = Literal["downstream", "sts", "retrieval"]


class CorrelateMeasurements(
    TaskParams, frozen=True, kw_only=True, tag="correlate-measurements"
):
    """Correlate probing scores with downstream scores, over all encoders."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    against: Annotated[
        tuple[ScoreName, ...],
        Meta(
            description="Scores to correlate with probing: downstream scores, "
            "textual similarity (sts) or retrieval. Default: the first "
            "two."
        ),
    ] = ("downstream", "sts")
    correction: Annotated[
        CorrectionName,
        Meta(
            description="Correction for multiple tests: family-wise error rate "
            "(holm) or false discovery rate (benjamini-hochberg)."
        ),
    ] = "holm"
