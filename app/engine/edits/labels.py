"""Apply edits of labels, classes and classifiers.

Renaming a class can affect a million labels, so neither the edit nor its inverse lists
sentences: a renaming appends rows with consecutive ids, and the previous row of each
sentence has its former class.
"""

import time
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, insert, select, text

from app.engine.edits.base import (
    NO_CHANGE,
    EditResult,
    clean_name,
    find_row,
    rename_row,
    set_row_states,
)
from app.engine.store import schema
from app.engine.store.corpora import corpus_of, first_sentence_id
from app.engine.store.schema import CORPUS_STRIDE
from app.engine.text.normalisation import clean_text
from app.errors import UserError
from app.protocol.edits.labels import (
    LabelChange,
    LabelSentences,
    RenameClass,
    RenameClassifier,
    RestoreClasses,
    RestoreLabels,
    SetClassifierState,
)

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


def rename_class(connection: Connection, change: RenameClass, who: str) -> EditResult:
    """Move the sentences of some classes into another class.

    Raises:
        UserError: the new name is empty.
    """
    name = clean_text(change.name)[0]
    if not name:
        raise UserError("The class needs a name. Enter one.")
    old_names = [old for old in dict.fromkeys(change.old_names) if old != name]
    values = {"name": name, "who": who, "now": time.time(), "old_names": old_names}
    first = _newest_id(connection) + 1
    for corpus_id in dict.fromkeys(change.corpora):
        bounds = {
            "start": first_sentence_id(corpus_id),
            "end": first_sentence_id(corpus_id + 1),
        }
        connection.execute(_RENAME, {**values, **bounds})
    last = _newest_id(connection)
    listed = ", ".join(old_names)
    what = f"the label {name} instead of {listed}"
    inverse = RestoreClasses(first=first, last=last, name=name)
    return _renaming_result(connection, (first, last), what, inverse)


def restore_classes(
    connection: Connection, change: RestoreClasses, who: str
) -> EditResult:
    """Restore the former classes of the sentences that a renaming changed."""
    values = {"name": change.name, "who": who, "now": time.time()}
    first = _newest_id(connection) + 1
    bounds = {"first": change.first, "last": change.last}
    connection.execute(_RESTORE, {**values, **bounds})
    what = f"the former label instead of {change.name}"
    return _renaming_result(connection, (first, _newest_id(connection)), what, None)


def _renaming_result(
    connection: Connection,
    appended: tuple[int, int],
    what: str,
    inverse: RestoreClasses | None,
) -> EditResult:
    """Describe how many labels changed, and in which corpora."""
    first, last = appended
    n = last - first + 1
    if not n:
        return NO_CHANGE
    values = {"first": first, "last": last, "stride": CORPUS_STRIDE}
    corpora = connection.scalars(_CORPORA, values).all()
    have = "sentence now has" if n == 1 else "sentences now have"
    changed = [("labels", corpus_id) for corpus_id in corpora]
    return EditResult(corpora[0], f"{n:,} {have} {what}.", inverse, changed)


def _newest_id(connection: Connection) -> int:
    return connection.scalar(text("SELECT coalesce(max(id), 0) FROM label")) or 0


def apply_label_edit(
    connection: Connection, change: LabelChange, who: str
) -> EditResult:
    """Apply an edit.

    Raises:
        UserError: the sentence or classifier no longer exists.
    """
    match change:
        case LabelSentences():
            name = clean_text(change.class_name)[0]
            names = [name] * len(change.sentences)
            return _label(connection, change.sentences, names, who)
        case RestoreLabels():
            return _label(connection, change.sentences, change.class_names, who)
        case RenameClass():
            return rename_class(connection, change, who)
        case RestoreClasses():
            return restore_classes(connection, change, who)
        case RenameClassifier():
            return _rename(connection, change)
        case SetClassifierState():
            return set_row_states(connection, schema.classifier, change)


def _label(
    connection: Connection, sentences: Sequence[int], names: Sequence[str], who: str
) -> EditResult:
    """Append a label for each sentence whose label changes."""
    new_labels = dict(zip(sentences, names, strict=True))
    table = schema.sentence
    query = select(table.c.id).where(table.c.id.in_(list(new_labels)))
    known = set(connection.scalars(query))
    if known != set(new_labels):
        raise UserError("The sentence no longer exists.")
    before = _newest_labels(connection, list(new_labels))
    ids = [id_ for id_, name in new_labels.items() if name != before[id_]]
    if not ids:
        return NO_CHANGE
    now = time.time()
    rows = [
        {
            "sentence_id": id_,
            "class_name": new_labels[id_],
            "who": who,
            "created_at": now,
        }
        for id_ in ids
    ]
    connection.execute(insert(schema.label), rows)
    inverse = RestoreLabels(
        sentences=tuple(ids), class_names=tuple(before[id_] for id_ in ids)
    )
    return EditResult(
        ids[0],
        _describe([new_labels[id_] for id_ in ids]),
        inverse,
        _changed_rows(ids),
    )


def _changed_rows(ids: Sequence[int]) -> list[tuple[str, int]]:
    """Return the changed row of one sentence, or the corpora of several."""
    if len(ids) == 1:
        return [("label", ids[0])]
    return [("labels", corpus_id) for corpus_id in sorted(set(map(corpus_of, ids)))]


def _newest_labels(connection: Connection, ids: list[int]) -> dict[int, str]:
    """Read the newest label of each sentence; empty: no label."""
    table = schema.label
    newest = (
        select(func.max(table.c.id))
        .where(table.c.sentence_id.in_(ids))
        .group_by(table.c.sentence_id)
    )
    query = select(table.c.sentence_id, table.c.class_name).where(
        table.c.id.in_(newest)
    )
    found = {row.sentence_id: row.class_name for row in connection.execute(query)}
    return {id_: found.get(id_, "") for id_ in ids}


def _describe(names: list[str]) -> str:
    """Describe the change."""
    sentences = "The sentence" if len(names) == 1 else f"{len(names):,} sentences"
    has = "has" if len(names) == 1 else "have"
    kinds = set(names)
    if len(kinds) > 1:
        return f"{sentences} {has} their former labels again."
    (name,) = kinds
    return f"{sentences} now {has} {f'the label {name}' if name else 'no label'}."


def _rename(connection: Connection, change: RenameClassifier) -> EditResult:
    table = schema.classifier
    missing = "The classifier no longer exists."
    old = find_row(connection, table, change.classifier, missing)
    name = clean_name(change.name, "The classifier needs a name. Enter one.")
    taken = select(table.c.id).where(
        table.c.name == name, table.c.state == "ready", table.c.id != old.id
    )
    if connection.scalar(taken.limit(1)):
        raise UserError(
            f"A classifier named {name!r} already exists. Enter another name."
        )
    return rename_row(connection, table, change, old, name)
