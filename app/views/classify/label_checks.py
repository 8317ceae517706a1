"""Results of label checks: sets of rows, warnings and doubtful labels."""

import json
from typing import NamedTuple

import msgspec
from sqlalchemy import Engine

from app.engine.store.runs import list_runs
from app.params import command_name, params_from_json
from app.params.classify import CheckLabels

CHECK_TASK = command_name(CheckLabels)
MAX_RUNS_READ = 50


class ClassRows(msgspec.Struct, frozen=True):
    """A class and its rows in a set."""

    name: str
    n: int


class CheckedSet(msgspec.Struct, frozen=True):
    """One set of labelled rows, as the engine tells it."""

    name: str
    n: int
    classes: tuple[ClassRows, ...]
    n_classes: int
    n_unlabelled: int
    n_empty: int
    n_repeated: int
    n_contradicting: int
    n_duplicates: int = 0
    n_translations: int = 0


class DataReport(msgspec.Struct, frozen=True):
    """All sets, the training set first, and what speaks against them."""

    sets: tuple[CheckedSet, ...]
    warnings: tuple[str, ...]


class DoubtfulLabelRow(msgspec.Struct, frozen=True):
    """A label that is perhaps wrong; `place`: id of the sentence."""

    texts: tuple[str, ...]
    place: int
    label: str
    suggested: str
    probability: float
    label_probability: float


class LabelCheckResult(msgspec.Struct, frozen=True):
    """The result of a check."""

    data: DataReport
    n_doubtful: int
    doubtful: tuple[DoubtfulLabelRow, ...]
    doubts_note: str


class LabelCheck(NamedTuple):
    """One check that has ended."""

    id: int
    params: CheckLabels
    told: LabelCheckResult
    ended_at: float


def find_label_check(store: Engine, train: str) -> LabelCheck | None:
    """Find the newest check of a corpus; None: there is none."""
    for row in list_runs(store, task=CHECK_TASK, limit=MAX_RUNS_READ):
        if row.state != "finished":
            continue
        try:
            params = params_from_json(row.params)
            if params.train != (train,):
                continue
            told = msgspec.json.decode(row.result, type=LabelCheckResult)
        except msgspec.MsgspecError:  # of another version
            continue
        return LabelCheck(row.id, params, told, row.ended_at or 0.0)
    return None


def read_data_report(text: str) -> DataReport | None:
    """Read what was found in a classifier's data; None: another version wrote it."""
    try:
        return msgspec.json.decode(text or json.dumps({}), type=DataReport)
    except msgspec.MsgspecError:
        return None


def similar_labels(names: list[str]) -> list[list[str]]:
    """Group names that differ by case or spaces only; those without a like are left."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(" ".join(name.split()).casefold(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]
