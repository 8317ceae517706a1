"""Params of the tasks that bring corpora in and take them out."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams

CorpusFormat = Literal[
    "auto",
    "text",
    "tsv",
    "csv",
    "xlsx",
    "moses",
    "tmx",
    "xliff",
    "po",
    "conllu",
    "jsonl",
    "parquet",
]


class ImportCorpus(TaskParams, frozen=True, kw_only=True, tag="import-corpus"):
    """Import one or more files as corpora of the project."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    files: Annotated[
        tuple[Path, ...],
        Meta(
            min_length=1,
            description="File to read; twice for the two sides of a parallel text.",
            extra={"option": "file"},
        ),
    ]
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Language of each side (ISO 639-1, 639-3 or BCP 47); a TMX or "
            "XLIFF file says its own.",
            extra={"option": "language"},
        ),
    ] = ()
    names: Annotated[
        tuple[str, ...],
        Meta(
            description="Name of each corpus; default: the file's name.",
            extra={"option": "name"},
        ),
    ] = ()
    format: Annotated[
        CorpusFormat, Meta(description="Format; auto: from the file's name.")
    ] = "auto"
    columns: Annotated[
        tuple[str, ...],
        Meta(
            description="Column of each side in a table: a name of the header or a "
            "number from 1; a JSONL key; a column of Parquet.",
        ),
    ] = ()
    label_column: Annotated[
        str,
        Meta(
            description="Column whose value labels the sentence (XLIFF: state); empty: "
            "none."
        ),
    ] = ""
    language_column: Annotated[
        str,
        Meta(
            description="Column of a table, or JSONL key, that says the language of "
            "each sentence in a corpus of several; rows where it is empty are in the "
            "corpus's language. Empty: none."
        ),
    ] = ""
    sides: Annotated[
        Literal["translations", "pairs"],
        Meta(
            description="What the sides of a row are: translations of each other, "
            "which are linked; or the texts of a labelled pair, which are only kept "
            "row by row."
        ),
    ] = "translations"
    header: Annotated[
        Literal["auto", "yes", "no"],
        Meta(description="Whether the first row of a table names its columns."),
    ] = "auto"
    delimiter: Annotated[
        str, Meta(description="Delimiter of a table; empty: found from the file.")
    ] = ""
    quoting: Annotated[
        Literal["auto", "double", "none"],
        Meta(description="Quoting of a CSV or TSV table."),
    ] = "auto"
    encoding: Annotated[
        str, Meta(description="Encoding of the text; empty: found from the file.")
    ] = ""
    split: Annotated[
        bool, Meta(description="Split paragraphs into sentences (plain text only).")
    ] = False


class ExportVectors(TaskParams, frozen=True, kw_only=True, tag="export-vectors"):
    """Write a corpus's vectors as .npy and its sentence ids and texts beside it."""

    needs_project: ClassVar[bool] = True

    corpus: Annotated[str, Meta(description="Name or id of the corpus.")]
    out: Annotated[Path, Meta(description="Folder to write into.")]
    encoder: Annotated[str, Meta(description="Encoder; default: the bundled one.")] = ""
    raw: Annotated[
        bool, Meta(description="Give back the vectors' lengths (not unit rows).")
    ] = False
