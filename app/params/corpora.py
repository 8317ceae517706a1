"""Params of the tasks that import corpora, export vectors and make sub-corpora."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams, refers_to
from app.params.vectors import EncoderName
from app.params.words import Corpora

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
    "tei",
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
            description="File to import. Repeat it for the sides of a parallel text. "
            "The files of a folder become the documents of one corpus.",
            extra={"option": "file"},
        ),
    ]
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Language of each side (ISO 639-1, 639-3 or BCP 47). TMX, "
            "XLIFF and TEI files declare their own. In tables without it, columns "
            "named after "
            "languages, or two texts in different languages, are sides.",
            extra={"option": "language"},
        ),
    ] = ()
    names: Annotated[
        tuple[str, ...],
        Meta(
            description="Name of each corpus (default: the file name).",
            extra={"option": "name"},
        ),
    ] = ()
    format: Annotated[
        CorpusFormat, Meta(description="File format (auto: from the file name).")
    ] = "auto"
    columns: Annotated[
        tuple[str, ...],
        Meta(
            description="Column of each side: a header name or a number from 1, a "
            "JSONL "
            "key, or a Parquet column.",
        ),
    ] = ()
    label_column: Annotated[
        str,
        Meta(description="Column with the label of the sentence (XLIFF: state)."),
    ] = ""
    language_column: Annotated[
        str,
        Meta(
            description="Column or JSONL key with the language of each sentence. Rows "
            "without "
            "a value are in the language of the corpus."
        ),
    ] = ""
    sides: Annotated[
        Literal["translations", "pairs"],
        Meta(
            description="What the sides of a row are: translations, which are linked, "
            "or "
            "the texts of a labelled pair, which are only stored row by row."
        ),
    ] = "translations"
    header: Annotated[
        Literal["auto", "yes", "no"],
        Meta(description="Whether the first row of a table is a header."),
    ] = "auto"
    delimiter: Annotated[
        str, Meta(description="Delimiter of a table (default: detected).")
    ] = ""
    quoting: Annotated[
        Literal["auto", "double", "none"],
        Meta(description="Quoting of a CSV or TSV table."),
    ] = "auto"
    encoding: Annotated[
        str, Meta(description="Character encoding of the file (default: detected).")
    ] = ""
    split: Annotated[
        bool, Meta(description="Split paragraphs into sentences (plain text only).")
    ] = False
    fuzzy: Annotated[
        bool,
        Meta(description="PO: also import translations that are marked as fuzzy."),
    ] = False
    plurals: Annotated[
        bool,
        Meta(
            description="PO: also import entries with plural forms: the singular with "
            "its form, and the plural with each of the others."
        ),
    ] = False
    together: Annotated[
        bool,
        Meta(
            description="Import several files as one corpus, with each file as a "
            "document."
        ),
    ] = False
    fields_pattern: Annotated[
        str,
        Meta(
            max_length=500,
            description="Pattern of fields in folder and file names, without the "
            "extension: "
            "'{genre}/{author}_{year}'. {_} is ignored.",
        ),
    ] = ""
    document_column: Annotated[
        str,
        Meta(
            description="Column, JSONL key or CoNLL-U comment with the document of "
            "each "
            "sentence."
        ),
    ] = ""
    field_columns: Annotated[
        tuple[str, ...],
        Meta(
            max_length=100,
            description="Column, JSONL key or CoNLL-U comment with a field of the "
            "document, "
            "such as author, year or genre.",
            extra={"option": "field-column"},
        ),
    ] = ()
    number_fields: Annotated[
        tuple[str, ...],
        Meta(
            max_length=100,
            description="Numeric field, as year always is. Other values are reported "
            "and "
            "ignored.",
            extra={"option": "number-field"},
        ),
    ] = ()


class ExportVectors(TaskParams, frozen=True, kw_only=True, tag="export-vectors"):
    """Export the vectors of a corpus as .npy, with its sentence ids and texts."""

    needs_project: ClassVar[bool] = True

    corpus: Annotated[
        str, Meta(description="Corpus to export.", extra=refers_to("corpus"))
    ]
    out: Annotated[Path, Meta(description="Folder to export to.")]
    encoder: EncoderName = ""
    raw: Annotated[
        bool,
        Meta(
            description="Export vectors with their original lengths instead of unit "
            "vectors."
        ),
    ] = False


class MakeSubcorpus(TaskParams, frozen=True, kw_only=True, tag="make-subcorpus"):
    """Select sentences step by step, and save them as a sub-corpus."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    steps: Annotated[
        tuple[str, ...],
        Meta(
            description="A step, applied to the sentences that the previous one kept: "
            "'field author=Keller', 'field year=1850..1890', 'document B*', "
            "'words haus*', 'regex ^Ich', 'language de', 'length min=20 max=200', "
            "'near text=\"the sea\" top=500', 'label spam', 'translated into=de', "
            "'within NAME', 'sample n=1000 seed=1'; 'not' before it turns it "
            "round.",
            extra={"option": "step"},
        ),
    ] = ()
    name: Annotated[
        str,
        Meta(
            max_length=200,
            description="Name of the sub-corpus (without one: only count).",
        ),
    ] = ""
    again: Annotated[
        bool,
        Meta(
            description="Update the sub-corpus with this name, using these steps or, "
            "without any, its own. You can undo this."
        ),
    ] = False
    encoder: Annotated[str, Meta(description="Encoder for the step near.")] = ""


class DescribeDocuments(
    TaskParams, frozen=True, kw_only=True, tag="describe-documents"
):
    """Import fields of the documents of a corpus from a table."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpus: Annotated[str, Meta(description="The corpus.", extra=refers_to("corpus"))]
    file: Annotated[
        Path,
        Meta(
            description="TSV, CSV or XLSX file with a header. The first column names "
            "the "
            "document, the others are fields."
        ),
    ]
