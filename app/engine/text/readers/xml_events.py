"""Stream untrusted XML: entities, DTDs and network access stay off."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from app.engine.text.files import ByteSource
from app.errors import UserError

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
INLINE_CODES = "inline codes were kept as text"
# Where a file is laid out in lines, breaks and the spaces around them are layout. Other
# spaces are text: two in a row, or the ones that do not break.
_LAYOUT = re.compile(r"[ \t]*[\t\r\n][ \t\r\n]*")


class XmlFormat(NamedTuple):
    """What an XML format is called, and what its root is."""

    name: str
    root: str


class XmlEvent(NamedTuple):
    """An element that begins or ends.

    Attributes:
        kind: start or end.
        name: of the element, without its namespace.
    """

    kind: str
    name: str
    element: etree._Element


def stream_elements(
    source: ByteSource, kind: XmlFormat, names: Sequence[str], encoding: str
) -> Iterator[XmlEvent]:
    """Stream the starts and ends of some elements, those of the root among them.

    Args:
        source: the file.
        kind: its format; a preview that is cut ends quietly within the root.
        names: of the elements, without namespace.
        encoding: empty: the file says it.

    Raises:
        UserError: it is malformed, of another format, or declares entities.
    """
    events = etree.iterparse(
        source,
        events=("start", "end"),
        tag=[f"{{*}}{name}" for name in (kind.root, *names)],
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding=encoding or None,
    )
    has_root = False
    try:
        for event, element in events:
            name = etree.QName(element).localname
            if name == kind.root and event == "start":
                has_root = True
                _refuse_entities(element, source.path, kind)
            if has_root:
                yield XmlEvent(event, name, element)
    except etree.XMLSyntaxError as error:
        if source.is_cut and has_root:
            return  # the end of a preview is none of the file
        raise UserError(
            f"{source.path} is malformed at line {error.lineno}: {error.msg}. "
            "Correct it there, or export it again."
        ) from error
    if not has_root:
        raise UserError(
            f"{source.path} is XML but not {kind.name}: its root is not <{kind.root}>."
        )


def element_text(element: etree._Element) -> str:
    """Return all text in an element, without the breaks of its layout."""
    parts = (
        part if isinstance(part, str) else part.decode() for part in element.itertext()
    )
    return _LAYOUT.sub(" ", "".join(parts)).strip(" ")


def line_of(element: etree._Element) -> int:
    """Return the line in which an element begins, from 1."""
    line: Any = element.sourceline
    return line or 0


def forget(element: etree._Element) -> None:
    """Free an element that is read, and what stood before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _refuse_entities(root: etree._Element, path: Path, kind: XmlFormat) -> None:
    dtd: Any = root.getroottree().docinfo.internalDTD
    if dtd is not None and dtd.entities():
        raise UserError(
            f"{path} declares XML entities, which can fill the memory or read other "
            f"files: they are rejected as unsafe. {kind.name} needs none."
        )
