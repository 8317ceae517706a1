"""Find out how a table is written, and which of its columns to take."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from app.engine.text.documents import Mark
from app.errors import UserError
from app.languages import parse_language
from app.params import ImportCorpus

_DELIMITERS = (",", ";", "\t", "|")
_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
_TEXT_NAMES = ("text", "sentence", "segment", "content", "utterance", "source")
_HEADER_NAMES = frozenset(
    (
        *("category", "class", "content", "gold_label", "hypothesis", "id", "index"),
        *("intent", "label", "lang", "language", "line", "line_id", "polarity"),
        *("premise", "question1", "question2", "score", "segment", "sentence"),
        *("sentence1", "sentence2", "sentence_a", "sentence_b", "sentiment"),
        *("similarity", "source", "src", "target", "text", "text1", "text2", "text_a"),
        *("text_b", "tgt", "topic", "translation", "utterance"),
    )
)
_SIDE_NAMES = (("source", "target"), ("src", "tgt"), ("src", "trg"))
_NUMBER = re.compile(r"[-+]?[\d.,]+%?")
N_SAMPLE = 200


class TableShape(NamedTuple):
    """How a table is written.

    Attributes:
        delimiter: one character.
        is_quoted: cells may stand in double quotes, with line feeds inside.
        has_header: the first row names the columns.
        names: names of the columns: of the header, or "1", "2", …
    """

    delimiter: str
    is_quoted: bool
    has_header: bool
    names: tuple[str, ...]


class TableColumns(NamedTuple):
    """Which columns are read, from 0; label, language, document None: there is none.

    Attributes:
        fields: names of the fields of documents, and their columns.
    """

    sides: tuple[int, ...]
    label: int | None
    language: int | None = None
    document: int | None = None
    fields: tuple[tuple[str, int], ...] = ()

    @property
    def last(self) -> int:
        """The last of those that each row must have."""
        return max((*self.sides, self.label or 0, self.language or 0))

    @property
    def last_of_all(self) -> int:
        """The last of them."""
        return max(self.last, self.document or 0, *(place for _, place in self.fields))

    @property
    def has_documents(self) -> bool:
        """Whether a column tells of documents."""
        return self.document is not None or bool(self.fields)

    def mark(self, row: Sequence[str]) -> Mark:
        """Read the document of a row."""
        cells = [
            (name, row[place] if place < len(row) else "")
            for name, place in self.fields
        ]
        place = self.document
        if place is not None:
            return Mark(row[place] if place < len(row) else "", tuple(cells))
        return Mark(" · ".join(cell for _, cell in cells if cell), tuple(cells))


def find_shape(lines: Sequence[str], params: ImportCorpus, kind: str) -> TableShape:
    """Find out how a table is written from its first lines.

    Args:
        lines: first lines of the file.
        params: the user's choices, which come first.
        kind: "tsv" or "csv".
    """
    delimiter = _choose_delimiter(lines, params.delimiter, kind)
    is_quoted = params.quoting == "double" or (
        params.quoting == "auto"
        and (delimiter != "\t" or _looks_quoted(lines, delimiter))
    )
    rows = split_sample(lines, delimiter, is_quoted=is_quoted)
    has_header = params.header == "yes" or (
        params.header == "auto" and looks_like_header(rows, params)
    )
    return TableShape(delimiter, is_quoted, has_header, column_names(rows, has_header))


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
    """Name the columns: by the header, else by their numbers from 1."""
    n_columns = max((len(row) for row in rows), default=0)
    names = [str(number) for number in range(1, n_columns + 1)]
    if has_header and rows:
        for index, cell in enumerate(rows[0]):
            names[index] = cell.strip() or names[index]
    return tuple(names)


def looks_like_header(rows: Sequence[Sequence[str]], params: ImportCorpus) -> bool:
    """Tell whether the first row names the columns."""
    if not rows:
        return False
    first = [cell.strip() for cell in rows[0]]
    wanted = [*params.columns, params.label_column, params.language_column]
    wanted += [params.document_column, *params.field_columns]
    if any(name in first for name in wanted if name and not name.isdigit()):
        return True
    if not all(first) or len(set(first)) < len(first) or max(map(len, first)) > 40:
        return False
    if any(cell.casefold() in _HEADER_NAMES for cell in first):
        return True
    if all(len(cell) < 12 and parse_language(cell).known for cell in first):
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


def choose_columns(
    shape: TableShape, rows: Sequence[Sequence[str]], params: ImportCorpus
) -> TableColumns:
    """Choose the columns of a table: the user's, or the likeliest.

    Args:
        shape: how it is written.
        rows: its first rows, without the header.
        params: the user's choices.

    Raises:
        UserError: a column is not there, or the columns can't be told.
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
    n_sides = max(1, len(params.languages))
    if params.columns:
        if params.languages and len(params.columns) != n_sides:
            raise UserError(
                f"{len(params.columns)} columns but {n_sides} languages were given: "
                "name one column for each language."
            )
        sides = [_column_index(shape, name, params) for name in params.columns]
        return TableColumns(tuple(sides), label, language, document, fields)
    n_columns = len(shape.names)
    taken = (label, language, document, *places)
    others = [index for index in range(n_columns) if index not in taken]
    if not others:
        raise UserError(f"{params.files[0]} has no row of text: nothing to import.")
    likely = _likely_columns(shape, rows, others, params)
    return TableColumns(likely, label, language, document, fields)


