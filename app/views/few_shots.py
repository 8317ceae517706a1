"""Few-shot curves: what labels of the target language add, as the runs have told."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from PySide6.QtCore import QCoreApplication
from sqlalchemy import Engine

from app.engine.store.rows import list_runs
from app.params import command_name, params_from_json
from app.params.classify import EvaluateFewShot, EvaluateTransfer, HeadSettings
from app.views.widgets.plots import Curve
from app.views.words import count_words

FEW_SHOT = command_name(EvaluateFewShot)
MAX_LOOKED_AT = 100


class FewShotPoint(msgspec.Struct, frozen=True):
    """Accuracy (0…1) with n labels, over the draws."""

    n: int
    accuracy: float
    deviation: float
    lowest: float
    highest: float
    alone: float | None


class FewShotTold(msgspec.Struct, frozen=True):
    """The result of a measurement."""

    n_train: int
    n_test: int
    zero_shot: float
    majority: float
    repeats: int
    points: tuple[FewShotPoint, ...]


class FewShot(NamedTuple):
    """One measurement that has ended."""

    id: int
    params: EvaluateFewShot
    told: FewShotTold


def few_shot_params(test: EvaluateTransfer, target: str) -> EvaluateFewShot:
    """Give the measurement that belongs to a language of a test."""
    head = {f.name: getattr(test, f.name) for f in msgspec.structs.fields(HeadSettings)}
    return EvaluateFewShot(train=test.train, target=target, apart=test.apart, **head)


def find_few_shot(store: Engine, wanted: EvaluateFewShot) -> FewShot | None:
    """Find the newest measurement on the same rows by the same head."""
    for row in list_runs(store, task=FEW_SHOT, limit=MAX_LOOKED_AT):
        if row.state != "finished":
            continue
        try:
            params = params_from_json(row.params)
            told = msgspec.json.decode(row.result, type=FewShotTold)
        except msgspec.MsgspecError:  # of another version
            continue
        names = ("train", "target", "head", "hidden", "encoder", "apart")
        if all(getattr(params, name) == getattr(wanted, name) for name in names):
            return FewShot(row.id, params, told)
    return None


def few_shot_curves(told: FewShotTold) -> list[Curve]:
    """Give the curves over the number of labels, from 0 on."""
    steps = np.array([0, *(point.n for point in told.points)], np.float64)

    def values(
        name: str, first: float
    ) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        rest = (getattr(point, name) for point in told.points)
        return np.array(
            [first, *(np.nan if v is None else v for v in rest)], np.float64
        )

    zero = told.zero_shot
    flat = np.full(len(steps), told.majority)
    return [
        Curve(_tr("mean"), steps, values("accuracy", zero), 0, is_bold=True),
        Curve(_tr("best draw"), steps, values("highest", zero), 0, dash=2),
        Curve(_tr("worst draw"), steps, values("lowest", zero), 0, dash=2),
        Curve(_tr("these labels alone"), steps, values("alone", np.nan), 1),
        Curve(_tr("majority class"), steps, flat, 4, dash=1),
    ]


def describe_few_shot(told: FewShotTold, title: str) -> str:
    """Say what was measured, and on how many rows."""
    words = _tr(
        "{language}: {zero} % without its labels, on n = {n} rows that no point was "
        "trained on; mean of {draws} for each number of labels: {points}."
    )
    points: Sequence[str] = [
        f"{point.n:,} → {100 * point.accuracy:.1f} ± {100 * point.deviation:.1f} %"
        for point in told.points
    ]
    return words.format(
        language=title,
        zero=f"{100 * told.zero_shot:.1f}",
        n=f"{told.n_test:,}",
        draws=count_words(told.repeats, _tr("1 draw"), _tr("{n} draws")),
        points=", ".join(points),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("classify", text)
