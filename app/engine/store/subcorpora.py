"""Read and write sub-corpora: records and arrays of sentence ids."""

import json
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, Row, insert, select

from app.engine.store.arrays import check_stem, map_array, write_array
from app.engine.store.schema import CORPUS_STRIDE, edit, subcorpus


class SubcorpusRow(NamedTuple):
    """Sentences chosen by a chain of queries.

    Attributes:
        corpora: ids of the corpora that the chain starts from; empty: all.
        steps: lines of the chain (see `app/params/query_steps.py`).
        array: stem of `STEM.ids.npy`, int64 (n,), ascending sentence ids.
        counts: number of sentences by corpus id.
    """

    id: int
    name: str
    state: str
    corpora: tuple[int, ...]
    steps: tuple[str, ...]
    array: str
    n_sentences: int
    counts: dict[int, int]
    run_id: int | None
    created_at: float


def list_subcorpora(store: Engine) -> list[SubcorpusRow]:
    """List the sub-corpora that are ready, in the order of creation."""
    query = select(subcorpus).where(subcorpus.c.state == "ready")
    with store.connect() as connection:
        found = connection.execute(query.order_by(subcorpus.c.id))
        return [_subcorpus_row(row) for row in found]


def read_subcorpus(store: Engine, id_: int) -> SubcorpusRow | None:
    """Read a sub-corpus, deleted or not; None if it doesn't exist."""
    with store.connect() as connection:
        query = select(subcorpus).where(subcorpus.c.id == id_)
        row = connection.execute(query).one_or_none()
    return None if row is None else _subcorpus_row(row)


def subcorpus_file(folder: Path, stem: str) -> Path:
    """Return the file of a sub-corpus's ids."""
    return folder / "arrays" / f"{check_stem(stem)}.ids.npy"


def subcorpus_ids(folder: Path, row: SubcorpusRow) -> NDArray[np.int64]:
    """Memory-map the ids of a sub-corpus's sentences: int64 (n,), ascending.

    Raises:
        ResourceError: the file is missing or damaged.
    """
    file = subcorpus_file(folder, row.array)
    return map_array(file, np.int64, (row.n_sentences,))


def used_subcorpus_stems(connection: Connection) -> list[str]:
    """List the stems that sub-corpora use, or used before they were updated."""
    named = list(connection.scalars(select(subcorpus.c.array)))
    if not named:
        return []
    query = select(edit.c.inverse).where(
        edit.c.inverse.like('{"change":"SetSubcorpusMembers"%')
    )
    former = [json.loads(inverse)["array"] for inverse in connection.scalars(query)]
    query = select(edit.c.change).where(
        edit.c.change.like('{"change":"SetSubcorpusMembers"%')
    )
    later = [json.loads(change)["array"] for change in connection.scalars(query)]
    return named + former + later


def _subcorpus_row(row: Row[Any]) -> SubcorpusRow:
    values = row._asdict()
    values["corpora"] = tuple(json.loads(values["corpora"]))
    values["steps"] = tuple(json.loads(values["steps"]))
    counts = json.loads(values["counts"])
    values["counts"] = {int(id_): n for id_, n in counts.items()}
    return SubcorpusRow(**values)


class NewSubcorpusIds(NamedTuple):
    """The sentences of a sub-corpus, written to disk.

    Attributes:
        array: stem of the file.
        n_sentences: number of sentences.
        counts: number of sentences by corpus id.
    """

    array: str
    n_sentences: int
    counts: dict[int, int]


def write_subcorpus_ids(folder: Path, ids: NDArray[np.int64]) -> NewSubcorpusIds:
    """Write the ids of a sub-corpus's sentences: int64 (n,), ascending."""
    stem = f"subcorpus-{secrets.token_hex(6)}"
    write_array(subcorpus_file(folder, stem), np.ascontiguousarray(ids, np.int64))
    return NewSubcorpusIds(stem, len(ids), count_by_corpus(ids))


def count_by_corpus(ids: NDArray[np.int64]) -> dict[int, int]:
    """Count sentence ids, int64 (n,), by corpus."""
    corpora, counts = np.unique(ids // CORPUS_STRIDE, return_counts=True)
    return dict(zip(corpora.tolist(), counts.tolist(), strict=True))


def add_subcorpus(
    store: Engine,
    name: str,
    chain: tuple[Sequence[int], Sequence[str]],
    members: NewSubcorpusIds,
    run: int | None,
) -> int:
    """Record a sub-corpus after its array is written, and return its id.

    Args:
        name: a name that no corpus or other sub-corpus has.
        chain: ids of corpora, and the steps as lines.
        run: id of the run that created the sub-corpus.
    """
    corpora, steps = chain
    row = {
        "name": name,
        "state": "ready",
        "corpora": json.dumps(list(corpora)),
        "steps": json.dumps(list(steps), ensure_ascii=False),
        **members._asdict(),
        "counts": json.dumps(members.counts),
        "run_id": run,
        "created_at": time.time(),
    }
    with store.begin() as connection:
        return int(connection.execute(insert(subcorpus).values(**row)).lastrowid)
