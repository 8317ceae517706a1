"""Detect the delimiter, quotes and header of a table, and choose its columns."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from app.engine.text.documents import SourceDocument
from app.engine.text.readers.language_columns import (
    ParallelColumns,
    check_columns,
    columns_in,
    columns_of_languages,
    describe_language_columns,
    describe_other_columns,
    find_language_columns,
    find_source_and_target,
    language_of_column,
)
from app.errors import UserError
from app.languages import parse_language
from app.params.corpora import ImportCorpus
from app.plurals import count_text

_DELIMITERS = (",", ";", "\t", "|")
_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
_HEADER_NAMES = frozenset(
    (
        *("author", "category", "class", "content", "document", "genre", "gold_label"),
        *("hypothesis", "id", "index", "intent", "label", "lang", "language", "line"),
        *("line_id", "original", "polarity", "premise", "question1", "question2"),
        *("score", "segment", "sentence", "sentence_id", "speaker", "title", "year"),
        *("sentence1", "sentence2", "sentence_a", "sentence_b", "sentiment"),
        *("similarity", "source", "src", "target", "text", "text1", "text2", "text_a"),
        *("text_b", "tgt", "topic", "translation", "utterance"),
    )
)
_NUMBER = re.compile(r"[-+]?[\d.,]+%?")
N_SAMPLE = 200


class TableLayout(NamedTuple):
    """The layout of a table.

    Attributes:
        delimiter: one character.
        is_quoted: whether cells may be in double quotes and contain line feeds.
        has_header: the first row names the columns.
        names: column names from the header, or "1", "2", …
    """

    delimiter: str
    is_quoted: bool
    has_header: bool
    names: tuple[str, ...]


def detect_layout(lines: Sequence[str], params: ImportCorpus, kind: str) -> TableLayout:
    """Detect the layout of a table from its first lines.

    Args:
        lines: first lines of the file.
        params: params of the import, which take precedence.
        kind: "tsv" or "csv".
    """
    delimiter = _choose_delimiter(lines, params.delimiter, kind)
    is_quoted = params.quoting == "double" or (
        params.quoting == "auto"
        and (delimiter != "\t" or looks_quoted(lines, delimiter))
    )
    rows = split_sample(lines, delimiter, is_quoted=is_quoted)
    has_header = params.header == "yes" or (
        params.header == "auto" and looks_like_header(rows, params)
    )
    return TableLayout(delimiter, is_quoted, has_header, column_names(rows, has_header))


def split_sample(
    lines: Sequence[str], delimiter: str, *, is_quoted: bool
) -> list[list[str]]:
    """Split the first lines of a table into rows of cells."""
    sample = [line for line in lines if line][:N_SAMPLE]
    if not is_quoted:
        return [line.split(delimiter) for line in sample]
    try:
        return list(csv.reader((f"{line}\n" for line in sample), delimiter=delimiter))
    except csv.Error:
        return [line.split(delimiter) for line in sample]


def column_names(rows: Sequence[Sequence[str]], has_header: bool) -> tuple[str, ...]:
    """Return the column names from the header, or numbers from 1."""
    n_columns = max((len(row) for row in rows), default=0)
    names = [str(number) for number in range(1, n_columns + 1)]
    if has_header and rows:
        for index, cell in enumerate(rows[0]):
            names[index] = cell.strip() or names[index]
    return tuple(names)


def looks_like_header(rows: Sequence[Sequence[str]], params: ImportCorpus) -> bool:
    """Return whether the first row names the columns."""
    if not rows or not rows[0]:
        return False
    first = [cell.strip() for cell in rows[0]]
    wanted = [*params.columns, params.label_column, params.language_column]
    wanted += [params.document_column, *params.field_columns]
    if any(name in first for name in wanted if name and not name.isdigit()):
        return True
    if not first[0] and len(first) > 1:
        del first[0]  # row numbers in a column without a name
        rows = [row[1:] for row in rows]
    if not all(first) or len(set(first)) < len(first) or max(map(len, first)) > 40:
        return False
    if any(cell.casefold() in _HEADER_NAMES for cell in first):
        return True
    if all(len(cell) < 12 and parse_language(cell).known for cell in first):
        return True
    if len({language_of_column(cell) for cell in first} - {""}) > 1:
        return True
    return any(
        not _NUMBER.fullmatch(first[index])
        and len(rows) > 2
        and all(
            len(row) > index and _NUMBER.fullmatch(row[index].strip())
            for row in rows[1:]
        )
        for index in range(len(first))
    )


def _choose_delimiter(lines: Sequence[str], wanted: str, kind: str) -> str:
    if wanted:
        delimiter = _NAMES.get(wanted.casefold(), wanted)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise UserError(
                f"The delimiter {wanted!r} is not one character. Use , or ; or tab."
            )
        return delimiter
    if kind == "tsv":
        return "\t"
    sample = [line for line in lines if line][:N_SAMPLE]
    return max(_DELIMITERS, key=lambda mark: _fitness(sample, mark))


def _fitness(lines: Sequence[str], mark: str) -> tuple[int, int]:
    """Return a score of how constant the count of a delimiter is over lines.

    Ties are resolved in favour of delimiters rarely followed by a space, unlike commas
    in sentences.
    """
    outside = ["".join(line.split('"')[::2]) for line in lines]
    counts = Counter(text.count(mark) for text in outside)
    del counts[0]
    n_spaced = sum(text.count(f"{mark} ") for text in outside)
    return max(counts.values(), default=0), -n_spaced


def looks_quoted(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether each cell that starts with a quote is completely quoted."""
    n_quoted = 0
    for line in lines[:N_SAMPLE]:
        for cell in line.split(delimiter):
            if cell.startswith('"'):
                inner = cell[1:-1].replace('""', "")
                if len(cell) < 2 or not cell.endswith('"') or '"' in inner:
                    return False
                n_quoted += 1
            elif '"' in cell:
                return False
    return n_quoted > 0


