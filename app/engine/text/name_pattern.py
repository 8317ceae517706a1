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
        self._strict = self._compile(text, is_strict=True)
        self._loose = self._compile(text, is_strict=False)

    def match(self, path: PurePath) -> dict[str, str] | None:
        """Read the fields of a path without its suffix; None: it does not match.

        A part called year takes digits where it can, so that underscores may stand in
        what is before it.
        """
        parts = path.parts[-self._n_parts :]
        if len(parts) < self._n_parts:
            return None
        name = unicodedata.normalize("NFC", "/".join(parts))
        found = self._strict.fullmatch(name) or self._loose.fullmatch(name)
        if found is None:
            return None
        values = (value.strip() for value in found.groups())
        return dict(zip(self.fields, values, strict=True))

    def _compile(self, text: str, *, is_strict: bool) -> re.Pattern[str]:
        pieces = []
        for index, piece in enumerate(_PART.split(unicodedata.normalize("NFC", text))):
            if index % 2 == 0:
                pieces.append(re.escape(piece))
            elif piece.strip() in _NOTHING:
                pieces.append("[^/]*?")
            elif is_strict and piece.strip().casefold() == YEAR:
                pieces.append(r"(-?\d+)")
            else:
                pieces.append("([^/]+?)")
        return re.compile("".join(pieces))


__all__ = ["NamePattern"]
