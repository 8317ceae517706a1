"""Label checks of the project, and labels that differ by case or spaces only."""

from typing import NamedTuple

import msgspec
from sqlalchemy import Engine

from app.engine.store.runs import list_runs
from app.params import command_name, params_from_json
from app.params.classify import CheckLabels
from app.results.labels import CheckLabelsResult, DataReport

CHECK_TASK = command_name(CheckLabels)
MAX_RUNS_READ = 50


class LabelCheck(NamedTuple):
    """One finished check."""

    id: int
    params: CheckLabels
    result: CheckLabelsResult
    ended_at: float


def find_label_check(store: Engine, train: str) -> LabelCheck | None:
    """Find the newest check of a corpus, if any."""
    for row in list_runs(store, task=CHECK_TASK, limit=MAX_RUNS_READ):
        if row.state != "finished":
            continue
        try:
            params = params_from_json(row.params)
            if params.train != (train,):
                continue
            result = msgspec.json.decode(row.result, type=CheckLabelsResult)
        except msgspec.MsgspecError:  # of another version
            continue
        return LabelCheck(row.id, params, result, row.ended_at or 0.0)
    return None


def read_data_report(text: str) -> DataReport | None:
    """Decode a classifier's data report; None: another version wrote it."""
    try:
        return msgspec.json.decode(text or "{}", type=DataReport)
    except msgspec.MsgspecError:
        return None


def similar_labels(names: list[str]) -> list[list[str]]:
    """Return groups of names that differ by case or spaces only."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(" ".join(name.split()).casefold(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]
