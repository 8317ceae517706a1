"""Sentences that nobody wrote as text: notices, navigation, signs, stock phrases."""

import re
from collections import Counter
from typing import NamedTuple

import numpy as np

from app.engine.search.knn import IdArray

_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
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
    """Say how often a text stands."""
    places = "" if n_documents < 2 else f", in {n_documents:,} documents"
    return f"This text stands {count:,} times{places}."


def describe_boilerplate(text: str) -> str:
    """Say why a text is none that somebody wrote to be read; else empty."""
    if not any(letter.isalpha() for letter in text):
        return "It holds no letter."
    if not _ADDRESS.sub("", text).strip(" .,;:()[]<>"):
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
