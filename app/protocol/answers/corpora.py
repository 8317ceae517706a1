"""Answers about corpora: import previews and the steps of sub-corpora."""

import msgspec


class StepCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of sentences after the steps of a sub-corpus.

    Attributes:
        counts: sentences before the first step, and after each step.
        file: remaining ids, an `.npy` of int64 (n,).
        n: number of remaining ids.
        problems: why each step was skipped; empty strings for the others.
        not_indexed: ids of corpora whose words a step needs.
        not_encoded: ids of corpora whose vectors a step needs.
    """

    counts: list[int]
    file: str
    n: int
    problems: list[str]
    not_indexed: list[int]
    not_encoded: list[int]


class SidePreview(msgspec.Struct, frozen=True):
    """One side of a text: the column it is read from, and its language.

    Attributes:
        column: name of the column or the file; empty without a choice.
        language: as set by the user or declared in the file; may be empty.
        guess: code of the detected language; empty without text.
        confidence: of the guess, 0…1.
        mismatch: a warning if the guess is not the language; else empty.
    """

    column: str = ""
    language: str = ""
    guess: str = ""
    confidence: float = 0.0
    mismatch: str = ""


class DocumentPreview(msgspec.Struct, frozen=True):
    """The name and the fields of a document."""

    name: str
    fields: dict[str, str]


class ImportPreview(msgspec.Struct, frozen=True, kw_only=True):
    """A preview of an import.

    Attributes:
        format: the detected or chosen format.
        encoding, encoding_confidence, encoding_alternatives: see EncodingGuess.
        delimiter: delimiter of a table; empty for other formats.
        is_quoted, has_header: of a table.
        columns: names of all columns; for other formats, of the sides.
        rows: first rows of all columns, without the header, with long cells clipped.
        sides: sides to import.
        n_rows: number of rows or sentences that have text on every side; an estimate
            if `is_estimate`.
        notes: remarks on how the file would be read.
        declares_languages: whether the file declares the language of each side.
        problem: reason why the files can't be imported; empty if they can.
        documents: first 50 documents, with their fields.
        n_documents: documents in the part that was read; 0 if the source has none.
        document_fields: names of the documents' fields.
        document_problems: first 10 problems of fields.
        field_choices: columns, keys or comments that can be fields.
        guessed_document, guessed_fields: columns that look like the document of each
            row and like its fields.
        is_many: whether each file is a document.
        are_aligned: whether several text files have equally many lines, in different
            languages.
        is_hard_wrapped: whether the lines of a plain text end within sentences.
    """

    format: str = ""
    encoding: str = ""
    encoding_confidence: float = 1.0
    encoding_alternatives: tuple[str, ...] = ()
    delimiter: str = ""
    is_quoted: bool = False
    has_header: bool = False
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    sides: tuple[SidePreview, ...] = ()
    n_rows: int = 0
    is_estimate: bool = False
    notes: tuple[str, ...] = ()
    declares_languages: bool = False
    problem: str = ""
    documents: tuple[DocumentPreview, ...] = ()
    n_documents: int = 0
    document_fields: tuple[str, ...] = ()
    document_problems: tuple[str, ...] = ()
    field_choices: tuple[str, ...] = ()
    guessed_document: str = ""
    guessed_fields: tuple[str, ...] = ()
    is_many: bool = False
    are_aligned: bool = False
    is_hard_wrapped: bool = False

    @property
    def has_columns(self) -> bool:
        """Whether the format has columns to choose from."""
        return self.format in ("tsv", "csv", "xlsx", "jsonl", "parquet")

    @property
    def has_more_documents(self) -> bool:
        """Whether the part that was not read may contain further documents."""
        return self.is_estimate and not self.is_many

    @property
    def is_delimited(self) -> bool:
        """Whether the format has a delimiter and quotes."""
        return self.format in ("tsv", "csv")
