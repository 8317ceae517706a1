"""Decide between 8-bit encodings by the letters of a language and their neighbours.

Each encoding decodes any bytes, so that a wrong encoding is visible only in the result:
letters that the language does not have, and neighbours that no word has (symbols or
control characters between two letters, capitals after small letters, and mixed
scripts).
"""

from collections import Counter
from functools import cache
from typing import NamedTuple

from app.languages import primary_language

MIN_SCORE = 0.6  # below, the text is in none of these encodings
CLOSE = 0.08  # scores that differ by less are equal
_MAX_PLACES = 20_000  # non-ASCII characters that are inspected

_LATIN = (
    *("cp1252", "iso8859-15", "cp1250", "iso8859-2", "cp1254", "cp1257", "iso8859-13"),
    *("iso8859-4", "iso8859-3", "iso8859-10", "iso8859-14", "iso8859-16", "cp1258"),
    *("mac-roman", "mac-latin2", "cp850", "cp852", "cp775", "cp437", "cp857"),
)
_CYRILLIC = ("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866", "mac-cyrillic")
_GREEK = ("cp1253", "iso8859-7", "mac-greek", "cp737")
ENCODINGS = (
    *_LATIN,
    *_CYRILLIC,
    *_GREEK,
    *("cp1255", "iso8859-8", "cp1256", "iso8859-6", "cp874"),
)
# The usual encoding of a language is preferred if several decode a text equally.
USUAL = {
    "cp1250": "pl cs sk hu sl hr ro bs sh sq",
    "cp1251": "ru uk bg be mk sr kk",
    "cp1252": "en de fr es it pt nl sv da nb nn no fi is ca af eu ga gl id ms sw",
    "cp1253": "el",
    "cp1254": "tr az",
    "cp1255": "he yi",
    "cp1256": "ar fa ur",
    "cp1257": "lt lv et",
    "cp1258": "vi",
    "tis_620": "th",
}
# Non-ASCII letters, most frequent first.
_LETTERS = {
    "de": "üäöß",
    "fr": "éèàêçùôîâûëïœÿæ",
    "es": "óíáéñúü",
    "it": "èàòùìéî",
    "pt": "ãéçáíóêõúâôàü",
    "nl": "ëéïóöè",
    "sv": "äåöéà",
    "da": "øæåé",
    "nb": "åøæéò",
    "fi": "äöåšž",
    "is": "áðíþöéúýóæ",
    "ca": "àéóèíòçúïü",
    "ga": "áéíóú",
    "pl": "łęąóżśćńź",
    "cs": "íáěéřčšžýůúóťďňö",
    "sk": "áíéčžýúšľťôňóäďĺŕ",
    "hu": "áéöóőüíúű",
    "sl": "čšžćđ",
    "hr": "čćžšđ",
    "bs": "čćžšđ",
    "sq": "ëç",
    "ro": "ăâîșțşţ",
    "tr": "ıişüğçöâîû",
    "az": "əıüöğşç",
    "et": "äõüöšž",
    "lv": "āīēšņūļžķčģŗō",
    "lt": "ėšžųįčąūę",
    "mt": "ħżġċàòì",
    "eo": "ŝĉĝĵŭĥ",
    "cy": "ŵŷâêîôûï",
    "vi": "đàáảãạăâêôơưòóèéìíùúý\u0300\u0301\u0309\u0303\u0323",
    "ru": "оеаинтсрвлкмдпугяызбйьчхжцшющэфъё",
    "uk": "оаніирвтесклудмпзяьбгйчхцїжюєшщфґ",
    "bg": "аиоентрсвлкдпмзгяъубчцйжщхшюфь",
    "be": "анаіорыецтлксядпўугзбмьчшйжхюэёф",
    "mk": "аоиентрсвлкдпмгзубчшцјхжќѓљњџѕф",
    "sr": "аиоенрсуткјвдмплгзбшчцжћњхљђфџ",
    "el": "ατοιενρσκηπςυμλίόάγέδήωχθύφβώξζψϊϋΐΰ",
    "he": "יוהלרבתמאשנעםדקחפסכגטצןזךףץ",
    "ar": "اليمونرتبةعدسفهكقأحجشطصىخإذضزثئغءظؤآ",
    "fa": "ایردنهومتبسلکشزفگعخقجآپحطصچغذضژئثظؤأء",
    "th": "านรอกเงมยลวดทสตะปบคหแจพชขใไิี่้ึืุู็์ัำโถณธผภญศฐฉซฟฝษฎฏฑฒฆฌฮฤฯๆ๐๑๒",
}
_NOT_LATIN = "\u0370"  # start of the scripts never mixed with Latin
_MARKS = frozenset("„“”‚‘’«»‹›–—…·•§°©®™€£¿¡ºª\xa0\xad№‑،؛؟")


