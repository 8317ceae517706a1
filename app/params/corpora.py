"""Params of the tasks that import corpora, export vectors and make sub-corpora."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from app.params.base import TaskParams
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
            description="File to read; twice for the two sides of a parallel text; a "
            "folder: all files of one kind in it, each a document of one corpus.",
            extra={"option": "file"},
        ),
    ]
    languages: Annotated[
        tuple[str, ...],
        Meta(
            description="Language of each side (ISO 639-1, 639-3 or BCP 47); a TMX, "
            "XLIFF or TEI file says its own; of a table without this, columns named "
            "after languages, or two texts in different ones, are sides.",
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
    together: Annotated[
        bool,
        Meta(
            description="Several files are one corpus, and each of them is a document, "
            "as with a folder."
        ),
    ] = False
    fields_pattern: Annotated[
        str,
        Meta(
            max_length=500,
            description="Fields in the names of folders and files, without the ending: "
            "'{genre}/{author}_{year}'; {_} is none. Empty: none.",
        ),
    ] = ""
    document_column: Annotated[
        str,
        Meta(
            description="Column, JSONL key or CoNLL-U comment that names the document "
            "of a sentence. Empty: none."
        ),
    ] = ""
    field_columns: Annotated[
        tuple[str, ...],
        Meta(
            max_length=100,
            description="Column, JSONL key or CoNLL-U comment that is a field of the "
            "document: author, year, genre.",
            extra={"option": "field-column"},
        ),
    ] = ()
    number_fields: Annotated[
        tuple[str, ...],
        Meta(
            max_length=100,
            description="Field that is a number, as year always is: other values are "
            "told and left out.",
            extra={"option": "number-field"},
        ),
    ] = ()


class ExportVectors(TaskParams, frozen=True, kw_only=True, tag="export-vectors"):
    """Write a corpus's vectors as .npy and its sentence ids and texts beside it."""

    needs_project: ClassVar[bool] = True

    corpus: Annotated[str, Meta(description="Name or id of the corpus.")]
    out: Annotated[Path, Meta(description="Folder to write into.")]
    encoder: Annotated[str, Meta(description="Encoder; default: the bundled one.")] = ""
    raw: Annotated[
        bool, Meta(description="Give back the vectors' lengths (not unit rows).")
    ] = False


class MakeSubcorpus(TaskParams, frozen=True, kw_only=True, tag="make-subcorpus"):
    """Choose sentences by a chain of queries; with a name they are kept."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpora: Corpora = ()
    steps: Annotated[
        tuple[str, ...],
        Meta(
            description="A step of the chain, applied to what the one before left: "
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
        Meta(max_length=200, description="Name to keep it by; empty: only count."),
    ] = ""
    again: Annotated[
        bool,
        Meta(
            description="Make the sub-corpus of that name anew, by these steps, "
            "without steps by its own. It can be undone."
        ),
    ] = False
    encoder: Annotated[str, Meta(description="Encoder of the step near.")] = ""


class DescribeDocuments(
    TaskParams, frozen=True, kw_only=True, tag="describe-documents"
):
    """Give the documents of a corpus fields, from a table with a row for each."""

    needs_project: ClassVar[bool] = True
    writes_project: ClassVar[bool] = True

    corpus: Annotated[str, Meta(description="Name or id of the corpus.")]
    file: Annotated[
        Path,
        Meta(
            description="TSV, CSV or XLSX with a header; the first column names the "
            "document, the others are fields."
        ),
    ]
