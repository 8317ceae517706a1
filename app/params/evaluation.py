"""Params of the tasks that evaluate vectors."""

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from app.params.base import CorpusNames, Seed, TaskParams, WritingTask, option
from app.params.classify import FeaturesName
from app.params.vectors import EncoderName


class AlignedTexts(TaskParams, frozen=True, kw_only=True):
    """Base of tasks that compare languages sentence by sentence."""

    source: Annotated[
        Path | None, option("Source file with one sentence per line.")
    ] = None
    target: Annotated[
        Path | None, option("Target file, aligned line by line with the source file.")
    ] = None
    table: Annotated[
        Path | None,
        option(
            "TSV file with a header, one column per language and one sentence per "
            "cell, instead of two files. Can be compressed (.xz)."
        ),
    ] = None
    corpora: Annotated[
        CorpusNames,
        option(
            "Corpora of the project instead of files. Select two or more: the "
            "sentences that are linked in all of them are used."
        ),
    ] = ()
    columns: Annotated[
        tuple[str, ...],
        option(
            "Column of the table that all others are compared with (default: the "
            "first). With several columns or a matrix, these columns are compared with "
            "each other (default: all).",
            name="column",
            window="Column that all others are compared with; nothing selected: the "
            "first. Several columns are compared with each other.",
        ),
    ] = ()
    matrix: Annotated[bool, option("Compare all pairs of columns.")] = False
    encoder: EncoderName = ""


VariantKind = Literal["causality", "entities", "numbers"]


class EvaluateRetrieval(
    AlignedTexts, frozen=True, kw_only=True, tag="evaluate-retrieval"
):
    """Measure how often the nearest neighbour of a sentence is its translation."""

    pools: Annotated[
        tuple[Path, ...],
        option(
            "File with additional sentences, one per line, in the target language "
            "(that of the compared column). They are added to the search pool.",
            title="Additional sentences",
            name="pool",
        ),
    ] = ()
    variants: Annotated[
        tuple[VariantKind, ...],
        option(
            "Add variants of the English sentences in the target language (that of the "
            "compared column) to the search pool, each with one fact changed, as "
            "xsim++ does: causality (negations and antonyms), entities, numbers.",
            name="variant",
        ),
    ] = ()
    drop_duplicates: Annotated[
        bool,
        option(
            "Leave out rows with a sentence that an earlier row has: finding the other "
            "copy counts as an error otherwise.",
            title="Leave out duplicate sentences",
        ),
    ] = False
    n_random: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        option(
            "Search each translation among this many random sentences, by dot product "
            "(999 in Chidambaram et al. 2019), and measure precision at 1, 3 and 10. "
            "Default: search all sentences by cosine.",
            title="Random candidates",
        ),
    ] = None
    seed: Seed = 1


class EvaluateSts(TaskParams, frozen=True, kw_only=True, tag="evaluate-sts"):
    """Measure how well cosines correlate with human similarity scores of two texts."""

    data: Annotated[
        tuple[str, ...],
        option(
            "LANGUAGE=FILE or FILE, with tab-separated columns: score and two texts. "
            "Can be compressed (.xz). Sets named such as STS14/images are also "
            "averaged by the part before the slash.",
            min_length=1,
        ),
    ]
    across: Annotated[
        bool,
        option(
            "Also compare the first text of each language with the second text of "
            "every other language. The files must be aligned line by line."
        ),
    ] = False
    centred: Annotated[
        bool,
        option(
            "Also measure the cosine after each language's mean vector is subtracted "
            "and the direction in which all texts vary most is removed."
        ),
    ] = False
    lowest: Annotated[float, option("Lowest possible score.", ge=-1e6, le=1e6)] = 0.0
    highest: Annotated[float, option("Highest possible score.", ge=-1e6, le=1e6)] = 5.0
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
        option("Measure to compute. Default: all.", name="measure"),
    ] = ()
    distance: Annotated[
        DistanceName,
        option(
            "Distance between unit vectors for eigen-similarity, translations and "
            "random pairs."
        ),
    ] = "angular"
    n_samples: Annotated[
        int, option("Number of samples for eigen-similarity.", ge=1, le=100_000)
    ] = 1_000
    sample_size: Annotated[int, option("Translations per sample.", ge=2, le=1_000)] = 10
    k: Annotated[int, option("Nearest neighbours for hubness.", ge=1, le=1_000)] = 10
    n_sentences: Annotated[
        int,
        option(
            "Maximum number of sentences; larger sets are sampled.", ge=2, le=10_000
        ),
    ] = 5_000
    seed: Seed = 1


