"""Stream untrusted XML, with entities, DTDs and network access disabled."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from app.engine.text.files import ByteSource
from app.errors import UserError

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
MAX_ELEMENT = 16 * 10**6  # bytes; its tree takes up to forty times as much
_CHUNK = 32 * 1024
INLINE_CODES = "inline codes were left out of the text"
# Elements of TMX and XLIFF whose content is formatting of the original document (TMX
# 1.4b, section "Content Markup"; XLIFF 1.2, section 2.5).
_NATIVE = frozenset(("bpt", "ept", "ph", "it", "ut"))
# In a file formatted in lines, line breaks and the spaces around them are layout. Other
# spaces are text, such as two in a row or no-break spaces.
_LAYOUT = re.compile(r"[ \t]*[\t\r\n][ \t\r\n]*")


class XmlFormat(NamedTuple):
    """Name and root element of an XML format."""

    name: str
    root: str


class XmlEvent(NamedTuple):
    """The start or end of an element.

    Attributes:
        kind: start or end.
        name: name of the element without its namespace.
    """

    kind: str
    name: str
    element: etree._Element


def stream_elements(
    source: ByteSource,
    kind: XmlFormat,
    names: Sequence[str],
    encoding: str,
    containers: Sequence[str] = (),
) -> Iterator[XmlEvent]:
    """Yield the starts and ends of some elements, including the root.

    Args:
        kind: format of the file; a truncated preview ends within the root without an
            error.
        names: names of the elements, without namespace.
        encoding: encoding; empty: as declared in the file.
        containers: those names that are not units; their children are freed as soon as
            they are read.

    Raises:
        UserError: the file is malformed, has another format or declares entities, or an
            element is larger than `MAX_ELEMENT`.
    """
    tags = [f"{{*}}{name}" for name in (kind.root, *names)]
    try:
        parser = etree.XMLPullParser(
            events=("start", "end"),
            tag=tags,
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
            encoding=encoding or None,
        )
    except LookupError as error:
        raise UserError(
            f"{encoding!r} is not an encoding of XML files. Leave it empty: an XML "
            "file declares its encoding."
        ) from error
    yield from _ElementStream(source, kind, parser, containers).events()


class _ElementStream:
    """Feeds a parser, and frees everything outside the selected elements."""

    def __init__(
        self,
        source: ByteSource,
        kind: XmlFormat,
        parser: Any,
        containers: Sequence[str],
    ):
        self._source, self._kind, self._parser = source, kind, parser
        self._containers = (kind.root, *containers)
        self._root: etree._Element | None = None
        self._open: list[etree._Element] = []  # selected elements, without containers
        self._long: etree._Element | None = None  # open since an earlier chunk
        self._n_long = 0  # its size in bytes

    def events(self) -> Iterator[XmlEvent]:
        """Yield the events of the selected elements."""
        error: etree.XMLSyntaxError | None = None
        chunk = b" "
        while chunk and error is None:
            chunk = self._source.read(_CHUNK)
            try:
                if chunk:
                    self._parser.feed(chunk)
                elif not self._source.is_cut:
                    self._parser.close()
            except etree.XMLSyntaxError as caught:
                error = caught
            yield from self._new_events()
            self._limit_memory(len(chunk))
        # the end of a preview is not the end of the file
        if error is not None and not (self._source.is_cut and self._root is not None):
            raise UserError(
                f"{self._source.path} is malformed at line {error.lineno:,}: "
                f"{error.msg}. Correct it there, or export it again."
            ) from error
        if self._root is None:
            raise UserError(
                f"{self._source.path} is XML but not {self._kind.name}: its root is "
                f"not <{self._kind.root}>."
            )

    def _new_events(self) -> Iterator[XmlEvent]:
        for event, element in self._parser.read_events():
            name = local_name(element)
            if name == self._kind.root and event == "start" and self._root is None:
                self._root = element
                _refuse_entities(element, self._source.path, self._kind)
            if name not in self._containers:
                if event == "start":
                    self._open.append(element)
                else:
                    self._open.pop()
            if self._root is not None:
                yield XmlEvent(event, name, element)

    def _limit_memory(self, n_read: int) -> None:
        """Free elements that are not read; refuse an element that does not end."""
        if self._root is not None:
            _free_unread(self._root, self._open)
        first = self._open[0] if self._open else None
        is_same = first is not None and first is self._long
        self._n_long = self._n_long + n_read if is_same else 0
        self._long = first
        if first is not None and self._n_long > MAX_ELEMENT:
            raise UserError(
                f"The element at line {line_of(first):,} of {self._source.path} is "
                f"larger than {MAX_ELEMENT // 10**6}\u00a0MB. Split it into smaller "
                "elements."
            )


def _free_unread(root: etree._Element, open_elements: list[etree._Element]) -> None:
    """Free complete elements outside the open elements that are being read.

    At each level all children except the last are complete, and have been read or are
    not needed.
    """
    first = open_elements[0] if open_elements else None
    node = root
    while node is not first and len(node):
        if len(node) > 1:
            del node[:-1]
        node = node[-1]


def local_name(element: etree._Element) -> str:
    """Return an element's name without its namespace (which may contain anything)."""
    return str(element.tag).rpartition("}")[2]


def element_text(element: etree._Element) -> str:
    """Return all text in an element, without layout line breaks."""
    parts = (
        part if isinstance(part, str) else part.decode() for part in element.itertext()
    )
    return _LAYOUT.sub(" ", "".join(parts)).strip(" ")


def segment_text(element: etree._Element) -> str:
    """Return the text of a segment without native codes; line breaks become spaces."""
    parts: list[str] = []
    _add_text(element, parts)
    return _LAYOUT.sub(" ", "".join(parts)).strip(" ")


def _add_text(element: etree._Element, parts: list[str]) -> None:
    parts.append(element.text or "")
    for child in element:
        name = local_name(child) if isinstance(child.tag, str) else ""
        if child.get("ctype") == "lb" or child.get("type") == "lb":
            parts.append(" ")
        if name and name not in _NATIVE:
            _add_text(child, parts)
        parts.append(child.tail or "")


def has_inline_codes(element: etree._Element) -> bool:
    """Return whether a segment has inline elements other than markers."""
    return any(
        isinstance(one.tag, str) and local_name(one) != "mrk"
        for one in element.iterdescendants()
    )


def line_of(element: etree._Element) -> int:
    """Return the line in which an element starts, from 1."""
    line: Any = element.sourceline
    return line or 0


def forget(element: etree._Element) -> None:
    """Free an element that was read, and its preceding siblings."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _refuse_entities(root: etree._Element, path: Path, kind: XmlFormat) -> None:
    dtd: Any = root.getroottree().docinfo.internalDTD
    if dtd is not None and dtd.entities():
        raise UserError(
            f"{path} declares XML entities, which can fill the memory or read other "
            f"files. They are rejected as unsafe. {kind.name} needs none."
        )
