"""Read and write classifiers, their predictions and their transfer tests.

A prediction with stem `s` has two files in `arrays/`:
    s.class.npy  int32 (n,)    index into the classifier's classes; -1: no vector
    s.sure.npy   float32 (n,)  calibrated probability of that class; for a head that
                               returns scores: the score
"""

import json
import secrets
import time
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, delete, insert, select, update

from app.engine.store.arrays import (
    ArrayGroupWriter,
    check_stem,
    map_array,
    remove_arrays,
)
from app.engine.store.corpora import corpus_of, first_sentence_id, position_of
from app.engine.store.journal import TextChanges
from app.engine.store.rows import read_rows, select_fields
from app.engine.store.schema import classifier, prediction, transfer
from app.errors import UserError
from app.results.transfer import LanguageDetails


class ClassifierRow(NamedTuple):
    """A classifier of the project.

    Attributes:
        folder: folder name in `classifiers/`.
        classes: in the order of the outputs; empty for a head that returns scores.
        language: language of the training rows.
        development: accuracy on the development set (Pearson's r of scores), 0…1.
        report: JSON of the findings in the training data.
    """

    id: int
    name: str
    state: str
    folder: str
    head: str
    classes: tuple[str, ...]
    encoder: str
    fingerprint: str
    language: str
    n_train: int
    development: float | None
    report: str
    run_id: int | None
    created_at: float


class PredictionRow(NamedTuple):
    """Record of a classifier's predictions for a corpus; complete if n_done == n_rows.

    Attributes:
        other_id: corpus with the second texts of pairs; 0: single texts.
        array: stem of the prediction's files (see `prediction_files`).
    """

    id: int
    classifier_id: int
    corpus_id: int
    other_id: int
    n_rows: int
    n_done: int
    array: str
    run_id: int | None
    created_at: float


def list_classifiers(
    store: Engine, *, states: Sequence[str] = ("ready",)
) -> list[ClassifierRow]:
    """List classifiers, the newest first."""
    query = (
        select_fields(classifier, ClassifierRow)
        .where(classifier.c.state.in_(states))
        .order_by(classifier.c.id.desc())
    )
    rows = read_rows(store, query, ClassifierRow)
    return [row._replace(classes=tuple(json.loads(str(row.classes)))) for row in rows]


def find_classifier(store: Engine, name: str) -> ClassifierRow:
    """Find a classifier by name or id.

    Raises:
        UserError: no such classifier; the message lists the existing ones.
    """
    known = list_classifiers(store)
    matches = [row for row in known if row.name == name]
    matches = matches or [row for row in known if str(row.id) == name]
    if matches:
        return matches[0]
    names = ", ".join(row.name for row in known[:20]) or "none yet: train one first"
    raise UserError(f"There is no classifier {name!r}; the project has {names}.")


def list_predictions(store: Engine, *, classifier_id: int = 0) -> list[PredictionRow]:
    """List predictions, complete or not, of one classifier or of all (0)."""
    query = select_fields(prediction, PredictionRow).order_by(prediction.c.id)
    if classifier_id:
        query = query.where(prediction.c.classifier_id == classifier_id)
    return read_rows(store, query, PredictionRow)


def find_edited(
    store: Engine, rows: Sequence[PredictionRow]
) -> dict[PredictionRow, list[int]]:
    """Return the sentences that were edited after they were classified, if any.

    For pairs, these are the sentences of the first texts.
    """
    changes = TextChanges(store, min((row.created_at for row in rows), default=inf))
    edited = {
        row: sorted(
            {
                first_sentence_id(row.corpus_id) + position_of(id_)
                for id_ in changes.list_changed(row.created_at)
                if corpus_of(id_) in (row.corpus_id, row.other_id)
            }
        )
        for row in rows
    }
    return {row: ids for row, ids in edited.items() if ids}


NO_VECTOR = -1


class Predictions(NamedTuple):
    """The predictions for the sentences of a corpus, in the order of position.

    Attributes:
        classes: int32 (n,), -1 for a text without a vector.
        probabilities: float32 (n,), 0…1; the scores of a head that returns scores.
    """

    classes: NDArray[np.int32]
    probabilities: NDArray[np.float32]


def prediction_files(folder: Path, stem: str) -> tuple[Path, Path]:
    """Return the paths of the class and probability files of a prediction."""
    base = folder / "arrays"
    check_stem(stem)
    return base / f"{stem}.class.npy", base / f"{stem}.sure.npy"


