"""Writes of classifiers, of what they say, and of their tests."""

import secrets
import time
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Engine, delete, insert, update

from app.engine.store.classifier_rows import PredictionRow
from app.engine.store.schema import classifier, prediction, transfer
from app.engine.store.transfer_rows import TransferRow


def add_classifier(store: Engine, values: dict[str, Any]) -> int:
    """Record a classifier whose folder is written; gives its id."""
    row = {"state": "ready", "created_at": time.time(), **values}
    with store.begin() as connection:
        return int(connection.execute(insert(classifier).values(**row)).lastrowid)


def begin_prediction(store: Engine, values: dict[str, Any]) -> PredictionRow:
    """Make the row of a prediction without rows; its files get a name of their own."""
    stem = f"prediction-{values['classifier_id']}-{secrets.token_hex(4)}"
    row = {"n_done": 0, "array": stem, "created_at": time.time(), **values}
    with store.begin() as connection:
        id_ = int(connection.execute(insert(prediction).values(**row)).lastrowid)
    return PredictionRow(**{"id": id_, **row})


def record_predictions(store: Engine, id_: int, n_done: int, run: int | None) -> None:
    """Record that the first `n_done` rows are on disk."""
    statement = update(prediction).where(prediction.c.id == id_)
    with store.begin() as connection:
        connection.execute(statement.values(n_done=n_done, run_id=run))


def drop_prediction(store: Engine, id_: int) -> None:
    """Take a prediction out."""
    with store.begin() as connection:
        connection.execute(delete(prediction).where(prediction.c.id == id_))


def write_transfer(store: Engine, run: int, rows: Sequence[TransferRow]) -> None:
    """Keep what a run told, in place of what it told before it was resumed."""
    values = [
        {
            "run_id": run,
            "language": row.details.name,
            "details": msgspec.json.encode(row.details).decode(),
            "said": row.predicted.astype("<i4").tobytes(),
            "gold": row.gold.astype("<i4").tobytes(),
            "rows": row.rows.astype("<i8").tobytes(),
        }
        for row in rows
    ]
    with store.begin() as connection:
        connection.execute(delete(transfer).where(transfer.c.run_id == run))
        if values:
            connection.execute(insert(transfer), values)
