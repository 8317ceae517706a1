"""Measure the agreement of annotators who judged the same pairs independently.

Only accept and reject count. Judgements of others are from packages. Local judgements
count as they were before the first package was merged, since later ones are not
independent.
"""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine

from app.arrays import IntArray
from app.engine.statistics import (
    Estimate,
    bootstrap_estimate,
    cohen_kappa,
    krippendorff_alpha,
    wilson_interval,
)
from app.engine.store.pairs.history import read_opinions
from app.engine.store.pairs.judgements import (
    VERDICTS,
    read_conflicting_pairs,
    read_current_verdicts,
    read_flagged_by_others,
)
from app.engine.store.pairs.packages import AS_RANGE, read_independent_verdicts
from app.number_format import format_percent, format_score
from app.plurals import count_text
from app.protocol.answers.pairs import (
    AgreementAnswer,
    AgreementFigure,
    AnnotatorCount,
)

CLASSES = ("accept", "reject")
MISSING = -1
MIN_PAIRS = 2  # for a coefficient
MAX_FLAGS = 10_000  # pairs whose flags are counted by annotator
YOU = "you"  # the user if the settings contain no name


class JudgementTable(NamedTuple):
    """Judgements by pair and annotator.

    Attributes:
        who: names of the a annotators.
        values: int64 (n, a), indices into `CLASSES`; -1: not judged. Each row has at
            least two judgements.
    """

    who: list[str]
    values: IntArray


def measure_agreement(store: Engine, mining_id: int) -> AgreementAnswer:
    """Measure the agreement on the pairs of a set."""
    rows = read_independent_verdicts(store, mining_id)
    decided = [row for row in rows if row[2] in CLASSES]
    labels = tabulate(decided)
    n_judged = Counter({who: 0 for _, who, _ in rows})
    n_judged.update(who for _, who, _ in decided)
    others = _count_others(rows)
    found = _measure(labels.values.tobytes(), labels.values.shape)
    n_conflicts = len(read_conflicting_pairs(store, mining_id))
    return AgreementAnswer(
        annotators=[AnnotatorCount(who, k) for who, k in sorted(n_judged.items())],
        n_shared=len(labels.values),
        raw=_to_figure(found["raw"]),
        kappa=_to_figure(found["kappa"]),
        alpha=_to_figure(found["alpha"]),
        n_conflicts=n_conflicts,
        text=_sentence(labels, found, n_conflicts),
        n_undecided=others["undecided"],
        n_as_range=others["range"],
        n_single=others["single"],
        flagged_by_others=_count_flags(store, mining_id),
    )


def _count_flags(store: Engine, mining_id: int) -> dict[str, int]:
    """Count pairs flagged by others whose verdict is not a flag, by annotator."""
    ids = read_flagged_by_others(store, mining_id)
    codes = read_current_verdicts(store, mining_id).of(ids)
    other = ids[codes != VERDICTS.index("flag")].tolist()
    counts: Counter[str] = Counter()
    for opinions in read_opinions(store, other[:MAX_FLAGS]).values():
        counts.update(one.who for one in opinions if one.verdict == "flag")
    return dict(sorted(counts.items()))


def _count_others(rows: list[tuple[int, str, str]]) -> Counter[str]:
    """Count the pairs accepted or rejected by fewer than two annotators, by reason."""
    by_pair: dict[int, list[str]] = {}
    for pair, _, verdict in rows:
        by_pair.setdefault(pair, []).append(verdict)
    counts: Counter[str] = Counter()
    for verdicts in by_pair.values():
        if sum(verdict in CLASSES for verdict in verdicts) >= 2:
            continue
        if AS_RANGE in verdicts:
            counts["range"] += 1
        elif any(verdict not in CLASSES for verdict in verdicts):
            counts["undecided"] += 1
        else:
            counts["single"] += 1
    return counts


