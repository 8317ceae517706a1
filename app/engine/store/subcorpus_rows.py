"""Sub-corpora of a project: their rows, and where their arrays are."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, Row, select

from app.engine.store.arrays import map_array
from app.engine.store.schema import edit, subcorpus


class SubcorpusRow(NamedTuple):
    """Sentences chosen by a chain of queries.

    Attributes:
        corpora: ids of the corpora that the chain begins with; none: all.
        steps: the lines of the chain, `app/chains.py`.
        array: stem of `STEM.ids.npy`, int64 (n,), ids of sentences that rise.
        counts: sentences of each corpus, by its id.
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
    """List the sub-corpora that are ready, in the order they were made."""
    query = select(subcorpus).where(subcorpus.c.state == "ready")
    with store.connect() as connection:
        found = connection.execute(query.order_by(subcorpus.c.id))
        return [_row(row) for row in found]


def read_subcorpus(store: Engine, id_: int) -> SubcorpusRow | None:
    """Read a sub-corpus, deleted or not; None where there is none."""
    with store.connect() as connection:
        query = select(subcorpus).where(subcorpus.c.id == id_)
        row = connection.execute(query).one_or_none()
    return None if row is None else _row(row)


def subcorpus_file(folder: Path, stem: str) -> Path:
    """Name the file of a sub-corpus's ids."""
    return folder / "arrays" / f"{stem}.ids.npy"


def subcorpus_ids(folder: Path, row: SubcorpusRow) -> NDArray[np.int64]:
    """Map the ids of a sub-corpus's sentences: int64 (n,), rising.

    Raises:
        ResourceError: the file is missing or damaged.
    """
    return map_array(subcorpus_file(folder, row.array))


def subcorpus_stems(connection: Connection) -> list[str]:
    """List the stems that sub-corpora use, or had before they were made anew."""
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


def _row(row: Row[Any]) -> SubcorpusRow:
    values = row._asdict()
    values["corpora"] = tuple(json.loads(values["corpora"]))
    values["steps"] = tuple(json.loads(values["steps"]))
    counts = json.loads(values["counts"])
    values["counts"] = {int(id_): n for id_, n in counts.items()}
    return SubcorpusRow(**values)
