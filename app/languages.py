"""Language codes in one stored form, with English names and scripts.

langcodes with its data is 26 MB and a native trie instead of a table of 134 KB, loads
in 150 ms instead of 24, and does not map members of macrolanguages (cmn → zh).
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache
from typing import NamedTuple

from app.paths import resource_dir

RIGHT_TO_LEFT_SCRIPTS = frozenset(
    ["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"]
)
_SCRIPTS_ALIKE = {"Aran": "Arab", "Hanb": "Hant", "Qaai": "Zinh"}
_REGION_SCRIPTS = {
    ("zh", "TW"): "Hant",
    ("zh", "HK"): "Hant",
    ("zh", "MO"): "Hant",
    ("zh", "CN"): "Hans",
    ("zh", "SG"): "Hans",
}
_SCRIPT_NAMES = {
    "Arab": "Arabic",
    "Beng": "Bengali",
    "Cyrl": "Cyrillic",
    "Deva": "Devanagari",
    "Hans": "Simplified",
    "Hant": "Traditional",
    "Hebr": "Hebrew",
    "Latn": "Latin",
    "Runr": "Runic",
    "Tfng": "Tifinagh",
}
# A changed set makes word indexes outdated: raise RULES in the tokenizer. fmt: off
ELIDING = frozenset(
    (
        "ast",
        "ca",
        "co",
        "egl",
        "eml",
        "fr",
        "frp",
        "fur",
        "it",
        "lij",
        "lmo",
        "mwl",
        "nap",
        "oc",
        "pcd",
        "pms",
        "rgn",
        "sc",
        "scn",
        "vec",
        "wa",
    )
)
# fmt: on
_SUBTAG = re.compile(r"[A-Za-z0-9]{1,8}")


class Language(NamedTuple):
    """A language in its stored form.

    Attributes:
        code: normalised code: ISO 639-1 or else 639-3, then script and region if
            specified ("en", "zh-Hans", "sw", "pt-BR").
        given: code as entered by the user.
        known: whether ISO 639 has the code; an unknown one is stored, with a warning.
    """

    code: str
    given: str
    known: bool


class _Entry(NamedTuple):
    code: str
    name: str
    script: str


def parse_language(text: str) -> Language:
    """Convert a code of ISO 639-1, 639-2, 639-3 or BCP 47 to its stored form.

    The leading member of a macrolanguage gets the macrolanguage's two-letter code, as
    in Unicode CLDR (cmn → zh, arb → ar, swh → sw). The usual script of a language is
    left out, except for Chinese (eng-Latn → en, but zho_Hans → zh-Hans).
    """
    given = text.strip()
    parts = given.replace("_", "-").split("-")
    entry = _table().get(parts[0].lower())
    if entry is None or not all(_SUBTAG.fullmatch(part) for part in parts):
        return Language(given.replace("_", "-").lower()[:35], given, False)
    script, region, others = _split_subtags(parts[1:])
    script = script or _REGION_SCRIPTS.get((entry.code, region), "")
    if script == entry.script and entry.code != "zh":
        script = ""
    if entry.code == "zh":
        region = ""
    tags = [entry.code, script, region, *others]
    return Language("-".join(tag for tag in tags if tag), given, True)


SET_SIGN = "-x-"  # before the number of an additional set of rows in a language


def language_of_set(name: str) -> str:
    """Return the stored code of the language of a set of rows: en of en-x-2."""
    return parse_language(name).code.partition(SET_SIGN)[0]


def strip_language(name: str, codes: Collection[str]) -> str:
    """Remove languages of a text from the end of its name: a.en, b_en-de, c_en_de."""
    index = max(name.rfind("."), name.rfind("_"))
    tail = name[index + 1 :]
    named = [parse_language(part).code for part in tail.split("-")]
    are_its = parse_language(tail).code in codes or all(one in codes for one in named)
    return strip_language(name[:index], codes) if index > 0 and are_its else name


def language_name(code: str) -> str:
    """Return the English name of a language, with script or region if in the code."""
    language = parse_language(code)
    if not language.known:
        return code
    code, _, number = language.code.partition(SET_SIGN)
    primary, *subtags = code.split("-")
    marks = [_SCRIPT_NAMES.get(subtag, subtag) for subtag in subtags]
    marks += [f"set {number}"] if number else []
    name = _table()[primary].name
    return f"{name} ({', '.join(marks)})" if marks else name


@cache
def language_script(code: str) -> str:
    """Return the script (ISO 15924) of a language; empty if unknown."""
    primary, *subtags = parse_language(code).code.split("-")
    for subtag in subtags:
        if len(subtag) == 4 and subtag.isalpha():
            return subtag
    entry = _table().get(primary)
    return entry.script if entry else ""


def is_right_to_left(code: str) -> bool:
    """Return whether a language is written from right to left."""
    return language_script(code) in RIGHT_TO_LEFT_SCRIPTS


def primary_language(code: str) -> str:
    """Return the stored code without script and region."""
    return parse_language(code).code.split("-")[0]


def elides(language: str) -> bool:
    """Return whether an apostrophe ends a word in a language."""
    return primary_language(language) in ELIDING if language else False


def is_trained_on(language: str, trained: Collection[str]) -> bool | None:
    """Return whether an encoder was trained on a language in its script.

    Args:
        language: stored code.
        trained: codes of the encoder; empty: unknown.
    """
    if not trained:
        return None
    stored = {parse_language(code).code for code in trained}
    if language in stored:
        return True
    primary = primary_language(language)
    same = [code for code in stored if primary_language(code) == primary]
    if primary == "zh":
        return bool(same)  # either set of characters
    script = language_script(language)
    return any(language_script(code) == script for code in same)


def find_untrained(languages: Iterable[str], trained: Collection[str]) -> list[str]:
    """Return the distinct languages that an encoder was not trained on.

    Args:
        languages: codes.
        trained: codes as the encoder has them; empty: not known.
    """
    parsed = map(parse_language, languages)
    codes = dict.fromkeys(one.code for one in parsed if one.known)
    return [code for code in codes if is_trained_on(code, trained) is False]


def list_languages() -> list[tuple[str, str]]:
    """List the languages of ISO 639 by name: pairs of stored code and English name."""
    entries = {(entry.code, entry.name) for entry in _table().values()}
    variants = [(code, language_name(code)) for code in ("zh-Hans", "zh-Hant")]
    return sorted([*entries, *variants], key=lambda pair: pair[1].casefold())


@cache
def find_language(name: str) -> str:
    """Return the stored code of a language by its code, or its English or own name.

    Only languages with a two-letter code or with an own name in the list are found,
    since some of the thousands of others have names that are common words.
    """
    language = parse_language(name)
    if language.known and _is_common(language.code):
        return language.code
    return _names().get(_plain(name), "")


def _is_common(code: str) -> bool:
    primary = code.split("-")[0]
    return len(primary) == 2 or primary in _own_names()


@cache
def _names() -> dict[str, str]:
    """Return codes by English name and own name, both in lower case."""
    names = {name: code for code, name in list_languages() if _is_common(code)}
    names |= {name: code for code, own in _own_names().items() for name in own}
    return {_plain(name): code for name, code in names.items()}


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip()).casefold()


@cache
def _own_names() -> dict[str, tuple[str, ...]]:
    """Read the own names of languages, by code."""
    found: dict[str, tuple[str, ...]] = {}
    file = resource_dir() / "language_own_names.tsv"
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            code, name = line.split("\t")
            found[code] = (*found.get(code, ()), name)
    return found


def _split_subtags(subtags: list[str]) -> tuple[str, str, list[str]]:
    script, region, others = "", "", []
    for subtag in subtags:
        if len(subtag) == 4 and subtag.isalpha() and not (script or region):
            script = _SCRIPTS_ALIKE.get(subtag.title(), subtag.title())
        elif not region and (
            (len(subtag) == 2 and subtag.isalpha())
            or (len(subtag) == 3 and subtag.isdigit())
        ):
            region = subtag.upper()
        else:
            others.append(subtag.lower())
    return script, region, others


@cache
def _table() -> dict[str, _Entry]:
    """Read the table of codes; all variants of a code map to the same entry."""
    table: dict[str, _Entry] = {}
    file = resource_dir() / "languages.tsv"
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        code, aliases, name, script = line.split("\t")
        entry = _Entry(code, name, script)
        for key in (code, *aliases.split()):
            table[key] = entry
    return table