class EncodingScore(NamedTuple):
    """The score of an encoding.

    Attributes:
        score: at most 1: each character fits the language.
        language: code of the language that fits best.
    """

    name: str
    score: float
    language: str


def rank_encodings(data: bytes, language: str = "") -> list[EncodingScore]:
    """Rank the 8-bit encodings that can decode some bytes, best first.

    Encodings that decode the bytes equally are listed once, under the usual name.

    Args:
        data: part of the text with non-ASCII bytes.
        language: code; empty: any language whose letters are known.
    """
    primary = primary_language(language) if language else ""
    languages = (primary,) if primary in _LETTERS else tuple(_LETTERS)
    usual = next(
        (n for n, codes in USUAL.items() if primary in codes.split()), "cp1252"
    )
    found: dict[str, EncodingScore] = {}
    for name in sorted(ENCODINGS, key=lambda name: name != usual):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        contexts = _count_contexts(text)
        scores = [(_score(contexts, one), one) for one in languages]
        best, code = max(scores, key=lambda pair: pair[0])
        shown = "tis_620" if name == "cp874" and usual == "tis_620" else name
        known = found.get(text)
        if known is None or known.score < best:
            found[text] = EncodingScore(known.name if known else shown, best, code)
    # the sort is stable: equal scores keep the order of ENCODINGS
    return sorted(found.values(), key=lambda one: -round(one.score, 3))


def _is_ascii_letter(before: str, after: str) -> bool:
    """Return whether a neighbour is a letter of English."""
    return any(one.isascii() and one.isalpha() for one in (before, after))


ContextCounts = tuple[Counter[tuple[str, str]], int]


def _count_contexts(text: str) -> ContextCounts:
    """Count the non-ASCII characters by their neighbours."""
    counts: Counter[tuple[str, str]] = Counter()
    n = 0
    for index, sign in enumerate(text):
        if sign < "\x80":
            continue
        before = text[index - 1 : index]
        after = text[index + 1 : index + 2]
        is_inside = before.isalpha() and after.isalpha()
        is_odd_case = before.islower() and sign.isupper()
        is_odd_case |= sign.isupper() and before.isupper() and after.islower()
        around = "case" if is_odd_case else "inside" if is_inside else ""
        if sign >= _NOT_LATIN and _is_ascii_letter(before, after):
            around = "mixed"
        counts[sign, around] += 1
        n += 1
        if n >= _MAX_PLACES:
            break
    return counts, n


def _score(contexts: ContextCounts, language: str) -> float:
    """Return the mean score of the characters; 1: all are frequent letters."""
    counts, n = contexts
    if not n:
        return 0.0
    weights = _weights(language)
    total = 0.0
    for (sign, around), count in counts.items():
        weight = weights.get(sign.lower())
        if around == "mixed" and sign.isalpha():
            total -= 0.6 * count
        elif weight is not None:
            total += count * (weight - (0.7 if around == "case" else 0.0))
        elif (sign in _MARKS and around != "inside") or sign == "’":
            total += 0.5 * count
        elif sign.isalpha():
            total -= 0.6 * count
        else:
            total -= count * (1.5 if around == "inside" or sign < "\xa0" else 0.5)
    return total / n


@cache
def _weights(language: str) -> dict[str, float]:
    """Return the weight of each letter, from 1 for the first to 0.6 for the last."""
    letters = dict.fromkeys(_LETTERS[language])
    return {
        letter: 1 - 0.4 * max(0, index - 5) / max(len(letters), 10)
        for index, letter in enumerate(letters)
    }
