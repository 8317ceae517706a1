"""Write TMX 1.4b as a stream, one unit per pair."""

from collections.abc import Sequence
from pathlib import Path

from lxml import etree

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import (
    FileWriter,
    PairHeader,
    PairRecord,
    list_facts,
    tmx_time,
)
from app.engine.text.writers.xml_stream import (
    XML_LANG,
    XmlStream,
    add_segment,
    add_text,
)

CREATOR = "Isogloss"
DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'


class TmxWriter(FileWriter):
    """Writes a translation memory, with the data of each pair as `prop` and `note`."""

    def __init__(self, files: OutputFiles, out: Path, header: PairHeader):
        self._header = header
        root = {"version": "1.4"}
        self._xml = XmlStream(files.open(out), "tmx", root, doctype=DOCTYPE)
        self._parts = [self._xml]
        self._xml.write(_make_header(header))
        self._xml.open("body")

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs."""
        for record in records:
            self._xml.write(_make_unit(self._header, record))


def _make_header(header: PairHeader) -> etree._Element:
    element = etree.Element(
        "header",
        {
            "creationtool": CREATOR,
            "creationtoolversion": header.version,
            "segtype": "sentence",
            "o-tmf": CREATOR,
            "adminlang": "en",
            "srclang": header.source_language or "*all*",
            "datatype": "plaintext",
            "creationdate": tmx_time(header.created_at),
        },
    )
    facts = [
        ("name", header.name),
        ("source-corpus", header.source_corpus),
        ("target-corpus", header.target_corpus),
        ("encoder", header.encoder),
        ("encoder-fingerprint", header.fingerprint),
    ]
    _add_props(element, facts)
    return element


def _make_unit(header: PairHeader, record: PairRecord) -> etree._Element:
    attributes = {
        "tuid": record.id,
        "creationdate": tmx_time(header.created_at),
        "creationid": CREATOR,
    }
    if record.judged_at is not None:
        attributes["changedate"] = tmx_time(record.judged_at)
        attributes |= {"changeid": record.who} if record.who else {}
    element = etree.Element("tu", attributes)
    if record.note:
        add_text(element, "note", record.note)
    _add_props(element, list_facts(header, record))
    _add_props(element, [("tag", tag) for tag in record.tags])
    for language, text, coded in (
        (record.source_language, record.source, record.source_coded),
        (record.target_language, record.target, record.target_coded),
    ):
        variant = etree.SubElement(element, "tuv", {XML_LANG: language})
        add_segment(variant, "seg", text, coded)
    return element


def _add_props(parent: etree._Element, facts: Sequence[tuple[str, str]]) -> None:
    for name, value in facts:
        if value:
            add_text(parent, "prop", value, type=f"x-{name}")
