"""Describe damaged, boilerplate and wrong-language sentences.

Mojibake is found and mended by ftfy (Speer 2019). Control characters are no matter:
an import takes them out.
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
    """Return what is damaged in a text, and what was meant where it can be told.

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
    mended = _repaired(text)
    if mended != text:
        return f"It was read in a wrong encoding. Likely meant: {mended}"
    if found := _PRIVATE.search(text):
        return f"U+{ord(found.group()):04X} is of no script: a font's own sign."
    return _describe_mixed(text)


def _repaired(text: str) -> str:
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
    """Return whether a letter of another script looks like one of `script`."""
    return letter in _LOOKALIKES if script == "Latin" else letter in _latin_twins()


@cache
def _latin_twins() -> frozenset[str]:
    return frozenset(_LOOKALIKES.values())


_URL_OR_EMAIL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_NOTICES = (
    (
        "It tells of cookies.",
        r"\bcookies?\b.{0,80}\b(?:accept|agree|allow|consent|polic|setting|akzept|"
        r"verwend|nutz|einstell|utilis|acept|utiliz|usa\b|pol[ií]tica|politique)|"
        r"\b(?:accept|use|uses|using|akzeptieren|verwendet|utilis\w+|aceptar|usamos)\b"
        r".{0,40}\bcookies?\b|файл\w* cookie|クッキー|çerez",
    ),
    (
        "It is a notice of rights.",
        r"^\s*(?:©|\(c\)|copyright\b).{0,60}\d{4}|\ball rights reserved\b|"
        r"\balle rechte vorbehalten\b|\btous droits réservés\b|"
        r"\btodos los derechos reservados\b|\bвсе права защищены\b|版权所有|無断転載",
    ),
    (
        "It tells of the page itself.",
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
    """How often the text of each sentence stands.

    Attributes:
        counts: int64 (n,).
        n_documents: int64 (n,), in how many documents.
        firsts: int64 (n,), the place where it stands first.
    """

    counts: IdArray
    n_documents: IdArray
    firsts: IdArray


def count_repeated(hashes: IdArray, documents: IdArray) -> Repeated:
    """Count how often, and in how many documents, each text stands.

    Args:
        hashes: int64 (n,), of the texts.
        documents: int64 (n,), a number of the document that each is in.
    """
    _, firsts, which, counts = np.unique(
        hashes, return_index=True, return_inverse=True, return_counts=True
    )
    pairs = np.unique(np.stack([which, documents], axis=1), axis=0)
    n_documents = np.bincount(pairs[:, 0], minlength=len(counts))
    return Repeated(counts[which], n_documents[which], firsts[which])


def describe_repeated(count: int, n_documents: int) -> str:
    """Return how often a text stands."""
    places = "" if n_documents < 2 else f", in {n_documents:,} documents"
    return f"This text stands {count:,} times{places}."


def describe_boilerplate(text: str) -> str:
    """Return why a text is none that somebody wrote to be read; else empty."""
    if not any(letter.isalpha() for letter in text):
        return "It holds no letter."
    if not _URL_OR_EMAIL.sub("", text).strip(" .,;:()[]<>"):
        return "It is an address."
    if _NAVIGATION.match(text):
        return "It is a row of short parts between signs, as in a menu."
    for why, pattern in _PATTERNS:
        if pattern.search(text):
            return why
    counts = Counter(letter for letter in text if not letter.isspace())
    n_letters = sum(n for sign, n in counts.items() if sign.isalpha())
    if len(text) >= 20 and n_letters < 0.2 * counts.total():
        return f"Only {n_letters} of its {counts.total()} characters are letters."
    return ""


FEWEST, FEWEST_UNSPACED = 30, 12  # letters from which a guess is worth something
FEWEST_OF_SCRIPT = 10  # letters, none of which is of the language's script
LEAST_OF_SCRIPT = 0.5  # of the letters, of the script of the language that is guessed


def describe_wrong_language(text: str, language: str, sure: float) -> str:
    """Return that a text is not in its language; empty: it is, or nobody can tell.

    Languages that the detector takes for each other are no finding (`text/guess.py`).

    Args:
        text: the sentence.
        language: stored code.
        sure: probability from which the detector is believed, 0…1.
    """
    n_letters = sum(letter.isalpha() for letter in text)
    script = language_script(language)
    if n_letters >= FEWEST_OF_SCRIPT and script and script_share(text, script) == 0:
        return f"No letter is of the script of {language_name(language)}."
    is_unspaced = primary_language(language) in UNSPACED
    if n_letters < (FEWEST_UNSPACED if is_unspaced else FEWEST):
        return ""
    found = describe_other_language(text, language, sure)
    if found and script_share(text, language_script(_guessed(text))) < LEAST_OF_SCRIPT:
        return ""  # NBA中哪个球员薪酬最低: the detector takes a name for Polish
    return found


def _guessed(text: str) -> str:
    return guess_language([text]).code