def tabulate(rows: list[tuple[int, str, str]]) -> JudgementTable:
    """Tabulate pair, annotator and verdict of the pairs with two or more judgements."""
    names = sorted({who for _, who, _ in rows})
    ids, indices = np.unique([pair for pair, _, _ in rows], return_inverse=True)
    values = np.full((len(ids), len(names)), MISSING, np.int64)
    for index, (_, who, verdict) in zip(indices, rows, strict=True):
        values[index, names.index(who)] = CLASSES.index(verdict)
    return JudgementTable(names, values[(values != MISSING).sum(axis=1) >= 2])


def raw_agreement(values: IntArray) -> float:
    """Return the share of pairs of judgements of the same pair that are equal."""
    same, pairs = 0, 0
    for one, other in combinations(values.T, 2):
        both = (one != MISSING) & (other != MISSING)
        same += int((one[both] == other[both]).sum())
        pairs += int(both.sum())
    return same / pairs if pairs else float("nan")


def kappa(values: IntArray) -> float:
    """Return Cohen's kappa; for more than two annotators the mean (Light 1971)."""
    found = []
    for one, other in combinations(values.T, 2):
        both = (one != MISSING) & (other != MISSING)
        found.append(cohen_kappa(one[both], other[both], len(CLASSES)))
    known = [value for value in found if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def alpha(values: IntArray) -> float:
    """Return Krippendorff's alpha for nominal classes."""
    counts = [(values == index).sum(axis=1) for index in range(len(CLASSES))]
    return krippendorff_alpha(np.stack(counts, axis=1).astype(np.int64))


MEASURES = {"raw": raw_agreement, "kappa": kappa, "alpha": alpha}


@lru_cache(maxsize=4)
def _measure(table: bytes, shape: tuple[int, int]) -> dict[str, Estimate]:
    """Measure a table of judgements; cached, since Review asks after each judgement.

    Args:
        table: bytes of `JudgementTable.values`.
    """
    values = np.frombuffer(table, np.int64).reshape(shape)
    return {name: _estimate(values, measure) for name, measure in MEASURES.items()}


def _estimate(values: IntArray, measure: Callable[[IntArray], float]) -> Estimate:
    """Measure with an interval: Wilson's for a share, else a bootstrap over pairs.

    Resampling a single pair yields an interval of zero width, so a single pair has no
    coefficient.
    """
    n = len(values)
    if measure is raw_agreement and n:
        share = raw_agreement(values)
        return wilson_interval(share * n, n)._replace(value=share)
    if n < MIN_PAIRS:
        return Estimate(float("nan"), float("nan"), float("nan"))
    return bootstrap_estimate(lambda indices: measure(values[indices]), n)


def _to_figure(estimate: Estimate) -> AgreementFigure | None:
    value, low, high = (None if np.isnan(one) else one for one in estimate)
    return None if value is None else AgreementFigure(value, low, high)


def _sentence(
    labels: JudgementTable, found: dict[str, Estimate], n_conflicts: int
) -> str:
    n = len(labels.values)
    if not n:
        return (
            "No pair was judged independently by two people. Export a package, judge "
            "its pairs here too, then merge the returned judgements."
        )
    share = found["raw"]
    pairs = f"{n:,} pairs were" if n > 1 else "1 pair was"
    names = [who or YOU for who in labels.who]
    by = f"two or more of {', '.join(names)}"
    if len(names) == 2:
        by = f"both {names[0]} and {names[1]}"
    text = (
        f"{pairs} judged by {by}; "
        f"{format_percent(share.value)} of the judgements agree "
        f"({100 * share.low:.0f} to {format_percent(share.high)})"
    )
    for name, words in (("kappa", "Cohen's kappa"), ("alpha", "Krippendorff's alpha")):
        one = found[name]
        if not np.isnan(one.value):
            value, *ends = (format_score(n, 2) for n in (one.value, one.low, one.high))
            text += f", {words} {value} ({' to '.join(ends)})"
    if n_conflicts:
        text += f". {count_text(n_conflicts, 'conflict')} to resolve"
    return f"{text}."
