"""Apply edits of documents: set and restore their fields."""

from collections.abc import Mapping

from sqlalchemy import Connection

from app.engine.edits.base import NO_CHANGE, EditResult
from app.engine.store.documents import (
    DocumentRow,
    document_key,
    read_sections,
    write_document_fields,
)
from app.engine.text.documents import YEAR, read_number
from app.engine.text.normalisation import clean_text
from app.errors import UserError
from app.protocol.edits.corpora import (
    DocumentChange,
    RestoreDocuments,
    SetDocumentField,
)

Fields = Mapping[int, dict[str, str]]  # of sections, by first position


def apply_document_edit(connection: Connection, change: DocumentChange) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: a document does not exist, or the value is not a year.
    """
    match change:
        case SetDocumentField():
            return _set_field(connection, change)
        case RestoreDocuments():
            return _restore(connection, change)


def _set_field(connection: Connection, change: SetDocumentField) -> EditResult:
    """Set or remove a field of documents, in all their sections."""
    field, value = clean_text(change.field)[0], clean_text(change.value)[0]
    if not field:
        raise UserError("The field has no name. Enter one, such as author.")
    if value and field.casefold() == YEAR:
        number = read_number(value, is_whole=True)
        if not number:
            raise UserError(f"{value!r} is not a year. Enter a year, such as 1854.")
        value = number
    rows = read_sections(connection, change.corpus)
    wanted = {document_key(row) for row in rows if row.first in set(change.documents)}
    known = {row.first for row in rows}
    if not known.issuperset(change.documents):
        raise UserError("The document is not in the project any more.")
    chosen = [row for row in rows if document_key(row) in wanted]
    new = {row.first: _with_value(row.fields, field, value) for row in chosen}
    name = chosen[0].name if len(wanted) == 1 else f"{len(wanted):,} documents"
    words = f"{field} is {value}" if value else f"{field} is removed"
    return _write(connection, change.corpus, (chosen, new), f"{name}: {words}.")


def _restore(connection: Connection, change: RestoreDocuments) -> EditResult:
    """Restore the fields of sections of documents."""
    new = dict(zip(change.firsts, change.fields, strict=True))
    rows = {row.first: row for row in read_sections(connection, change.corpus)}
    if not rows.keys() >= new.keys():
        raise UserError("The document is not in the project any more.")
    chosen = [rows[first] for first in new]
    n = len({row.name for row in chosen})
    name = chosen[0].name if n == 1 else f"The fields of {n:,} documents"
    words = f"{name}: fields restored." if n == 1 else f"{name} are restored."
    return _write(connection, change.corpus, (chosen, new), words)


def _write(
    connection: Connection,
    corpus_id: int,
    rows: tuple[list[DocumentRow], Fields],
    text: str,
) -> EditResult:
    """Write the fields that changed; the inverse restores the old values."""
    chosen, new = rows
    before = {row.first: row.fields for row in chosen if row.fields != new[row.first]}
    if not before:
        return NO_CHANGE
    write_document_fields(
        connection, corpus_id, {first: new[first] for first in before}
    )
    return EditResult(
        corpus_id, text, _restore_edit(corpus_id, before), [("document", corpus_id)]
    )


def _restore_edit(corpus_id: int, fields: Fields) -> RestoreDocuments:
    return RestoreDocuments(
        corpus=corpus_id, firsts=tuple(fields), fields=tuple(fields.values())
    )


def apply_fields(
    connection: Connection, corpus_id: int, fields: Fields
) -> tuple[RestoreDocuments, EditResult]:
    """Set the fields of sections in one step.

    Returns:
        The change and its step, for the journal.
    """
    change = _restore_edit(corpus_id, fields)
    return change, _restore(connection, change)


def _with_value(fields: dict[str, str], field: str, value: str) -> dict[str, str]:
    if value:
        return {**fields, field: value}
    return {key: old for key, old in fields.items() if key != field}
