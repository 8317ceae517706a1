"""Write XLIFF 1.2 and 2.0 (OASIS, 2008 and 2014): one unit per pair, streamed.

A verdict is the target's state if the standards have an equivalent; a note also
contains it, with score, encoder, run and tags.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from lxml import etree

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import (
    FileWriter,
    PairHeader,
    PairRecord,
    iso_time,
    list_facts,
)
from app.engine.text.writers.xml_stream import (
    XML_LANG,
    XML_SPACE,
    XmlStream,
    add_segment,
    add_text,
)

XliffVersion = Literal["1.2", "2.0"]

NAMESPACES: dict[XliffVersion, str] = {
    "1.2": "urn:oasis:names:tc:xliff:document:1.2",
    "2.0": "urn:oasis:names:tc:xliff:document:2.0",
}
TOOL = "isogloss"
STATES_1 = {
    "accept": "final",
    "reject": "needs-translation",
    "skip": "needs-review-translation",
    "flag": "needs-review-translation",
    "": "translated",
}
STATES_2 = {
    "accept": "final",
    "reject": "initial",
    "skip": "translated",
    "flag": "translated",
    "": "translated",
}


class XliffWriter(FileWriter):
    """Writes an XLIFF file with one `file` element."""

    def __init__(
        self,
        files: OutputFiles,
        out: Path,
        header: PairHeader,
        *,
        version: XliffVersion,
    ):
        self._header = header
        self._is_first = version == "1.2"
        root = {"version": str(version)}
        if not self._is_first:
            root |= {
                "srcLang": header.source_language,
                "trgLang": header.target_language,
            }
        # Elements without a namespace are written without a prefix, so the root's
        # applies.
        self._xml = XmlStream(
            files.open(out),
            f"{{{NAMESPACES[version]}}}xliff",
            root,
            namespaces={None: NAMESPACES[version]},
        )
        self._parts = [self._xml]
        if self._is_first:
            self._open_first()
        else:
            self._open_second()

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs."""
        make = _unit_1 if self._is_first else _unit_2
        for record in records:
            self._xml.write(make(self._header, record))

    def _open_first(self) -> None:
        header = self._header
        attributes = {
            "original": header.name,
            "source-language": header.source_language,
            "target-language": header.target_language,
            "datatype": "plaintext",
            "date": iso_time(header.created_at),
            "tool-id": TOOL,
            XML_SPACE: "preserve",
        }
        self._xml.open("file", attributes)
        element = etree.Element("header")
        tool = {
            "tool-id": TOOL,
            "tool-name": "Isogloss",
            "tool-version": header.version,
        }
        etree.SubElement(element, "tool", tool)
        for name, value in _list_header_facts(header):
            add_text(element, "note", f"{name}: {value}", **{"from": TOOL})
        self._xml.write(element)
        self._xml.open("body")

    def _open_second(self) -> None:
        header = self._header
        attributes = {"id": "f1", "original": header.name, XML_SPACE: "preserve"}
        self._xml.open("file", attributes)
        facts = _list_header_facts(header)
        if facts:
            notes = etree.Element("notes")
            for name, value in facts:
                add_text(notes, "note", value, category=f"{TOOL}:{name}")
            self._xml.write(notes)


def _list_header_facts(header: PairHeader) -> list[tuple[str, str]]:
    facts = [
        ("source-corpus", header.source_corpus),
        ("target-corpus", header.target_corpus),
        ("encoder", header.encoder),
        ("encoder-fingerprint", header.fingerprint),
    ]
    return [(name, value) for name, value in facts if value]


def _all_facts(header: PairHeader, record: PairRecord) -> list[tuple[str, str]]:
    judged = [("judged-by", record.who), ("judged-at", iso_time(record.judged_at))]
    tags = [("tag", tag) for tag in record.tags]
    return [
        (name, text)
        for name, text in list_facts(header, record) + tags + judged
        if text
    ]


def _unit_1(header: PairHeader, record: PairRecord) -> etree._Element:
    is_approved = {"accept": "yes", "": ""}.get(record.verdict, "no")
    attributes = {"id": record.id} | ({"approved": is_approved} if is_approved else {})
    element = etree.Element("trans-unit", attributes)
    source = add_segment(element, "source", record.source, record.source_coded)
    source.set(XML_LANG, record.source_language)
    target = add_segment(element, "target", record.target, record.target_coded)
    target.set("state", STATES_1[record.verdict])
    target.set(XML_LANG, record.target_language)
    if record.note:
        add_text(
            element, "note", record.note, **({"from": record.who} if record.who else {})
        )
    for name, value in _all_facts(header, record):
        add_text(element, "note", f"{name}: {value}", **{"from": TOOL})
    return element


def _unit_2(header: PairHeader, record: PairRecord) -> etree._Element:
    element = etree.Element("unit", {"id": record.id})
    facts = _all_facts(header, record)
    if facts or record.note:
        notes = etree.SubElement(element, "notes")
        if record.note:
            add_text(notes, "note", record.note)
        for name, value in facts:
            add_text(notes, "note", value, category=f"{TOOL}:{name}")
    state = {"state": STATES_2[record.verdict]}
    if record.verdict:
        state["subState"] = f"{TOOL}:{record.verdict}"
    segment = etree.SubElement(element, "segment", state)
    # The languages of source and target must match the root (section 4.3.1.3).
    add_segment(segment, "source", record.source, record.source_coded)
    add_segment(segment, "target", record.target, record.target_coded)
    return element