def find_sides(names: Sequence[str]) -> tuple[int, int] | None:
    """Find the columns called source and target; None where there are none."""
    plain = [name.casefold() for name in names]
    for source, target in _SIDE_NAMES:
        if source in plain and target in plain:
            return plain.index(source), plain.index(target)
    return None


def _choose_delimiter(lines: Sequence[str], wanted: str, kind: str) -> str:
    if wanted:
        delimiter = _NAMES.get(wanted.casefold(), wanted)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise UserError(
                f"The delimiter {wanted!r} is not one character: write , or ; or tab."
            )
        return delimiter
    if kind == "tsv":
        return "\t"
    sample = [line for line in lines if line][:N_SAMPLE]
    return max(_DELIMITERS, key=lambda mark: _fitness(sample, mark))


def _fitness(lines: Sequence[str], mark: str) -> tuple[int, int]:
    """Tell how well a delimiter fits: it stands as often in most lines.

    Among equals it is the one that a space follows most rarely: in a sentence a comma
    has one.
    """
    outside = ["".join(line.split('"')[::2]) for line in lines]
    counts = Counter(text.count(mark) for text in outside)
    del counts[0]
    n_spaced = sum(text.count(f"{mark} ") for text in outside)
    return max(counts.values(), default=0), -n_spaced


def _looks_quoted(lines: Sequence[str], delimiter: str) -> bool:
    """Tell whether each cell that begins with a quote is wholly a quoted cell."""
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


def _column_index(shape: TableShape, name: str, params: ImportCorpus) -> int:
    if name in shape.names:
        return shape.names.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(shape.names):
        return int(name) - 1
    listed = ", ".join(shape.names[:20])
    raise UserError(
        f"{params.files[0].name} has no column {name!r}: its columns are {listed} "
        "(or their numbers, from 1)."
    )


def _likely_columns(
    shape: TableShape,
    rows: Sequence[Sequence[str]],
    others: list[int],
    params: ImportCorpus,
) -> tuple[int, ...]:
    n_sides = max(1, len(params.languages))
    if n_sides == len(others):
        return tuple(others)
    last_names = {index: shape.names[index].rpartition(".")[2] for index in others}
    by_code = {parse_language(name).code: index for index, name in last_names.items()}
    codes = [parse_language(language).code for language in params.languages]
    if n_sides == 1:
        named = [i for i in others if shape.names[i].casefold() in _TEXT_NAMES]
        # "id" heads a column of numbers more often than one of Indonesian
        coded = [by_code[code] for code in codes if code in by_code and code != "id"]
        return ((named or coded or [_longest_column(rows, others)])[0],)
    if all(code in by_code for code in codes):
        return tuple(by_code[code] for code in codes)
    named_sides = find_sides(shape.names) if n_sides == 2 else None
    if named_sides:
        return named_sides
    raise UserError(
        f"{params.files[0].name} has {len(shape.names)} columns for {n_sides} "
        "languages: name the column of each language."
    )


def _longest_column(rows: Sequence[Sequence[str]], others: list[int]) -> int:
    def total(index: int) -> int:
        return sum(len(row[index]) for row in rows if len(row) > index)

    return max(others, key=total, default=0)


__all__ = [
    "N_SAMPLE",
    "TableColumns",
    "TableShape",
    "choose_columns",
    "column_names",
    "find_shape",
    "find_sides",
    "looks_like_header",
    "split_sample",
]
