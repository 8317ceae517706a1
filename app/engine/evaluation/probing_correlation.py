"""Correlation of probing and downstream scores over encoders.

Follows Conneau et al. 2018, section 5, who use more than forty encoders: Spearman's ρ,
without values that are not significant after correction for multiple tests.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.arrays import DoubleArray
from app.engine.evaluation.correlation import (
    benjamini_hochberg,
    holm,
    spearman,
    spearman_p,
)
from app.engine.evaluation.recording import DIGITS
from app.params.evaluation import CorrectionName, ScoreName
from app.results.measurements import (
    Correlated,
    Measurement,
    Probed,
    Retrieved,
    ScoresCorrelated,
    Transferred,
)

MIN_ENCODERS = 4  # with three, even a perfect order has p = 1/3
Scores = dict[str, dict[str, float]]  # by task, then by encoder


class ScoreTables(NamedTuple):
    """Probing and downstream scores, by task and encoder."""

    probing: Scores
    downstream: Scores

    @property
    def encoders(self) -> tuple[str, ...]:
        """Return the names of encoders with both kinds of scores, in order."""
        sides = [
            {encoder for scores in side.values() for encoder in scores}
            for side in (self.probing, self.downstream)
        ]
        return tuple(sorted(sides[0] & sides[1]))


def collect_scores(
    rows: Iterable[Measurement], against: Sequence[ScoreName]
) -> ScoreTables:
    """Collect scores from rows, newest first; only the newest of each cell is used."""
    sides = ScoreTables({}, {})
    for row in rows:
        if isinstance(row, Probed):
            name = _probing_name(row)
            _keep_first(sides.probing, name, row.encoder, row.accuracy)
        elif isinstance(row, Transferred) and "downstream" in against:
            name = f"{row.data}, {row.metric}"
            _keep_first(sides.downstream, name, row.encoder, row.score)
        elif isinstance(row, Correlated) and "sts" in against:
            if row.similarity == "cosine" and not row.n_sets:
                name = f"similarity {_pair(row.first, row.second)}"
                _keep_first(sides.downstream, name, row.encoder, row.pearson)
        elif isinstance(row, Retrieved) and "retrieval" in against:
            name = f"retrieval {row.source} → {row.target}"
            _keep_first(sides.downstream, name, row.encoder, 1 - row.error)
    return sides


def correlate(sides: ScoreTables, correction: CorrectionName) -> list[ScoresCorrelated]:
    """Correlate every probing task with every downstream score."""
    names = [(one, other) for one in sides.probing for other in sides.downstream]
    found = [
        _spearman(sides.probing[one], sides.downstream[other]) for one, other in names
    ]
    p_values = np.array([p for _, _, p in found], np.float64)
    correct = holm if correction == "holm" else benjamini_hochberg
    corrected = correct(p_values)
    return [
        ScoresCorrelated(
            encoder=f"{len(sides.encoders)} encoders",
            probing=one,
            downstream=other,
            n=n,
            spearman=_known(rho),
            p=_known(p),
            p_corrected=_known(p_corrected),
            correction=correction,
            n_tests=int(np.count_nonzero(~np.isnan(p_values))),
        )
        for (one, other), (n, rho, p), p_corrected in zip(
            names, found, corrected.tolist(), strict=True
        )
    ]


def _spearman(
    ones: Mapping[str, float], others: Mapping[str, float]
) -> tuple[int, float, float]:
    """Return n, ρ and p over the encoders with both scores; NaN if undefined."""
    both = sorted(ones.keys() & others.keys())
    columns: list[DoubleArray] = [
        np.array([side[encoder] for encoder in both]) for side in (ones, others)
    ]
    if len(both) < MIN_ENCODERS:
        return len(both), float("nan"), float("nan")
    return len(both), spearman(*columns), spearman_p(*columns)


def _keep_first(scores: Scores, name: str, encoder: str, score: float) -> None:
    scores.setdefault(name, {}).setdefault(encoder, score)


def _probing_name(row: Probed) -> str:
    """Return the name of a probing task, such as "SentLen, en, logistic"."""
    parts = row.task or row.data, row.language, row.classifier
    return ", ".join(part for part in parts if part)


def _pair(first: str, second: str) -> str:
    return first if first == second else f"{first} – {second}"


def _known(value: float) -> float | None:
    return None if np.isnan(value) else round(value, DIGITS)
