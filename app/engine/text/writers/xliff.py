"""Write XLIFF 1.2 and 2.0 (OASIS, 2008 and 2014): one unit a pair, streamed.

A verdict is the target's state, as far as the standards have a word for it; it stands
in a note too, with score, encoder, run and tags.
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
    """An XLIFF file of one `file` part."""

    def __init__(
        self, files: OutputFiles, out: Path, head: PairHeader, *, version: XliffVersion
    ):
        self._head = head
        self._is_first = version == "1.2"
        root = {"version": str(version)}
        if not self._is_first:
            root |= {"srcLang": head.source_language, "trgLang": head.target_language}
        # Elements without a namespace are written without a prefix: the root's holds.
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

    def write(self, units: Sequence[PairRecord]) -> None:
        """Write pairs."""
        make = _unit_1 if self._is_first else _unit_2
        for unit in units:
            self._xml.write(make(self._head, unit))

    def _open_first(self) -> None:
        head = self._head
        attributes = {
            "original": head.name,
            "source-language": head.source_language,
            "target-language": head.target_language,
            "datatype": "plaintext",
            "date": iso_time(head.created_at),
            "tool-id": TOOL,
            XML_SPACE: "preserve",
        }
        self._xml.open("file", attributes)
        header = etree.Element("header")
        tool = {"tool-id": TOOL, "tool-name": "Isogloss", "tool-version": head.version}
        etree.SubElement(header, "tool", tool)
        for name, value in _head_facts(head):
            add_text(header, "note", f"{name}: {value}", **{"from": TOOL})
        self._xml.write(header)
        self._xml.open("body")

    def _open_second(self) -> None:
        head = self._head
        attributes = {"id": "f1", "original": head.name, XML_SPACE: "preserve"}
        self._xml.open("file", attributes)
        facts = _head_facts(head)
        if facts:
            notes = etree.Element("notes")
            for name, value in facts:
                add_text(notes, "note", value, category=f"{TOOL}:{name}")
            self._xml.write(notes)


def _head_facts(head: PairHeader) -> list[tuple[str, str]]:
    facts = [
        ("source-corpus", head.source_corpus),
        ("target-corpus", head.target_corpus),
        ("encoder", head.encoder),
        ("encoder-fingerprint", head.fingerprint),
    ]
    return [(name, value) for name, value in facts if value]


def _all_facts(head: PairHeader, unit: PairRecord) -> list[tuple[str, str]]:
    judged = [("judged-by", unit.who), ("judged-at", iso_time(unit.judged_at))]
    tags = [("tag", tag) for tag in unit.tags]
    return [
        (name, text) for name, text in list_facts(head, unit) + tags + judged if text
    ]


def _unit_1(head: PairHeader, unit: PairRecord) -> etree._Element:
    is_approved = {"accept": "yes", "": ""}.get(unit.verdict, "no")
    attributes = {"id": unit.id} | ({"approved": is_approved} if is_approved else {})
    element = etree.Element("trans-unit", attributes)
    source = add_segment(element, "source", unit.source, unit.source_coded)
    source.set(XML_LANG, unit.source_language)
    target = add_segment(element, "target", unit.target, unit.target_coded)
    target.set("state", STATES_1[unit.verdict])
    target.set(XML_LANG, unit.target_language)
    if unit.note:
        add_text(element, "note", unit.note, **({"from": unit.who} if unit.who else {}))
    for name, value in _all_facts(head, unit):
        add_text(element, "note", f"{name}: {value}", **{"from": TOOL})
    return element


def _unit_2(head: PairHeader, unit: PairRecord) -> etree._Element:
    element = etree.Element("unit", {"id": unit.id})
    facts = _all_facts(head, unit)
    if facts or unit.note:
        notes = etree.SubElement(element, "notes")
        if unit.note:
            add_text(notes, "note", unit.note)
        for name, value in facts:
            add_text(notes, "note", value, category=f"{TOOL}:{name}")
    state = {"state": STATES_2[unit.verdict]}
    if unit.verdict:
        state["subState"] = f"{TOOL}:{unit.verdict}"
    segment = etree.SubElement(element, "segment", state)
    # The languages of source and target must be those of the root (section 4.3.1.3).
    add_segment(segment, "source", unit.source, unit.source_coded)
    add_segment(segment, "target", unit.target, unit.target_coded)
    return element
