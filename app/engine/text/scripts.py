"""Measure the script of a text, by Unicode letter names."""

import unicodedata
from functools import cache

# Words in the Unicode names of letters, by script.
_SCRIPT_WORDS = {
    "Hans": ("CJK",),
    "Hant": ("CJK",),
    "Jpan": ("CJK", "HIRAGANA", "KATAKANA"),
    "Kore": ("HANGUL", "CJK"),
    "Hang": ("HANGUL",),
    "Latn": ("LATIN",),
    "Cyrl": ("CYRILLIC",),
    "Arab": ("ARABIC",),
    "Grek": ("GREEK",),
    "Hebr": ("HEBREW",),
    "Deva": ("DEVANAGARI",),
    "Beng": ("BENGALI",),
    "Armn": ("ARMENIAN",),
    "Geor": ("GEORGIAN",),
    "Thai": ("THAI",),
    "Laoo": ("LAO",),
    "Khmr": ("KHMER",),
    "Mymr": ("MYANMAR",),
    "Taml": ("TAMIL",),
    "Telu": ("TELUGU",),
    "Knda": ("KANNADA",),
    "Mlym": ("MALAYALAM",),
    "Gujr": ("GUJARATI",),
    "Guru": ("GURMUKHI",),
    "Orya": ("ORIYA",),
    "Sinh": ("SINHALA",),
    "Ethi": ("ETHIOPIC",),
    "Tibt": ("TIBETAN",),
    "Cher": ("CHEROKEE",),
    "Tfng": ("TIFINAGH",),
}


def script_share(text: str, script: str) -> float:
    """Return the share of letters in a script (1: no letters, or unknown script)."""
    words = _SCRIPT_WORDS.get(script)
    letters = [letter for letter in text if letter.isalpha()]
    if words is None or not letters:
        return 1.0
    return sum(_is_of(letter, words) for letter in letters) / len(letters)


@cache
def _is_of(letter: str, words: tuple[str, ...]) -> bool:
    return unicodedata.name(letter, "").startswith(words)
