"""Read XLIFF 1.2 and 2.x: units with source and target, streamed.

Inline codes are stored separately from the text. In 1.2, a unit divided into segments
(`seg-source` and `mrk mtype="seg"`) is one pair per segment. From a file without
translations, only the sources are imported. With `label_column` "state", the state of a
translation is its label.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lxml import etree

from app.engine.text.files import ByteSource
from app.engine.text.readers.blocks import Block, CodeFormat, Reading
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
from app.languages import parse_language, primary_language
from app.params.corpora import ImportCorpus

XLIFF = XmlFormat("XLIFF", "xliff")
STATE = "state"
SOURCES_ONLY = "The file has no translations, so only its sources are imported."
_UNITS = 1_000
_FIRST_UNITS = 200  # that are searched for languages
_NAMES = ("file", "group", "unit", "trans-unit", "segment")
_CONTAINERS = ("file", "group")
_FREED = ("file", "group", "unit", "trans-unit")


class _Unit(NamedTuple):
    line: int
    texts: tuple[str, str]
    state: str
    coded: tuple[str, str]  # segments with inline codes, as XML
    format: CodeFormat
    languages: tuple[str, str]  # as the file writes them; empty: it does not say


def read_xliff(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open an XLIFF file; see `readers.open_reading`.

    Raises:
        UserError: the file has no unit, or not the requested languages.
    """
    if params.label_column not in ("", STATE):
        raise UserError(
            f"{params.files[0].name} has no column {params.label_column!r}: an XLIFF "
            f"file has only {STATE!r} as a label."
        )
    found, encoding, has_targets = xliff_head(params, limit)
    is_source_only = not has_targets and not found[1] and len(params.languages) < 2
    sides = (0,) if is_source_only else _choose_sides(params, found)
    source = ByteSource(params.files[0], limit=limit)
    units = _stream_units(source, params.encoding, {})
    return Reading(
        params.languages or tuple(found[side] for side in sides),
        _blocks(units, found, sides, has_labels=bool(params.label_column)),
        *source.functions,
        encoding=encoding,
        notes=[SOURCES_ONLY] if is_source_only else [],
        says_languages=all(found[side] for side in sides),
    )


def xliff_head(
    params: ImportCorpus, limit: int | None
) -> tuple[tuple[str, str], str, bool]:
    """Read the languages of both sides, the encoding, and whether targets exist.

    A language that the file does not specify is empty.
    """
    facts: dict[str, str] = {}
    with ByteSource(params.files[0], limit=limit) as source:
        stream = _stream_units(source, params.encoding, facts)
        units = list(islice(stream, _FIRST_UNITS))
    if not units:
        raise UserError(f"{params.files[0]} has no translation units to import.")
    languages = (
        next((unit.languages[0] for unit in units if unit.languages[0]), ""),
        next((unit.languages[1] for unit in units if unit.languages[1]), ""),
    )
    has_targets = any(unit.texts[1] for unit in units)
    return languages, facts.get("encoding", "utf-8"), has_targets


def _choose_sides(params: ImportCorpus, found: tuple[str, str]) -> tuple[int, ...]:
    """Choose source (0) and target (1) by the requested languages.

    Two languages that the file does not specify are those of source and target.
    """
    if not params.languages:
        return (0, 1)
    known = [primary_language(language) for language in found]
    wanted = [primary_language(language) for language in params.languages]
    if len(wanted) <= 2 and len(set(known)) == 2 and set(wanted) <= set(known):
        return tuple(known.index(language) for language in wanted)
    if len(wanted) == 2:
        return (0, 1)
    raise UserError(
        f"{params.files[0].name} translates {found[0] or 'a language'} into "
        f"{found[1] or 'another'}. Set these two languages, or one of them."
    )


