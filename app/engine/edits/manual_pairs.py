"""Add manual pairs to their own pair set, and remove them on undo."""

import time

from sqlalchemy import Connection, delete, func, insert, select, update

from app.engine.edits.base import EditResult
from app.engine.store.corpora import corpus_of
from app.engine.store.pairs.sets import first_pair_id, pair_set_of
from app.engine.store.schema import corpus, judgement, mining, pair, sentence
from app.errors import UserError
from app.protocol.edits.pairs import AddPair, RemovePair

MANUAL_KIND = "by-hand"


def add_pair(connection: Connection, change: AddPair) -> EditResult:
    """Add a pair to the manual set of its two corpora, which is created if needed.

    A pair that exists already is not added again.

    Raises:
        UserError: a sentence does not exist, or both are the same.
    """
    ends = (change.source, change.target)
    if change.source == change.target:
        raise UserError("A pair needs two different sentences.")
    found = select(func.count()).where(sentence.c.id.in_(ends))
    if connection.scalar(found) != len(ends):
        raise UserError("The sentence is not in the project any more.")
    known = _find_pair(connection, change)
    if known is not None:
        return EditResult(known, "This pair already exists.", None, [])
    found_set = _find_set(connection, change)
    set_id, n_pairs = found_set or (_make_set(connection, change), 0)
    pair_id = first_pair_id(set_id) + n_pairs
    cosine = change.cosine if change.cosine is not None else 0.0
    connection.execute(
        insert(pair).values(
            id=pair_id,
            source_id=change.source,
            target_id=change.target,
            score=cosine,
            cosine=cosine,
            source_mean=0.0,
            target_mean=0.0,
        )
    )
    _set_count(connection, set_id, n_pairs + 1)
    text = "Added the pair to review."
    return EditResult(pair_id, text, RemovePair(pair=pair_id), _changed(pair_id))


def remove_pair(connection: Connection, change: RemovePair) -> EditResult:
    """Remove the newest pair of a manual set; with the last pair, the set.

    Raises:
        UserError: the pair does not exist, or is not the newest of such a set.
    """
    query = select(pair.c.source_id, pair.c.target_id, pair.c.cosine)
    row = connection.execute(query.where(pair.c.id == change.pair)).one_or_none()
    set_id = pair_set_of(change.pair)
    made = connection.execute(select(mining).where(mining.c.id == set_id)).one_or_none()
    if row is None or made is None or made.kind != MANUAL_KIND:
        raise UserError("The pair is not in the project any more.")
    if change.pair != first_pair_id(set_id) + made.n_pairs - 1:
        raise UserError("Only the newest manual pair can be removed.")
    connection.execute(delete(pair).where(pair.c.id == change.pair))
    _set_count(connection, set_id, made.n_pairs - 1)
    inverse = AddPair(source=row.source_id, target=row.target_id, cosine=row.cosine)
    text = "Removed the pair."
    return EditResult(change.pair, text, inverse, _changed(change.pair))


def _changed(pair_id: int) -> list[tuple[str, int]]:
    return [("pair", pair_id), ("mining", pair_set_of(pair_id))]


def _find_pair(connection: Connection, change: AddPair) -> int | None:
    """Find the pair in existing manual sets."""
    of_kind = select(mining.c.id).where(
        mining.c.kind == MANUAL_KIND, mining.c.state == "ready"
    )
    for set_id in connection.scalars(of_kind).all():
        low, high = first_pair_id(set_id), first_pair_id(set_id + 1)
        query = select(pair.c.id).where(
            pair.c.id >= low,
            pair.c.id < high,
            pair.c.source_id == change.source,
            pair.c.target_id == change.target,
        )
        known = connection.scalar(query)
        if known is not None:
            return int(known)
    return None


def _find_set(connection: Connection, change: AddPair) -> tuple[int, int] | None:
    """Find a set for the pair, visible or empty: its id and number of pairs.

    The next id must be unused, since judgements of a removed pair are kept under its
    id.
    """
    query = (
        select(mining.c.id, mining.c.n_pairs)
        .where(
            mining.c.kind == MANUAL_KIND,
            mining.c.source_corpus_id == corpus_of(change.source),
            mining.c.target_corpus_id == corpus_of(change.target),
            (mining.c.state == "ready") | (mining.c.n_pairs == 0),
        )
        .order_by(mining.c.state.desc(), mining.c.id.desc())
    )
    for row in connection.execute(query).all():
        if _is_free(connection, first_pair_id(row.id) + row.n_pairs, change):
            return int(row.id), int(row.n_pairs)
    return None


def _is_free(connection: Connection, pair_id: int, change: AddPair) -> bool:
    others = select(judgement.c.id).where(
        judgement.c.pair_id == pair_id,
        (judgement.c.source_id != change.source)
        | (judgement.c.target_id != change.target),
    )
    return connection.scalar(others.limit(1)) is None


def _make_set(connection: Connection, change: AddPair) -> int:
    ids = [corpus_of(change.source), corpus_of(change.target)]
    query = select(corpus.c.id, corpus.c.name).where(corpus.c.id.in_(ids))
    names = {row.id: row.name for row in connection.execute(query)}
    values = {
        "name": " – ".join(names[id_] for id_ in dict.fromkeys(ids)) + " (manual)",
        "kind": MANUAL_KIND,
        "state": "ready",
        "source_corpus_id": ids[0],
        "target_corpus_id": ids[1],
        "source_language": "",
        "target_language": "",
        "encoder": "",
        "fingerprint": "",
        "margin": "absolute",
        "k": 0,
        "retrieval": "",
        "n_pairs": 0,
        "created_at": time.time(),
    }
    return int(connection.execute(insert(mining).values(**values)).lastrowid)


def _set_count(connection: Connection, set_id: int, n_pairs: int) -> None:
    """Write the number of pairs of a set; an empty set is hidden."""
    state = "ready" if n_pairs else "deleted"
    statement = update(mining).where(mining.c.id == set_id)
    connection.execute(statement.values(n_pairs=n_pairs, state=state))
