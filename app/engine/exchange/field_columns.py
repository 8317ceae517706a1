"""Guess the columns of a table that contain the document and its fields."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

MAX_VALUE = 120  # characters; longer cells are texts
_MIN_ROWS = 3  # minimum to detect runs of values
_MIN_SAMPLE = 20  # minimum to detect a distinct value per row

_DOCUMENT_NAMES = frozenset(
    (
        *("article", "article_id", "book", "doc", "doc_id", "document", "document_id"),
        *("file", "filename", "text_id", "title", "work"),
        *("artikel", "buch", "datei", "dokument", "titel", "werk"),
        *("fichier", "livre", "titre", "documento", "libro", "titolo", "título"),
        *("документ", "книга", "название", "статья"),
    )
)
_FIELD_NAMES = frozenset(
    (
        *("author", "country", "genre", "place", "publisher", "register"),
        *("source", "speaker"),
        *("autor", "autorin", "gattung", "ort", "quelle", "verlag"),
        *("auteur", "lieu", "autore", "fonte", "genere", "autora", "fuente", "género"),
        *("автор", "жанр", "источник"),
    )
)
_TIME_NAMES = frozenset(
    (
        *("date", "year", "datum", "jahr", "annee", "année", "anno", "data"),
        *("ano", "año", "fecha", "год", "дата"),
    )
)
_YEAR = r"(?:1\d{3}|20\d{2}|2100)"
_DATE = re.compile(rf"{_YEAR}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")
_CLOCK = re.compile(r"\d:\d")  # a time of day, distinct in nearly every row
_LANGUAGE_NAMES = frozenset(("lang", "language", "langue", "lingua", "sprache"))


class FieldColumns(NamedTuple):
    """Columns that look like metadata.

    Attributes:
        document: column of document names; empty if there is none.
        fields: columns of fields.
    """

    document: str = ""
    fields: tuple[str, ...] = ()


def guess_field_columns(
    names: Sequence[str], rows: Sequence[Sequence[str]], taken: Collection[str]
) -> FieldColumns:
    """Find columns of years, dates, or short values that repeat in many rows.

    Args:
        rows: first rows, without the header.
        taken: columns of texts, labels or languages.
    """
    found = {
        name: [row[index].strip() if index < len(row) else "" for row in rows]
        for index, name in enumerate(names)
        if name not in taken
    }
    fields = {name: cells for name, cells in found.items() if _is_field(name, cells)}
    for name in fields:
        if name.casefold() in _DOCUMENT_NAMES and _names_documents(name, fields):
            return FieldColumns(name, tuple(one for one in fields if one != name))
    return FieldColumns("", tuple(fields))


def _is_field(name: str, cells: Sequence[str]) -> bool:
    plain, longest = name.casefold(), max(map(len, cells), default=0)
    if not 0 < longest <= MAX_VALUE or plain in _LANGUAGE_NAMES:
        return False
    if _is_time(plain, cells):
        return True
    if plain in _DOCUMENT_NAMES | _FIELD_NAMES | _TIME_NAMES:
        return len(cells) < _MIN_SAMPLE or 2 * len(set(cells)) <= len(cells)
    n_changes = sum(one != other for one, other in pairwise(cells))
    return len(cells) >= _MIN_ROWS and 2 * n_changes <= len(cells)


def _is_time(plain: str, cells: Sequence[str]) -> bool:
    """Return whether the name or all values of a column indicate years or dates."""
    filled = [cell for cell in cells if cell]
    if plain in _TIME_NAMES:
        return not any(map(_CLOCK.search, filled))
    return (
        len(filled) >= _MIN_ROWS
        and all(map(_DATE.fullmatch, filled))
        and not _are_numbered(filled)
    )


def _are_numbered(cells: Sequence[str]) -> bool:
    """Return whether each value is the previous value plus 1, such as row ids."""
    numbers = [int(cell) for cell in cells if cell.isdecimal()]
    steps = {second - first for first, second in pairwise(numbers)}
    return len(numbers) == len(cells) and steps == {1}


def _names_documents(name: str, fields: dict[str, list[str]]) -> bool:
    """Return whether each value of a column determines the value of each field."""
    marks = set(zip(*fields.values(), strict=True))
    return len(marks) == len(set(fields[name]))
