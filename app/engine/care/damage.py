"""Damaged characters: text that was read in a wrong encoding, and what it left behind.

Mojibake is found and mended by ftfy (Speer 2019). Control characters are no matter:
an import takes them out.
"""

import html
import re
import unicodedata
from functools import cache

import regex

_REPLACED = "\ufffd"
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{2,6}|#x[0-9A-Fa-f]{2,5});")
_ASKED = regex.compile(r"\p{L}\?+\p{Ll}")  # a letter became a question mark
_ADDRESS = re.compile(r"\S*(?:://|www\.|\w\?\w+=)\S*")
_WORD = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}]{2,}")
_SCRIPTS = {
    name: regex.compile(rf"\p{{{name}}}") for name in ("Latin", "Cyrillic", "Greek")
}
# Letters that look like Latin ones (Unicode's table of confusables, the plain ones).
_LOOKALIKES = dict(
    zip(
        "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
        "aeopcyxijshdqwABEKMHOPCTYXIJSABEZHIKMNOPTYXo",
        strict=True,
    )
)
_PRIVATE = re.compile("[\ue000-\uf8ff]")


def describe_damage(text: str) -> str:
    """Say what is damaged in a text, and what was meant where it can be told.

    Returns:
        A sentence; empty for a text without damage.
    """
    if "&" in text and _ENTITY.search(text):
        meant = html.unescape(text)
        if meant != text:
            return f"A sign is written as HTML has it. Likely meant: {meant}"
    if "?" in text and _ASKED.search(_ADDRESS.sub("", text)):
        return "A question mark stands within a word: a letter was lost."
    if text.isascii():
        return ""
    if _REPLACED in text:
        n = text.count(_REPLACED)
        signs = "1 character" if n == 1 else f"{n} characters"
        return f"{signs} could not be read and became {_REPLACED} (U+FFFD)."
    mended = _mended(text)
    if mended != text:
        return f"It was read in a wrong encoding. Likely meant: {mended}"
    if found := _PRIVATE.search(text):
        return f"U+{ord(found.group()):04X} is of no script: a font's own sign."
    return _describe_mixed(text)


def _mended(text: str) -> str:
    """Give what a text was before it was read in a wrong encoding; itself if never."""
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    if not is_bad(text):
        return text
    return unicodedata.normalize("NFC", str(fix_encoding(text)))


def _describe_mixed(text: str) -> str:
    """Tell of a word in two scripts whose few letters look like those of the other."""
    if not _has_several_scripts(text):
        return ""
    for found in _WORD.finditer(text):
        word = found.group()
        there = {
            name: letters
            for name, pattern in _SCRIPTS.items()
            if (letters := pattern.findall(word))
        }
        if len(there) < 2:
            continue
        fewest = min(there, key=lambda name: len(there[name]))
        rest = max(there, key=lambda name: len(there[name]))
        if all(_looks_like(letter, rest) for letter in there[fewest]):
            names = ", ".join(
                unicodedata.name(letter) for letter in dict.fromkeys(there[fewest])
            )
            return f"In “{word}” a letter only looks right: {names.lower()}."
    return ""


def _has_several_scripts(text: str) -> bool:
    return sum(bool(pattern.search(text)) for pattern in _SCRIPTS.values()) > 1


def _looks_like(letter: str, script: str) -> bool:
    """Tell whether a letter of another script looks like one of `script`."""
    return letter in _LOOKALIKES if script == "Latin" else letter in _latin_twins()


@cache
def _latin_twins() -> frozenset[str]:
    return frozenset(_LOOKALIKES.values())
