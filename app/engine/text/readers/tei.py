"""Read TEI P5: the sentences of each text and the metadata in its header.

TEI P5 Guidelines, chapter 2. The year is the year of creation, else of the source, else
of the publication of the file.

Within `<body>`, each `<s>` is a sentence; a paragraph (p, ab, head, l, u, item, cell,
quote, q and the like) without `<s>` is split into sentences. Not read are front and
back matter, notes, running heads, deletions, variant readings, speakers, stage
directions and descriptions of figures; of a `<choice>` the regularised, corrected or
expanded reading is used (TEI P5 Guidelines, chapters 3, 4 and 11). Elements whose text
is skipped are counted.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree

from app.engine.text.documents import SourceDocument
from app.engine.text.files import ByteSource
from app.engine.text.readers.blocks import Block, Reading
from app.engine.text.readers.xml_events import (
    XML_LANG,
    XmlFormat,
    element_text,
    forget,
    line_of,
    local_name,
    stream_elements,
)
from app.engine.text.segmentation import split_note, split_sentences
from app.errors import UserError
from app.languages import parse_language
from app.params.corpora import ImportCorpus

_HEADER_SPACES = re.compile(r"\s+")
_YEAR = re.compile(r"(?<!\d)-?\d{4}(?!\d)")
_DATES = (
    ".//{*}profileDesc/{*}creation//{*}date",
    ".//{*}sourceDesc//{*}date",
    ".//{*}publicationStmt//{*}date",
)
_WHEN = ("when", "from", "notBefore", "to", "notAfter")


class Header(NamedTuple):
    """The metadata of a text.

    Attributes:
        fields: those of title, author, year and genre that exist.
        language: language as in the file; may be empty.
    """

    fields: tuple[tuple[str, str], ...] = ()
    language: str = ""

    def overlaid(self, other: "Header") -> "Header":
        """Return this metadata, overridden by the values of another header."""
        fields = {**dict(self.fields), **dict(other.fields)}
        return Header(tuple(fields.items()), other.language or self.language)


def read_header(element: etree._Element) -> Header:
    """Read a teiHeader."""
    fields = {
        "title": _title(element),
        "author": _joined(element, ".//{*}fileDesc/{*}titleStmt/{*}author")
        or _joined(element, ".//{*}sourceDesc//{*}author"),
        "year": _year(element),
        "genre": _genre(element),
    }
    found = element.find(".//{*}profileDesc/{*}langUsage/{*}language")
    language = "" if found is None else found.get("ident", "")
    return Header(tuple((key, text) for key, text in fields.items() if text), language)


def _title(element: etree._Element) -> str:
    titles = element.findall(".//{*}fileDesc/{*}titleStmt/{*}title")
    main = [title for title in titles if title.get("type") == "main"]
    return next(_texts(main or titles), "")


def _year(element: etree._Element) -> str:
    """Return the year; a date without a year is returned unchanged, to be reported."""
    wrong = ""
    for path in _DATES:
        for date in element.findall(path):
            whens = [date.get(name, "") for name in _WHEN]
            for text in (*whens, *_texts([date])):
                year = _YEAR.search(text)
                if year:
                    return year[0].lstrip("0") or "0"
                wrong = wrong or text
    return wrong


def _genre(element: etree._Element) -> str:
    """Return the genre of the text: codes, else keywords, else categories."""
    place = ".//{*}profileDesc/{*}textClass"
    codes = _joined(element, f"{place}/{{*}}classCode")
    terms = _joined(element, f"{place}/{{*}}keywords//{{*}}term")
    references = " ".join(
        one.get("target", "") for one in element.findall(f"{place}/{{*}}catRef")
    )
    names = [reference.rpartition("#")[2] for reference in references.split()]
    return codes or terms or "; ".join(dict.fromkeys(names))


def _joined(element: etree._Element, path: str) -> str:
    return "; ".join(dict.fromkeys(_texts(element.findall(path))))


def _texts(elements: list[etree._Element]) -> Iterator[str]:
    for element in elements:
        parts = (p if isinstance(p, str) else p.decode() for p in element.itertext())
        text = _HEADER_SPACES.sub(" ", "".join(parts)).strip()
        if text:
            yield text


# Entries of lists (listPlace, castList …): text outside paragraphs.
_ENTRIES = ("place", "person", "org", "event", "bibl", "castItem", "gloss")
# Elements with running text, outermost first; each is read at its end.
BLOCKS = (
    *(
        "p",
        "ab",
        "s",
        "head",
        "l",
        "u",
        "item",
        "label",
        "cell",
        "quote",
        "q",
        "salute",
    ),
    *("opener", "closer", "dateline", "signed", "byline", "epigraph", "argument"),
    *("trailer", "entryFree", "entry"),
    *_ENTRIES,
)
# Within another paragraph, these elements are part of its sentences.
_INLINE = frozenset(
    (
        *("label", "quote", "q", "salute", "dateline", "signed", "byline"),
        *_ENTRIES,
    )
)
_SKIPPED = frozenset(
    (
        *("note", "fw", "del", "rdg", "speaker", "stage", "figDesc", "teiHeader"),
        *("front", "back", "surplus", "gap", "index", "desc", "graphic", "formula"),
    )
)
_CHOSEN = ("reg", "corr", "expan")
_BREAKS = frozenset(("lb", "pb", "cb", "gb"))
_GLUE = "\0"  # not allowed in XML
_GLUED = re.compile(r"\s*\0+\s*")
_TEXT_SPACES = re.compile(r"[ \t\r\n]+")


class Passage(NamedTuple):
    """A piece of running text and its first line."""

    line: int
    text: str
    is_sentence: bool


def read_block(
    element: etree._Element, skipped: Counter[str] | None = None
) -> list[Passage]:
    """Read a paragraph: its marked sentences, or else all its text.

    Nested paragraphs are separate passages, in the order of the text.

    Args:
        skipped: counter of the elements with skipped text, by name.
    """
    reader = _BlockReader(Counter() if skipped is None else skipped)
    reader.read(element)
    return reader.passages


class _BlockReader:
    """Collects the passages of a paragraph."""

    def __init__(self, skipped: Counter[str]):
        self._skipped = skipped
        self.passages: list[Passage] = []
        self._parts: list[str] = []
        self._line = 0

    def read(self, element: etree._Element) -> None:
        """Read a paragraph or a sentence as separate passages."""
        self._end(line_of(element))
        is_sentence = _name(element) == "s"
        self._take(element, is_whole=is_sentence)
        self._end(self._line, is_sentence=is_sentence)

    def _end(self, line: int, *, is_sentence: bool = False) -> None:
        """End the current passage; the next passage starts in the given line."""
        joined = _TEXT_SPACES.sub(" ", _GLUED.sub("", "".join(self._parts))).strip()
        if joined:
            self.passages.append(Passage(self._line, joined, is_sentence))
        self._parts = []
        self._line = line

    def _take(self, element: etree._Element, *, is_whole: bool) -> None:
        """Append the text of an element; a complete element contains no passages."""
        self._parts.append(element.text or "")
        for child in element:
            name = _name(child)
            if name == "choice":
                self._take_choice(child, is_whole=is_whole)
            elif name in _BREAKS:
                self._parts.append(_GLUE if child.get("break") == "no" else " ")
            elif name in BLOCKS and name not in _INLINE and not is_whole:
                line = self._line
                self.read(child)
                self._line = line
            elif name in _SKIPPED:
                _count_skipped(child, self._skipped)
            elif name:
                self._take_inline(child, is_whole=is_whole)
            self._parts.append(child.tail or "")

    def _take_inline(self, child: etree._Element, *, is_whole: bool) -> None:
        """Append an inline element; words and signs may be joined to neighbours."""
        join = child.get("join", "")
        self._parts.append(_GLUE if join in ("left", "both") else "")
        self._take(child, is_whole=is_whole)
        self._parts.append(_GLUE if join in ("right", "both") else "")

    def _take_choice(self, choice: etree._Element, *, is_whole: bool) -> None:
        named = {_name(child): child for child in choice}
        chosen = next((named[name] for name in _CHOSEN if name in named), None)
        if chosen is None and len(choice):
            chosen = choice[0]
        if chosen is not None:
            self._take(chosen, is_whole=is_whole)


def _count_skipped(element: etree._Element, skipped: Counter[str]) -> None:
    """Count a skipped element if it contains text."""
    if element_text(element):
        skipped[_name(element)] += 1


def _name(element: etree._Element) -> str:
    """Return the name of an element without its namespace; empty for other nodes."""
    return local_name(element) if isinstance(element.tag, str) else ""


_ROOT = re.compile(rb"<(?:[\w.-]+:)?(TEI|teiCorpus)[\s>]")
_INCLUDE = "{http://www.w3.org/2001/XInclude}include"
_HEAD = 64 * 1024  # bytes in which the root must start
_CONTAINERS = ("TEI", "text", "body")
_UNITS = 1_000


class _Unit(NamedTuple):
    line: int
    text: str
    language: str  # as in the file; empty: not specified
    mark: SourceDocument


def read_tei(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a TEI file; see `readers.open_reading`.

    Without a language in the params, each text has the language stated in the file.
    """
    path = params.files[0]
    if len(params.languages) > 1:
        raise UserError(
            f"{path} is one text, but {len(params.languages)} languages are set."
        )
    given = params.languages[0] if params.languages else ""
    kind = _find_root(params)
    with ByteSource(path, limit=limit) as head:
        first = next(_Texts(head, kind, params).units(given), None)
        is_cut = head.is_cut
    if first is None and not is_cut:
        raise UserError(
            f"{path} has no paragraph or sentence in a <body>, so there is nothing to "
            "import."
        )
    language = given or (first.language if first else "")
    source = ByteSource(path, limit=limit)
    texts = _Texts(source, kind, params)
    note = split_note(parse_language(language).code)
    return Reading(
        (language,) if language else (),
        _blocks(texts.units(given), given, language),
        *source.functions,
        notes=[note] if note else [],
        skipped=texts.skipped,
    )


