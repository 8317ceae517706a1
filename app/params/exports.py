"""Params of the task that takes pairs out of the project."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams
from app.params.mining import Score

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
