"""Compare the neighbours and translation pairs that two encoders find."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import FloatArray, IdArray
from app.engine.evaluation.recording import DIGITS, rounded_interval
from app.engine.mining.exact_search import ExactSide, exact_neighbours
from app.engine.project.project import Project
from app.engine.projection.comparison import shared_neighbour_shares
from app.engine.quality.neighbours import remove_self
from app.engine.quality.selection import EncodedSentences, read_some_texts
from app.engine.runtime.report import Report
from app.engine.statistics import bootstrap_estimate, wilson_interval
from app.engine.store.findings import Finding
from app.languages import language_name
from app.results.measurements import Measurement, Retrieved, SpaceMeasured

NEIGHBOUR_STAGE, PAIR_STAGE = "Comparing neighbours", "Comparing pairs"

EncoderSides = tuple[ExactSide, ExactSide]  # the same sentences by two encoders


class NeighbourChanges(NamedTuple):
    """The nearest neighbours of q sentences by two encoders.

    Attributes:
        places: int64 (q,), indices of the sentences.
        ones, others: int64 (q, k), indices of their neighbours, nearest first.
        shares: float32 (q,), share of common neighbours.
    """

    places: IdArray
    ones: IdArray
    others: IdArray
    shares: FloatArray


class PairChanges(NamedTuple):
    """The translations between two languages found by two encoders.

    Attributes:
        ones, others: int64 (p, 2), indices of the pairs found by each encoder.
        n_wrong: errors by encoder, for sources and for targets; None without links.
        n: number of linked pairs.
        n_pools: numbers of sentences in the target and the source language.
    """

    ones: IdArray
    others: IdArray
    n_wrong: tuple[tuple[int, int], tuple[int, int]] | None
    n: int
    n_pools: tuple[int, int]


def compare_neighbours(
    sides: EncoderSides, indices: IdArray, k: int, report: Report
) -> NeighbourChanges:
    """Compare the k nearest of all sentences for those at `indices`, int64 (m,)."""
    found = []
    for side in sides:
        near = exact_neighbours(
            side, side, (indices, k + 1), report, stage=NEIGHBOUR_STAGE
        )
        found.append(remove_self(near, indices).rows)
    shares = shared_neighbour_shares(found[0], found[1], len(sides[0]))
    return NeighbourChanges(indices, found[0], found[1], shares)


def compare_linked_pairs(
    sides: EncoderSides, pairs: IdArray, pools: tuple[IdArray, IdArray], report: Report
) -> PairChanges:
    """Compare which linked sentences are nearest neighbours, in each direction.

    Args:
        sides: all sentences by both encoders.
        pairs: int64 (p, 2), places of a source and its translation.
        pools: int64, places of the sentences of the source and the target language.
    """
    found, wrong = [], []
    for side in sides:
        there = _nearest_place(side, pairs[:, 0], pools[1], report)
        back = _nearest_place(side, pairs[:, 1], pools[0], report)
        is_there, is_back = there == pairs[:, 1], back == pairs[:, 0]
        found.append(pairs[is_there & is_back])
        wrong.append((int((~is_there).sum()), int((~is_back).sum())))
    sizes = len(pools[1]), len(pools[0])
    return PairChanges(found[0], found[1], (wrong[0], wrong[1]), len(pairs), sizes)


def compare_mutual_pairs(
    sides: EncoderSides,
    indices: IdArray,
    pools: tuple[IdArray, IdArray],
    report: Report,
) -> PairChanges:
    """Compare which unlinked sentences are mutual nearest neighbours.

    Args:
        sides: all sentences by both encoders.
        indices: int64 (q,), sentences of the source language.
        pools: int64, places of the sentences of the source and the target language.
    """
    found = []
    for side in sides:
        there = _nearest_place(side, indices, pools[1], report)
        back = _nearest_place(side, there, pools[0], report)
        found.append(np.stack([indices, there], axis=1)[back == indices])
    sizes = len(pools[1]), len(pools[0])
    return PairChanges(found[0], found[1], None, 0, sizes)


def only_in(pairs: IdArray, others: IdArray) -> IdArray:
    """Return the pairs (p, 2) that are not among other pairs, in order."""
    known = set(map(tuple, others.tolist()))
    is_new = [pair not in known for pair in map(tuple, pairs.tolist())]
    chosen: IdArray = pairs[np.array(is_new, bool)]
    return chosen


def _nearest_place(
    side: ExactSide, indices: IdArray, pool: IdArray, report: Report
) -> IdArray:
    """Return the index of the nearest sentence in a pool: int64 (q,)."""
    rows = np.arange(len(side)) if side.rows is None else side.rows
    own = ExactSide(side.vectors, rows[indices])
    among = ExactSide(side.vectors, rows[pool])
    everyone = np.arange(len(indices))
    near = exact_neighbours(own, among, (everyone, 1), report, stage=PAIR_STAGE)
    found: IdArray = pool[near.rows[:, 0]]
    return found


MAX_CHANGED, MAX_PAIRS = 1_000, 10_000  # findings that are stored
N_NAMED, MAX_LETTERS = 3, 60  # neighbours in a sentence, and letters of each


class ComparedSentences(NamedTuple):
    """The same sentences by two encoders.

    Attributes:
        ids: int64 (n,), codes: int32 (n,) of their languages in `names`.
        sides: their vectors.
    """

    ids: IdArray
    codes: "np.ndarray[tuple[int], np.dtype[np.int32]]"
    names: list[str]
    one: EncodedSentences
    other: EncodedSentences


class LanguagePair(NamedTuple):
    """Two languages (indices into the names), and the changed pairs."""

    source: int
    target: int
    moved: PairChanges


def kept_rows(
    compared: ComparedSentences, moved: NeighbourChanges, encoders: tuple[str, str]
) -> Iterator[SpaceMeasured]:
    """Return the share of neighbours kept for each language, lowest first."""
    rows = []
    for code in np.unique(compared.codes[moved.places]).tolist():
        shares = moved.shares[compared.codes[moved.places] == code]
        kept = bootstrap_estimate(
            partial(_mean_at, shares),
            len(shares),
        )
        rows.append(
            SpaceMeasured(
                encoder=" → ".join(encoders),
                measure="kept_neighbours",
                first=compared.names[code],
                n=len(shares),
                value=round(kept.value, DIGITS),
                value_interval=rounded_interval(kept),
            )
        )
    yield from sorted(rows, key=lambda row: row.value)


def pair_rows(
    compared: ComparedSentences,
    pairs: Sequence[LanguagePair],
    encoders: tuple[str, str],
) -> Iterator[Measurement]:
    """Return the retrieval error by both encoders, or the share of pairs kept."""
    for source, target, moved in pairs:
        names = compared.names[source], compared.names[target]
        if moved.n_wrong is None:
            n, n_kept = (
                len(moved.ones),
                len(moved.ones) - len(only_in(moved.ones, moved.others)),
            )
            if n:
                yield SpaceMeasured(
                    encoder=" → ".join(encoders),
                    measure="kept_pairs",
                    first=names[0],
                    second=names[1],
                    n=n,
                    value=round(n_kept / n, DIGITS),
                    value_interval=rounded_interval(wilson_interval(n_kept, n)),
                )
            continue
        for encoder, wrong in zip(encoders, moved.n_wrong, strict=True):
            for way in (0, 1):
                yield Retrieved(
                    encoder=encoder,
                    source=names[way],
                    target=names[1 - way],
                    n=moved.n,
                    n_pool=moved.n_pools[way],
                    error=round(wrong[way] / moved.n, DIGITS),
                    error_interval=rounded_interval(
                        wilson_interval(wrong[way], moved.n)
                    ),
                )


def pair_findings(
    compared: ComparedSentences,
    pairs: Sequence[LanguagePair],
    encoders: tuple[str, str],
) -> tuple[list[Finding], int, int]:
    """Return findings for gained and lost pairs, and their numbers."""
    found: dict[str, list[Finding]] = {"gained": [], "lost": []}
    totals = {"gained": 0, "lost": 0}
    for source, target, moved in pairs:
        names = " and ".join(
            language_name(compared.names[code]) for code in (source, target)
        )
        what = "linked pair" if moved.n else "pair"
        for kind, new, old, who in (
            ("gained", moved.others, moved.ones, encoders[1]),
            ("lost", moved.ones, moved.others, encoders[0]),
        ):
            some = only_in(new, old)
            totals[kind] += len(some)
            detail = (
                f"Only {who} finds this {what} of {names}: each is the nearest of the "
                "other."
            )
            room = MAX_PAIRS - len(found[kind])
            found[kind] += [
                Finding(kind, int(one), int(two), detail=detail)
                for one, two in compared.ids[some[:room]].tolist()
            ]
    return [*found["gained"], *found["lost"]], totals["gained"], totals["lost"]


def find_changed_sentences(
    project: Project,
    compared: ComparedSentences,
    moved: NeighbourChanges,
    encoders: tuple[str, str],
    report: Report,
) -> list[Finding]:
    """Return findings for the sentences whose neighbours changed most."""
    order = np.argsort(moved.shares, kind="stable")
    order = order[moved.shares[order] < 1][:MAX_CHANGED]
    near = moved.ones[order, :N_NAMED], moved.others[order, :N_NAMED]
    ids = compared.ids[np.concatenate(near, axis=1)]
    texts = read_some_texts(project, ids.ravel(), report)
    k = moved.ones.shape[1]
    found = []
    for row, ones, others in zip(order.tolist(), *near, strict=True):
        n_kept = round(float(moved.shares[row]) * k)
        lines = [
            f"{name}: {_quoted(texts, compared.ids[indices])}"
            for name, indices in zip(encoders, (ones, others), strict=True)
        ]
        found.append(
            Finding(
                "changed",
                int(compared.ids[moved.places[row]]),
                int(compared.ids[others[0]]),
                similarity=round(float(moved.shares[row]), 4),
                detail=f"Same nearest neighbours: {n_kept} of {k}.\n"
                + "\n".join(lines),
            )
        )
    return found


def _quoted(texts: dict[int, str], ids: IdArray) -> str:
    """Quote some sentences, shortened to a few words each."""
    quoted = []
    for id_ in ids.tolist():
        text = texts.get(id_, "")
        short = text if len(text) <= MAX_LETTERS else f"{text[:MAX_LETTERS]}…"
        quoted.append(f"“{short}”")
    return ", ".join(quoted) + "."


def _mean_at(shares: NDArray[np.floating], at: IdArray) -> float:
    """Return the mean of the shares (n,) at some indices."""
    return float(shares[at].mean())
