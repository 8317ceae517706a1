"""Tests of classifiers on languages: what each run told, by language."""

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, select

from app.engine.store.schema import transfer
from app.transfer import LanguageDetails


class TransferRow(NamedTuple):
    """One language of a test.

    Attributes:
        details: all that is told of it.
        predicted: int64 (n,), the class said of each row, a place in details.classes.
        gold: int64 (n,), the true one.
        rows: int64 (n,), a hash of each row: two tests of the same rows have the same.
    """

    details: LanguageDetails
    predicted: NDArray[np.int64]
    gold: NDArray[np.int64]
    rows: NDArray[np.int64]


def read_transfer(store: Engine, run: int) -> list[LanguageDetails]:
    """Read what a run told, the worst language first."""
    query = select(transfer.c.details).where(transfer.c.run_id == run)
    with store.connect() as connection:
        found = [
            msgspec.json.decode(text, type=LanguageDetails)
            for text in connection.scalars(query)
        ]
    return sorted(found, key=lambda one: (one.score.accuracy, one.name))


def read_said(store: Engine, run: int) -> dict[str, TransferRow]:
    """Read what a run said of each row, by language: for comparing two runs."""
    query = select(transfer).where(transfer.c.run_id == run)
    with store.connect() as connection:
        return {
            row.language: TransferRow(
                msgspec.json.decode(row.details, type=LanguageDetails),
                np.frombuffer(row.said, "<i4").astype(np.int64),
                np.frombuffer(row.gold, "<i4").astype(np.int64),
                np.frombuffer(row.rows, "<i8").astype(np.int64),
            )
            for row in connection.execute(query)
        }
