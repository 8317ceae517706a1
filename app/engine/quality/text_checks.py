"""Describe corrupted, boilerplate and wrong-language sentences.

ftfy (Speer 2019) detects and repairs mojibake. Control characters are not checked,
because an import removes them.
"""

import html
import re
import unicodedata
from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import regex

from app.arrays import IdArray
from app.engine.store.pairs.texts import UNSPACED
from app.engine.text.language_detection import describe_other_language, guess_language
from app.engine.text.scripts import script_share
from app.languages import language_name, language_script, primary_language
from app.plurals import count_text

_REPLACED = "\ufffd"
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{2,6}|#x[0-9A-Fa-f]{2,5});")
_INNER_QUESTION_MARK = regex.compile(r"\p{L}\?+\p{Ll}")
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
    """Describe the corruption of a text, with a correction if one is likely.

    Returns:
        A sentence, or an empty string for an intact text.
    """
    if "&" in text and _ENTITY.search(text):
        meant = html.unescape(text)
        if meant != text:
            return f"A character is an HTML entity. Likely meant: {meant}"
    if "?" in text and _INNER_QUESTION_MARK.search(_ADDRESS.sub("", text)):
        return "A question mark inside a word replaces a lost letter."
    if text.isascii():
        return ""
    if _REPLACED in text:
        n = text.count(_REPLACED)
        return f"{count_text(n, 'character')} replaced by {_REPLACED} (U+FFFD)."
    repaired = _repair_encoding(text)
    if repaired != text:
        return f"The text was decoded with the wrong encoding. Likely meant: {repaired}"
    if found := _PRIVATE.search(text):
        return f"U+{ord(found.group()):04X} is a private character of a font."
    return _describe_mixed(text)


def _repair_encoding(text: str) -> str:
    """Return a text decoded with the right encoding; unchanged if it already was."""
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    if not is_bad(text):
        return text
    return unicodedata.normalize("NFC", str(fix_encoding(text)))


def _describe_mixed(text: str) -> str:
    """Describe a word with look-alike letters of another script."""
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
            return f"“{word}” contains a look-alike letter: {names.lower()}."
    return ""


def _has_several_scripts(text: str) -> bool:
    return sum(bool(pattern.search(text)) for pattern in _SCRIPTS.values()) > 1


def _looks_like(letter: str, script: str) -> bool:
    """Return whether a letter of another script looks like one of `script`."""
    return letter in _LOOKALIKES if script == "Latin" else letter in _latin_twins()


@cache
def _latin_twins() -> frozenset[str]:
    return frozenset(_LOOKALIKES.values())


_URL_OR_EMAIL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_NOTICES = (
    (
        "Cookie notice.",
        r"\bcookies?\b.{0,80}\b(?:accept|agree|allow|consent|polic|setting|akzept|"
        r"verwend|nutz|einstell|utilis|acept|utiliz|usa\b|pol[ií]tica|politique)|"
        r"\b(?:accept|use|uses|using|akzeptieren|verwendet|utilis\w+|aceptar|usamos)\b"
        r".{0,40}\bcookies?\b|файл\w* cookie|クッキー|çerez",
    ),
    (
        "Copyright notice.",
        r"^\s*(?:©|\(c\)|copyright\b).{0,60}\d{4}|\ball rights reserved\b|"
        r"\balle rechte vorbehalten\b|\btous droits réservés\b|"
        r"\btodos los derechos reservados\b|\bвсе права защищены\b|版权所有|無断転載",
    ),
    (
        "Web page navigation.",
        r"\b(?:enable|activate|aktivieren sie|activez|habilite)\b.{0,30}\bjavascript\b|"
        r"^\W*(?:read more|click here|log ?in|sign (?:in|up)|skip to (?:main )?content|"
        r"back to top|share (?:this|on) \w+|weiterlesen|mehr erfahren|nach oben|"
        r"zum inhalt springen|anmelden|lire la suite|en savoir plus|leer más|"
        r"iniciar sesión|читать далее|подробнее|続きを読む|阅读更多)\W*$",
    ),
)
_PATTERNS = [(why, re.compile(text, re.IGNORECASE)) for why, text in _NOTICES]
_NAVIGATION = re.compile(r"^[^|»›→•]{1,30}(?:\s*[|»›→•]\s*[^|»›→•]{1,30}){3,}$")


class Repeated(NamedTuple):
    """How often the text of each sentence occurs.

    Attributes:
        counts: int64 (n,).
        n_documents: int64 (n,), number of documents with the text.
        firsts: int64 (n,), index of its first occurrence.
    """

    counts: IdArray
    n_documents: IdArray
    firsts: IdArray


def count_repeated(hashes: IdArray, documents: IdArray) -> Repeated:
    """Count how often, and in how many documents, each text occurs.

    Args:
        hashes: int64 (n,), hashes of the texts.
        documents: int64 (n,), document number of each text.
    """
    _, firsts, which, counts = np.unique(
        hashes, return_index=True, return_inverse=True, return_counts=True
    )
    pairs = np.unique(np.stack([which, documents], axis=1), axis=0)
    n_documents = np.bincount(pairs[:, 0], minlength=len(counts))
    return Repeated(counts[which], n_documents[which], firsts[which])


def describe_repeated(count: int, n_documents: int) -> str:
    """Return how often a text occurs."""
    places = "" if n_documents < 2 else f", in {n_documents:,} documents"
    return f"This text occurs {count:,} times{places}."


def describe_boilerplate(text: str) -> str:
    """Return why a text is boilerplate, or an empty string."""
    if not any(letter.isalpha() for letter in text):
        return "No letters."
    if not _URL_OR_EMAIL.sub("", text).strip(" .,;:()[]<>"):
        return "Web or email address."
    if _NAVIGATION.match(text):
        return "Navigation menu: short items with separators."
    for why, pattern in _PATTERNS:
        if pattern.search(text):
            return why
    counts = Counter(letter for letter in text if not letter.isspace())
    n_letters = sum(n for sign, n in counts.items() if sign.isalpha())
    if len(text) >= 20 and n_letters < 0.2 * counts.total():
        return f"Only {n_letters} of its {counts.total()} characters are letters."
    return ""


MIN_LETTERS, MIN_UNSPACED_LETTERS = 30, 12  # of a text for a reliable guess
MIN_FOREIGN_LETTERS = 10  # without one of the language's script
MIN_SCRIPT_SHARE = 0.5  # of letters in the script of the detected language


def describe_wrong_language(text: str, language: str, sure: float) -> str:
    """Describe a text in the wrong language; empty if it is right or undecidable.

    Languages that the detector confuses are not reported (`language_detection.py`).

    Args:
        language: stored code.
        sure: minimum confidence of the detector, 0…1.
    """
    n_letters = sum(letter.isalpha() for letter in text)
    script = language_script(language)
    if n_letters >= MIN_FOREIGN_LETTERS and script and script_share(text, script) == 0:
        return f"No letters in the script of {language_name(language)}."
    is_unspaced = primary_language(language) in UNSPACED
    if n_letters < (MIN_UNSPACED_LETTERS if is_unspaced else MIN_LETTERS):
        return ""
    found = describe_other_language(text, language, sure)
    if found and script_share(text, language_script(_guessed(text))) < MIN_SCRIPT_SHARE:
        return ""  # NBA中哪个球员薪酬最低: a Latin name is detected as Polish
    return found


def _guessed(text: str) -> str:
    return guess_language([text]).code
