"""Find out how a table is written: delimiter, quotes, header."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from app.engine.text.readers.table_sides import language_of_column
from app.errors import UserError
from app.languages import parse_language
from app.params import ImportCorpus

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
    if not first[0] and len(first) > 1:
        del first[0]  # numbered rows, whose column has no name
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


__all__ = [
    "N_SAMPLE",
    "TableShape",
    "column_names",
    "find_shape",
    "looks_like_header",
    "split_sample",
]
