"""Which columns of a table are read: those that were named, or the likeliest."""

from collections.abc import Sequence
from typing import NamedTuple

from app.engine.text.documents import Mark
from app.engine.text.readers.table_shape import TableShape
from app.errors import UserError
from app.languages import parse_language
from app.params import ImportCorpus

_TEXT_NAMES = ("text", "sentence", "segment", "content", "utterance", "source")
_SIDE_NAMES = (("source", "target"), ("src", "tgt"), ("src", "trg"))


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


__all__ = ["TableColumns", "choose_columns", "find_sides"]
