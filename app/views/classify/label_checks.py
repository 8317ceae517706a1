"""Label checks of the project, and labels that differ only by case or spaces."""

from typing import NamedTuple

import msgspec
from sqlalchemy import Engine

from app.params.classify import CheckLabels
from app.results.labels import CheckLabelsResult, DataReport
from app.views.client.runs import finished_runs

MAX_RUNS_READ = 50


class LabelCheck(NamedTuple):
    """A finished label check."""

    id: int
    params: CheckLabels
    result: CheckLabelsResult
    ended_at: float


def find_label_check(store: Engine, train: str) -> LabelCheck | None:
    """Return the newest check of a corpus, or None."""
    decode = msgspec.json.Decoder(CheckLabelsResult).decode
    for row, params, result in finished_runs(store, CheckLabels, decode, MAX_RUNS_READ):
        if params.train == (train,):
            return LabelCheck(row.id, params, result, row.ended_at or 0.0)
    return None


def read_data_report(text: str) -> DataReport | None:
    """Decode a classifier's data report; None if another version wrote it."""
    try:
        return msgspec.json.decode(text or "{}", type=DataReport)
    except msgspec.MsgspecError:
        return None


def similar_labels(names: list[str]) -> list[list[str]]:
    """Return groups of names that differ only by case or spaces."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(" ".join(name.split()).casefold(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]