_TEXT_NAMES = ("text", "sentence", "segment", "content", "utterance", "source")


class TableColumns(NamedTuple):
    """Indices of the columns to read; None for no label, language or document.

    Attributes:
        fields: names and columns of document fields.
        languages: languages of the sides, given or detected; empty: unknown.
        notes: sentences on detected sides.
    """

    sides: tuple[int, ...]
    label: int | None
    language: int | None = None
    document: int | None = None
    fields: tuple[tuple[str, int], ...] = ()
    languages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The last column that each row must have."""
        return max((*self.sides, self.label or 0, self.language or 0))

    @property
    def last_of_all(self) -> int:
        """The last column that is read."""
        return max(self.last, self.document or 0, *(place for _, place in self.fields))

    @property
    def has_documents(self) -> bool:
        """Whether a column describes documents."""
        return self.document is not None or bool(self.fields)

    def mark(self, row: Sequence[str]) -> SourceDocument:
        """Read the document of a row."""
        cells = [
            (name, row[index] if index < len(row) else "")
            for name, index in self.fields
        ]
        index = self.document
        if index is not None:
            return SourceDocument(row[index] if index < len(row) else "", tuple(cells))
        values = [cell.strip() for _, cell in cells]
        return SourceDocument(" · ".join(filter(None, values)), tuple(cells))


def choose_columns(
    shape: TableLayout, rows: Sequence[Sequence[str]], params: ImportCorpus
) -> TableColumns:
    """Choose the columns of a table: the user's choice, or the most likely.

    Args:
        shape: layout of the table.
        rows: first rows without the header.

    Raises:
        UserError: a column is missing, or the columns can't be recognized.
    """
    label, language, document = (
        _column_index(shape, name, params) if name else None
        for name in (
            params.label_column,
            params.language_column,
            params.document_column,
        )
    )
    places = [_column_index(shape, name, params) for name in params.field_columns]
    fields = tuple((shape.names[place], place) for place in places)
    chosen = TableColumns((), label, language, document, fields)
    if params.columns:
        return chosen._replace(**_chosen_sides(shape, params))
    taken = (label, language, document, *places)
    others = [index for index in range(len(shape.names)) if index not in taken]
    if not others:
        raise UserError(f"{params.files[0]} has no rows of text to import.")
    return chosen._replace(**_found_sides(shape, rows, others, params))


def _chosen_sides(shape: TableLayout, params: ImportCorpus) -> dict[str, Any]:
    """Return the columns chosen by the user, and their languages if known."""
    check_columns(params)
    sides = tuple(_column_index(shape, name, params) for name in params.columns)
    called = tuple(language_of_column(shape.names[index]) for index in sides)
    return {"sides": sides, "languages": params.languages or called}


def _found_sides(
    shape: TableLayout,
    rows: Sequence[Sequence[str]],
    others: list[int],
    params: ImportCorpus,
) -> dict[str, Any]:
    """Find the most likely columns; texts in two languages are two sides."""
    languages = params.languages
    if len(languages) > 1:
        return _given_sides(shape, rows, others, params)
    found = None
    if len(others) > 1 and not params.language_column:
        found = find_language_columns(shape.names, rows, others)
    if found is None or languages:
        index = _likely_column(shape, rows, others, languages, found)
        notes = (describe_other_columns(shape.names, found, index),) if found else ()
        called = languages or (language_of_column(shape.names[index]),)
        return {"sides": (index,), "languages": called, "notes": notes}
    return {
        "sides": found.columns,
        "languages": found.languages,
        "notes": (describe_language_columns(shape.names, found),),
    }


def _given_sides(
    shape: TableLayout,
    rows: Sequence[Sequence[str]],
    others: list[int],
    params: ImportCorpus,
) -> dict[str, Any]:
    """Find the columns of several languages by name, by text, or by order."""
    n = len(params.languages)
    codes = [parse_language(language).code for language in params.languages]
    sides = columns_of_languages(shape.names, rows, others, codes)
    if not sides and n == 2:
        sides = find_source_and_target(shape.names) or ()
    if sides:
        return {"sides": sides, "languages": params.languages}
    found = find_language_columns(shape.names, rows, others) if n == 2 else None
    sides = tuple(columns_in(codes, found)) if found else ()
    if found and len(set(sides)) == n:
        notes = (describe_language_columns(shape.names, found),)
        return {"sides": sides, "languages": params.languages, "notes": notes}
    if n == len(others):
        return {"sides": tuple(others), "languages": params.languages}
    raise UserError(
        f"{params.files[0].name} has {count_text(len(shape.names), 'column')} for "
        f"{n} languages. Set the column of each language."
    )


def _column_index(shape: TableLayout, name: str, params: ImportCorpus) -> int:
    if name in shape.names:
        return shape.names.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(shape.names):
        return int(name) - 1
    listed = ", ".join(shape.names[:20])
    raise UserError(
        f"{params.files[0].name} has no column {name!r}: its columns are {listed} "
        "(or their numbers, from 1)."
    )


def _likely_column(
    shape: TableLayout,
    rows: Sequence[Sequence[str]],
    others: list[int],
    languages: tuple[str, ...],
    found: ParallelColumns | None,
) -> int:
    codes = [parse_language(language).code for language in languages]
    named = [i for i in others if shape.names[i].casefold() in _TEXT_NAMES]
    coded = columns_of_languages(shape.names, rows, others, codes) if codes else ()
    fitting = columns_in(codes, found) if found else []
    likely = [*fitting, *named, *coded] or [_longest_column(rows, others)]
    return likely[0]


def _longest_column(rows: Sequence[Sequence[str]], others: list[int]) -> int:
    """Find the column with most text; long addresses and ids contain no spaces."""

    def size(index: int) -> tuple[bool, int]:
        cells = [row[index] for row in rows if len(row) > index and row[index]]
        n_codes = sum(cell.isascii() and " " not in cell.strip() for cell in cells)
        return 2 * n_codes < len(cells), sum(map(len, cells))

    return max(others, key=size)
