"""Params of the tasks that probe encoders and make probing sets."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.vectors import EncoderName

ProbeName = Literal["logistic", "mlp"]


class Probe(TaskParams, frozen=True, kw_only=True, tag="probe"):
    """Measure what a small classifier finds of a property in an encoder's vectors."""

    keeps_parts: ClassVar[bool] = True

    data: Annotated[
        tuple[Path, ...],
        Meta(
            min_length=1,
            description="Probing file in SentEval's format, in any language: split "
            "(tr, va or te), tab, label, tab, text; also .xz.",
        ),
    ]
    encoders: Annotated[
        tuple[EncoderName, ...],
        Meta(
            description="Encoder to probe: a bundled or project one, or a folder. "
            "Default: the one in use.",
            extra={"option": "encoder"},
        ),
    ] = ()
    classifiers: Annotated[
        tuple[ProbeName, ...],
        Meta(
            min_length=1,
            description="Probe on the frozen vectors: logistic regression, or the "
            "tuned perceptron of the protocol (mlp), which leaves tasks with many "
            "classes, such as word content, to logistic regression.",
            extra={"option": "classifier"},
        ),
    ] = ("logistic",)
    seeds: Annotated[
        int,
        Meta(
            ge=1,
            le=20,
            description="Seeds 1…n of whatever is drawn: the perceptron's weights, the "
            "control task, the random vectors, the untrained twin.",
        ),
    ] = 3
    control: Annotated[
        bool,
        Meta(
            description="Measure selectivity too: the accuracy less that of a control "
            "task, in which words have random classes."
        ),
    ] = True
    baselines: Annotated[
        bool,
        Meta(
            description="Measure the baselines too: majority, length, TF-IDF naive "
            "Bayes, a bag of random vectors, the encoder's untrained twin."
        ),
    ] = True
    n_train: Annotated[
        Annotated[int, Meta(ge=2, le=10_000_000)] | None,
        Meta(
            description="Training rows at most, of each class its share; default: all.",
        ),
    ] = None
    out: Annotated[
        Path | None, Meta(description="TSV to write: a row for each measurement.")
    ] = None


ProbingTask = Literal[
    "SentLen",
    "WC",
    "TreeDepth",
    "BShift",
    "Tense",
    "SubjNum",
    "ObjNum",
    "SOMO",
    "CoordInv",
]


class MakeProbingSets(TaskParams, frozen=True, kw_only=True, tag="make-probing-sets"):
    """Make probing sets of a treebank, or list what it offers for them."""

    treebanks: Annotated[
        tuple[Path, ...],
        Meta(
            min_length=1,
            description="Treebank in CoNLL-U, compressed or not; several are pooled.",
            extra={"option": "treebank"},
        ),
    ]
    out: Annotated[
        Path | None,
        Meta(
            description="Folder for the sets, a file each; without one nothing is "
            "written, and the answer lists what the treebank offers."
        ),
    ] = None
    language: Annotated[
        str,
        Meta(
            max_length=50,
            pattern=r"^[A-Za-z0-9_-]*$",
            description="Language code in the files' names; empty: as the first "
            "treebank's name begins, if that is a code.",
        ),
    ] = ""
    tasks: Annotated[
        tuple[ProbingTask, ...],
        Meta(
            description="Task to make; without any, and without features and "
            "relations, all of them.",
            extra={"option": "task"},
        ),
    ] = ()
    features: Annotated[
        tuple[str, ...],
        Meta(
            description="Morphological feature to ask for, with the word that bears "
            "it: root:Mood, subject:Case, object:Definite, NOUN:Gender.",
            extra={"option": "feature"},
        ),
    ] = ()
    relations: Annotated[
        tuple[str, ...],
        Meta(
            description="Dependency relation to ask for: iobj is whether there is "
            "one in the sentence, root:iobj whether the root has one.",
            extra={"option": "relation"},
        ),
    ] = ()
    n_train: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000_000,
            description="Training rows of a set at most; where the treebank has "
            "fewer rows, the three splits keep their shares.",
        ),
    ] = 10_000
    n_dev: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Development rows at most.")
    ] = 2_000
    n_test: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Test rows at most.")
    ] = 2_000
    fewest_words: Annotated[
        int, Meta(ge=1, le=1_000, description="Words of a sentence at least.")
    ] = 5
    most_words: Annotated[
        int, Meta(ge=1, le=1_000, description="Words of a sentence at most.")
    ] = 28
    replace: Annotated[bool, Meta(description="Replace files that are there.")] = False
    seed: Seed = 1
