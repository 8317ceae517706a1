"""The text of a TEI paragraph: what is read of it, and what is left out."""

import re
from typing import NamedTuple

from lxml import etree

from app.engine.text.readers.xml_events import line_of

# What holds running text, outermost first: each is read when it ends.
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
)
# Within another paragraph these are part of its sentences.
_INLINE = frozenset(("label", "quote", "q", "salute", "dateline", "signed", "byline"))
_LEFT_OUT = frozenset(
    (
        *("note", "fw", "del", "rdg", "speaker", "stage", "figDesc", "teiHeader"),
        *("front", "back", "surplus", "gap", "index", "desc", "graphic", "formula"),
    )
)
_CHOSEN = ("reg", "corr", "expan")
_BREAKS = frozenset(("lb", "pb", "cb", "gb"))
_GLUE = "\0"  # no XML holds it
_GLUED = re.compile(r"\s*\0+\s*")
_SPACES = re.compile(r"[ \t\r\n]+")


class Passage(NamedTuple):
    """A piece of running text, and the line that it begins in."""

    line: int
    text: str
    is_sentence: bool


def read_block(element: etree._Element) -> list[Passage]:
    """Read a paragraph: its sentences where they are marked, else what it holds.

    Paragraphs within it are passages of their own, in the order of the text.
    """
    reader = _BlockReader()
    reader.read(element)
    return reader.passages


class _BlockReader:
    """Walks through a paragraph."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._parts: list[str] = []
        self._line = 0

    def read(self, element: etree._Element) -> None:
        """Read a paragraph, or a sentence, as passages of its own."""
        self._end(line_of(element))
        is_sentence = _name(element) == "s"
        self._take(element, is_whole=is_sentence)
        self._end(self._line, is_sentence=is_sentence)

    def _end(self, line: int, *, is_sentence: bool = False) -> None:
        """End the passage that is open; the next begins in the line."""
        joined = _SPACES.sub(" ", _GLUED.sub("", "".join(self._parts))).strip()
        if joined:
            self.passages.append(Passage(self._line, joined, is_sentence))
        self._parts = []
        self._line = line

    def _take(self, element: etree._Element, *, is_whole: bool) -> None:
        """Take the text of an element; a whole one has no passages within."""
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
            elif name and name not in _LEFT_OUT:
                self._take_inline(child, is_whole=is_whole)
            self._parts.append(child.tail or "")

    def _take_inline(self, child: etree._Element, *, is_whole: bool) -> None:
        """Take an element of the line; words and signs may be joined to others."""
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


def _name(element: etree._Element) -> str:
    """Name an element without its namespace; empty for what is none."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


__all__ = ["BLOCKS", "Passage", "read_block"]