def _find_root(params: ImportCorpus) -> XmlFormat:
    with ByteSource(params.files[0], limit=_HEAD) as source:
        found = _ROOT.search(source.read(_HEAD).replace(b"\0", b""))
    return XmlFormat("TEI", found[1].decode() if found else "TEI")


class TeiParts(NamedTuple):
    """The files that the root of a corpus includes, and notes on missing files."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def find_parts(params: ImportCorpus) -> TeiParts:
    """Find the files that a teiCorpus includes (XInclude), as in ParlaMint.

    Only files in the folder of the root and its subfolders are read, and only files
    that the root itself includes, not its header or the parts.

    Raises:
        UserError: a part is outside the folder, or no part exists.
    """
    root = params.files[0]
    kind = _find_root(params)
    if kind.root != "teiCorpus":
        return TeiParts((), ())
    found: list[Path] = []
    missing: list[Path] = []
    with ByteSource(root) as source:
        for href in _included(source, kind, params.encoding):
            file = _locate_part(root, href)
            (found if file.is_file() else missing).append(file)
    if missing and not found:
        raise UserError(
            f"{root} includes {missing[0].name}, which is not in its folder. Put the "
            "parts of the corpus there."
        )
    words = "1 part is" if len(missing) == 1 else f"{len(missing):,} parts are"
    notes = [f"{words} missing: {missing[0].name} …"] if missing else []
    return TeiParts(tuple(found), tuple(notes))


def _included(source: ByteSource, kind: XmlFormat, encoding: str) -> Iterator[str]:
    """Stream the files that the corpus includes as its texts."""
    n_headers = 0
    names = ("teiHeader", "TEI", "include")
    for event, name, element in stream_elements(source, kind, names, encoding, ()):
        if name == "TEI":
            return
        if name == "teiHeader":
            n_headers += 1 if event == "start" else -1
        elif event == "end" and not n_headers and element.tag == _INCLUDE:
            yield element.get("href", "")


def _locate_part(root: Path, href: str) -> Path:
    file = root.parent / unquote(href)
    is_inside = file.resolve().is_relative_to(root.parent.resolve())
    if not href or "://" in href or not is_inside:
        raise UserError(
            f"{root} includes {href!r}, which is outside its folder and is not read. "
            "Put the parts of the corpus into the folder of its root."
        )
    return file


def _blocks(units: Iterator[_Unit], given: str, language: str) -> Iterator[Block]:
    """Create blocks, with the language of each unit if the file states it."""
    block = Block([], [[]], [], [], {}, [], [])
    languages: list[str] = []
    marks: list[SourceDocument] = []
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
    """Yields the units of a file, text by text.

    Attributes:
        skipped: number of elements whose text was skipped, by name.
    """

    def __init__(self, source: ByteSource, kind: XmlFormat, params: ImportCorpus):
        self._source = source
        self._kind = kind
        self._encoding = params.encoding
        self._is_corpus = kind.root == "teiCorpus"
        self._shared = Header()  # of the complete corpus
        self._header = Header()
        self._n_texts = 0
        self._own_name = ""
        self._language = ""  # of the text element
        self.skipped: Counter[str] = Counter()

    def units(self, given: str) -> Iterator[_Unit]:
        """Yield the units; a language in the params overrides those of the file."""
        n_bodies = n_blocks = 0
        names = ("TEI", "text", "body", *_SKIPPED, *BLOCKS)
        for event, name, element in stream_elements(
            self._source, self._kind, names, self._encoding, _CONTAINERS
        ):
            step = 1 if event == "start" else -1
            if name == "body":
                n_bodies += step
            elif name in BLOCKS and n_bodies:
                n_blocks += step
                if not n_blocks:
                    yield from self._units_of(element, given)
                    forget(element)
            elif name in _SKIPPED and name != "teiHeader":
                if event == "end" and not n_blocks:
                    _count_skipped(element, self.skipped)
                    forget(element)
            elif not n_bodies:
                self._on_frame(event, name, element)

    def _on_frame(self, event: str, name: str, element: etree._Element) -> None:
        """Process elements outside bodies: texts and their headers."""
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
        mark = SourceDocument(self._name(), self._header.fields)
        code = parse_language(language).code
        for line, text, is_sentence in read_block(element, self.skipped):
            pieces = [text] if is_sentence else split_sentences(text, code)
            for piece in pieces:
                if piece.strip():
                    yield _Unit(line, piece.strip(), own, mark)

    def _name(self) -> str:
        """Name the text; a single text is named after its file."""
        if not self._is_corpus:
            return ""
        title = dict(self._header.fields).get("title", "")
        return self._own_name or title or f"text {self._n_texts}"
