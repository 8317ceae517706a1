"""Params of the tasks that probe encoders and make probing sets."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import CorpusNames, Seed, TaskParams, option
from app.params.vectors import EncoderName

ProbeName = Literal["logistic", "mlp"]


class Probe(TaskParams, frozen=True, kw_only=True, tag="probe"):
    """Measure how well a small classifier predicts a property from vectors."""

    keeps_parts: ClassVar[bool] = True

    data: Annotated[
        tuple[Path, ...],
        option(
            "Probing file in SentEval's format, in any language, with tab-separated "
            "columns: split (tr, va or te), label and text. Can be compressed (.xz)."
        ),
    ] = ()
    corpora: Annotated[
        CorpusNames,
        option(
            "Labelled corpus of the project. Its classes are the task; of each class, "
            "eight of ten sentences are for training and one is for tests."
        ),
    ] = ()
    encoders: Annotated[
        tuple[EncoderName, ...],
        option(
            "Encoder to probe: a bundled encoder, one of the project, or a folder. "
            "Default: the encoder in use.",
            name="encoder",
        ),
    ] = ()
    heads: Annotated[
        bool, option("Also probe every head of a translation model with a bridge.")
    ] = False
    classifiers: Annotated[
        tuple[ProbeName, ...],
        option(
            "Classifier on the frozen vectors: logistic regression, or a tuned "
            "multilayer perceptron (mlp). Tasks with many classes, such as word "
            "content, always use logistic regression.",
            min_length=1,
            name="classifier",
        ),
    ] = ("logistic",)
    seeds: Annotated[
        int,
        option(
            "Number of random seeds, for the weights of the MLP, the control task, "
            "random vectors and the untrained encoder.",
            ge=1,
            le=20,
        ),
    ] = 3
    control: Annotated[
        bool,
        option(
            "Also measure selectivity: the accuracy minus that of a control task in "
            "which words have random classes."
        ),
    ] = True
    baselines: Annotated[
        bool,
        option(
            "Also measure baselines: majority class, length, naive Bayes on TF-IDF of "
            "words and of bigrams, random word vectors, averaged word vectors (mean, "
            "IDF, SIF with and without the first component), the encoder before "
            "training, and published human accuracies."
        ),
    ] = True
    word_vectors: Annotated[
        Path | None,
        option(
            "Text file of word vectors (.vec) for the baselines of averaged word "
            "vectors. Default: learned from the training texts."
        ),
    ] = None
    n_train: Annotated[
        Annotated[int, Meta(ge=2, le=10_000_000)] | None,
        option("Maximum number of training rows, stratified by class. Default: all."),
    ] = None
    out: Annotated[
        Path | None, option("TSV file to write, with a row per measurement.")
    ] = None


ProbingTask = Literal[
    "SentLen",
    "WC",
    "TreeDepth",
    "TopConst",
    "BShift",
    "Tense",
    "SubjNum",
    "ObjNum",
    "SOMO",
    "CoordInv",
]


class MakeProbingSets(TaskParams, frozen=True, kw_only=True, tag="make-probing-sets"):
    """Make probing sets from a treebank, or list its features and relations."""

    treebanks: Annotated[
        tuple[Path, ...],
        option(
            "Treebank in CoNLL-U format, or with bracketed trees (Penn Treebank) for "
            "the top constituents, optionally compressed. Several treebanks are "
            "combined.",
            min_length=1,
            name="treebank",
        ),
    ]
    out: Annotated[
        Path | None,
        option(
            "Folder for the probing sets, one file each. Without a folder, nothing is "
            "written and the available features and relations are listed."
        ),
    ] = None
    language: Annotated[
        str,
        option(
            "Language code for the file names. Empty: taken from the name of the first "
            "treebank if it starts with a code.",
            max_length=50,
            pattern=r"^[A-Za-z0-9_-]*$",
        ),
    ] = ""
    tasks: Annotated[
        tuple[ProbingTask, ...],
        option(
            "Task to make (nothing selected here, in features or in relations = all "
            "tasks).",
            name="task",
        ),
    ] = ()
    features: Annotated[
        tuple[str, ...],
        option(
            "Morphological feature to predict, with the word that has it: root:Mood, "
            "subject:Case, object:Definite, NOUN:Gender.",
            name="feature",
            window="Morphological features to predict, with the word that has them.",
        ),
    ] = ()
    relations: Annotated[
        tuple[str, ...],
        option(
            "Dependency relation to predict: iobj asks whether the sentence has one, "
            "root:iobj whether the root has one.",
            name="relation",
            window="Dependency relations to predict: whether the sentence, or its "
            "root, has one.",
        ),
    ] = ()
    n_train: Annotated[
        int,
        option(
            "Maximum number of training rows per set. With fewer rows in the treebank, "
            "the three splits keep their proportions.",
            ge=1,
            le=10_000_000,
        ),
    ] = 10_000
    n_dev: Annotated[
        int, option("Maximum number of development rows.", ge=1, le=10_000_000)
    ] = 2_000
    n_test: Annotated[
        int, option("Maximum number of test rows.", ge=1, le=10_000_000)
    ] = 2_000
    fewest_words: Annotated[
        int, option("Minimum number of words in a sentence.", ge=1, le=1_000)
    ] = 5
    most_words: Annotated[
        int, option("Maximum number of words in a sentence.", ge=1, le=1_000)
    ] = 28
    replace: Annotated[bool, option("Overwrite existing files.")] = False
    seed: Seed = 1
