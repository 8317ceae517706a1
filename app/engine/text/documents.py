"""What a source says of its documents: names and fields, cleaned and checked."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from app.engine.text.normalise import clean_text

YEAR = "year"
LAST_YEAR = 9_999  # 18540302 is a day
MAX_TOLD = 200  # problems that are told one by one; the counts are complete
MAX_VALUE = 1_000  # characters of a value or a name


class Mark(NamedTuple):
    """The document of a unit; without a name it is the file itself.

    Attributes:
        fields: names and values, as they were found.
    """

    name: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class Stretch(NamedTuple):
    """Units in a row that belong to one document; `first` is their position."""

    first: int
    n_sentences: int
    mark: Mark


class DocumentCheck:
    """Cleans the marks of an import; a value that is no number is told and left out.

    Attributes:
        known: each document that was seen, as it is kept.
        problems: a sentence for each value that was left out, at most 200.
        n_problems: of all documents.
    """

    def __init__(
        self, number_fields: Sequence[str], *, may_have_old: bool = False
    ) -> None:
        """Begin.

        Args:
            number_fields: fields that are numbers, as the year always is.
            may_have_old: a value that is left out may leave an older one.
        """
        self._may_have_old = may_have_old
        self._numbers = frozenset(name.casefold() for name in number_fields)
        self._kept: dict[Mark, Mark] = {}
        self.known: dict[Mark, None] = {}
        self.problems: list[str] = []
        self.n_problems = 0

    def keep(self, mark: Mark) -> Mark:
        """Give a mark as it is kept: without empty and wrong values."""
        kept = self._kept.get(mark)
        if kept is None:
            kept = self._kept[mark] = self._clean(mark)
            self.known[kept] = None
        return kept

    def tell(self, problem: str) -> None:
        """Tell what is wrong with a document."""
        self.n_problems += 1
        if len(self.problems) < MAX_TOLD:
            self.problems.append(problem)

    def _clean(self, mark: Mark) -> Mark:
        name = clean_text(mark.name)[0][:MAX_VALUE]
        fields: dict[str, str] = {}
        for raw_field, raw_value in mark.fields:
            field = clean_text(raw_field)[0]
            value = clean_text(raw_value)[0][:MAX_VALUE]
            if field and value:
                checked = self._number(field, value)
                if checked:
                    fields[field] = checked
                else:
                    kind = "year" if field.casefold() == YEAR else "number"
                    self.tell(f"{name}: {value!r} is no {kind}, {self._fate(field)}.")
        return Mark(name, tuple(fields.items()))

    def _fate(self, field: str) -> str:
        if self._may_have_old:
            return f"so the field {field} stays as it was"
        return f"so it has no field {field}"

    def _number(self, field: str, value: str) -> str:
        """Give a value as it is kept; empty where it should be a number and is none."""
        is_year = field.casefold() == YEAR
        if is_year or field.casefold() in self._numbers:
            return read_number(value, is_whole=is_year)
        return value


def read_number(value: str, *, is_whole: bool) -> str:
    """Give a number as it is kept (1854.0 is 1854); empty: it is none."""
    try:
        number = float(value)
    except ValueError:
        return ""
    if not math.isfinite(number) or "_" in value:
        return ""
    if is_whole and abs(number) > LAST_YEAR:
        return ""
    if number == int(number):
        return str(int(number)) if "." in value or "e" in value.lower() else value
    return "" if is_whole else value


def stretches_of(marks: Sequence[Mark | None], first: int) -> list[Stretch]:
    """Join units in a row that have the same document; None has none."""
    found: list[Stretch] = []
    last: Mark | None = None
    for place, mark in enumerate(marks, first):
        if mark is not None and mark == last:
            found[-1] = found[-1]._replace(n_sentences=found[-1].n_sentences + 1)
        elif mark is not None:
            found.append(Stretch(place, 1, mark))
        last = mark
    return found


__all__ = [
    "YEAR",
    "DocumentCheck",
    "Mark",
    "Stretch",
    "read_number",
    "stretches_of",
]
