"""Write TEI P5 with stand-off links: two texts of `<s>`, and a file of links.

The links are in a `linkGrp`, one `link` per pair, which refers to the sentences of both
texts (TEI P5 Guidelines, chapter "Linking, Segmentation, and Alignment"). A link's
`type` is the number of sentences on either side, `n` its score, `subtype` its verdict:
it is an empty element, so notes and tags are not written.
"""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from lxml import etree

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import (
    FileWriter,
    PairHeader,
    PairRecord,
    score_text,
)
from app.engine.text.writers.xml_stream import XML_ID, XML_LANG, XmlStream, add_text
from app.params.pairs import language_paths

NAMESPACE = "http://www.tei-c.org/ns/1.0"
ROOT = f"{{{NAMESPACE}}}TEI"


class TeiWriter(FileWriter):
    """Writes two texts and the links between their sentences."""

    def __init__(self, files: OutputFiles, out: Path, header: PairHeader):
        self._n_sentences = [0, 0]
        paths = language_paths(out, header.languages, "tei")
        self._names = [quote(path.name) for path in paths]
        corpora = (header.source_corpus, header.target_corpus)
        self._texts = [
            _open(files, path, name) for path, name in zip(paths, corpora, strict=True)
        ]
        for text, language in zip(self._texts, header.languages, strict=True):
            text.open("text", {XML_LANG: language} if language else {})
            text.open("body")
            text.open("p")
        self._links = _open(files, out, header.name)
        self._parts = [*self._texts, self._links]
        self._links.open("standOff")
        self._links.open("linkGrp", {"type": "translation"})

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write the sentences of pairs to the texts, then their links."""
        for record in records:
            marks = [
                f"{self._names[side]}#s{number}"
                for side, parts, line in (
                    (0, record.source_parts, record.source_line),
                    (1, record.target_parts, record.target_line),
                )
                for number in self._write_sentences(side, parts, line)
            ]
            self._links.write(_link(record, marks))

    def _write_sentences(self, side: int, parts: Sequence[str], line: int) -> list[int]:
        """Write sentences, and return their numbers."""
        numbers = []
        for index, part in enumerate(parts):
            self._n_sentences[side] += 1
            number = self._n_sentences[side]
            attributes = {XML_ID: f"s{number}"}
            if index == 0:
                attributes["n"] = str(line)
            sentence = etree.Element("s", attributes)
            sentence.text = part
            self._texts[side].write(sentence)
            numbers.append(number)
        return numbers


def _open(files: OutputFiles, path: Path, title: str) -> XmlStream:
    """Start a TEI file with the required header."""
    stream = XmlStream(files.open(path), ROOT, {}, namespaces={None: NAMESPACE})
    header = etree.Element("teiHeader")
    description = etree.SubElement(header, "fileDesc")
    add_text(etree.SubElement(description, "titleStmt"), "title", title)
    for name, text in (
        ("publicationStmt", "Written by Isogloss."),
        ("sourceDesc", f"Sentences of {title}."),
    ):
        add_text(etree.SubElement(description, name), "p", text)
    stream.write(header)
    return stream


def _link(record: PairRecord, marks: Sequence[str]) -> etree._Element:
    attributes = {
        XML_ID: f"p{record.id}",
        "type": f"{len(record.source_parts)}-{len(record.target_parts)}",
        "target": " ".join(marks),
    }
    for name, value in (("subtype", record.verdict), ("n", score_text(record.score))):
        if value:
            attributes[name] = value
    return etree.Element("link", attributes)
