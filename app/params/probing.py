"""Params of the tasks that probe encoders and make probing sets."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.vectors import EncoderName

ProbeName = Literal["logistic", "mlp"]


class Probe(TaskParams, frozen=True, kw_only=True, tag="probe"):
    """Measure how well a small classifier predicts a property from vectors."""

    keeps_parts: ClassVar[bool] = True

    data: Annotated[
        tuple[Path, ...],
        Meta(
            min_length=1,
            description="Probing file in SentEval's format, in any language, with "
            "tab-separated columns: split (tr, va or te), label and "
            "text. Can be compressed (.xz).",
        ),
    ]
    encoders: Annotated[
        tuple[EncoderName, ...],
        Meta(
            description="Encoder to probe: a bundled encoder, one of the project, "
            "or a folder. Default: the encoder in use.",
            extra={"option": "encoder"},
        ),
    ] = ()
    heads: Annotated[
        bool,
        Meta(description="Also probe every head of a translation model with a bridge."),
    ] = False
    classifiers: Annotated[
        tuple[ProbeName, ...],
        Meta(
            min_length=1,
            description="Classifier on the frozen vectors: logistic regression, or "
            "a tuned perceptron (mlp). Tasks with many classes, such "
            "as word content, always use logistic regression.",
            extra={"option": "classifier"},
        ),
    ] = ("logistic",)
    seeds: Annotated[
        int,
        Meta(
            ge=1,
            le=20,
            description="Number of random seeds, for the perceptron's weights, the "
            "control task, random vectors and the untrained encoder.",
        ),
    ] = 3
    control: Annotated[
        bool,
        Meta(
            description="Also measure selectivity: the accuracy minus that of a "
            "control task in which words have random classes."
        ),
    ] = True
    baselines: Annotated[
        bool,
        Meta(
            description="Also measure baselines: majority class, length, naive "
            "Bayes on TF-IDF of words and of bigrams, random and averaged word "
            "vectors, the encoder before training, and published human accuracies."
        ),
    ] = True
    word_vectors: Annotated[
        Path | None,
        Meta(
            description="Text file of word vectors (.vec) for the baseline of averaged "
            "word vectors. Default: learned from the training texts."
        ),
    ] = None
    n_train: Annotated[
        Annotated[int, Meta(ge=2, le=10_000_000)] | None,
        Meta(
            description="Maximum number of training rows, stratified by class. "
            "Default: all.",
        ),
    ] = None
    out: Annotated[
        Path | None, Meta(description="TSV file to write, with a row per measurement.")
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
        Meta(
            min_length=1,
            description="Treebank in CoNLL-U format, or with bracketed trees (Penn "
            "Treebank) for the top constituents, optionally compressed. Several "
            "treebanks are combined.",
            extra={"option": "treebank"},
        ),
    ]
    out: Annotated[
        Path | None,
        Meta(
            description="Folder for the probing sets, one file each. Without a "
            "folder, nothing is written and the available features and "
            "relations are listed."
        ),
    ] = None
    language: Annotated[
        str,
        Meta(
            max_length=50,
            pattern=r"^[A-Za-z0-9_-]*$",
            description="Language code for the file names. Empty: taken from the "
            "name of the first treebank if it starts with a code.",
        ),
    ] = ""
    tasks: Annotated[
        tuple[ProbingTask, ...],
        Meta(
            description="Task to make (nothing selected here, in features or in "
            "relations = all tasks).",
            extra={"option": "task"},
        ),
    ] = ()
    features: Annotated[
        tuple[str, ...],
        Meta(
            description="Morphological feature to predict, with the word that has "
            "it: root:Mood, subject:Case, object:Definite, "
            "NOUN:Gender.",
            extra={"option": "feature"},
        ),
    ] = ()
    relations: Annotated[
        tuple[str, ...],
        Meta(
            description="Dependency relation to predict: iobj asks whether the "
            "sentence has one, root:iobj whether the root has one.",
            extra={"option": "relation"},
        ),
    ] = ()
    n_train: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000_000,
            description="Maximum number of training rows per set. With fewer rows "
            "in the treebank, the three splits keep their proportions.",
        ),
    ] = 10_000
    n_dev: Annotated[
        int,
        Meta(ge=1, le=10_000_000, description="Maximum number of development rows."),
    ] = 2_000
    n_test: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Maximum number of test rows.")
    ] = 2_000
    fewest_words: Annotated[
        int, Meta(ge=1, le=1_000, description="Minimum number of words in a sentence.")
    ] = 5
    most_words: Annotated[
        int, Meta(ge=1, le=1_000, description="Maximum number of words in a sentence.")
    ] = 28
    replace: Annotated[bool, Meta(description="Overwrite existing files.")] = False
    seed: Seed = 1
