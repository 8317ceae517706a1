"""Find the columns of a table that contain the same text in different languages."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.engine.text.language_detection import (
    MIN_CONFIDENCE,
    describe_language_mismatch,
    guess_language,
)
from app.errors import UserError
from app.languages import find_language, language_name, parse_language, primary_language
from app.params.corpora import MAX_SIDES, ImportCorpus
from app.plurals import count_text

_N_ROWS = 200
_N_GUESSED = 100  # cells of a column
_LETTERS = 0.8  # share of a text's characters; lists of sources and numbers have fewer
_SIDE_NAMES = (("source", "target"), ("src", "tgt"), ("src", "trg"))
# zh-Hans, deu_Latn, pt_BR, at the end of a name or alone
_SUBTAGGED = re.compile(r"(?:(?<=[._])|^)[a-z]{2,3}[-_](?:[A-Z][a-z]{3}|[A-Z]{2})$")
_NO_SIDES = frozenset(
    (
        *("author", "category", "class", "date", "document", "file", "genre"),
        *("gold_label", "id", "index", "intent", "label", "labels", "lang", "language"),
        *("line_id", "name", "polarity", "sentiment", "title", "topic", "url", "year"),
    )
)


class ParallelColumns(NamedTuple):
    """Columns that look like the sides of a parallel text.

    Attributes:
        columns: from 0.
        languages: stored code of each.
        are_named: whether the languages are from the header, not detected from the
            texts.
        left_out: other language columns, from 0.
    """

    columns: tuple[int, ...]
    languages: tuple[str, ...]
    are_named: bool
    left_out: tuple[int, ...] = ()


def language_of_column(name: str) -> str:
    """Return the stored code of the language in a column name; empty if none.

    A name is a code, or the name of the language in English or in the language: de,
    deu, German, Deutsch. A longer name must end in a code: text_de, translation.de.
    "id" rarely means Indonesian.
    """
    plain = name.strip()
    if plain.casefold() in _NO_SIDES:
        return ""
    _, last = _split_column_name(plain)
    code = find_language(plain)
    is_code = len(last) == 2 or _SUBTAGGED.fullmatch(last)
    return code or (find_language(last) if is_code else "")


def columns_of_languages(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    others: Sequence[int],
    codes: Sequence[str],
) -> tuple[int, ...]:
    """Find the column named after each of some languages; empty if any is missing.

    A single language without a column of that name gets the only remaining column.

    Args:
        rows: first rows; of title_de and text_de, the longer column is chosen.
        others: columns that are not assigned yet.
        codes: stored codes in the requested order.
    """
    groups: dict[str, dict[str, int]] = {}
    if len(codes) == 1:  # "no" and "id" are also headers of number columns
        others = [index for index in others if _is_text(_cells(rows, index))]
    for index in reversed(others):
        stem, last = _split_column_name(names[index])
        groups.setdefault(stem, {})[parse_language(last).code] = index
        for code in (find_language(names[index]), parse_language(names[index]).code):
            groups.setdefault("", {})[code] = index
    for group in groups.values():
        missing = set(codes) - set(group)
        left = set(others) - {group[code] for code in codes if code in group}
        if len(missing) == len(left) == 1 < len(codes):
            group[missing.pop()] = left.pop()
    found = [
        tuple(group[code] for code in codes)
        for group in groups.values()
        if all(code in group for code in codes)
    ]
    return max(found, key=lambda places: _size(rows, places), default=())


def check_columns(params: ImportCorpus) -> None:
    """Check that the user's params name a column for each language.

    Raises:
        UserError: there are more or fewer columns than languages.
    """
    if params.languages and len(params.columns) != len(params.languages):
        columns = count_text(len(params.columns), "column")
        languages = count_text(len(params.languages), "language")
        raise UserError(
            f"{columns} but {languages} are set. Choose one column for each language."
        )


def find_source_and_target(names: Sequence[str]) -> tuple[int, int] | None:
    """Find the columns called source and target; None if they do not exist."""
    plain = [name.casefold() for name in names]
    for source, target in _SIDE_NAMES:
        if source in plain and target in plain:
            return plain.index(source), plain.index(target)
    return None


def find_language_columns(
    names: Sequence[str], rows: Sequence[Sequence[str]], others: Sequence[int]
) -> ParallelColumns | None:
    """Find the columns of sides by name, or else the only two text columns.

    Args:
        rows: first rows without the header.
        others: columns that are not assigned yet.
    """
    cells = {index: _cells(rows, index) for index in others}
    # rows with an empty side are dropped, so a mostly empty column is no side
    texts = [
        index
        for index in others
        if _is_text(cells[index]) and 2 * len(cells[index]) >= len(rows[:_N_ROWS])
    ]
    named = _named_sides(names, rows, texts)
    if len(named) > 1:
        found = sorted((index, code) for code, index in named.items())
        columns = tuple(index for index, _ in found)
        codes = tuple(code for _, code in found[:MAX_SIDES])
        return ParallelColumns(
            columns[:MAX_SIDES], codes, are_named=True, left_out=columns[MAX_SIDES:]
        )
    free = [
        index
        for index in texts
        if names[index].strip().casefold() not in _NO_SIDES
        and 2 * len(set(cells[index])) >= len(cells[index])  # classes repeat often
    ]
    called = find_source_and_target(names)
    pair = called if called and set(called) <= set(free) else tuple(free)
    if len(pair) != 2:
        return None
    one, other = (guess_language(cells[index][:_N_GUESSED]) for index in pair)
    if one.confidence < MIN_CONFIDENCE or not describe_language_mismatch(
        other, one.code
    ):
        return None
    return ParallelColumns(tuple(pair), (one.code, other.code), are_named=False)


def columns_in(codes: Sequence[str], sides: ParallelColumns) -> list[int]:
    """Return the columns of those languages that the sides have."""
    found = zip(sides.columns, map(primary_language, sides.languages), strict=True)
    by_code = {code: place for place, code in reversed(list(found))}
    wanted = [primary_language(code) for code in codes]
    return [by_code[code] for code in wanted if code in by_code]


def describe_language_columns(names: Sequence[str], sides: ParallelColumns) -> str:
    """Return a note that columns are read as sides, and how to change this."""
    columns = " and ".join(
        f"{names[index]} ({language_name(code)})"
        for index, code in zip(sides.columns, sides.languages, strict=True)
    )
    why = "their names" if sides.are_named else "their text"
    note = (
        f"The columns {columns} were taken as translations of each other, by {why}. "
        "To import only one of them, select it as the column and set its language."
    )
    if sides.left_out:
        left = ", ".join(names[index] for index in sides.left_out)
        note += (
            f" Left out: {left}. At most {MAX_SIDES} columns are detected. To import "
            "others, set all columns and their languages."
        )
    return note


def describe_other_columns(
    names: Sequence[str], sides: ParallelColumns, taken: int
) -> str:
    """Return a note on columns that look like additional sides."""
    left = [names[index] for index in sides.columns if index != taken]
    verb = "looks like a translation" if len(left) == 1 else "look like translations"
    return (
        f"The column {names[taken]} was imported alone, though {' and '.join(left)} "
        f"{verb} of it. To link them, set the columns and languages of all sides."
    )


def _named_sides(
    names: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int]
) -> dict[str, int]:
    """Return the columns named after languages, such as text_en and text_de.

    Of several groups, the one with most languages and then the longest texts is chosen;
    without a group, the first column of each language.
    """
    groups: dict[str, dict[str, int]] = {}
    every: dict[str, int] = {}
    for index in reversed(texts):
        code = language_of_column(names[index])
        if code:
            stem = (
                ""
                if find_language(names[index])
                else _split_column_name(names[index])[0]
            )
            groups.setdefault(stem, {})[code] = index
            every[code] = index
    best = max(
        groups.values(),
        key=lambda own: (len(own), _size(rows, own.values())),
        default={},
    )
    return best if len(best) > 1 else every


def _split_column_name(name: str) -> tuple[str, str]:
    """Split names like text_de and translation.de into prefix and last part."""
    subtagged = _SUBTAGGED.search(name.strip())
    if subtagged:
        return name.strip()[: subtagged.start()].casefold().rstrip("._"), subtagged[0]
    stem, _, last = name.strip().replace("_", ".").rpartition(".")
    return stem.casefold(), last


def _size(rows: Sequence[Sequence[str]], indices: Iterable[int]) -> int:
    return sum(len(row[i]) for row in rows for i in indices if len(row) > i)


def _cells(rows: Sequence[Sequence[str]], index: int) -> list[str]:
    found = (row[index].strip() for row in rows[:_N_ROWS] if len(row) > index)
    return [cell for cell in found if cell]


def _is_text(cells: Sequence[str]) -> bool:
    """Return whether cells are texts, that is, mostly letters."""
    signs = [sign for cell in cells for sign in cell if not sign.isspace()]
    # In Python, the marks of Indic scripts are not letters; they are not ASCII either.
    n_letters = sum(sign.isalpha() or ord(sign) > 0x2FF for sign in signs)
    return n_letters > _LETTERS * max(1, len(signs))
