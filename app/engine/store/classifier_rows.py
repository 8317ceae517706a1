"""Reads of classifiers and of their predictions."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Engine, select

from app.engine.store.schema import classifier, prediction
from app.errors import UserError


class ClassifierRow(NamedTuple):
    """A classifier of the project.

    Attributes:
        folder: in `classifiers/`.
        classes: in the order of the outputs; none where it gives scores.
        language: of the training rows.
        development: accuracy on the development set (Pearson's r of scores), 0…1.
        report: JSON of what was found in its data.
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
    """What a classifier said of a corpus; complete where n_done == n_rows.

    Attributes:
        other_id: corpus of the second texts of pairs; 0: single texts.
        array: stem of its files, see `prediction_arrays`.
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
    columns = [classifier.c[name] for name in ClassifierRow._fields]
    query = (
        select(*columns)
        .where(classifier.c.state.in_(states))
        .order_by(classifier.c.id.desc())
    )
    with store.connect() as connection:
        rows = [ClassifierRow(*row) for row in connection.execute(query)]
    return [row._replace(classes=tuple(json.loads(str(row.classes)))) for row in rows]


def find_classifier(store: Engine, name: str) -> ClassifierRow:
    """Find the classifier of this name or id.

    Raises:
        UserError: there is none; the message lists those there are.
    """
    known = list_classifiers(store)
    matches = [row for row in known if row.name == name]
    matches = matches or [row for row in known if str(row.id) == name]
    if matches:
        return matches[0]
    names = ", ".join(row.name for row in known[:20]) or "none yet: train one first"
    raise UserError(f"There is no classifier {name!r}; the project has {names}.")


def list_predictions(store: Engine, *, classifier_id: int = 0) -> list[PredictionRow]:
    """List predictions, complete or not; of one classifier, or of all (0)."""
    columns = [prediction.c[name] for name in PredictionRow._fields]
    query = select(*columns).order_by(prediction.c.id)
    if classifier_id:
        query = query.where(prediction.c.classifier_id == classifier_id)
    with store.connect() as connection:
        return [PredictionRow(*row) for row in connection.execute(query)]