def map_predictions(folder: Path, row: PredictionRow) -> Predictions:
    """Open the arrays of a complete prediction.

    Raises:
        ResourceError: an array is missing or damaged.
    """
    classes, probabilities = prediction_files(folder, row.array)
    return Predictions(
        map_array(classes, "<i4", (row.n_rows,)),
        map_array(probabilities, "<f4", (row.n_rows,)),
    )


def read_predictions(
    folder: Path, rows: Sequence[PredictionRow], ids: Sequence[int]
) -> dict[int, tuple[int, float]]:
    """Read the predictions for some sentences: index of the class, and probability.

    Args:
        rows: complete predictions of one classifier.
        ids: sentence ids; the result leaves out sentences of other corpora.

    Raises:
        ResourceError: an array is missing or damaged.
    """
    by_corpus = {row.corpus_id: row for row in rows if row.n_done == row.n_rows}
    mapped: dict[int, Predictions] = {}
    found = {}
    for id_ in ids:
        corpus_id, position = corpus_of(id_), position_of(id_)
        if corpus_id not in by_corpus:
            continue
        if corpus_id not in mapped:
            mapped[corpus_id] = map_predictions(folder, by_corpus[corpus_id])
        said = mapped[corpus_id]
        if position < len(said.classes):
            place, sure = said.classes[position], said.probabilities[position]
            found[id_] = int(place), float(sure)
    return found


def is_prediction_complete(folder: Path, row: PredictionRow) -> bool:
    """Return whether a prediction is complete in the database and on disk."""
    return row.n_done == row.n_rows and all(
        file.is_file() for file in prediction_files(folder, row.array)
    )


def remove_prediction_files(folder: Path, stem: str) -> None:
    """Remove a prediction's files, complete or not (see `remove_arrays`)."""
    remove_arrays(prediction_files(folder, stem))


def open_prediction_writer(
    folder: Path, row: PredictionRow, n_done: int
) -> ArrayGroupWriter:
    """Create both arrays of a prediction, or continue them after `n_done` rows.

    Raises:
        FileNotFoundError: recorded rows are missing.
    """
    kinds = (((row.n_rows,), "<i4"), ((row.n_rows,), "<f4"))
    return ArrayGroupWriter(prediction_files(folder, row.array), kinds, n_done)


class TransferRow(NamedTuple):
    """Results of a transfer test for one language.

    Attributes:
        details: all measurements for the language.
        predicted: int64 (n,), predicted class of each row, an index into
            details.classes.
        gold: int64 (n,), true class of each row.
        rows: int64 (n,), hash of each row; equal in two tests of the same rows.
    """

    details: LanguageDetails
    predicted: NDArray[np.int64]
    gold: NDArray[np.int64]
    rows: NDArray[np.int64]


def read_transfer(store: Engine, run: int) -> list[LanguageDetails]:
    """Read the results of a run, the worst language first."""
    query = select(transfer.c.details).where(transfer.c.run_id == run)
    with store.connect() as connection:
        found = [
            msgspec.json.decode(text, type=LanguageDetails)
            for text in connection.scalars(query)
        ]
    return sorted(found, key=lambda one: (one.score.accuracy, one.name))


def read_transfer_predictions(store: Engine, run: int) -> dict[str, TransferRow]:
    """Read the predictions of a run by language, for the comparison of two runs."""
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


def add_classifier(store: Engine, values: dict[str, Any]) -> int:
    """Record a classifier after its folder is written, and return its id."""
    row = {"state": "ready", "created_at": time.time(), **values}
    with store.begin() as connection:
        return int(connection.execute(insert(classifier).values(**row)).lastrowid)


def begin_prediction(store: Engine, values: dict[str, Any]) -> PredictionRow:
    """Insert the record of an empty prediction, with an unused name for its files."""
    stem = f"prediction-{values['classifier_id']}-{secrets.token_hex(4)}"
    row = {"n_done": 0, "array": stem, "created_at": time.time(), **values}
    with store.begin() as connection:
        id_ = int(connection.execute(insert(prediction).values(**row)).lastrowid)
    return PredictionRow(**{"id": id_, **row})


def record_prediction_progress(
    store: Engine, id_: int, n_done: int, run: int | None
) -> None:
    """Record that the first `n_done` rows are on disk."""
    statement = update(prediction).where(prediction.c.id == id_)
    with store.begin() as connection:
        connection.execute(statement.values(n_done=n_done, run_id=run))


def delete_prediction(store: Engine, id_: int) -> None:
    """Delete a prediction."""
    with store.begin() as connection:
        connection.execute(delete(prediction).where(prediction.c.id == id_))


def write_transfer(store: Engine, run: int, rows: Sequence[TransferRow]) -> None:
    """Save the results of a run, replacing results saved before the run resumed."""
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
