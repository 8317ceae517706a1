"""Documents of a source: names and fields, checked or parsed from file names."""

import math
import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from app.engine.text.normalisation import clean_text, escape_controls
from app.errors import UserError

YEAR = "year"
LAST_YEAR = 9_999  # 18540302 is a date
MAX_PROBLEMS = 200  # listed problems; the counts are complete
MAX_VALUE = 1_000  # characters of a value or a name


class SourceDocument(NamedTuple):
    """The document of a unit; without a name it is the file itself.

    Attributes:
        fields: names and values as found.
    """

    name: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class DocumentCheck:
    """Cleans the document marks of an import, and drops values that should be numbers.

    Attributes:
        known: cleaned form of each document seen so far.
        problems: a sentence for each dropped value, at most 200.
        n_problems: number of problems in all documents.
    """

    def __init__(
        self, number_fields: Sequence[str], *, may_have_old: bool = False
    ) -> None:
        """Initialise without known documents.

        Args:
            number_fields: fields that contain numbers; the year always does.
            may_have_old: whether a dropped value may leave an older value unchanged.
        """
        self._may_have_old = may_have_old
        self._numbers = frozenset(name.casefold() for name in number_fields)
        self._kept: dict[SourceDocument, SourceDocument] = {}
        self.known: dict[SourceDocument, None] = {}
        self.problems: list[str] = []
        self.n_problems = 0

    def keep(self, mark: SourceDocument) -> SourceDocument:
        """Return a cleaned mark, without empty and invalid values."""
        kept = self._kept.get(mark)
        if kept is None:
            kept = self._kept[mark] = self._clean(mark)
            self.known[kept] = None
        return kept

    def add_problem(self, problem: str) -> None:
        """Add a problem of a document."""
        self.n_problems += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def _clean(self, mark: SourceDocument) -> SourceDocument:
        name = escape_controls(clean_text(mark.name)[0])[:MAX_VALUE]
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
                    self.add_problem(
                        f"{name}: {value!r} is not a {kind}, {self._fate(field)}."
                    )
        return SourceDocument(name, tuple(fields.items()))

    def _fate(self, field: str) -> str:
        if self._may_have_old:
            return f"so the field {field} stays as it was"
        return f"so it has no field {field}"

    def _number(self, field: str, value: str) -> str:
        """Return a value as stored; empty if it should be a number but is not."""
        is_year = field.casefold() == YEAR
        if is_year or field.casefold() in self._numbers:
            return read_number(value, is_whole=is_year)
        return value


def read_number(value: str, *, is_whole: bool) -> str:
    """Return a number as stored (1854.0 becomes 1854); empty if it is not a number."""
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


_PART = re.compile(r"\{([^{}/]*)\}")
_NOTHING = ("", "_")  # parts of the name that are not fields


class FileNamePattern:
    """Reads fields from file names; the pattern matches the end of the path.

    Attributes:
        fields: names of the fields in the order of the pattern.
    """

    def __init__(self, text: str):
        """Parse a pattern.

        Raises:
            UserError: no field, a field twice, or two fields without a
                separator.
        """
        self._n_parts = text.count("/") + 1
        names = [name.strip() for name in _PART.findall(text)]
        self.fields = tuple(name for name in names if name not in _NOTHING)
        rest = _PART.sub("", text)
        if not self.fields or "{" in rest or "}" in rest:
            raise UserError(
                f"The pattern {text!r} has no field. Write fields in braces, such as "
                "{author}_{year}."
            )
        if len(set(self.fields)) < len(self.fields):
            raise UserError(f"The pattern {text!r} has the same field twice.")
        if "}{" in text:
            raise UserError(
                f"The pattern {text!r} has two fields without a character between "
                "them. Add one, such as {author}_{year}."
            )
        self._strict = self._compile(text, year=r"(-?\d+)")
        self._shortest = self._compile(text)
        self._longest = self._compile(text, field="([^/]+)", year="([^/]+)")

    def match(self, path: PurePath) -> dict[str, str] | None:
        """Read the fields of a path without its suffix; None if it does not match.

        A field called year matches digits if possible, so that earlier fields may
        contain underscores. Without digits the split must be unambiguous: for
        "von_Arnim_undated", it is not known where the name ends.
        """
        parts = path.parts[-self._n_parts :]
        if len(parts) < self._n_parts:
            return None
        name = unicodedata.normalize("NFC", "/".join(parts))
        found = self._strict.fullmatch(name)
        if found is None:
            found, other = self._shortest.fullmatch(name), self._longest.fullmatch(name)
            if found is None or other is None or found.groups() != other.groups():
                return None
        values = (value.strip() for value in found.groups())
        return dict(zip(self.fields, values, strict=True))

    def _compile(
        self, text: str, *, field: str = "([^/]+?)", year: str = "([^/]+?)"
    ) -> re.Pattern[str]:
        """Compile a pattern from the given expressions for a field and for a year."""
        pieces = []
        for index, piece in enumerate(_PART.split(unicodedata.normalize("NFC", text))):
            if index % 2 == 0:
                pieces.append(re.escape(piece))
            elif piece.strip() in _NOTHING:
                pieces.append("[^/]*?")
            else:
                pieces.append(year if piece.strip().casefold() == YEAR else field)
        return re.compile("".join(pieces))
