"""Fields in the names of folders and files: `{genre}/{author}_{year}`."""

import re
import unicodedata
from pathlib import PurePath

from app.engine.text.documents import YEAR
from app.errors import UserError

_PART = re.compile(r"\{([^{}/]*)\}")
_NOTHING = ("", "_")  # a part of the name that is no field


class NamePattern:
    """Reads fields out of names; the pattern stands for the end of the path.

    Attributes:
        fields: names of the fields in the order of the pattern.
    """

    def __init__(self, text: str):
        """Read a pattern.

        Raises:
            UserError: it has no field, one twice, or two without a sign between them.
        """
        self._n_parts = text.count("/") + 1
        names = [name.strip() for name in _PART.findall(text)]
        self.fields = tuple(name for name in names if name not in _NOTHING)
        rest = _PART.sub("", text)
        if not self.fields or "{" in rest or "}" in rest:
            raise UserError(
                f"The pattern {text!r} names no field: write them in braces, as "
                "{author}_{year}."
            )
        if len(set(self.fields)) < len(self.fields):
            raise UserError(f"The pattern {text!r} names a field twice.")
        if "}{" in text:
            raise UserError(
                f"The pattern {text!r} has two fields with no sign between them: where "
                "one ends can't be told."
            )
        self._strict = self._compile(text, year=r"(-?\d+)")
        self._shortest = self._compile(text)
        self._longest = self._compile(text, field="([^/]+)", year="([^/]+)")

    def match(self, path: PurePath) -> dict[str, str] | None:
        """Read the fields of a path without its suffix; None: it does not match.

        A part called year takes digits where it can, so that underscores may stand in
        what is before it. Without digits the parts must be told apart in one way only:
        where "von" ends and "Arnim_undated" begins is not known.
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
        """Make the expression of a pattern, with those of a field and of a year."""
        pieces = []
        for index, piece in enumerate(_PART.split(unicodedata.normalize("NFC", text))):
            if index % 2 == 0:
                pieces.append(re.escape(piece))
            elif piece.strip() in _NOTHING:
                pieces.append("[^/]*?")
            else:
                pieces.append(year if piece.strip().casefold() == YEAR else field)
        return re.compile("".join(pieces))


__all__ = ["NamePattern"]
