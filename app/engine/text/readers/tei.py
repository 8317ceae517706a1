"""Read TEI P5: the sentences of each text's body, and what its header says of it.

What is read: within `<body>` each `<s>` is a sentence; a paragraph (p, ab, head, l, u,
item, cell, quote, q and the like) without one is cut into sentences. What is not: front
and back matter, notes, running heads, deletions, variant readings, speakers, stage
directions and descriptions of figures; of a `<choice>` the regularised, corrected or
expanded reading is taken (TEI P5 Guidelines, chapters 3, 4 and 11).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from app.engine.text.documents import Mark
from app.engine.text.opening import ByteSource
from app.engine.text.readers.block import Block, Reading
from app.engine.text.readers.tei_header import Header, read_header
from app.engine.text.readers.tei_text import BLOCKS, read_block
from app.engine.text.readers.xml_events import (
    XML_LANG,
    XmlFormat,
    forget,
    stream_elements,
)
from app.engine.text.segment import split_note, split_sentences
from app.errors import UserError
from app.languages import parse_language
from app.params import ImportCorpus

_ROOT = re.compile(rb"<(?:[\w.-]+:)?(TEI|teiCorpus)[\s>]")
_HEAD = 64 * 1024  # bytes in which the root must begin
_UNITS = 1_000


class _Unit(NamedTuple):
    line: int
    text: str
    language: str  # as the file gives it; empty where it does not
    mark: Mark


def read_tei(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a TEI file; see `readers.open_reading`.

    Without a language given, each text is in the one that it says itself.
    """
    path = params.files[0]
    if len(params.languages) > 1:
        raise UserError(
            f"{path} is one text, but {len(params.languages)} languages were given."
        )
    given = params.languages[0] if params.languages else ""
    kind = _find_root(params)
    with ByteSource(path, limit=limit) as head:
        first = next(_Texts(head, kind, params).units(given), None)
        is_cut = head.is_cut
    if first is None and not is_cut:
        raise UserError(
            f"{path} has no paragraph or sentence in a <body>: nothing to import."
        )
    language = given or (first.language if first else "")
    source = ByteSource(path, limit=limit)
    texts = _Texts(source, kind, params)
    note = split_note(parse_language(language).code)
    return Reading(
        languages=(language,) if language else (),
        blocks=_blocks(texts.units(given), given, language),
        fraction=source.fraction,
        check=source.check_unchanged,
        close=source.close,
        notes=[note] if note else [],
    )


def _find_root(params: ImportCorpus) -> XmlFormat:
    with ByteSource(params.files[0], limit=_HEAD) as source:
        found = _ROOT.search(source.read(_HEAD).replace(b"\0", b""))
    return XmlFormat("TEI", found[1].decode() if found else "TEI")


def _blocks(units: Iterator[_Unit], given: str, language: str) -> Iterator[Block]:
    """Make blocks; the language of each unit is said where the file says it."""
    block = Block([], [[]], [], [], {}, [], [])
    languages: list[str] = []
    marks: list[Mark] = []
    for unit in units:
        block.lines.append(unit.line)
        block.sides[0].append(unit.text)
        languages.append(unit.language or language)
        marks.append(unit.mark)
        if len(block.lines) >= _UNITS:
            yield block._replace(languages=() if given else languages, documents=marks)
            block, languages, marks = Block([], [[]], [], [], {}), [], []
    yield block._replace(languages=() if given else languages, documents=marks)


class _Texts:
    """Streams the units of a file, text by text."""

    def __init__(self, source: ByteSource, kind: XmlFormat, params: ImportCorpus):
        self._source = source
        self._kind = kind
        self._encoding = params.encoding
        self._is_corpus = kind.root == "teiCorpus"
        self._shared = Header()  # of the whole corpus
        self._header = Header()
        self._n_texts = 0
        self._own_name = ""
        self._language = ""  # of the text element

    def units(self, given: str) -> Iterator[_Unit]:
        """Stream the units; a language that is given goes before those of the file."""
        n_bodies = n_blocks = 0
        names = ("TEI", "teiHeader", "text", "body", *BLOCKS)
        for event, name, element in stream_elements(
            self._source, self._kind, names, self._encoding
        ):
            step = 1 if event == "start" else -1
            if name == "body":
                n_bodies += step
            elif name in BLOCKS and n_bodies:
                n_blocks += step
                if not n_blocks:
                    yield from self._units_of(element, given)
                    forget(element)
            elif not n_bodies:
                self._on_frame(event, name, element)

    def _on_frame(self, event: str, name: str, element: etree._Element) -> None:
        """Take what stands around the bodies: texts and their headers."""
        if name == "TEI" and event == "start":
            self._n_texts += 1
            self._own_name = element.get("n", "")
            self._language = element.get(XML_LANG, "")
            self._header = self._shared
        elif name == "text" and event == "start":
            self._language = element.get(XML_LANG) or self._language
        elif name == "teiHeader" and event == "end":
            header = read_header(element)
            if self._is_corpus and not self._n_texts:
                self._shared = header
            self._header = self._shared.overlaid(header)
            forget(element)

    def _units_of(self, element: etree._Element, given: str) -> Iterator[_Unit]:
        own = self._language or self._header.language
        language = given or own
        mark = Mark(self._name(), self._header.fields)
        code = parse_language(language).code
        for line, text, is_sentence in read_block(element):
            pieces = [text] if is_sentence else split_sentences(text, code)
            for piece in pieces:
                if piece.strip():
                    yield _Unit(line, piece.strip(), own, mark)

    def _name(self) -> str:
        """Name the text; one that is alone in its file is called as that."""
        if not self._is_corpus:
            return ""
        title = dict(self._header.fields).get("title", "")
        return self._own_name or title or f"text {self._n_texts}"


__all__ = ["read_tei"]
