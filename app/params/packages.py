"""Params of the tasks by which two people judge the same pairs, without a server."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.pair_changes import Which
from app.params.base import Seed, TaskParams

PairsName = Annotated[
    str, Meta(min_length=1, description="Name or id of a set of pairs.")
]
Annotator = Annotated[
    str,
    Meta(
        max_length=200,
        description="Name of who judged; empty: as the settings say, or the file.",
    ),
]


class ExportPackage(TaskParams, frozen=True, kw_only=True, tag="export-package"):
    """Write pairs into one file that somebody else can judge."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    pairs: PairsName
    out: Annotated[
        Path, Meta(title="File", description="File to write; none may be there.")
    ]
    n: Annotated[
        int,
        Meta(
            title="Pairs", ge=1, le=10_000, description="Pairs to hand over, at most."
        ),
    ] = 200
    order: Annotated[
        Literal["shuffled", "score", "value"],
        Meta(
            description="Which pairs come first: drawn by lot, the best score first, "
            "or those that tell most about the threshold."
        ),
    ] = "shuffled"
    which: Annotated[
        Which, Meta(description="Only pairs that are so judged here, by now.")
    ] = "all"
    seed: Seed = 1
    with_scores: Annotated[
        bool,
        Meta(
            description="Hand the scores over too, which sway whoever judges; the "
            "judgements never are."
        ),
    ] = False


class OpenPackage(TaskParams, frozen=True, kw_only=True, tag="open-package"):
    """Take a package that somebody handed over into a project, to judge its pairs."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    package: Annotated[Path, Meta(description="File that was handed over.")]


class ReturnPackage(TaskParams, frozen=True, kw_only=True, tag="return-package"):
    """Write the judgements of a package into one file, to hand them back."""

    needs_project: ClassVar[bool] = True

    pairs: PairsName
    out: Annotated[
        Path, Meta(title="File", description="File to write; none may be there.")
    ]
    annotator: Annotator = ""


class MergePackage(TaskParams, frozen=True, kw_only=True, tag="merge-package"):
    """Take the judgements that somebody handed back into the project."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    package: Annotated[Path, Meta(description="File that was handed back.")]
    annotator: Annotator = ""
