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
    """A translation memory, with what is known of each pair as `prop` and `note`."""

    def __init__(self, files: OutputFiles, out: Path, head: PairHeader):
        self._head = head
        root = {"version": "1.4"}
        self._xml = XmlStream(files.open(out), "tmx", root, doctype=DOCTYPE)
        self._parts = [self._xml]
        self._xml.write(_header(head))
        self._xml.open("body")

    def write(self, units: Sequence[PairRecord]) -> None:
        """Write pairs."""
        for unit in units:
            self._xml.write(_unit(self._head, unit))


def _header(head: PairHeader) -> etree._Element:
    header = etree.Element(
        "header",
        {
            "creationtool": CREATOR,
            "creationtoolversion": head.version,
            "segtype": "sentence",
            "o-tmf": CREATOR,
            "adminlang": "en",
            "srclang": head.source_language or "*all*",
            "datatype": "plaintext",
            "creationdate": tmx_time(head.created_at),
        },
    )
    facts = [
        ("name", head.name),
        ("source-corpus", head.source_corpus),
        ("target-corpus", head.target_corpus),
        ("encoder", head.encoder),
        ("encoder-fingerprint", head.fingerprint),
    ]
    _add_props(header, facts)
    return header


def _unit(head: PairHeader, unit: PairRecord) -> etree._Element:
    attributes = {
        "tuid": unit.id,
        "creationdate": tmx_time(head.created_at),
        "creationid": CREATOR,
    }
    if unit.judged_at is not None:
        attributes["changedate"] = tmx_time(unit.judged_at)
        attributes |= {"changeid": unit.who} if unit.who else {}
    element = etree.Element("tu", attributes)
    if unit.note:
        add_text(element, "note", unit.note)
    _add_props(element, list_facts(head, unit))
    _add_props(element, [("tag", tag) for tag in unit.tags])
    for language, text, coded in (
        (unit.source_language, unit.source, unit.source_coded),
        (unit.target_language, unit.target, unit.target_coded),
    ):
        variant = etree.SubElement(element, "tuv", {XML_LANG: language})
        add_segment(variant, "seg", text, coded)
    return element


def _add_props(parent: etree._Element, facts: Sequence[tuple[str, str]]) -> None:
    for name, value in facts:
        if value:
            add_text(parent, "prop", value, type=f"x-{name}")
