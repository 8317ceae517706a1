"""Write TBX (ISO 30042:2019), TBX-Core in DCA style: a word and its equivalents.

TBX-Core has terms, languages and notes, no other data categories, so that any TBX
program can read it. Each equivalent is a separate concept entry: a terminologist must
decide which of them mean the same.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from lxml import etree

from app.engine.text.normalisation import clean_text
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import (
    FileWriter,
    PairHeader,
    PairRecord,
    list_facts,
)
from app.engine.text.writers.xml_stream import XML_LANG, XmlStream, add_text

NAMESPACE = "urn:iso:std:iso:30042:ed-2"
ROOT = f"{{{NAMESPACE}}}tbx"
SENTENCES_SOURCE = "Written by Isogloss from sentences that are translations."


class TermPair(NamedTuple):
    """A term, its equivalent, and notes on the equivalent."""

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
        title: description of the terms.
        languages: codes of source and target.
        pairs: one pair per concept entry.
    """
    entries = _TermEntries(stream, title, SENTENCES_SOURCE)
    try:
        for pair in pairs:
            entries.add(languages, pair)
        entries.finish()
    finally:
        entries.close()


class TbxWriter(FileWriter):
    """Writes pairs as terms: one entry per pair, with score, verdict and note."""

    def __init__(self, files: OutputFiles, out: Path, header: PairHeader):
        self._header = header
        source = f"Exported by Isogloss from the pairs of {header.name}."
        self._entries = _TermEntries(files.open(out), header.name, source)
        self._parts = [self._entries]

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs."""
        for record in records:
            facts = [*list_facts(self._header, record), ("note", record.note)]
            notes = [f"{name}: {value}" for name, value in facts if value]
            languages = record.source_language, record.target_language
            self._entries.add(languages, TermPair(record.source, record.target, notes))


class _TermEntries(FileWriter):
    """Writes concept entries one after another."""

    def __init__(self, stream: IO[bytes], title: str, source: str):
        attributes = {"style": "dca", "type": "TBX-Core", XML_LANG: "en"}
        self._xml = XmlStream(stream, ROOT, attributes, namespaces={None: NAMESPACE})
        self._parts = [self._xml]
        self._n = 0
        self._xml.write(_header(title, source))
        self._xml.open("text")
        self._xml.open("body")

    def add(self, languages: tuple[str, str], pair: TermPair) -> None:
        """Write the entry of a pair."""
        self._n += 1
        self._xml.write(_concept(self._n, languages, pair))


def _header(title: str, source: str) -> etree._Element:
    header = etree.Element("tbxHeader")
    description = etree.SubElement(header, "fileDesc")
    add_text(etree.SubElement(description, "titleStmt"), "title", clean_text(title)[0])
    origin = etree.SubElement(description, "sourceDesc")
    add_text(origin, "p", clean_text(source)[0])
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
