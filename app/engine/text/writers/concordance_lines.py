"""Concordance lines to export, and the protocol of their writers."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from app.engine.text.writers.records import PLACES, Finishing, Value
from app.languages import is_right_to_left

SEPARATOR = " | "  # between sentences in one cell
LEFT, HIT, RIGHT = "left", "hit", "right"


class ContextSentence(NamedTuple):
    """A similar sentence of a line.

    Attributes:
        asked: requested language; the sentence's own code may be longer (zh-Hans).
        score: cosine; None: one of the sentences has no vector.
        is_translation: whether the sentences are linked.
    """

    asked: str
    language: str
    text: str
    corpus: str
    sentence: int
    score: float | None
    is_translation: bool


class LineRecord(NamedTuple):
    """A concordance line with all its data.

    Attributes:
        left, hit, right: text of the sentence, in three parts.
        document, fields: name and fields of the document; empty if there is none.
        line: line of the imported file, from 1.
        sentence: id of the sentence.
        before, after: neighbouring sentences.
        near: similar sentences.
        translations: texts of the linked sentences.
    """

    left: str
    hit: str
    right: str
    corpus: str
    document: str
    fields: dict[str, str]
    line: int
    language: str
    sentence: int
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    near: tuple[ContextSentence, ...] = ()
    translations: tuple[str, ...] = ()

    @property
    def is_leftward(self) -> bool:
        """Return whether the script runs from right to left."""
        return is_right_to_left(self.language)


class LineHeader(NamedTuple):
    """The data that all lines of a file share.

    Attributes:
        query: the query.
        facts: sentences on the hits, the corpora and the method.
        fields: names of document fields.
        near: languages of the similar sentences.
        has_context, has_translations: whether these columns exist.
    """

    query: str
    facts: tuple[str, ...]
    fields: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    has_context: bool = False
    has_translations: bool = False


class LineWriter(Finishing, Protocol):
    """Writes lines; the file appears when the caller commits it."""

    def write(self, units: Sequence[LineRecord]) -> None:
        """Write lines."""


def line_columns(head: LineHeader) -> tuple[str, ...]:
    """Return the column names of a table, including document fields."""
    near = (
        name
        for code in head.near
        for name in (f"near:{code}", f"cosine:{code}", f"by_link:{code}")
    )
    return (
        *(("before",) if head.has_context else ()),
        *(LEFT, HIT, RIGHT),
        *(("after",) if head.has_context else ()),
        *("corpus", "document", *map(_name_field, head.fields)),
        *("line", "language", "sentence"),
        *near,
        *(("translations",) if head.has_translations else ()),
    )


def _name_field(name: str) -> str:
    """Return the column name of a field; field:NAME if the name is in use."""
    others = {"before", LEFT, HIT, RIGHT, "after", "corpus", "document"}
    others |= {"line", "language", "sentence", "translations"}
    return f"field:{name}" if name in others else name


def line_row(head: LineHeader, unit: LineRecord) -> list[Value]:
    """Return the values of a line by column, without duplicate translations."""
    shown = {near.text for near in unit.near if near.is_translation}
    row: dict[str, Value] = {
        "before": SEPARATOR.join(unit.before),
        LEFT: unit.left,
        HIT: unit.hit,
        RIGHT: unit.right,
        "after": SEPARATOR.join(unit.after),
        "corpus": unit.corpus,
        "document": unit.document,
        "line": unit.line,
        "language": unit.language,
        "sentence": unit.sentence,
        "translations": SEPARATOR.join(
            text for text in unit.translations if text not in shown
        ),
    }
    row |= {_name_field(name): unit.fields.get(name) for name in head.fields}
    for near in unit.near:
        row[f"near:{near.asked}"] = near.text
        score = None if near.score is None else round(near.score, PLACES)
        row[f"cosine:{near.asked}"] = score
        row[f"by_link:{near.asked}"] = "yes" if near.is_translation else "no"
    return [row.get(name) for name in line_columns(head)]
