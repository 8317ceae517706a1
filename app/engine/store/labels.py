"""Read the labels of sentences."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Engine, and_, exists, select

from app.engine.store.corpora import (
    first_sentence_id,
    position_of,
)
from app.engine.store.schema import (
    CORPUS_STRIDE,
    corpus,
    label,
)
from app.engine.store.sentences import read_raw_rows

IMPORT_ANNOTATOR = "imported"  # annotator of a label imported with its sentence


# of the newest row of each sentence in a range of ids
_LABELS_SQL = (
    "SELECT sentence_id, class FROM label WHERE id IN (SELECT max(id) FROM label "
    "WHERE sentence_id >= ? AND sentence_id < ? GROUP BY sentence_id) AND class != ''"
)


def read_label(store: Engine, sentence_id: int) -> str:
    """Read the newest label of a sentence; empty if it has none."""
    query = (
        select(label.c.class_name)
        .where(label.c.sentence_id == sentence_id)
        .order_by(label.c.id.desc())
        .limit(1)
    )
    with store.connect() as connection:
        return connection.scalar(query) or ""


def read_labels(store: Engine, ids: Sequence[int]) -> dict[int, str]:
    """Read the newest labels of the labelled among up to 10,000 sentences."""
    query = (
        select(label.c.sentence_id, label.c.class_name)
        .where(label.c.sentence_id.in_([int(id_) for id_ in ids]))
        .order_by(label.c.id)
    )
    with store.connect() as connection:
        rows = connection.execute(query).all()
    found = {row.sentence_id: row.class_name for row in rows}
    return {id_: name for id_, name in found.items() if name}


def has_labels(store: Engine, corpus_id: int, *, by_hand: bool | None = None) -> bool:
    """Return whether any sentence of a corpus has a current label.

    Args:
        by_hand: True: only manual labels; False: only imported ones; None: all.
    """
    column, newer = label.c.sentence_id, label.alias()
    low, high = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    is_old = exists().where(newer.c.sentence_id == column, newer.c.id > label.c.id)
    is_held = and_(label.c.class_name != "", ~is_old)
    query = select(1).where(column >= low, column < high, is_held).limit(1)
    if by_hand is not None:
        is_imported = label.c.who == IMPORT_ANNOTATOR
        query = query.where(~is_imported if by_hand else is_imported)
    with store.connect() as connection:
        return connection.scalar(query) is not None


def list_labelled(store: Engine) -> set[int]:
    """Return the ids of the corpora with labelled sentences."""
    low = corpus.c.id * CORPUS_STRIDE
    column, newer = label.c.sentence_id, label.alias()
    is_old = exists().where(newer.c.sentence_id == column, newer.c.id > label.c.id)
    in_corpus = and_(column >= low, column < low + CORPUS_STRIDE)
    has_any = exists().where(in_corpus, label.c.class_name != "", ~is_old)
    with store.connect() as connection:
        return set(connection.scalars(select(corpus.c.id).where(has_any)))


def read_range_labels(store: Engine, low: int, high: int) -> list[tuple[int, str]]:
    """Read id and newest label of the labelled sentences."""
    return read_raw_rows(store, _LABELS_SQL, low, high)


class ClassCount(NamedTuple):
    """A class and the number of sentences with that label."""

    name: str
    n: int


def read_corpus_labels(store: Engine, corpus_id: int) -> dict[int, str]:
    """Read the labels of a corpus's labelled sentences, by position."""
    bounds = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        rows = raw.execute(f"{_LABELS_SQL} ORDER BY sentence_id", bounds)
        return {position_of(id_): name for id_, name in rows}


def count_classes(store: Engine, corpus_ids: Sequence[int]) -> list[ClassCount]:
    """Count the labelled sentences of corpora by class, the most frequent first."""
    counts: Counter[str] = Counter()
    with store.connect() as connection:
        raw: Any = connection.connection.driver_connection
        for corpus_id in corpus_ids:
            bounds = first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1)
            sql = f"SELECT class, count(*) FROM ({_LABELS_SQL}) GROUP BY class"
            counts.update(dict(raw.execute(sql, bounds).fetchall()))
    rows = [ClassCount(name, n) for name, n in counts.items()]
    return sorted(rows, key=lambda row: (-row.n, row.name))
