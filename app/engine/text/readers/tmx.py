"""Read TMX 1.4 translation units as a stream."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from lxml import etree

from app.engine.text.files import ByteSource
from app.engine.text.readers.blocks import Block, Reading
from app.engine.text.readers.inline_codes import keep_codes
from app.engine.text.readers.xml_events import (
    INLINE_CODES,
    XML_LANG,
    XmlFormat,
    forget,
    line_of,
    segment_text,
    stream_elements,
)
from app.errors import UserError
from app.languages import language_name, parse_language, primary_language
from app.params.corpora import ImportCorpus

TMX = XmlFormat("TMX", "tmx")
_UNITS = 1_000
_FIRST_UNITS = 200  # that are searched for languages


class _Unit(NamedTuple):
    line: int
    texts: dict[str, str]  # by language as in the file
    coded: dict[str, str]  # segments with inline codes, as XML


def read_tmx(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a TMX file; see `readers.open_reading`.

    Without languages in the params, those of most of the first units are read.
    """
    path = params.files[0]
    found, notes, encoding = tmx_head(params, limit)
    languages = params.languages or found
    source = ByteSource(path, limit=limit)
    units = _stream_units(source, params.encoding)
    return Reading(
        languages,
        _blocks(units, languages),
        *source.functions,
        encoding=encoding,
        notes=notes,
        says_languages=True,
    )


def tmx_head(
    params: ImportCorpus, limit: int | None
) -> tuple[tuple[str, ...], list[str], str]:
    """Read the languages of the first units, notes on the header, and the encoding."""
    path = params.files[0]
    facts: dict[str, str] = {}
    with ByteSource(path, limit=limit) as source:
        stream = _stream_units(source, params.encoding, facts)
        units = list(islice(stream, _FIRST_UNITS))
    if not units:
        raise UserError(f"{path} has no translation units (<tu>) to import.")
    notes = []
    if not facts.get("srclang"):
        notes.append("The TMX header does not declare the source language (srclang).")
    return _common_languages(units), notes, facts.get("encoding", "utf-8")


def _common_languages(units: list[_Unit]) -> tuple[str, ...]:
    """List the languages of most units, as in the file.

    Variants of a language (en, en-US) count as one language unless a unit has two of
    them.
    """
    tags: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    apart: set[str] = set()
    for unit in units:
        primaries = Counter(primary_language(tag) for tag in unit.texts if tag)
        counts.update(primaries.keys())
        apart.update(primary for primary, n in primaries.items() if n > 1)
        for tag in unit.texts:
            own = tags.setdefault(primary_language(tag), [])
            if tag not in own:
                own.append(tag)
    common = [primary for primary, n in counts.items() if 2 * n >= len(units)]
    lists = [tags[one] if one in apart else tags[one][:1] for one in common]
    return tuple(chain.from_iterable(lists))


def _blocks(units: Iterator[_Unit], languages: tuple[str, ...]) -> Iterator[Block]:
    codes = tuple(parse_language(language).code for language in languages)
    block = _empty_block(len(codes))
    coded: list[tuple[str, ...]] = []
    for unit in units:
        texts = _pick_languages(unit.texts, codes)
        missing = [code for code, text in zip(codes, texts, strict=True) if not text]
        if missing:
            name = language_name(missing[0])
            block.refused.append((unit.line, f"the unit has no text in {name}"))
        else:
            block.lines.append(unit.line)
            for side, text in zip(block.sides, texts, strict=True):
                side.append(text)
            by_text = {unit.texts[tag]: xml for tag, xml in unit.coded.items()}
            coded.append(tuple(by_text.get(text, "") for text in texts))
            if unit.coded:
                block.repaired[unit.line] = INLINE_CODES
        if len(block.lines) + len(block.refused) >= _UNITS:
            yield block._replace(coded=coded if any(map(any, coded)) else ())
            block, coded = _empty_block(len(codes)), []
    yield block._replace(coded=coded if any(map(any, coded)) else ())


def _empty_block(n_sides: int) -> Block:
    return Block([], [[] for _ in range(n_sides)], [], [], {}, code_format="tmx")


def _pick_languages(texts: dict[str, str], codes: tuple[str, ...]) -> list[str]:
    """Choose the text of each language, by code or else by primary language.

    If two variants of a language are requested, each matches only its own code.
    """
    by_code: dict[str, str] = {}
    by_primary: dict[str, str] = {}
    for tag, text in texts.items():
        by_code.setdefault(parse_language(tag).code, text)
        by_primary.setdefault(primary_language(tag), text)
    primaries = [primary_language(code) for code in codes]
    return [
        by_code.get(code)
        or (by_primary.get(primary, "") if primaries.count(primary) == 1 else "")
        for code, primary in zip(codes, primaries, strict=True)
    ]


def _stream_units(
    source: ByteSource, encoding: str, facts: dict[str, str] | None = None
) -> Iterator[_Unit]:
    """Yield the units of a TMX file; `facts` receives the data of the header."""
    facts = {} if facts is None else facts
    for event, name, element in stream_elements(
        source, TMX, ("header", "tu"), encoding
    ):
        if name == "tu" and event == "end":
            yield _read_unit(element)
            forget(element)
        elif name == "tmx" and event == "start":
            facts["encoding"] = element.getroottree().docinfo.encoding or "utf-8"
        elif name == "header" and event == "start":
            facts["srclang"] = element.get("srclang", "")


def _read_unit(element: etree._Element) -> _Unit:
    texts: dict[str, str] = {}
    coded: dict[str, str] = {}
    for variant in element.iterchildren("{*}tuv"):
        language = variant.get(XML_LANG) or variant.get("lang") or ""
        segment = variant.find("{*}seg")
        if segment is None or language in texts:
            continue
        texts[language] = segment_text(segment)
        if xml := keep_codes(segment, "tmx"):
            coded[language] = xml
    return _Unit(line_of(element), texts, coded)
