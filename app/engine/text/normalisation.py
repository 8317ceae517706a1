"""Normalise texts for storage and comparison, and punctuation as Moses does.

The rules are those of Moses's normalize-punctuation.perl for English, which LASER uses
for every language; those that Unicode makes redundant are merged.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

REPAIRED_CONTROL = "control characters were removed"
REPAIRED_FORM = "characters were composed (Unicode NFC)"

# Line breaks and tabs within a text become spaces; other control characters, byte order
# marks and non-characters are removed. Joiners and direction marks are kept, since they
# carry meaning.
_BREAKS = re.compile("[\t-\r\x85\u2028\u2029]+")
_CONTROLS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
_NAME_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_ASCII_LIGHT = bytes(
    code for code in range(128) if not chr(code).isalnum()
)  # punctuation and spaces


def clean_texts(texts: Sequence[str]) -> tuple[list[str], dict[int, str]]:
    """Clean texts: NFC, no control characters, no space at either end.

    Returns:
        The texts, and the reason of each repair by index. Removing spaces at the ends
        and replacing line breaks by spaces do not count as repairs.
    """
    # One test of the whole block is about twenty times faster than a test of each text.
    joined = "".join(texts)
    if joined.isprintable() and _is_composed(joined, texts):
        return [text.strip() for text in texts], {}
    cleaned, repaired = [], {}
    for index, text in enumerate(texts):
        clean, reason = clean_text(text)
        cleaned.append(clean)
        if reason:
            repaired[index] = reason
    return cleaned, repaired


def clean_text(text: str) -> tuple[str, str]:
    """Clean a text; the second value is the reason of a repair, or empty."""
    reason = ""
    if not text.isprintable():
        text = _BREAKS.sub(" ", text.strip())
        text, n_removed = _CONTROLS.subn("", text)
        reason = REPAIRED_CONTROL if n_removed else ""
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
        reason = reason or REPAIRED_FORM
    return text.strip(), reason


def escape_controls(name: str) -> str:
    """Replace characters that change how a name is displayed by their codes.

    These are controls, and marks that change the direction of the whole line.
    """
    return _NAME_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", name)


def text_hashes(texts: Sequence[str]) -> NDArray[np.int64]:
    """Hash texts: signed 64 bits of BLAKE2b of the UTF-8 (little-endian)."""
    digests = [blake2b(text.encode(), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)


def near_hashes(texts: Sequence[str]) -> NDArray[np.int64]:
    """Hash texts without case, punctuation and spaces, for use within this process.

    A text with only punctuation is hashed unchanged.
    """
    keys = [hash(near_key(text)) for text in texts]
    return np.array(keys, dtype=np.int64)


def near_key(text: str) -> bytes:
    """Return a key that ignores case, punctuation and spaces of a text."""
    folded = text.casefold()
    if not folded.isascii():
        folded = _light_characters().sub("", folded)
    return folded.encode().translate(None, _ASCII_LIGHT) or text.encode()


def _is_composed(joined: str, texts: Sequence[str]) -> bool:
    if joined.isascii():
        return True
    # The line feeds prevent a mark from combining with the text before it.
    return unicodedata.is_normalized("NFC", "\n".join(texts))


@cache
def _light_characters() -> re.Pattern[str]:
    """Match non-ASCII punctuation, symbols and separators, but no combining marks."""
    light = [
        chr(code)
        for code in range(0x80, 0x1_0000)
        if unicodedata.category(chr(code))[0] in "PSZ"
    ]
    return re.compile(f"[{re.escape(''.join(light))}]+")


_SPACES = re.compile(" +")
_AFTER_BRACKET = re.compile(r"\) ([.!:?;,])")
_BEFORE_PERCENT = re.compile(r"(\d) %")
_CHARACTERS = str.maketrans(
    {"„": '"', "“": '"', "”": '"', "–": "-", "—": " - ", "…": "..."}
    | dict.fromkeys("´‘’‚", "'")
)
_QUOTES = re.compile("\xa0«\xa0|«\xa0?|\xa0»\xa0|\xa0?»")
_NUMBER_SPACE = re.compile("nº\xa0")
_SPACE_BEFORE = re.compile("\xa0([:?!;])")
_SPACE_BEFORE_UNIT = re.compile("\xa0(ºC|cm)")
_QUOTE_BEFORE_STOP = re.compile('"([,.]+)')
_SPACE_IN_NUMBER = re.compile("(\\d)\xa0(\\d)")


def normalise_punctuation(texts: Sequence[str]) -> list[str]:
    """Normalise the punctuation of texts: quotes, dashes, brackets, spaces.

    Line feeds within a text become spaces, since all texts are processed as one string.
    """
    joined = "\n".join(text.replace("\n", " ") for text in texts)
    joined = _space_brackets(joined.replace("\r", ""))
    joined = joined.replace("`", "'").replace("''", ' " ')
    joined = _SPACES.sub(" ", joined.translate(_CHARACTERS)).replace("''", '"')
    if "\xa0" in joined or "«" in joined or "»" in joined:
        joined = _replace_hard_spaces(joined)
    joined = _QUOTE_BEFORE_STOP.sub(r'\1"', joined)
    joined = _SPACE_IN_NUMBER.sub(r"\1.\2", joined)
    return [text.strip() for text in joined.split("\n")] if texts else []


def _space_brackets(text: str) -> str:
    """Put spaces outside brackets and not inside; remove spaces before : ; and %."""
    text = _SPACES.sub(" ", text.replace("(", " (").replace(")", ") "))
    text = _AFTER_BRACKET.sub(r")\1", text)
    text = text.replace("( ", "(").replace(" )", ")")
    return _BEFORE_PERCENT.sub(r"\1%", text).replace(" :", ":").replace(" ;", ";")


def _replace_hard_spaces(text: str) -> str:
    """Replace French quotes and the no-break spaces before marks and units."""
    text = _QUOTES.sub('"', text).replace("\xa0%", "%")
    text = _NUMBER_SPACE.sub("nº ", text)
    text = _SPACE_BEFORE_UNIT.sub(r" \1", _SPACE_BEFORE.sub(r"\1", text))
    return _SPACES.sub(" ", text.replace(",\xa0", ", "))
