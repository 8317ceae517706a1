"""Read TBX: concepts with their terms, of ISO 30042:2019 and of its 2008 edition."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from app.engine.text.opening import ByteSource
from app.engine.text.readers.xml_events import (
    XML_LANG,
    XmlFormat,
    element_text,
    forget,
    line_of,
    stream_elements,
)
from app.languages import parse_language, primary_language

TBX = XmlFormat("TBX", "tbx")
MARTIF = XmlFormat("TBX", "martif")  # the root until 2019
_HEAD = 64 * 1024


class Concept(NamedTuple):
    """The terms of a concept: pairs of a language, as it is written, and a term."""

    languages: list[tuple[str, str]]

    def terms(self, language: str) -> list[str]:
        """Give the terms in a language: by its code, else by its primary language."""
        code = parse_language(language).code
        exact = [t for tag, t in self.languages if parse_language(tag).code == code]
        primary = primary_language(code)
        return exact or [
            term for tag, term in self.languages if primary_language(tag) == primary
        ]


def read_tbx(path: Path) -> Iterator[tuple[int, Concept]]:
    """Read concepts with the line where each begins, one by one.

    Raises:
        UserError: the file is malformed, or no TBX.
        ResourceError: it is missing or cannot be read.
    """
    with ByteSource(path) as source:
        is_old = b"<martif" in source.read(_HEAD)
    kind, entry = (MARTIF, "termEntry") if is_old else (TBX, "conceptEntry")
    with ByteSource(path) as source:
        for event in stream_elements(source, kind, (entry,), ""):
            if event.name == entry and event.kind == "end":
                yield line_of(event.element), _concept(event.element)
                forget(event.element)


def _concept(element: etree._Element) -> Concept:
    found: list[tuple[str, str]] = []
    for name in ("langSec", "langSet"):
        for section in element.iterchildren(f"{{*}}{name}"):
            language = section.get(XML_LANG) or section.get("lang") or ""
            terms = (element_text(term) for term in section.iterfind(".//{*}term"))
            found += [(language, term) for term in terms if term]
    return Concept(found)


__all__ = ["Concept", "read_tbx"]
