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
    """Some units in a row, not cleaned yet; a unit has one text for each side.

    Attributes:
        lines: line (or row) of the file in which each unit begins, from 1.
        sides: for each side one list of texts, as long as `lines`.
        labels: label of each unit; empty list without labels.
        refused: line and reason of each unit that could not be read (not in `lines`).
        repaired: reasons by line where the reader itself mended a unit.
        languages: language of each unit, as given; empty without a column of them.
        documents: document of each unit; empty where the source has none.
        words: words of each unit, of the first side; empty where it gives none.
        source: name of the file that `lines` counts in, where there are several.
        coded: segment of each unit and side as XML with its inline codes, empty where
            it has none; no list without codes.
        code_format: of these segments.
        refused_texts: beginnings of the refused units by line, where they are known.
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
    """A source that is being read.

    Attributes:
        languages: language of each side, as given (or as found in a TMX file).
        blocks: the units; notes grow while it is read.
        fraction: how much of the source is read (0…1).
        check: raises when the source disappeared or changed.
        close: closes the source's files.
        encoding: name of the encoding.
        encoding_confidence: 0…1.
        notes: sentences for the report.
        columns: names of the columns that were read, in a table.
        says_languages: the file itself says the language of each side.
        documents: those that are known before anything is read: the files.
        field_choices: what may be a field of documents: columns, keys, comments.
        problems: sentences on documents: those whose names do not fit the pattern.
        is_hard_wrapped: whether the lines of a plain text end within sentences; known
            once its first block is read.
        skipped: number of XML elements whose text was skipped so far, by name.
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
    """Make a block without labels, leaving out the lines that are refused."""
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