class EvaluateDownstream(
    TaskParams, frozen=True, kw_only=True, tag="evaluate-downstream"
):
    """Train and test classifiers on frozen vectors, as SentEval does."""

    data: Annotated[
        tuple[str, ...],
        option(
            "NAME=FILE or FILE, with tab-separated columns: label, text and, for "
            "pairs, a second text. Can be compressed (.xz). Cross-validated unless "
            "there is a test file of the same name."
        ),
    ] = ()
    scores: Annotated[
        tuple[str, ...],
        option(
            "NAME=FILE or FILE, with tab-separated columns: score and two texts "
            "(relatedness)."
        ),
    ] = ()
    tests: Annotated[
        tuple[str, ...],
        option("NAME=FILE with the test rows of the data of that name.", name="test"),
    ] = ()
    developments: Annotated[
        tuple[str, ...],
        option(
            "NAME=FILE with the development rows, used to choose the penalty. Without "
            "them, the penalty is chosen by cross-validation.",
            name="development",
        ),
    ] = ()
    n_folds: Annotated[
        int, option("Outer folds of cross-validation.", ge=2, le=100)
    ] = 10
    n_inner_folds: Annotated[
        int, option("Inner folds, used to choose the penalty.", ge=2, le=100)
    ] = 10
    features: Annotated[
        FeaturesName,
        option(
            "Features of a pair: u, v, u*v and |u-v| (pair), or only the last two "
            "(difference). auto follows SentEval's code: pair for SNLI, difference "
            "otherwise."
        ),
    ] = "auto"
    n_hidden: Annotated[
        int,
        option(
            "Hidden sigmoid units of an MLP (SentEval's nhid); 0: logistic regression.",
            ge=0,
            le=8_192,
        ),
    ] = 0
    dropout: Annotated[
        float, option("Share of inputs dropped in that hidden layer.", ge=0, le=0.95)
    ] = 0.0
    normalised: Annotated[
        bool, option("Scale vectors to length 1; SentEval uses them as they are.")
    ] = True
    baselines: Annotated[
        bool,
        option(
            "Also measure averaged word vectors: the mean, IDF, and SIF with and "
            "without the first component."
        ),
    ] = True
    word_vectors: Annotated[
        Path | None,
        option(
            "Text file of word vectors (.vec) for these baselines. Default: learned "
            "from the training texts."
        ),
    ] = None
    lowest: Annotated[
        Annotated[float, Meta(ge=-1e6, le=1e6)] | None,
        option(
            "Lowest possible score. Default: the whole number at or below the lowest "
            "score of the data."
        ),
    ] = None
    highest: Annotated[
        Annotated[float, Meta(ge=-1e6, le=1e6)] | None,
        option(
            "Highest possible score. Default: the whole number at or above the highest "
            "score of the data."
        ),
    ] = None
    encoder: EncoderName = ""
    language: Annotated[
        str,
        option(
            "Language of the texts (code). Translation models have an encoder for each "
            "language. Default: detected for each text."
        ),
    ] = ""
    seed: Seed = 1


CorrectionName = Literal["holm", "benjamini-hochberg"]
ScoreName = Literal["downstream", "sts", "retrieval"]


class CorrelateMeasurements(
    WritingTask, frozen=True, kw_only=True, tag="correlate-measurements"
):
    """Correlate probing scores with downstream scores, over all encoders."""

    against: Annotated[
        tuple[ScoreName, ...],
        option(
            "Scores to correlate with probing: downstream scores, textual similarity "
            "(sts) or retrieval. Default: the first two."
        ),
    ] = ("downstream", "sts")
    correction: Annotated[
        CorrectionName,
        option(
            "Correction for multiple tests: family-wise error rate (holm) or false "
            "discovery rate (benjamini-hochberg)."
        ),
    ] = "holm"
