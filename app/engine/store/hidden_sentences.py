"""Read and write hidden and removed sentences, and what an edit changed."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, func, select, text

from app.engine.store.arrays import check_stem, map_array, write_array
from app.engine.store.corpora import first_sentence_id
from app.engine.store.schema import CORPUS_STRIDE, edit, hidden

# Count by ranges of ids: to group by a quotient, SQLite would first sort all rows.
_HIDDEN_COUNTS_SQL = text(
    "SELECT corpus.id, count(*), sum(hidden.state = 'removed') FROM corpus "
    "JOIN hidden ON sentence_id >= corpus.id * :stride "
    "AND sentence_id < (corpus.id + 1) * :stride GROUP BY corpus.id"
)


class HiddenCount(NamedTuple):
    """Numbers of hidden and removed sentences of a corpus."""

    n_hidden: int
    n_removed: int


def count_hidden(store: Engine) -> dict[int, HiddenCount]:
    """Count the hidden and removed sentences of each corpus that has any."""
    with store.connect() as connection:
        rows = connection.execute(_HIDDEN_COUNTS_SQL, {"stride": CORPUS_STRIDE})
        return {id_: HiddenCount(n - m, m) for id_, n, m in rows}


def hidden_ids(store: Engine, corpus_id: int, *, state: str = "") -> NDArray[np.int64]:
    """Return the ids of hidden or removed sentences of a corpus: int64 (m,), ascending.

    Args:
        state: `hidden` or `removed`; empty: both.
    """
    sql = "SELECT sentence_id FROM hidden WHERE sentence_id >= ? AND sentence_id < ?"
    values: tuple[int | str, ...] = (
        first_sentence_id(corpus_id),
        first_sentence_id(corpus_id + 1),
    )
    if state:
        sql, values = f"{sql} AND state = ?", (*values, state)
    with store.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        cursor = raw.execute(f"{sql} ORDER BY sentence_id", values)
        return np.fromiter((id_ for (id_,) in cursor), np.int64)


def hidden_version(store: Engine, corpus_id: int) -> tuple[object, ...]:
    """Return a key that changes whenever the hidden sentences of a corpus change.

    Changes to hidden sentences are in the journal: the key consists of its newest
    entry, its newest entry that is not undone, and the number of hidden sentences.
    """
    bounds = hidden.c.sentence_id.between(
        first_sentence_id(corpus_id), first_sentence_id(corpus_id + 1) - 1
    )
    newest = select(edit.c.id, edit.c.created_at).order_by(edit.c.id.desc()).limit(1)
    done = select(edit.c.id).where(edit.c.undone == 0).order_by(edit.c.id.desc())
    with store.connect() as connection:
        n = connection.scalar(select(func.count()).select_from(hidden).where(bounds))
        if not n:
            return (0,)
        entry = connection.execute(newest).one_or_none()
        last = connection.scalar(done.limit(1))
        return (n, last, *(entry or ()))


def read_hidden(store: Engine, ids: list[int]) -> dict[int, tuple[str, str]]:
    """Read state and reason of the hidden or removed among up to 10,000 sentences."""
    query = select(hidden.c.sentence_id, hidden.c.state, hidden.c.reason)
    with store.connect() as connection:
        rows = connection.execute(query.where(hidden.c.sentence_id.in_(ids)))
        return {id_: (state, reason) for id_, state, reason in rows}


def hidden_ids_of_step(connection: Connection, step: int) -> NDArray[np.int64]:
    """Return the sentences hidden in one step and still hidden: int64 (m,)."""
    query = select(hidden.c.sentence_id).where(hidden.c.step == step)
    found = connection.scalars(query.order_by(hidden.c.sentence_id))
    return np.fromiter(found, np.int64)


HIDDEN_FOLDER = "hidden"  # in arrays/: affected sentences, for undo
RESTORE_EDIT_PREFIX = '{"change":"RestoreHidden"'  # such a change in the journal
STATE_CODES = ("", "hidden", "removed")  # states, indexed by the codes in those files


def write_affected_sentences(folder: Path, touched: NDArray[np.int64]) -> str:
    """Write the sentences that a change affects, and return the stem of the file.

    Args:
        touched: int64 (n, 5): sentence, state and step before, state and step after.
    """
    stem = f"hidden-{secrets.token_hex(6)}"
    write_array(_affected_file(folder, stem), touched)
    return stem


def read_affected_sentences(folder: Path, stem: str) -> NDArray[np.int64]:
    """Read the sentences that a change affected: int64 (n, 5), as written."""
    return np.array(map_array(_affected_file(folder, stem), np.int64, (None, 5)))


def describe_affected_sentences(folder: Path, stem: str) -> tuple[int, str, int]:
    """Return the number of affected sentences, their new state, and the first id.

    Raises:
        ResourceError: the file of the change is missing or damaged.
    """
    touched = map_array(_affected_file(folder, stem), np.int64, (None, 5))
    if not len(touched):
        return 0, "", 0
    return len(touched), STATE_CODES[int(touched[0, 3])], int(touched[0, 0])


def delete_unused_files(folder: Path, connection: Connection) -> None:
    """Remove the files of changes that are no longer in the journal."""
    files = list((folder / "arrays" / HIDDEN_FOLDER).glob("*.npy*"))
    if not files:
        return
    query = select(edit.c.change).where(edit.c.change.like(f"{RESTORE_EDIT_PREFIX}%"))
    kept = {json.loads(change)["array"] for change in connection.scalars(query)}
    for file in files:
        if file.name.split(".", 1)[0] not in kept:
            file.unlink()


def set_hidden_states(
    connection: Connection, rows: NDArray[np.int64], reasons: Mapping[int, str]
) -> None:
    """Hide, remove or show sentences.

    Args:
        connection: in a transaction.
        rows: int64 (n, 3): sentence, state (an index into `STATE_CODES`), step.
    """
    raw = connection.connection.driver_connection
    assert raw is not None
    is_shown = rows[:, 1] == 0
    gone = ((id_,) for id_ in rows[is_shown, 0].tolist())
    raw.executemany("DELETE FROM hidden WHERE sentence_id = ?", gone)
    values = (
        (id_, STATE_CODES[state], reasons.get(step, ""), step)
        for id_, state, step in rows[~is_shown].tolist()
    )
    sql = "INSERT OR REPLACE INTO hidden (sentence_id, state, reason, step) "
    raw.executemany(f"{sql} VALUES (?, ?, ?, ?)", values)


def _affected_file(folder: Path, stem: str) -> Path:
    return folder / "arrays" / HIDDEN_FOLDER / f"{check_stem(stem)}.npy"
