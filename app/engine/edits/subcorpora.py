"""Apply edits of sub-corpora: rename, delete, and set members."""

import json

from sqlalchemy import Connection, select, update

from app.engine.edits.base import (
    EditResult,
    clean_name,
    find_row,
    rename_row,
    set_row_states,
)
from app.engine.project.project import Project
from app.engine.store.schema import corpus, subcorpus
from app.engine.store.subcorpora import subcorpus_file
from app.errors import UserError
from app.plurals import count_text
from app.protocol.edits.corpora import (
    RenameSubcorpus,
    SetSubcorpusMembers,
    SetSubcorpusState,
    SubcorpusChange,
)

MISSING = "The sub-corpus is not in the project any more."


def apply_subcorpus_edit(
    project: Project, connection: Connection, change: SubcorpusChange
) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: the sub-corpus or the list of its sentences does not exist, or its
            new name is empty or in use.
    """
    match change:
        case RenameSubcorpus():
            return _rename(connection, change)
        case SetSubcorpusMembers():
            return _set_members(project, connection, change)
        case SetSubcorpusState():
            return set_row_states(connection, subcorpus, change)


def _rename(connection: Connection, change: RenameSubcorpus) -> EditResult:
    old = find_row(connection, subcorpus, change.subcorpus, MISSING)
    name = clean_subcorpus_name(connection, change.name, own=change.subcorpus)
    return rename_row(connection, subcorpus, change, old, name)


def _set_members(
    project: Project, connection: Connection, change: SetSubcorpusMembers
) -> EditResult:
    """Replace the sentences of a sub-corpus; the old files are kept for undo."""
    old = find_row(connection, subcorpus, change.subcorpus, MISSING)
    if not subcorpus_file(project.folder, change.array).is_file():
        raise UserError(
            f"The list of sentences of {old.name} is missing. Run its steps again."
        )
    _update(
        connection,
        change.subcorpus,
        corpora=json.dumps(change.corpora),
        steps=json.dumps(change.steps, ensure_ascii=False),
        array=change.array,
        n_sentences=change.n_sentences,
        counts=json.dumps(change.counts),
    )
    inverse = SetSubcorpusMembers(
        subcorpus=change.subcorpus,
        corpora=tuple(json.loads(old.corpora)),
        steps=tuple(json.loads(old.steps)),
        array=old.array,
        n_sentences=old.n_sentences,
        counts={int(id_): n for id_, n in json.loads(old.counts).items()},
    )
    text = f"{old.name}: {count_text(change.n_sentences, 'sentence')}, "
    text += f"{old.n_sentences:,} before."
    return EditResult(old.id, text, inverse, [("subcorpus", old.id)])


def clean_subcorpus_name(connection: Connection, given: str, *, own: int = 0) -> str:
    """Clean the name of a sub-corpus.

    Args:
        own: the sub-corpus that may already have the name.

    Raises:
        UserError: the name is empty, or in use by a corpus or another sub-corpus.
    """
    name = clean_name(given, "The name of the sub-corpus is empty. Enter a name.")
    for table, kind in ((corpus, "corpus"), (subcorpus, "sub-corpus")):
        taken = select(table.c.id).where(table.c.name == name, table.c.state == "ready")
        if table is subcorpus:
            taken = taken.where(table.c.id != own)
        if connection.scalar(taken.limit(1)) is not None:
            raise UserError(
                f"A {kind} named {name!r} already exists. Choose another name."
            )
    return name


def _update(connection: Connection, id_: int, **values: str | int) -> None:
    where = subcorpus.c.id == id_
    connection.execute(update(subcorpus).where(where).values(**values))
