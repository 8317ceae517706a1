"""A pair as a row of named values, for tables, JSON lines and Parquet."""

from app.engine.text.writers.unit import PLACES, PairHead, PairUnit, iso_time

Value = str | int | float | None
TEXT_COLUMNS = ("source", "target", "source_language", "target_language")
SCORE_COLUMNS = ("score", "cosine", "source_mean", "target_mean")
_JUDGED = ("margin", "verdict", "tags", "note", "judged_by", "judged_at")
_MADE_BY = ("encoder", "fingerprint", "run")
_PLACES = ("source_corpus", "source_line", "target_corpus", "target_line")
INTEGER_COLUMNS = ("run", "source_line", "target_line")
TAG_SEPARATOR = "; "


def column_names(head: PairHead) -> tuple[str, ...]:
    """Name the columns: what pairs can't have has none."""
    scored = (*SCORE_COLUMNS, *_JUDGED, *_MADE_BY) if head.is_scored else ()
    return (*TEXT_COLUMNS, *scored, *_PLACES, "id", *_document_columns(head))


def _document_columns(head: PairHead) -> tuple[str, ...]:
    """Name the columns of documents and their fields: none without documents."""
    if not head.has_documents:
        return ()
    sides = (("source", head.source_fields), ("target", head.target_fields))
    return tuple(
        name
        for side, fields in sides
        for name in (f"{side}_document", *(f"{side}_document_{f}" for f in fields))
    )


def make_record(head: PairHead, unit: PairUnit) -> dict[str, Value]:
    """Make the row of a pair; None where a value is not known."""
    record: dict[str, Value] = {
        "source": unit.source,
        "target": unit.target,
        "source_language": unit.source_language,
        "target_language": unit.target_language,
    }
    if head.is_scored:
        for name in SCORE_COLUMNS:
            value = getattr(unit, name)
            record[name] = None if value is None else round(value, PLACES)
        record |= {
            "margin": head.margin or None,
            "verdict": unit.verdict or None,
            "tags": TAG_SEPARATOR.join(unit.tags) or None,
            "note": unit.note or None,
            "judged_by": unit.who or None,
            "judged_at": iso_time(unit.judged_at) or None,
            "encoder": head.encoder or None,
            "fingerprint": head.fingerprint or None,
            "run": head.run,
        }
    record |= {
        "source_corpus": head.source_corpus,
        "source_line": unit.source_line,
        "target_corpus": head.target_corpus,
        "target_line": unit.target_line,
        "id": unit.id,
    }
    values = (
        *(unit.source_document, *unit.source_values),
        *(unit.target_document, *unit.target_values),
    )
    # Without documents there are no such columns, and the values are empty.
    documents = zip(_document_columns(head), values, strict=False)
    return record | {name: value or None for name, value in documents}


__all__ = [
    "INTEGER_COLUMNS",
    "SCORE_COLUMNS",
    "Value",
    "column_names",
    "make_record",
]
