"""The changes of labels and classifiers: labels are only ever appended."""

import time
from collections.abc import Sequence

from sqlalchemy import Connection, func, insert, select, update

from app.engine.change_steps import NOTHING, State, Step, mark_rows
from app.engine.classify.class_steps import rename_class, restore_classes
from app.engine.store import schema
from app.engine.store.rows import corpus_of
from app.engine.text.normalise import clean_text
from app.errors import UserError
from app.label_changes import (
    LabelChange,
    LabelSentences,
    RenameClass,
    RenameClassifier,
    RestoreClasses,
    RestoreLabels,
    SetClassifierState,
)


def apply_label_step(connection: Connection, change: LabelChange, who: str) -> Step:
    """Make one change.

    Raises:
        UserError: the sentence or classifier is not there.
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
            return _set_state(connection, change)


def _label(
    connection: Connection, sentences: Sequence[int], names: Sequence[str], who: str
) -> Step:
    """Append a label for each sentence that has another now."""
    wanted = dict(zip(sentences, names, strict=True))
    table = schema.sentence
    query = select(table.c.id).where(table.c.id.in_(list(wanted)))
    known = set(connection.scalars(query))
    if known != set(wanted):
        raise UserError("The sentence is not in the project any more.")
    before = _held(connection, list(wanted))
    ids = [id_ for id_, name in wanted.items() if name != before[id_]]
    if not ids:
        return NOTHING
    now = time.time()
    rows = [
        {
            "sentence_id": id_,
            "class_name": wanted[id_],
            "who": who,
            "created_at": now,
        }
        for id_ in ids
    ]
    connection.execute(insert(schema.label), rows)
    inverse = RestoreLabels(
        sentences=tuple(ids), class_names=tuple(before[id_] for id_ in ids)
    )
    return Step(
        ids[0],
        _words([wanted[id_] for id_ in ids]),
        inverse,
        _touched(ids),
    )


def _touched(ids: Sequence[int]) -> list[tuple[str, int]]:
    """Name one sentence, or the corpora of several."""
    if len(ids) == 1:
        return [("label", ids[0])]
    return [("labels", corpus_id) for corpus_id in sorted(set(map(corpus_of, ids)))]


def _held(connection: Connection, ids: list[int]) -> dict[int, str]:
    """Read the newest label of each sentence, empty where it has none."""
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


def _words(names: list[str]) -> str:
    """Say what was done."""
    sentences = "The sentence" if len(names) == 1 else f"{len(names):,} sentences"
    has = "has" if len(names) == 1 else "have"
    kinds = set(names)
    if len(kinds) > 1:
        return f"{sentences} {has} the labels of before."
    (name,) = kinds
    return f"{sentences} {has} {f'the label {name}' if name else 'no label'} now."


def _rename(connection: Connection, change: RenameClassifier) -> Step:
    table = schema.classifier
    where = table.c.id == change.classifier
    old = connection.scalar(select(table.c.name).where(where))
    if old is None:
        raise UserError("The classifier is not in the project any more.")
    name = clean_text(change.name)[0]
    if not name:
        raise UserError("The name of a classifier is empty: give it one.")
    taken = select(table.c.id).where(
        table.c.name == name, table.c.state == "ready", table.c.id != change.classifier
    )
    if connection.scalar(taken.limit(1)):
        raise UserError(
            f"There is a classifier called {name!r} already: choose another name."
        )
    connection.execute(update(table).where(where).values(name=name))
    inverse = RenameClassifier(classifier=change.classifier, name=old)
    return Step(
        change.classifier,
        f"{old} is called {name}.",
        inverse,
        [("classifier", change.classifier)],
    )


def _set_state(connection: Connection, change: SetClassifierState) -> Step:
    ids, text = mark_rows(
        connection, schema.classifier, change.classifiers, change.state
    )
    if not ids:
        return NOTHING
    opposite: State = "ready" if change.state == "deleted" else "deleted"
    inverse = SetClassifierState(classifiers=ids, state=opposite)
    return Step(ids[0], text, inverse, [("classifier", id_) for id_ in ids])
