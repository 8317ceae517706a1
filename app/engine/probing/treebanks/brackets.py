"""Reader of bracketed constituency trees.

The format is the Penn Treebank's: (S (NP (NNS Cats)) (VP (VBP sleep)) (. .)), with or
without an outer pair of brackets, which may have the label ROOT or TOP. A tree may span
several lines.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from app.engine.text.lines import LineBlock

OPENING, CLOSING = "(", ")"
ROOTS = ("", "ROOT", "TOP")
TRACE = "-NONE-"  # tag of nodes without words
MAX_TREE = 1_000_000  # characters per tree
ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
    "\\/": "/",
    "\\*": "*",
}
_TOKEN = re.compile(r"[()]|[^\s()]+")
_FUNCTION = re.compile(r"(?<=[^-=|])[-=|].*$")  # suffix of NP-SBJ-1 or NP=2


class BracketingError(ValueError):
    """Brackets that are not a tree."""


class Constituent(NamedTuple):
    """A node of a tree.

    Attributes:
        label: label without function tags and numbers.
        word: word of a leaf; empty: not a leaf.
        parts: child nodes, without traces.
    """

    label: str
    word: str
    parts: tuple["Constituent", ...]

    @property
    def words(self) -> list[str]:
        """Return the words of the leaves, in order."""
        found, stack = [], [self]
        while stack:
            node = stack.pop()
            if node.word:
                found.append(node.word)
            stack += reversed(node.parts)
        return found


def parse_tree(text: str) -> Constituent:
    """Parse the brackets of one tree, without the outer pair.

    Raises:
        BracketingError: brackets are missing, or a node has both a word and nodes.
    """
    stack: list[tuple[str, list[str], list[Constituent]]] = []  # label, words, parts
    top: Constituent | None = None
    is_open = False  # the next token is a label
    for token in _TOKEN.findall(text):
        if top is not None:
            raise BracketingError("there is text after the last bracket")
        if token == OPENING:
            stack.append(("", [], []))
            is_open = True
            continue
        if not stack:
            raise BracketingError("a bracket is closed that was not opened")
        label, words, parts = stack[-1]
        if token != CLOSING:
            if is_open:
                stack[-1] = (token, words, parts)
            else:
                words.append(token)
        else:
            stack.pop()
            node = _make_node(label, words, parts)
            if stack:
                stack[-1][2].extend([node] if node is not None else [])
            else:
                top = node or Constituent("", "", ())
        is_open = False
    if stack or top is None:
        raise BracketingError("a bracket is not closed")
    if top.label in ROOTS and len(top.parts) == 1:
        top = top.parts[0]
    if not top.words:
        raise BracketingError("the tree has no words")
    return top


def _make_node(
    label: str, words: list[str], parts: list[Constituent]
) -> Constituent | None:
    """Return a node; None for a trace, and for a node with only traces."""
    if (words and parts) or len(words) > 1:
        raise BracketingError(f"the node {label} has a word next to other nodes")
    if label == TRACE:
        return None
    if words:
        return Constituent(label, ESCAPES.get(words[0], words[0]), ())
    plain = label if label.startswith("-") else _FUNCTION.sub("", label)
    return Constituent(plain, "", tuple(parts)) if parts or plain in ROOTS else None


def split_trees(
    blocks: Iterator[LineBlock],
) -> Iterator[tuple[int, str]]:
    """Return the first line's number and the text of each tree.

    A tree ends when its brackets are closed; an empty line ends an incomplete tree.
    """
    first, parts, depth = 0, list[str](), 0
    for block in blocks:
        for number, line in enumerate(block.texts, block.first):
            if parts and (not line.strip() or sum(map(len, parts)) > MAX_TREE):
                yield first, " ".join(parts)
                parts, depth = [], 0
            if not line.strip():
                continue
            first = first if parts else number
            parts.append(line)
            depth += line.count(OPENING) - line.count(CLOSING)
            if depth <= 0:
                yield first, " ".join(parts)
                parts, depth = [], 0
    if parts:
        yield first, " ".join(parts)
