"""Params of the tasks that export pairs and exchange review packages."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import FormulaChoice, Seed, TaskParams, refers_to
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
    "tbx",
]
PairFormatChoice = Literal["auto", PairFormat]
WantedVerdict = Literal["accept", "reject", "skip", "flag", "unjudged", "all"]


class ExportPairs(TaskParams, frozen=True, kw_only=True, tag="export-pairs"):
    """Export pairs as a translation memory, a table or a parallel corpus."""

    needs_project: ClassVar[bool] = True

    pairs: Annotated[
        str,
        Meta(
            description="The pair set. Empty: the linked sentences of the source and "
            "the target corpus.",
            extra=refers_to("pair set"),
        ),
    ] = ""
    source: Annotated[
        str,
        Meta(
            description="Source corpus of linked sentences.",
            extra=refers_to("corpus"),
        ),
    ] = ""
    target: Annotated[
        str,
        Meta(
            description="Target corpus of linked sentences.",
            extra=refers_to("corpus"),
        ),
    ] = ""
    out: Annotated[
        Path,
        Meta(
            description="File to write. The formats moses, tei and paraconc add the "
            "languages to its name. Can be .gz, .xz or .zst, except parquet and xlsx."
        ),
    ]
    format: Annotated[
        PairFormatChoice,
        Meta(description="File format. auto: by the file name."),
    ] = "auto"
    verdicts: Annotated[
        tuple[WantedVerdict, ...],
        Meta(
            description="Include only pairs with these verdicts. Default: accepted "
            "pairs, or all pairs if none is judged; of aligned documents, all links "
            "but rejected ones.",
            extra={"option": "verdict"},
        ),
    ] = ()
    threshold: Annotated[
        Score | None, Meta(description="Lowest score of a pair. Default: no minimum.")
    ] = None
    tags: Annotated[
        tuple[str, ...],
        Meta(
            description="Include only pairs with one of these tags.",
            extra={"option": "tag"},
        ),
    ] = ()
    with_candidates: Annotated[
        bool,
        Meta(description="Include candidates that were not selected, after the pairs."),
    ] = False
    as_imported: Annotated[
        bool,
        Meta(description="Export the texts as imported, without edits."),
    ] = False
    formulas: Annotated[
        FormulaChoice,
        Meta(
            description="Whether to put an apostrophe before cells that a spreadsheet "
            "program would take for a formula (=, +, - or @ comes first). auto: in CSV "
            "only."
        ),
    ] = "auto"
    replace: Annotated[bool, Meta(description="Overwrite the file if it exists.")] = (
        False
    )


PairsName = Annotated[
    str,
    Meta(min_length=1, description="The pair set.", extra=refers_to("pair set")),
]
Annotator = Annotated[
    str,
    Meta(
        max_length=200,
        description="Name of the annotator. Empty: as in the settings or the file.",
    ),
]


class ExportPackage(TaskParams, frozen=True, kw_only=True, tag="export-package"):
    """Export pairs to a file that another annotator can judge."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    pairs: PairsName
    out: Annotated[
        Path, Meta(title="File", description="File to write. It must not exist.")
    ]
    n: Annotated[
        int,
        Meta(title="Pairs", ge=1, le=10_000, description="Largest number of pairs."),
    ] = 200
    order: Annotated[
        Literal["shuffled", "score", "value"],
        Meta(
            description="Which pairs to export first: random pairs (shuffled), the "
            "best scores (score), or the most informative for the threshold (value)."
        ),
    ] = "shuffled"
    which: Annotated[
        JudgementFilter, Meta(description="Include only pairs with this verdict.")
    ] = "all"
    seed: Seed = 1
    with_scores: Annotated[
        bool,
        Meta(
            description="Include the scores. They can influence the annotator. Your "
            "judgements are never included."
        ),
    ] = False


class OpenPackage(TaskParams, frozen=True, kw_only=True, tag="open-package"):
    """Import a package of pairs to judge them."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    package: Annotated[Path, Meta(description="Package to open.")]


class ReturnPackage(TaskParams, frozen=True, kw_only=True, tag="return-package"):
    """Write your judgements of a package to a file to return."""

    needs_project: ClassVar[bool] = True

    pairs: PairsName
    out: Annotated[
        Path, Meta(title="File", description="File to write. It must not exist.")
    ]
    annotator: Annotator = ""


class MergePackage(TaskParams, frozen=True, kw_only=True, tag="merge-package"):
    """Import the judgements that another annotator returned."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    package: Annotated[Path, Meta(description="Returned file to merge.")]
    annotator: Annotator = ""
