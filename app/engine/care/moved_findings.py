"""What is told of two encoders: rows of figures, and the sentences behind them."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.care.gather import Known, read_some_texts
from app.engine.care.moved import MovedNeighbours, MovedPairs, only_in
from app.engine.evaluation.keep import DIGITS, interval_of
from app.engine.project import Project
from app.engine.report import Report
from app.engine.search.knn import IdArray
from app.engine.statistics import bootstrap_estimate, wilson_interval
from app.engine.store.finding_rows import Finding
from app.languages import language_name
from app.measurements import Measurement, Retrieved, SpaceMeasured

MAX_CHANGED, MAX_PAIRS = 1_000, 10_000  # findings that are kept
N_NAMED, MAX_LETTERS = 3, 60  # neighbours in a sentence, and letters of each


class Compared(NamedTuple):
    """The same sentences by two encoders.

    Attributes:
        ids: int64 (n,), codes: int32 (n,) of their languages in `names`.
        sides: their vectors.
    """

    ids: IdArray
    codes: "np.ndarray[tuple[int], np.dtype[np.int32]]"
    names: list[str]
    one: Known
    other: Known


class LanguagePair(NamedTuple):
    """Two languages (places in the names), and what moved between them."""

    source: int
    target: int
    moved: MovedPairs


def kept_rows(
    compared: Compared, moved: MovedNeighbours, encoders: tuple[str, str]
) -> Iterator[SpaceMeasured]:
    """Give the share of neighbours kept for each language, the least kept first."""
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
                value_interval=interval_of(kept),
            )
        )
    yield from sorted(rows, key=lambda row: row.value)


def pair_rows(
    compared: Compared, pairs: Sequence[LanguagePair], encoders: tuple[str, str]
) -> Iterator[Measurement]:
    """Give the retrieval error by both encoders, or the share of pairs kept."""
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
                    value_interval=interval_of(wilson_interval(n_kept, n)),
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
                    error_interval=interval_of(wilson_interval(wrong[way], moved.n)),
                )


def pair_findings(
    compared: Compared, pairs: Sequence[LanguagePair], encoders: tuple[str, str]
) -> tuple[list[Finding], int, int]:
    """Name the pairs gained and lost; tell how many of each there are."""
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


def changed(
    project: Project,
    compared: Compared,
    moved: MovedNeighbours,
    encoders: tuple[str, str],
    report: Report,
) -> list[Finding]:
    """Name the sentences whose neighbours changed most, with those of both."""
    order = np.argsort(moved.shares, kind="stable")
    order = order[moved.shares[order] < 1][:MAX_CHANGED]
    near = moved.ones[order, :N_NAMED], moved.others[order, :N_NAMED]
    ids = compared.ids[np.concatenate(near, axis=1)]
    texts = read_some_texts(project, ids.ravel(), report)
    k = moved.ones.shape[1]
    found = []
    for row, ones, others in zip(order.tolist(), *near, strict=True):
        n_kept = round(float(moved.shares[row]) * k)
        told = [
            f"{name}: {_quoted(texts, compared.ids[places])}"
            for name, places in zip(encoders, (ones, others), strict=True)
        ]
        found.append(
            Finding(
                "changed",
                int(compared.ids[moved.places[row]]),
                int(compared.ids[others[0]]),
                similarity=round(float(moved.shares[row]), 4),
                detail=f"{n_kept} of its {k} nearest are kept.\n" + "\n".join(told),
            )
        )
    return found


def _quoted(texts: dict[int, str], ids: IdArray) -> str:
    """Quote some sentences, cut to a few words each."""
    quoted = []
    for id_ in ids.tolist():
        text = texts.get(id_, "")
        short = text if len(text) <= MAX_LETTERS else f"{text[:MAX_LETTERS]}…"
        quoted.append(f"“{short}”")
    return ", ".join(quoted) + "."


def _mean_at(shares: NDArray[np.floating], at: IdArray) -> float:
    """Give the mean of the shares (n,) at some places."""
    return float(shares[at].mean())
