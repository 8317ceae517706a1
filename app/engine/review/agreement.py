"""How far annotators agree who judged the same pairs without knowing of each other.

Only accept and reject count. What others said came with packages; what was said here
counts as it stood when the first of them was merged, for later it was known.
"""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Engine

from app.arrays import IntArray
from app.engine.statistics import (
    Estimate,
    bootstrap_estimate,
    cohen_kappa,
    krippendorff_alpha,
)
from app.engine.store.pairs.judgements import read_conflicting_pairs
from app.engine.store.pairs.packages import read_independent_verdicts

CLASSES = ("accept", "reject")
MISSING = -1
YOU = "you"  # whoever judges here and gave no name


class JudgementTable(NamedTuple):
    """Who judged what.

    Attributes:
        who: the a annotators, by name.
        values: int64 (n, a), places in `CLASSES`; -1: not judged. Each row has two.
    """

    who: list[str]
    values: IntArray


def measure_agreement(store: Engine, mining_id: int) -> dict[str, Any]:
    """Answer an `AgreementQuery`."""
    rows = read_independent_verdicts(store, mining_id)
    labels = tabulate(rows)
    n_judged = Counter(who for _, who, _ in rows)
    found = {name: _estimate(labels, measure) for name, measure in MEASURES.items()}
    n_conflicts = len(read_conflicting_pairs(store, mining_id))
    return {
        "annotators": [{"who": who, "n": k} for who, k in sorted(n_judged.items())],
        "n_shared": len(labels.values),
        **{name: _plain(estimate) for name, estimate in found.items()},
        "n_conflicts": n_conflicts,
        "text": _sentence(labels, found, n_conflicts),
    }


def tabulate(rows: list[tuple[int, str, str]]) -> JudgementTable:
    """Make a table of judgements: pair, who, verdict; pairs that two or more judged."""
    names = sorted({who for _, who, _ in rows})
    ids, places = np.unique([pair for pair, _, _ in rows], return_inverse=True)
    values = np.full((len(ids), len(names)), MISSING, np.int64)
    for place, (_, who, verdict) in zip(places, rows, strict=True):
        values[place, names.index(who)] = CLASSES.index(verdict)
    return JudgementTable(names, values[(values != MISSING).sum(axis=1) >= 2])


def raw_agreement(values: IntArray) -> float:
    """Return the share of judgements of one pair by two that are the same."""
    same, pairs = 0, 0
    for one, other in combinations(values.T, 2):
        both = (one != MISSING) & (other != MISSING)
        same += int((one[both] == other[both]).sum())
        pairs += int(both.sum())
    return same / pairs if pairs else float("nan")


def kappa(values: IntArray) -> float:
    """Return Cohen's kappa; of more than two the mean of each two (Light 1971)."""
    found = []
    for one, other in combinations(values.T, 2):
        both = (one != MISSING) & (other != MISSING)
        found.append(cohen_kappa(one[both], other[both], len(CLASSES)))
    known = [value for value in found if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def alpha(values: IntArray) -> float:
    """Return Krippendorff's alpha for nominal classes."""
    counts = [(values == place).sum(axis=1) for place in range(len(CLASSES))]
    return krippendorff_alpha(np.stack(counts, axis=1).astype(np.int64))


MEASURES = {"raw": raw_agreement, "kappa": kappa, "alpha": alpha}


def _estimate(labels: JudgementTable, measure: Callable[[IntArray], float]) -> Estimate:
    """Measure with an interval, by drawing pairs."""
    values = labels.values
    return bootstrap_estimate(lambda places: measure(values[places]), len(values))


def _plain(estimate: Estimate) -> list[float | None] | None:
    """Return value, low and high; null where it can't be told."""
    if np.isnan(estimate.value):
        return None
    return [None if np.isnan(one) else one for one in estimate]


def _sentence(
    labels: JudgementTable, found: dict[str, Estimate], n_conflicts: int
) -> str:
    n = len(labels.values)
    if not n:
        return (
            "No pair was judged by two people without knowing of each other: hand a "
            "package over, judge its pairs here too, and then merge what comes back."
        )
    share = found["raw"]
    pairs = f"{n:,} pairs were" if n > 1 else "1 pair was"
    names = ", ".join(who or YOU for who in labels.who)
    text = (
        f"{pairs} judged by two or more of {names}; "
        f"{100 * share.value:.0f} % of the judgements agree "
        f"({100 * share.low:.0f} to {100 * share.high:.0f} %)"
    )
    for name, words in (("kappa", "Cohen's kappa"), ("alpha", "Krippendorff's alpha")):
        one = found[name]
        if not np.isnan(one.value):
            text += f", {words} {one.value:.2f} ({one.low:.2f} to {one.high:.2f})"
    if n_conflicts:
        are = "conflicts are" if n_conflicts > 1 else "conflict is"
        text += f". {n_conflicts:,} {are} to be settled"
    return f"{text}."
