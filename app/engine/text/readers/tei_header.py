"""What a TEI header says of its text: title, author, year, genre, language.

TEI P5 Guidelines, chapter 2. The year is that of the creation, else of the source, else
of the publication of the file, in this order.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

_SPACES = re.compile(r"\s+")
_YEAR = re.compile(r"(?<!\d)-?\d{4}(?!\d)")
_DATES = (
    ".//{*}profileDesc/{*}creation//{*}date",
    ".//{*}sourceDesc//{*}date",
    ".//{*}publicationStmt//{*}date",
)
_WHEN = ("when", "from", "notBefore", "to", "notAfter")


class Header(NamedTuple):
    """What is known of a text.

    Attributes:
        fields: title, author, year, genre: those that are there.
        language: as the file gives it; may be empty.
    """

    fields: tuple[tuple[str, str], ...] = ()
    language: str = ""

    def overlaid(self, other: "Header") -> "Header":
        """Give these facts where another header does not know better."""
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
    """Give the year; a date without one is given as it stands, to be told."""
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
    """Give the classes of the text: codes, else keywords, else categories."""
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
        text = _SPACES.sub(" ", "".join(parts)).strip()
        if text:
            yield text


__all__ = ["Header", "read_header"]
