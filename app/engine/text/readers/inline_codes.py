"""Keep the inline codes of TMX and XLIFF segments, and write them back on export.

A sentence is stored without the codes. The segment is stored separately as XML, without
namespaces: `<seg>Press <bpt i="1">[b]</bpt>Save<ept i="1">[/b]</ept>.</seg>`. It is
written back only if its text still equals the sentence, and only to its original
format, since the codes of one format are not valid in another.
"""

from collections.abc import Sequence

from lxml import etree

from app.engine.text.normalisation import clean_text
from app.engine.text.readers.blocks import CodeFormat
from app.engine.text.readers.xml_events import (
    has_inline_codes,
    local_name,
    segment_text,
)

MAX_SEGMENT = 200_000  # characters; the codes of a longer segment are not kept
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
# Elements within a segment: TMX 1.4b, "Content Markup"; XLIFF 1.2, section 2.5; XLIFF
# 2.0, section 4.2.3.
_ELEMENTS: dict[str, frozenset[str]] = {
    "tmx": frozenset(("bpt", "ept", "ph", "it", "ut", "hi", "sub")),
    "xliff-1.2": frozenset(
        ("g", "x", "bx", "ex", "bpt", "ept", "ph", "it", "mrk", "sub")
    ),
    "xliff-2.0": frozenset(("cp", "ph", "pc", "sc", "ec", "mrk", "sm", "em")),
}
# They refer to parts of the unit outside the segment, which are not stored.
_REFERENCES = (
    *("dataRef", "dataRefStart", "dataRefEnd"),
    *("subFlows", "subFlowsStart", "subFlowsEnd"),
)


def keep_codes(segment: etree._Element, kind: CodeFormat) -> str:
    """Return a segment as XML of an element `seg`; empty if it has no inline codes.

    Args:
        segment: `seg` of TMX; `source`, `target` or `mrk` of XLIFF.
    """
    if not has_inline_codes(segment):
        return ""
    copy = _copy(segment, "seg", kind)
    copy.attrib.clear()
    xml = etree.tostring(copy, encoding="unicode", with_tail=False)
    return xml if len(xml) <= MAX_SEGMENT else ""


def restore_codes(
    text: str,
    parts: Sequence[str],
    segments: Sequence[tuple[str, str] | None],
    kind: str,
) -> str | None:
    """Return a text with the codes of its sentences, as XML; None if they do not match.

    Args:
        text: text to export.
        parts: sentences that the text consists of.
        segments: format and XML of each sentence; None: no codes.
        kind: export format.
    """
    made = etree.Element("seg")
    cursor = 0
    for part, segment in zip(parts, segments, strict=True):
        start = text.find(part, cursor)
        if start < 0:
            return None
        _append_text(made, text[cursor:start])
        if segment is None:
            _append_text(made, part)
        elif segment[0] != kind or not _append_segment(made, segment[1], part, kind):
            return None
        cursor = start + len(part)
    _append_text(made, text[cursor:])
    return etree.tostring(made, encoding="unicode")


def _append_segment(parent: etree._Element, xml: str, text: str, kind: str) -> bool:
    """Append the content of a segment if its text equals the given text."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        found = etree.fromstring(xml, parser)
    except (etree.XMLSyntaxError, ValueError):
        return False  # written by another program
    if clean_text(segment_text(found))[0] != text:
        return False
    allowed = _copy(found, "seg", kind)
    _append_text(parent, allowed.text or "")
    parent.extend(list(allowed))
    return True


def _copy(element: etree._Element, name: str, kind: str) -> etree._Element:
    """Copy an element without namespaces, comments and elements of other formats."""
    copy = etree.Element(name)
    copy.text = element.text
    for key, value in element.attrib.items():
        plain = str(key)
        if plain == _XML_SPACE or ("}" not in plain and plain not in _REFERENCES):
            copy.set(plain, str(value))
    for child in element:
        own = local_name(child) if isinstance(child.tag, str) else ""
        if own in _ELEMENTS[kind]:
            inner = _copy(child, own, kind)
            inner.tail = child.tail
            copy.append(inner)
        else:  # unknown elements become text, as in the sentence
            _append_text(copy, segment_text(child) if own else "")
            _append_text(copy, child.tail or "")
    return copy


def _append_text(element: etree._Element, text: str) -> None:
    """Append text to the content of an element."""
    if not text:
        return
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
