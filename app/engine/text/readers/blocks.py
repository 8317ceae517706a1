"""Blocks of units, and the facts about a file, that every reader returns."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from app.engine.text.documents import SourceDocument
from app.engine.text.token_annotations import SourceToken

CodeFormat = Literal["tmx", "xliff-1.2", "xliff-2.0"]
TOO_LONG = "the text is longer than 1\u00a0MB"


class Block(NamedTuple):
    """A block of consecutive units before cleaning; a unit has one text per side.

    Attributes:
        lines: first line (or row) of each unit in the file, from 1.
        sides: for each side a list of texts, as long as `lines`.
        labels: label of each unit; empty list: no labels.
        refused: line and reason of each unit that could not be read (not in `lines`).
        repaired: reasons, by line, for repairs by the reader.
        languages: language of each unit as in the file; empty: no such column.
        documents: document of each unit; empty list: no documents.
        words: annotated words of each unit, on the first side; empty list: none.
        source: name of the file that `lines` refers to, if there are several.
        coded: segment of each unit and side as XML with its inline codes, or an empty
            string; empty list: no codes.
        code_format: format of these segments.
        refused_texts: beginnings of the refused units by line, if known.
    """

    lines: list[int]
    sides: list[list[str]]
    labels: list[str]
    refused: list[tuple[int, str]]
    repaired: dict[int, str]
    languages: Sequence[str] = ()
    documents: Sequence[SourceDocument] = ()
    words: Sequence[tuple[SourceToken, ...]] = ()
    source: str = ""
    coded: Sequence[tuple[str, ...]] = ()
    code_format: CodeFormat | None = None
    refused_texts: Mapping[int, str] = {}


@dataclass
class Reading:
    """A source open for reading.

    Attributes:
        languages: language of each side, from the params or the file.
        blocks: the units; reading them extends the notes.
        fraction: share of the source that has been read (0…1).
        check: raises an error if the source disappeared or changed.
        close: closes the source's files.
        encoding: name of the encoding.
        encoding_confidence: 0…1.
        notes: sentences for the report.
        columns: names of the columns read from a table.
        says_languages: whether the file specifies the language of each side.
        documents: documents known before reading (the files).
        field_choices: possible document fields: columns, keys, comments.
        problems: sentences on documents whose names do not match the pattern.
        is_hard_wrapped: whether the lines of a plain text end within sentences; set
            when the first block is read.
        skipped: number of XML elements with skipped text so far, by name.
    """

    languages: tuple[str, ...]
    blocks: Iterator[Block]
    fraction: Callable[[], float]
    check: Callable[[], None]
    close: Callable[[], None]
    encoding: str = "utf-8"
    encoding_confidence: float = 1.0
    notes: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    says_languages: bool = False
    documents: list[SourceDocument] = field(default_factory=list)
    field_choices: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    is_hard_wrapped: bool = False
    skipped: Counter[str] = field(default_factory=Counter)


def drop_rejected(
    lines: list[int], sides: list[list[str]], refused: dict[int, str]
) -> Block:
    """Create a block without labels, without the refused lines."""
    if not refused:
        return Block(lines, sides, [], [], {})
    kept = [index for index, line in enumerate(lines) if line not in refused]
    return Block(
        [lines[index] for index in kept],
        [[side[index] for index in kept] for side in sides],
        [],
        sorted(refused.items()),
        {},
    )
