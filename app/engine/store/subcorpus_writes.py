"""Writes of sub-corpora."""

import json
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, insert

from app.engine.store.arrays import write_array
from app.engine.store.schema import CORPUS_STRIDE, subcorpus
from app.engine.store.subcorpus_rows import subcorpus_file


class NewMembers(NamedTuple):
    """The sentences of a sub-corpus, on the disk.

    Attributes:
        array: stem of the file.
        n_sentences: how many there are.
        counts: how many of each corpus, by its id.
    """

    array: str
    n_sentences: int
    counts: dict[int, int]


def write_members(folder: Path, ids: NDArray[np.int64]) -> NewMembers:
    """Write the ids of a sub-corpus's sentences: int64 (n,), rising."""
    stem = f"subcorpus-{secrets.token_hex(6)}"
    write_array(subcorpus_file(folder, stem), np.ascontiguousarray(ids, np.int64))
    return NewMembers(stem, len(ids), count_by_corpus(ids))


def count_by_corpus(ids: NDArray[np.int64]) -> dict[int, int]:
    """Count ids, int64 (n,), by the corpus that they are of."""
    corpora, counts = np.unique(ids // CORPUS_STRIDE, return_counts=True)
    return dict(zip(corpora.tolist(), counts.tolist(), strict=True))


def add_subcorpus(
    store: Engine,
    name: str,
    chain: tuple[Sequence[int], Sequence[str]],
    members: NewMembers,
    run: int | None,
) -> int:
    """Record a sub-corpus whose array is written; gives its id.

    Args:
        store: of the project.
        name: one that no corpus and no other sub-corpus has.
        chain: ids of corpora, and the steps as lines.
        members: its sentences.
        run: that made it.
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
