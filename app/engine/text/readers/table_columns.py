"""Which columns of a table are read: those that were named, or the likeliest."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from app.engine.text.documents import Mark
from app.engine.text.readers.table_shape import TableShape
from app.engine.text.readers.table_sides import (
    Sides,
    check_columns,
    columns_in,
    columns_of_languages,
    describe_left,
    describe_sides,
    find_sides,
    language_of_column,
    propose_sides,
)
from app.errors import UserError
from app.languages import parse_language
from app.params import ImportCorpus
from app.plurals import count_text

_TEXT_NAMES = ("text", "sentence", "segment", "content", "utterance", "source")


class TableColumns(NamedTuple):
    """Which columns are read, from 0; label, language, document None: there is none.

    Attributes:
        fields: names of the fields of documents, and their columns.
        languages: of the sides, given or found; empty where they are not known.
        notes: sentences on sides that were found.
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
        values = [cell.strip() for _, cell in cells]
        return Mark(" · ".join(filter(None, values)), tuple(cells))


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
    chosen = TableColumns((), label, language, document, fields)
    if params.columns:
        return chosen._replace(**_chosen_sides(shape, params))
    taken = (label, language, document, *places)
    others = [index for index in range(len(shape.names)) if index not in taken]
    if not others:
        raise UserError(f"{params.files[0]} has no row of text: nothing to import.")
    return chosen._replace(**_found_sides(shape, rows, others, params))


def _chosen_sides(shape: TableShape, params: ImportCorpus) -> dict[str, Any]:
    """Give the columns that the user chose, and what is known of their languages."""
    check_columns(params)
    sides = tuple(_column_index(shape, name, params) for name in params.columns)
    called = tuple(language_of_column(shape.names[place]) for place in sides)
    return {"sides": sides, "languages": params.languages or called}


def _found_sides(
    shape: TableShape,
    rows: Sequence[Sequence[str]],
    others: list[int],
    params: ImportCorpus,
) -> dict[str, Any]:
    """Find the likeliest columns; two texts in different languages are two sides."""
    languages = params.languages
    if len(languages) > 1:
        return _given_sides(shape, rows, others, params)
    found = None
    if len(others) > 1 and not params.language_column:
        found = propose_sides(shape.names, rows, others)
    if found is None or languages:
        place = _likely_column(shape, rows, others, languages, found)
        notes = (describe_left(shape.names, found, place),) if found else ()
        called = languages or (language_of_column(shape.names[place]),)
        return {"sides": (place,), "languages": called, "notes": notes}
    return {
        "sides": found.columns,
        "languages": found.languages,
        "notes": (describe_sides(shape.names, found),),
    }


def _given_sides(
    shape: TableShape,
    rows: Sequence[Sequence[str]],
    others: list[int],
    params: ImportCorpus,
) -> dict[str, Any]:
    """Find the columns of several languages: by name, by their text, in order."""
    n = len(params.languages)
    codes = [parse_language(language).code for language in params.languages]
    sides = columns_of_languages(shape.names, rows, others, codes)
    if not sides and n == 2:
        sides = find_sides(shape.names) or ()
    if sides:
        return {"sides": sides, "languages": params.languages}
    found = propose_sides(shape.names, rows, others) if n == 2 else None
    sides = tuple(columns_in(codes, found)) if found else ()
    if found and len(set(sides)) == n:
        notes = (describe_sides(shape.names, found),)
        return {"sides": sides, "languages": params.languages, "notes": notes}
    if n == len(others):
        return {"sides": tuple(others), "languages": params.languages}
    raise UserError(
        f"{params.files[0].name} has {count_text(len(shape.names), 'column')} for "
        f"{n} languages: name the column of each language."
    )


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


def _likely_column(
    shape: TableShape,
    rows: Sequence[Sequence[str]],
    others: list[int],
    languages: tuple[str, ...],
    found: Sides | None,
) -> int:
    codes = [parse_language(language).code for language in languages]
    named = [i for i in others if shape.names[i].casefold() in _TEXT_NAMES]
    coded = columns_of_languages(shape.names, rows, others, codes) if codes else ()
    fitting = columns_in(codes, found) if found else []
    likely = [*fitting, *named, *coded] or [_longest_column(rows, others)]
    return likely[0]


def _longest_column(rows: Sequence[Sequence[str]], others: list[int]) -> int:
    """Find the column with most text: addresses and ids are long, but hold no space."""

    def size(index: int) -> tuple[bool, int]:
        cells = [row[index] for row in rows if len(row) > index and row[index]]
        n_codes = sum(cell.isascii() and " " not in cell.strip() for cell in cells)
        return 2 * n_codes < len(cells), sum(map(len, cells))

    return max(others, key=size)


__all__ = ["TableColumns", "choose_columns"]
