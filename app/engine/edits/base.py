"""The result of an edit with its inverse, and the edits of corpora and notes."""

import time
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, Table, delete, insert, select, update

from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.text.normalisation import clean_text
from app.errors import UserError
from app.languages import language_name, parse_language
from app.protocol.edits import Change
from app.protocol.edits.corpora import (
    SetDictionaryState,
    SetHitListState,
    SetSubcorpusState,
)
from app.protocol.edits.general import (
    RenameCorpus,
    SetCorpusLanguage,
    SetCorpusState,
    SetNote,
)
from app.protocol.edits.labels import RenameClassifier, SetClassifierState
from app.protocol.edits.maps import RenameProjection, SetProjectionState
from app.protocol.edits.pairs import RenameMining, SetMiningState


class EditResult(NamedTuple):
    """A change that was made.

    Attributes:
        id: of the row.
        text: a sentence that says what was done.
        inverse: takes it back; None where nothing changed or nothing can.
        changed: kind and id of the rows that look different now.
        again: what a redo makes; None: the change as it was asked for.
    """

    id: int
    text: str
    inverse: Change | None
    changed: list[tuple[str, int]]
    again: Change | None = None


NO_CHANGE = EditResult(0, "There was nothing to change.", None, [])


StateChange = (
    SetClassifierState
    | SetDictionaryState
    | SetHitListState
    | SetMiningState
    | SetProjectionState
    | SetSubcorpusState
)


def set_row_states(
    connection: Connection, table: Table, change: StateChange, field: str
) -> EditResult:
    """Mark rows as deleted, or bring them back: those whose state is another.

    Args:
        connection: to the project.
        table: of the rows; its name is what they are called in `changed`.
        change: the new state.
        field: of the change, with the ids.
    """
    is_touched = table.c.id.in_(getattr(change, field)), table.c.state != change.state
    query = select(table.c.id, table.c.name).where(*is_touched).order_by(table.c.id)
    touched = connection.execute(query).all()
    if not touched:
        return NO_CHANGE
    connection.execute(update(table).where(*is_touched).values(state=change.state))
    is_deletion = change.state == "deleted"
    names = ", ".join(row.name for row in touched)
    text = f"{names}: {'deleted' if is_deletion else 'brought back'}."
    ids = tuple(row.id for row in touched)
    opposite = "ready" if is_deletion else "deleted"
    inverse = msgspec.structs.replace(change, **{field: ids, "state": opposite})
    return EditResult(ids[0], text, inverse, [(str(table.name), id_) for id_ in ids])


def clean_name(given: str, empty: str) -> str:
    """Return a name without needless spaces.

    Raises:
        UserError: nothing is left of it; `empty` is the message.
    """
    name = clean_text(given)[0]
    if not name:
        raise UserError(empty)
    return name


def rename_row(
    connection: Connection,
    table: Table,
    change: RenameClassifier | RenameMining | RenameProjection,
    old: Row[Any],
    name: str,
) -> EditResult:
    """Rename a row; `old` is what it was, `name` the new name, cleaned."""
    connection.execute(update(table).where(table.c.id == old.id).values(name=name))
    inverse = msgspec.structs.replace(change, name=old.name)
    text = f"Renamed {old.name} to {name}."
    return EditResult(old.id, text, inverse, [(str(table.name), old.id)])


def find_row(connection: Connection, table: Table, id_: int, missing: str) -> Row[Any]:
    """Return the row of this id.

    Raises:
        UserError: there is none; `missing` is the message.
    """
    row = connection.execute(select(table).where(table.c.id == id_)).one_or_none()
    if row is None:
        raise UserError(missing)
    return row


def apply_basic_edit(connection: Connection, change: Change, who: str) -> EditResult:
    """Make one change.

    Raises:
        UserError: the corpus or sentence is not there.
    """
    match change:
        case RenameCorpus():
            return _rename(connection, change)
        case SetCorpusState():
            return _set_state(connection, change)
        case SetCorpusLanguage():
            return _set_language(connection, change)
        case SetNote():
            return _set_note(connection, change, who)
    raise TypeError(f"{type(change).__name__} has no inverse")


def _rename(connection: Connection, change: RenameCorpus) -> EditResult:
    old = _corpus(connection, change.corpus)
    name = clean_name(change.name, "The name of a corpus can't be empty. Enter a name.")
    _update(connection, change.corpus, name=name)
    return EditResult(
        change.corpus,
        f"Renamed {old.name} to {name}.",
        RenameCorpus(change.corpus, old.name),
        [("corpus", change.corpus)],
    )


def _set_state(connection: Connection, change: SetCorpusState) -> EditResult:
    """Set the state of those corpora whose state is another."""
    rows = [_corpus(connection, id_) for id_ in change.corpora]
    for row in rows:
        if row.state not in ("ready", "deleted"):
            raise UserError(
                f"{row.name} is being imported. Wait, or cancel the import."
            )
    touched = [row for row in rows if row.state != change.state]
    ids = tuple(row.id for row in touched)
    table = schema.corpus
    connection.execute(
        update(table).where(table.c.id.in_(ids)).values(state=change.state)
    )
    names = ", ".join(row.name for row in touched)
    is_deletion = change.state == "deleted"
    text = f"{names}: {'deleted' if is_deletion else 'brought back'}."
    inverse = SetCorpusState(ids, "ready" if is_deletion else "deleted")
    if not touched:
        return NO_CHANGE
    return EditResult(ids[0], text, inverse, [("corpus", id_) for id_ in ids])


def _set_language(connection: Connection, change: SetCorpusLanguage) -> EditResult:
    """Correct the language of a corpus and of its sentences that had the old one."""
    old = _corpus(connection, change.corpus)
    language = parse_language(change.language)
    if not language.code:
        raise UserError(
            "The language can't be empty. Enter a code such as en or zh-Hans."
        )
    _update(
        connection,
        change.corpus,
        language=language.code,
        language_given=language.given,
    )
    if language.code != old.language:
        table = schema.sentence
        connection.execute(
            update(table)
            .where(
                table.c.id >= first_sentence_id(change.corpus),
                table.c.id < first_sentence_id(change.corpus + 1),
                table.c.language == old.language,
            )
            .values(language=language.code)
        )
    return EditResult(
        change.corpus,
        f"{old.name} is in {language_name(language.code)}.",
        SetCorpusLanguage(change.corpus, old.language_given),
        [("corpus", change.corpus)],
    )


def _set_note(connection: Connection, change: SetNote, who: str) -> EditResult:
    table = schema.note
    where = table.c.sentence_id == change.sentence
    if not connection.scalar(
        select(schema.sentence.c.id).where(schema.sentence.c.id == change.sentence)
    ):
        raise UserError("The sentence is not in the project any more.")
    old = connection.scalar(select(table.c.text).where(where)) or ""
    connection.execute(delete(table).where(where))
    if change.text:
        values = {
            "sentence_id": change.sentence,
            "text": change.text,
            "who": who,
            "changed_at": time.time(),
        }
        connection.execute(insert(table).values(**values))
    text = "The note is saved." if change.text else "The note is removed."
    inverse = SetNote(change.sentence, old) if old != change.text else None
    return EditResult(change.sentence, text, inverse, [("note", change.sentence)])


def _corpus(connection: Connection, id_: int) -> Row[Any]:
    missing = "The corpus is not in the project any more."
    return find_row(connection, schema.corpus, id_, missing)


def _update(connection: Connection, corpus_id: int, **values: str) -> None:
    table = schema.corpus
    connection.execute(update(table).where(table.c.id == corpus_id).values(**values))
