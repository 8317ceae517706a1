"""Params of the tasks that import corpora, export vectors and make sub-corpora."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from app.languages import strip_language
from app.params.base import ProjectTask, WritingTask, option
from app.params.vectors import EncoderName
from app.params.words import Corpora
from app.paths import strip_compression

SourceFormat = Literal[
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
CorpusFormat = Literal["auto", SourceFormat]


MAX_SIDES = 24  # of a parallel text, in a table or set in the window


class ImportCorpus(WritingTask, frozen=True, kw_only=True, tag="import-corpus"):
    """Import one or more files as corpora of the project."""

    files: Annotated[
        tuple[Path, ...],
        option(
            "File to import. Repeat it for the sides of a parallel text. The files of "
            "a folder become the documents of one corpus.",
            min_length=1,
            name="file",
        ),
    ]
    languages: Annotated[
        tuple[str, ...],
        option(
            "Language of each side (ISO 639-1, 639-3 or BCP 47). TMX, XLIFF and TEI "
            "files declare their own. In tables without it, columns named after "
            "languages, or two texts in different languages, are sides.",
            name="language",
        ),
    ] = ()
    names: Annotated[
        tuple[str, ...],
        option(
            "Name of each corpus (default: the file name without ending and language).",
            name="name",
        ),
    ] = ()
    format: Annotated[
        CorpusFormat, option("File format (auto: from the file name).")
    ] = "auto"
    columns: Annotated[
        tuple[str, ...],
        option(
            "Column of each side: a header name or a number from 1, a JSONL key, or a "
            "Parquet column."
        ),
    ] = ()
    label_column: Annotated[
        str, option("Column with the label of the sentence (XLIFF: state).")
    ] = ""
    language_column: Annotated[
        str,
        option(
            "Column or JSONL key with the language of each sentence. Rows without a "
            "value are in the language of the corpus."
        ),
    ] = ""
    sides: Annotated[
        Literal["translations", "pairs"],
        option(
            "What the sides of a row are: translations, which are linked, or the texts "
            "of a labelled pair, which are only stored row by row."
        ),
    ] = "translations"
    header: Annotated[
        Literal["auto", "yes", "no"],
        option("Whether the first row of a table is a header."),
    ] = "auto"
    delimiter: Annotated[str, option("Delimiter of a table (default: detected).")] = ""
    quoting: Annotated[
        Literal["auto", "double", "none"], option("Quoting of a CSV or TSV table.")
    ] = "auto"
    encoding: Annotated[
        str, option("Character encoding of the file (default: detected).")
    ] = ""
    split: Annotated[
        bool, option("Split paragraphs into sentences (plain text only).")
    ] = False
    join_lines: Annotated[
        Literal["auto", "yes", "no"],
        option(
            "Join the lines of a paragraph, which ends at an empty line (plain text "
            "only; auto: if paragraphs are split and lines end within sentences)."
        ),
    ] = "auto"
    fuzzy: Annotated[
        bool, option("PO: also import translations that are marked as fuzzy.")
    ] = False
    plurals: Annotated[
        bool,
        option(
            "PO: also import entries with plural forms: the singular with its form, "
            "and the plural with each of the others."
        ),
    ] = False
    together: Annotated[
        bool,
        option("Import several files as one corpus, with each file as a document."),
    ] = False
    fields_pattern: Annotated[
        str,
        option(
            "Pattern of fields in folder and file names, without the extension: "
            "'{genre}/{author}_{year}'. {_} is ignored.",
            max_length=500,
            window="Fields that are parts of folder and file names.",
        ),
    ] = ""
    document_column: Annotated[
        str,
        option(
            "Column, JSONL key or CoNLL-U comment with the document of each sentence."
        ),
    ] = ""
    field_columns: Annotated[
        tuple[str, ...],
        option(
            "Column, JSONL key or CoNLL-U comment with a field of the document, such "
            "as author, year or genre.",
            max_length=100,
            name="field-column",
        ),
    ] = ()
    number_fields: Annotated[
        tuple[str, ...],
        option(
            "Numeric field, as year always is. Other values are reported and ignored.",
            max_length=100,
            name="number-field",
        ),
    ] = ()


class ExportVectors(ProjectTask, frozen=True, kw_only=True, tag="export-vectors"):
    """Export the vectors of a corpus as .npy, with its sentence ids and texts."""

    corpus: Annotated[str, option("Corpus to export.", refers_to="corpus")]
    out: Annotated[Path, option("Folder to export to.")]
    encoder: EncoderName = ""
    raw: Annotated[
        bool,
        option("Export vectors with their original lengths instead of unit vectors."),
    ] = False


class MakeSubcorpus(WritingTask, frozen=True, kw_only=True, tag="make-subcorpus"):
    """Select sentences step by step, and save them as a sub-corpus."""

    corpora: Corpora = ()
    steps: Annotated[
        tuple[str, ...],
        option(
            "A step, applied to the sentences that the previous one kept: 'field "
            "author=Keller', 'field year=1850..1890', 'document B*', 'words haus*', "
            "'regex ^Ich', 'language de', 'length min=20 max=200', 'near text=\"the "
            "sea\" top=500', 'label spam', 'translated into=de', 'within NAME', "
            "'sample n=1000 seed=1'; 'not' before a step inverts it.",
            name="step",
            window="Steps, each applied to the sentences that the previous one kept.",
        ),
    ] = ()
    name: Annotated[
        str, option("Name of the sub-corpus (without one: only count).", max_length=200)
    ] = ""
    again: Annotated[
        bool,
        option(
            "Update the sub-corpus with this name, using these steps or, without any, "
            "its own. You can undo this."
        ),
    ] = False
    encoder: Annotated[str, option("Encoder for the step near.")] = ""


class DescribeDocuments(
    WritingTask, frozen=True, kw_only=True, tag="describe-documents"
):
    """Import fields of the documents of a corpus from a table."""

    corpus: Annotated[str, option("The corpus.", refers_to="corpus")]
    file: Annotated[
        Path,
        option(
            "TSV, CSV or XLSX file with a header. The first column names the document, "
            "the others are fields."
        ),
    ]


def name_corpora(paths: Sequence[Path], codes: Sequence[str]) -> list[str]:
    """Name the corpora of an import after their files, without extension and language.

    Equal names keep the language. Digits alone would be an id, so such a name keeps its
    language, or else its extension.

    Args:
        paths: file or folder of each side.
        codes: language of each side.
    """
    names = [_plain_name(path, codes) for path in paths]
    if len(set(names)) == len(names):
        return names
    return [f"{name}.{code}" for name, code in zip(names, codes, strict=True)]


def _plain_name(path: Path, codes: Sequence[str]) -> str:
    if path.is_dir():
        return path.resolve().name
    name = strip_compression(path).name
    stem = name if strip_language(name, codes) != name else Path(name).stem
    choices = (strip_language(stem, codes), stem, name)
    return next((one for one in choices if not one.isdigit()), name)
