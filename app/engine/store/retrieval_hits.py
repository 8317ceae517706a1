"""Which sentences an evaluation of retrieval found, a bit for each."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine, delete, insert

from app.arrays import BoolArray
from app.engine.store.rows import read_rows, select_fields
from app.engine.store.schema import retrieval_hits
from app.errors import UserError


class RetrievalHits(NamedTuple):
    """One direction of an evaluation.

    Attributes:
        source, target: names of the columns or files.
        data: SHA-256 of the texts that were compared; equal ones have the same rows.
        sample: directions with the same sample are of the same pairs, row by row.
        n: sources.
        hits: a bit for each, whether its nearest target is its translation.
    """

    source: str
    target: str
    data: str
    sample: str
    n: int
    hits: bytes

    @classmethod
    def of(
        cls, names: tuple[str, str], data: str, is_right: BoolArray, sample: str = ""
    ) -> "RetrievalHits":
        """Pack what a direction found: bool (n,)."""
        hits = np.packbits(is_right).tobytes()
        return cls(*names, data, sample, len(is_right), hits)

    @property
    def is_right(self) -> BoolArray:
        """The hits as bool (n,)."""
        bits = np.unpackbits(np.frombuffer(self.hits, np.uint8), count=self.n)
        return bits.astype(np.bool_)


def write_retrieval_hits(
    store: Engine, run: int, rows: Sequence[RetrievalHits]
) -> None:
    """Write the hits of a run; they replace those written before it resumed."""
    values = [
        {"run_id": run, "place": place, **row._asdict()}
        for place, row in enumerate(rows)
    ]
    with store.begin() as connection:
        connection.execute(delete(retrieval_hits).where(retrieval_hits.c.run_id == run))
        if values:
            connection.execute(insert(retrieval_hits), values)


def read_retrieval_hits(store: Engine, run: int) -> list[RetrievalHits]:
    """Read the hits of a run in its order; none: an older version measured it.

    Raises:
        UserError: a row is damaged.
    """
    query = select_fields(retrieval_hits, RetrievalHits)
    query = query.where(retrieval_hits.c.run_id == run)
    found = read_rows(store, query.order_by(retrieval_hits.c.place), RetrievalHits)
    if any(len(row.hits) != (row.n + 7) // 8 for row in found):
        raise UserError(f"The hits of run {run} are damaged. Run it again.")
    return found
