"""Write an XML file element by element in constant memory."""

from contextlib import ExitStack, suppress
from typing import IO, Any

from lxml import etree

_XML = "{http://www.w3.org/XML/1998/namespace}"
XML_LANG, XML_SPACE, XML_ID = f"{_XML}lang", f"{_XML}space", f"{_XML}id"


class XmlStream:
    """Writes an XML file with one line per element."""

    def __init__(
        self,
        stream: IO[bytes],
        root: str,
        attributes: dict[str, str],
        *,
        doctype: str = "",
        namespaces: dict[str | None, str] | None = None,
    ):
        self._stack = ExitStack()
        self._file: Any = self._stack.enter_context(
            etree.xmlfile(stream, encoding="utf-8")
        )
        self._file.write_declaration()
        if doctype:
            self._file.write_doctype(doctype)
        self.open(root, attributes, namespaces)

    def open(
        self,
        name: str,
        attributes: dict[str, str] | None = None,
        namespaces: dict[str | None, str] | None = None,
    ) -> None:
        """Open an element that contains the following elements."""
        # lxml would give the namespace of xml: another prefix, which XML forbids
        plain = {
            key.replace(_XML, "xml:"): value
            for key, value in (attributes or {}).items()
        }
        element = self._file.element(name, plain, nsmap=namespaces)
        self._stack.enter_context(element)
        self._file.write("\n")

    def write(self, element: etree._Element) -> None:
        """Write a complete element."""
        element.tail = "\n"
        self._file.write(element, with_tail=True)

    def finish(self) -> None:
        """Close all elements that are open."""
        self._stack.close()

    def close(self) -> None:
        """Close the stream, finished or not."""
        with suppress(OSError, ValueError, etree.LxmlError):
            self._stack.close()


def add_segment(
    parent: etree._Element, name: str, text: str, coded: str
) -> etree._Element:
    """Add an element of text with its inline codes.

    Args:
        text: text without codes.
        coded: text with its codes, as an element; empty: no codes.
    """
    element = add_text(parent, name, text)
    if coded:
        found = etree.fromstring(coded)  # made by `restore_codes`
        element.text = found.text
        element.extend(list(found))
    return element


def add_text(
    parent: etree._Element, name: str, text: str, **attributes: str
) -> etree._Element:
    """Add an element with text without characters that XML forbids."""
    element = etree.SubElement(parent, name, attributes)
    element.text = text
    return element
