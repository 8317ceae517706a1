"""Params of the tasks that export pairs and exchange review packages."""

import re
from pathlib import Path
from typing import Annotated, Literal

from app.params.base import (
    Formulas,
    ProjectTask,
    ReplaceFile,
    Seed,
    WritingTask,
    option,
)
from app.params.mining import Threshold
from app.paths import strip_compression

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
_UNFIT = re.compile(r"[^\w-]+")  # unsuitable characters for a file name


def language_paths(
    out: Path, languages: tuple[str, str], format_: PairFormatChoice
) -> tuple[Path, Path]:
    """Return the files of both sides: letters.txt.gz → letters.de.txt.gz.

    If the sides have no language or the same language, they are called source and
    target.
    """
    plain = strip_compression(out)
    stem, ending = plain.stem, plain.suffix
    if format_ == "moses":
        stem, ending = plain.name.removesuffix(".moses"), ""
    ending += out.name.removeprefix(plain.name)
    tags = [_UNFIT.sub("-", language) for language in languages]
    if not all(tags) or tags[0].casefold() == tags[1].casefold():
        tags = ["source", "target"]
    first, second = (out.with_name(f"{stem}.{tag}{ending}") for tag in tags)
    return first, second


class ExportPairs(ProjectTask, frozen=True, kw_only=True, tag="export-pairs"):
    """Export pairs as a translation memory, a table or a parallel corpus."""

    pairs: Annotated[
        str,
        option(
            "The pair set. Default: the linked sentences of the source and the target "
            "corpus.",
            refers_to="pair set",
        ),
    ] = ""
    source: Annotated[
        str, option("Source corpus of linked sentences.", refers_to="corpus")
    ] = ""
    target: Annotated[
        str, option("Target corpus of linked sentences.", refers_to="corpus")
    ] = ""
    out: Annotated[
        Path,
        option(
            "File to write. The formats moses, tei and paraconc add the languages to "
            "its name. Can be .gz, .xz or .zst, except parquet and xlsx."
        ),
    ]
    format: Annotated[
        PairFormatChoice, option("File format. auto: by the file name.")
    ] = "auto"
    verdicts: Annotated[
        tuple[WantedVerdict, ...],
        option(
            "Include only pairs with these verdicts. Default: accepted pairs, or all "
            "pairs if none is judged; of aligned documents, all links but rejected "
            "ones.",
            name="verdict",
        ),
    ] = ()
    threshold: Threshold = None
    tags: Annotated[
        tuple[str, ...],
        option("Include only pairs with one of these tags.", name="tag"),
    ] = ()
    with_candidates: Annotated[
        bool, option("Include candidates that were not selected, after the pairs.")
    ] = False
    as_imported: Annotated[
        bool, option("Export the texts as imported, without edits.")
    ] = False
    formulas: Formulas = "auto"
    replace: ReplaceFile = False


PairsName = Annotated[str, option("The pair set.", min_length=1, refers_to="pair set")]
NewFile = Annotated[Path, option("File to write.", title="File")]
Annotator = Annotated[
    str,
    option("Name of the annotator. Default: the name in the settings.", max_length=200),
]


class ExportPackage(WritingTask, frozen=True, kw_only=True, tag="export-package"):
    """Export pairs to a file that another annotator can judge."""

    pairs: PairsName
    out: NewFile
    n: Annotated[
        int, option("Maximum number of pairs.", title="Pairs", ge=1, le=10_000)
    ] = 200
    order: Annotated[
        Literal["shuffled", "score", "value"],
        option(
            "Which pairs to export first: random pairs, those with the best scores, or "
            "the most informative ones for the threshold."
        ),
    ] = "shuffled"
    which: Annotated[
        JudgementFilter, option("Include only pairs with this verdict.")
    ] = "all"
    seed: Seed = 1
    with_scores: Annotated[
        bool,
        option(
            "Include the scores. They can influence the annotator. Your judgements are "
            "never included."
        ),
    ] = False
    replace: ReplaceFile = False


class OpenPackage(WritingTask, frozen=True, kw_only=True, tag="open-package"):
    """Import a package of pairs to judge them."""

    package: Annotated[Path, option("Package to open.")]


class ReturnPackage(ProjectTask, frozen=True, kw_only=True, tag="return-package"):
    """Write your judgements of a package to a file to return."""

    pairs: PairsName
    out: NewFile
    annotator: Annotator = ""
    replace: ReplaceFile = False


class MergePackage(WritingTask, frozen=True, kw_only=True, tag="merge-package"):
    """Import the judgements that another annotator returned."""

    package: Annotated[Path, option("Returned file to merge.")]
    annotator: Annotated[
        str,
        option("Name of the annotator. Default: the name in the file.", max_length=200),
    ] = ""
    same_annotator: Annotated[
        bool,
        option(
            "The annotator is the person who judged pairs in this project under the "
            "same name."
        ),
    ] = False
