"""Params of the task that makes probing sets of a treebank."""

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams

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