def _blocks(
    units: Iterator[_Unit],
    found: tuple[str, str],
    sides: tuple[int, ...],
    *,
    has_labels: bool,
) -> Iterator[Block]:
    wanted = [parse_language(language).code for language in found]
    block = Block([], [[] for _ in sides], [], [], {})
    coded: list[tuple[str, ...]] = []
    for unit in units:
        if unit.languages != found and _is_of_others(unit, wanted):
            reason = f"the unit translates {' into '.join(unit.languages)}"
            block.refused.append((unit.line, reason))
        else:
            block.lines.append(unit.line)
            for texts, side in zip(block.sides, sides, strict=True):
                texts.append(unit.texts[side])
            block.labels.extend([unit.state] if has_labels else [])
            coded.append(tuple(unit.coded[side] for side in sides))
            if any(unit.coded):
                block.repaired[unit.line] = INLINE_CODES
                block = block._replace(code_format=unit.format)
        if len(block.lines) + len(block.refused) >= _UNITS:
            yield block._replace(coded=coded if block.code_format else ())
            block, coded = Block([], [[] for _ in sides], [], [], {}), []
    yield block._replace(coded=coded if block.code_format else ())


def _is_of_others(unit: _Unit, wanted: list[str]) -> bool:
    own = [parse_language(language).code for language in unit.languages]
    return any(one and one != other for one, other in zip(own, wanted, strict=True))


def _stream_units(
    source: ByteSource, encoding: str, facts: dict[str, str]
) -> Iterator[_Unit]:
    """Yield units; `facts` receives the data around them."""
    for event, name, element in stream_elements(
        source, XLIFF, _NAMES, encoding, _CONTAINERS
    ):
        if event == "start":
            _note_languages(name, element, facts)
        elif name in ("trans-unit", "segment"):
            yield from _read_units(element, facts)
        if event == "end" and name in _FREED:
            forget(element)


def _note_languages(name: str, element: etree._Element, facts: dict[str, str]) -> None:
    """Note the languages: of the root in 2.x, of each file in 1.2."""
    if name == "xliff":
        facts["encoding"] = element.getroottree().docinfo.encoding or "utf-8"
        facts["version"] = element.get("version", "")
        facts["source"] = element.get("srcLang", "")
        facts["target"] = element.get("trgLang", "")
    elif name == "file" and element.get("source-language"):
        facts["source"] = element.get("source-language", "")
        facts["target"] = element.get("target-language", "")


def _read_units(element: etree._Element, facts: dict[str, str]) -> Iterator[_Unit]:
    """Read a unit or its segments; segments without a source are skipped."""
    source, target = element.find("{*}source"), element.find("{*}target")
    if source is None:
        return
    marked = None if target is None else target.get(XML_LANG)
    state = element.get("state") or ("" if target is None else target.get("state", ""))
    languages = (
        facts["source"] or source.get(XML_LANG) or "",
        facts["target"] or marked or "",
    )
    line = line_of(element)
    kind: CodeFormat = "xliff-1.2"
    if facts.get("version", "").startswith("2"):
        kind = "xliff-2.0"
    for own, other in _segments(element, source, target):
        texts = segment_text(own), "" if other is None else segment_text(other)
        coded = keep_codes(own, kind), "" if other is None else keep_codes(other, kind)
        yield _Unit(line, texts, state or "", coded, kind, languages)


_Sides = tuple[etree._Element, etree._Element | None]


def _segments(
    element: etree._Element, source: etree._Element, target: etree._Element | None
) -> list[_Sides]:
    """List the segments of a 1.2 unit with their targets, or else the unit."""
    divided = element.find("{*}seg-source")
    sources = {} if divided is None else _marked_segments(divided)
    targets = {} if target is None else _marked_segments(target)
    # an undivided target belongs to the unit, not to one of its segments
    if not sources or (target is not None and not targets and segment_text(target)):
        return [(source, target)]
    return [(own, targets.get(mid)) for mid, own in sources.items()]


def _marked_segments(element: etree._Element) -> dict[str, etree._Element]:
    marks = element.iterfind(".//{*}mrk")
    return {
        mark.get("mid", str(index)): mark
        for index, mark in enumerate(marks)
        if mark.get("mtype") == "seg"
    }
