"""Rename a class of labelled sentences, or merge classes, and take that back.

A million labels may be meant, so neither the change nor its inverse names sentences: a
renaming appends rows whose ids follow one another, and each sentence has its former
class in the row before.
"""

import time

from sqlalchemy import Connection, bindparam, text

from app.engine.change_steps import NOTHING, Step
from app.engine.store.rows import first_id
from app.engine.store.schema import CORPUS_STRIDE
from app.engine.text.normalise import clean_text
from app.errors import UserError
from app.label_changes import RenameClass, RestoreClasses

_APPEND = "INSERT INTO label (sentence_id, class, who, created_at) "
_RENAME = text(
    f"{_APPEND} SELECT sentence_id, :name, :who, :now FROM label WHERE id IN "
    "(SELECT max(id) FROM label WHERE sentence_id >= :start AND sentence_id < :end "
    "GROUP BY sentence_id) AND class IN :old_names ORDER BY sentence_id"
).bindparams(bindparam("old_names", expanding=True))
_NEWEST = "SELECT class FROM label AS other WHERE other.sentence_id = row.sentence_id"
_RESTORE = text(
    f"{_APPEND} SELECT sentence_id, "
    f"({_NEWEST} AND other.id < row.id ORDER BY id DESC LIMIT 1), :who, :now "
    "FROM label AS row WHERE id BETWEEN :first AND :last "
    f"AND :name = ({_NEWEST} ORDER BY id DESC LIMIT 1)"
)
_CORPORA = text(
    "SELECT DISTINCT sentence_id / :stride FROM label "
    "WHERE id BETWEEN :first AND :last ORDER BY 1"
)


def rename_class(connection: Connection, change: RenameClass, who: str) -> Step:
    """Give the sentences of some classes another one.

    Raises:
        UserError: the new name is empty.
    """
    name = clean_text(change.name)[0]
    if not name:
        raise UserError("The name of a class is empty: give it one.")
    old_names = [old for old in dict.fromkeys(change.old_names) if old != name]
    values = {"name": name, "who": who, "now": time.time(), "old_names": old_names}
    first = _newest_id(connection) + 1
    for corpus_id in dict.fromkeys(change.corpora):
        bounds = {"start": first_id(corpus_id), "end": first_id(corpus_id + 1)}
        connection.execute(_RENAME, {**values, **bounds})
    last = _newest_id(connection)
    listed = ", ".join(old_names)
    said = f"the label {name} instead of {listed}"
    inverse = RestoreClasses(first=first, last=last, name=name)
    return _step(connection, (first, last), said, inverse)


def restore_classes(connection: Connection, change: RestoreClasses, who: str) -> Step:
    """Give the sentences that a renaming touched the classes that they had before."""
    values = {"name": change.name, "who": who, "now": time.time()}
    first = _newest_id(connection) + 1
    bounds = {"first": change.first, "last": change.last}
    connection.execute(_RESTORE, {**values, **bounds})
    said = f"the label of before {change.name}"
    return _step(connection, (first, _newest_id(connection)), said, None)


def _step(
    connection: Connection,
    appended: tuple[int, int],
    said: str,
    inverse: RestoreClasses | None,
) -> Step:
    """Tell how many sentences have another label, and of which corpora."""
    first, last = appended
    n = last - first + 1
    if not n:
        return NOTHING
    values = {"first": first, "last": last, "stride": CORPUS_STRIDE}
    corpora = connection.scalars(_CORPORA, values).all()
    have = "sentence has" if n == 1 else "sentences have"
    changed = [("labels", corpus_id) for corpus_id in corpora]
    return Step(corpora[0], f"{n:,} {have} {said} now.", inverse, changed)


def _newest_id(connection: Connection) -> int:
    return connection.scalar(text("SELECT coalesce(max(id), 0) FROM label")) or 0
