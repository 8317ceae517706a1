"""Apply edits of corpora and notes."""

import time
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from app.engine.edits.base import (
    EditResult,
    clean_name,
    find_row,
    rename_row,
    set_row_states,
)
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.errors import UserError
from app.languages import language_name, parse_language
from app.protocol.edits import Change
from app.protocol.edits.general import (
    RenameCorpus,
    SetCorpusLanguage,
    SetCorpusState,
    SetNote,
)


def apply_general_edit(connection: Connection, change: Change, who: str) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: the corpus or sentence does not exist.
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
    return rename_row(connection, schema.corpus, change, old, name)


def _set_state(connection: Connection, change: SetCorpusState) -> EditResult:
    """Set the state of corpora that have a different state."""
    for id_ in change.corpora:
        row = _corpus(connection, id_)
        if row.state not in ("ready", "deleted"):
            raise UserError(
                f"{row.name} is being imported. Wait, or cancel the import."
            )
    return set_row_states(connection, schema.corpus, change)


def _set_language(connection: Connection, change: SetCorpusLanguage) -> EditResult:
    """Correct the language of a corpus and of its sentences in the old language."""
    old = _corpus(connection, change.corpus)
    language = parse_language(change.language)
    if not language.code:
        raise UserError(
            "The language can't be empty. Enter a code such as en or zh-Hans."
        )
    named = {"language": language.code, "language_given": language.given}
    corpora = schema.corpus
    connection.execute(
        update(corpora).where(corpora.c.id == change.corpus).values(named)
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
