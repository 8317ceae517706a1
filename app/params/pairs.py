"""Params of the tasks that export pairs and exchange review packages."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import Seed, TaskParams
from app.params.mining import Score

JudgementFilter = Literal[
    "all", "unjudged", "judged", "accept", "reject", "flag", "skip", "conflict"
]
PairFormat = Literal[
    "tmx",
    "xliff-1.2",
    "xliff-2.0",
    "moses",
    "tsv",
    "csv",
    "jsonl",
    "parquet",
    "xlsx",
    "tei",
    "paraconc",
]
PairFormatChoice = Literal["auto", PairFormat]
WantedVerdict = Literal["accept", "reject", "skip", "flag", "unjudged"]


class ExportPairs(TaskParams, frozen=True, kw_only=True, tag="export-pairs"):
    """Write pairs as a translation memory, a table or a parallel corpus."""

    needs_project: ClassVar[bool] = True

    pairs: Annotated[
        str,
        Meta(
            description="Name or id of a set of pairs; empty: the linked sentences of "
            "the source and the target corpus."
        ),
    ] = ""
    source: Annotated[
        str,
        Meta(description="Name or id of a corpus whose sentences have translations."),
    ] = ""
    target: Annotated[
        str, Meta(description="Name or id of the corpus that holds them.")
    ] = ""
    out: Annotated[
        Path,
        Meta(
            description="File to write; moses, tei and paraconc add each language to "
            "its name; also .gz, .xz and .zst, but for parquet and xlsx."
        ),
    ]
    format: Annotated[
        PairFormatChoice,
        Meta(description="Format; auto: from the file's name."),
    ] = "auto"
    verdicts: Annotated[
        tuple[WantedVerdict, ...],
        Meta(
            description="Only pairs so judged (several: any of them); none: all.",
            extra={"option": "verdict"},
        ),
    ] = ()
    threshold: Annotated[
        Score | None, Meta(description="Lowest score of a pair; default: no bound.")
    ] = None
    tags: Annotated[
        tuple[str, ...],
        Meta(
            description="Only pairs with this tag (several: any of them).",
            extra={"option": "tag"},
        ),
    ] = ()
    with_candidates: Annotated[
        bool, Meta(description="The pairs that were not taken too, behind the others.")
    ] = False
    as_imported: Annotated[
        bool,
        Meta(description="Texts as they were imported; default: as they were edited."),
    ] = False
    replace: Annotated[
        bool, Meta(description="Replace what is there; default: refuse to.")
    ] = False


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
        JudgementFilter, Meta(description="Only pairs that are so judged here, by now.")
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
