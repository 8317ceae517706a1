"""Measure word translation: precision at k with several correct translations.

Lample et al. 2018, section 3.1: a source word counts as correct at k if one of its
translations in the dictionary is among the k best.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from app.arrays import BoolArray, IdArray
from app.engine.runtime.report import Report
from app.engine.wordvectors.seeds import find_rows
from app.engine.wordvectors.spaces import WordSpace
from app.errors import UserError
from app.params.word_vectors import RetrievalName

STAGE = "Translating words"
PAGE = 512  # words translated together
KS = (1, 5, 10)
BANDS = (0, 1_000, 5_000, 20_000)  # first ranks by frequency


class BandPrecision(msgspec.Struct, frozen=True):
    """Precision for source words of some ranks by frequency; shares 0…1.

    Attributes:
        first, last: ranks from 0; last: None for all further words.
        n: source words.
    """

    first: int
    last: int | None
    n: int
    precision_at_1: float
    precision_at_5: float
    precision_at_10: float


class Precision(NamedTuple):
    """Precision at 1, 5 and 10 of all words and by band; shares 0…1.

    Attributes:
        n: source words with a vector, and with a translation that has one.
        coverage: `n` as a share of the source words of the dictionary.
    """

    at: tuple[float, float, float]
    n: int
    coverage: float
    bands: tuple[BandPrecision, ...]


def measure_precision(
    space: WordSpace,
    pairs: Sequence[tuple[str, str]],
    method: RetrievalName,
    report: Report,
) -> Precision:
    """Measure how often a translation is among the nearest words.

    Raises:
        UserError: no pair has vectors of both words.
    """
    rows = find_rows(pairs, space.source, space.target)
    wanted: dict[int, set[int]] = defaultdict(set)
    for source, target in zip(*(part.tolist() for part in rows), strict=True):
        wanted[source].add(target)
    if not wanted:
        raise UserError(
            f"None of the {len(pairs):,} pairs of the dictionary has a vector for both "
            "words. Check the order of the columns and the languages."
        )
    queries = np.array(sorted(wanted), np.int64)
    hits = _hits(space, queries, wanted, method, report)
    n_words = len({source.casefold() for source, _ in pairs})
    shares = tuple(float(column.mean()) for column in hits.T)
    bands = tuple(
        band
        for first, last in zip(BANDS, (*BANDS[1:], None), strict=True)
        if (band := _band(queries, hits, first, last)).n
    )
    n = len(queries)
    return Precision((shares[0], shares[1], shares[2]), n, n / n_words, bands)


def _hits(
    space: WordSpace,
    queries: IdArray,
    wanted: dict[int, set[int]],
    method: RetrievalName,
    report: Report,
) -> BoolArray:
    """Return whether a translation is among the best 1, 5 and 10: bool (q, 3)."""
    hits = np.zeros((len(queries), len(KS)), np.bool_)
    for start in range(0, len(queries), PAGE):
        report.step(STAGE, start, len(queries))
        some = queries[start : start + PAGE]
        found = space.rank_rows(some, max(KS), method)
        for index, (query, best) in enumerate(
            zip(some.tolist(), found.rows.tolist(), strict=True), start
        ):
            correct = [row in wanted[query] for row in best]
            hits[index] = [any(correct[:k]) for k in KS]
    report.step(STAGE, len(queries), len(queries))
    return hits


def _band(
    queries: IdArray, hits: BoolArray, first: int, last: int | None
) -> BandPrecision:
    is_in = queries >= first
    if last is not None:
        is_in &= queries < last
    n = int(is_in.sum())
    shares = hits[is_in].mean(axis=0).tolist() if n else [0.0] * len(KS)
    return BandPrecision(first, None if last is None else last - 1, n, *shares)
