"""Write TBX (ISO 30042:2019), TBX-Core in DCA style: a word and its equivalents.

TBX-Core has terms, languages and notes, no other data categories, so that any program
of TBX reads it. Each equivalent is a concept entry of its own: which of them mean the
same is for a terminologist to say.
"""

from collections.abc import Iterable, Sequence
from typing import IO, NamedTuple

from lxml import etree

from app.engine.text.normalisation import clean_text
from app.engine.text.writers.xml_stream import XML_LANG, XmlStream, add_text

NAMESPACE = "urn:iso:std:iso:30042:ed-2"
ROOT = f"{{{NAMESPACE}}}tbx"


class TermPair(NamedTuple):
    """A term, its equivalent, and what is noted of the equivalent."""

    source: str
    target: str
    notes: Sequence[str] = ()


def write_tbx(
    stream: IO[bytes],
    title: str,
    languages: tuple[str, str],
    pairs: Iterable[TermPair],
) -> None:
    """Write pairs of terms.

    Args:
        stream: the file.
        title: says what the terms are of.
        languages: codes of source and target.
        pairs: one for each concept entry.
    """
    attributes = {"style": "dca", "type": "TBX-Core", XML_LANG: "en"}
    xml = XmlStream(stream, ROOT, attributes, namespaces={None: NAMESPACE})
    try:
        xml.write(_header(title))
        xml.open("text")
        xml.open("body")
        for number, pair in enumerate(pairs, start=1):
            xml.write(_concept(number, languages, pair))
        xml.finish()
    finally:
        xml.close()


def _header(title: str) -> etree._Element:
    header = etree.Element("tbxHeader")
    description = etree.SubElement(header, "fileDesc")
    add_text(etree.SubElement(description, "titleStmt"), "title", clean_text(title)[0])
    source = etree.SubElement(description, "sourceDesc")
    add_text(source, "p", "Written by Isogloss from sentences that are translations.")
    return header


def _concept(number: int, languages: tuple[str, str], pair: TermPair) -> etree._Element:
    entry = etree.Element("conceptEntry", {"id": f"c{number}"})
    for language, term in zip(languages, (pair.source, pair.target), strict=True):
        section = etree.SubElement(entry, "langSec", {XML_LANG: language})
        group = etree.SubElement(section, "termSec")
        add_text(group, "term", clean_text(term)[0])
    for note in pair.notes:
        add_text(group, "note", clean_text(note)[0])
    return entry
