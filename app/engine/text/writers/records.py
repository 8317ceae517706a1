"""Pairs to export, their named columns, and the protocol of pair writers."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

PLACES = 6  # decimals of a score
N_FINGERPRINT = 12  # first characters, to avoid repeating it in full in each pair


class PairRecord(NamedTuple):
    """A pair with all its data.

    Attributes:
        id: unique in the file; letters, digits and hyphens.
        source, target: texts, edited or as imported.
        source_parts, target_parts: sentences that the texts consist of.
        source_language, target_language: languages of the sentences.
        source_line, target_line: lines of the imported files, from 1.
        score, cosine, source_mean, target_mean: None if the pair was never scored.
        verdict: accept, reject, skip, flag; empty: none.
        who, judged_at: annotator and time (seconds since 1970) of the judgement; None:
            no judgement.
        judged_as: `pair`, or `range` if the verdict was set for a range of scores.
        edited_after_score: sides with an edited text; the score is of the imported
            text.
        source_id, target_id: ids of the first sentences; 0: none.
        source_document, target_document: names of their documents.
        source_values, target_values: values of the fields in the header.
        source_coded, target_coded: texts with inline codes, as an element `seg`; empty
            if there are none.
    """

    id: str
    source: str
    target: str
    source_parts: tuple[str, ...]
    target_parts: tuple[str, ...]
    source_language: str
    target_language: str
    source_line: int
    target_line: int
    score: float | None = None
    cosine: float | None = None
    source_mean: float | None = None
    target_mean: float | None = None
    verdict: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    who: str = ""
    judged_at: float | None = None
    judged_as: str = ""
    edited_after_score: tuple[str, ...] = ()
    source_id: int = 0
    target_id: int = 0
    source_document: str = ""
    target_document: str = ""
    source_values: tuple[str, ...] = ()
    target_values: tuple[str, ...] = ()
    source_coded: str = ""
    target_coded: str = ""


class PairHeader(NamedTuple):
    """The data that all pairs of a file share.

    Attributes:
        name: name of the pair set or of both corpora.
        source_language, target_language: languages of most sentences.
        source_corpus, target_corpus: names of the corpora.
        created_at: when the pairs were found or imported, seconds since 1970.
        is_scored: whether the pairs have scores and may have judgements.
        encoder, fingerprint, margin, run: origin of the scores; empty or None if there
            are none.
        version: version of Isogloss.
        has_documents: whether sentences of at least one side are in documents.
        source_fields, target_fields: names of the document fields.
    """

    name: str
    source_language: str
    target_language: str
    source_corpus: str
    target_corpus: str
    created_at: float
    is_scored: bool = False
    encoder: str = ""
    fingerprint: str = ""
    margin: str = ""
    run: int | None = None
    version: str = ""
    has_documents: bool = False
    source_fields: tuple[str, ...] = ()
    target_fields: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, str]:
        """Return the languages of both sides."""
        return self.source_language, self.target_language

    @property
    def encoder_mark(self) -> str:
        """Return the encoder's name with the start of its fingerprint."""
        return f"{self.encoder}#{self.fingerprint[:N_FINGERPRINT]}"


class Finishing(Protocol):
    """Protocol of open parts that are finished or abandoned."""

    def finish(self) -> None:
        """Write the end."""

    def close(self) -> None:
        """Close what is open, finished or not."""


class FileWriter(Protocol):
    """Base of writers that finish and close their parts (XML streams or a sheet)."""

    _parts: Sequence[Finishing] = ()

    def finish(self) -> None:
        """Write the end of each part."""
        for part in self._parts:
            part.finish()

    def close(self) -> None:
        """Close the parts, finished or not."""
        for part in self._parts:
            part.close()


class PairWriter(Finishing, Protocol):
    """Writes pairs; the files appear when the caller commits them."""

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs with cleaned texts."""


def score_text(value: float | None) -> str:
    """Format a score; empty if there is none."""
    return "" if value is None else f"{value:.{PLACES}f}"


def iso_time(seconds: float | None) -> str:
    """Format a time as 2026-11-21T09:30:00Z; empty if there is none."""
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def tmx_time(seconds: float) -> str:
    """Format a time for TMX: 20261121T093000Z."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))


def list_facts(header: PairHeader, record: PairRecord) -> list[tuple[str, str]]:
    """List the non-empty data of a pair, except texts, note and tags."""
    if not header.is_scored:
        return []
    facts = [
        ("score", score_text(record.score)),
        ("cosine", score_text(record.cosine)),
        ("margin", header.margin),
        ("edited-after-score", TAG_SEPARATOR.join(record.edited_after_score)),
        ("verdict", record.verdict),
        ("judged-as", "range" if record.judged_as == "range" else ""),
        ("encoder", header.encoder_mark),
        ("run", "" if header.run is None else str(header.run)),
    ]
    return [(name, value) for name, value in facts if value]


Value = str | int | float | None
TEXT_COLUMNS = ("source", "target", "source_language", "target_language")
SCORE_COLUMNS = ("score", "cosine", "source_mean", "target_mean")
_JUDGED = (
    *("margin", "edited_after_score", "verdict", "tags", "note"),
    *("judged_by", "judged_at", "judged_as"),
)
_MADE_BY = ("encoder", "fingerprint", "run")
_PLACES = ("source_corpus", "source_line", "target_corpus", "target_line")
INTEGER_COLUMNS = ("run", "source_line", "target_line")
TAG_SEPARATOR = "; "


def column_names(header: PairHeader) -> tuple[str, ...]:
    """Return the column names, without columns that the pairs can't have."""
    scored = (*SCORE_COLUMNS, *_JUDGED, *_MADE_BY) if header.is_scored else ()
    return (*TEXT_COLUMNS, *scored, *_PLACES, "id", *_document_columns(header))


def _document_columns(header: PairHeader) -> tuple[str, ...]:
    """Return the columns of documents and their fields; empty without documents."""
    if not header.has_documents:
        return ()
    sides = (("source", header.source_fields), ("target", header.target_fields))
    return tuple(
        name
        for side, fields in sides
        for name in (f"{side}_document", *(f"{side}_document_{f}" for f in fields))
    )


def record_values(header: PairHeader, record: PairRecord) -> dict[str, Value]:
    """Return the values of a pair; None for unknown values."""
    row: dict[str, Value] = {
        "source": record.source,
        "target": record.target,
        "source_language": record.source_language,
        "target_language": record.target_language,
    }
    if header.is_scored:
        for name in SCORE_COLUMNS:
            value = getattr(record, name)
            row[name] = None if value is None else round(value, PLACES)
        row |= {
            "margin": header.margin or None,
            "edited_after_score": TAG_SEPARATOR.join(record.edited_after_score) or None,
            "verdict": record.verdict or None,
            "tags": TAG_SEPARATOR.join(record.tags) or None,
            "note": record.note or None,
            "judged_by": record.who or None,
            "judged_at": iso_time(record.judged_at) or None,
            "judged_as": record.judged_as or None,
            "encoder": header.encoder or None,
            "fingerprint": header.fingerprint or None,
            "run": header.run,
        }
    row |= {
        "source_corpus": header.source_corpus,
        "source_line": record.source_line,
        "target_corpus": header.target_corpus,
        "target_line": record.target_line,
        "id": record.id,
    }
    values = (
        *(record.source_document, *record.source_values),
        *(record.target_document, *record.target_values),
    )
    # Without documents there are no such columns, and the values are empty.
    documents = zip(_document_columns(header), values, strict=False)
    return row | {name: value or None for name, value in documents}
