"""Frequencies of words and n-grams, and how evenly documents share them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.report import Report
from app.engine.words.stream import Groups, Stream, iterate_groups

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class Frequency(NamedTuple):
    """How often n-grams stand in a stream, in the order of their words.

    Attributes:
        places: int64 (g,), where each stands first.
        counts: int64 (g,).
        n_documents: int64 (g,), documents that have it.
        dispersion: float64 (g,), see `dispersion`; NaN with one document.
    """

    places: IntArray
    counts: IntArray
    n_documents: IntArray
    dispersion: FloatArray


def count_ngrams(stream: Stream, n: int, report: Report) -> Frequency:
    """Count the n-grams of a stream that lie within sentences.

    Raises:
        Cancelled: within a second.
    """
    shares = document_shares(stream)
    blocks = [
        _count_block(stream, groups, shares)
        for groups in iterate_groups(stream, n, report)
    ]
    if not blocks:
        none = np.empty(0, np.int64)
        return Frequency(none, none, none, np.empty(0))
    return Frequency(*(np.concatenate(column) for column in zip(*blocks, strict=True)))


def document_shares(stream: Stream) -> FloatArray:
    """Give the share of the tokens that each document has: float64 (d,)."""
    lengths = np.diff(stream.starts)
    sizes = np.bincount(stream.documents, lengths, stream.n_documents)
    return np.asarray(sizes / max(1, sizes.sum()))


def dispersion(
    groups: IntArray, documents: NDArray[np.integer], shares: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Measure how unevenly documents share items: DP, 0 (even) … 1 (in few).

    DP = ½ Σ_d |v_d − s_d| (Gries 2008, "Dispersions and adjusted frequencies in
    corpora", section 3): v_d is the share of the item's occurrences in a document, s_d
    the share of all tokens in it.

    Args:
        groups: int64 (m,), the item of each occurrence, 0 … g-1, each at least once.
        documents: int (m,), the document of each occurrence.
        shares: float64 (d,), share of the tokens of each document.

    Returns:
        int64 (g,), documents that have the item, and float64 (g,).
    """
    n_documents = len(shares)
    keys = groups * n_documents + documents
    keys.sort()
    is_first = np.diff(keys, prepend=-1) != 0
    firsts = np.flatnonzero(is_first)
    counts = np.diff(np.append(firsts, len(keys)))
    items, where = np.divmod(keys[firsts], n_documents)
    totals = np.bincount(groups)
    # a document without the item adds its share: all shares, less those that have it
    own = np.abs(counts / totals[items] - shares[where]) - shares[where]
    spread = (1 + np.bincount(items, own)) / 2
    return np.bincount(items), np.clip(spread, 0, 1)


def _count_block(
    stream: Stream, groups: Groups, shares: FloatArray
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    counts = np.diff(groups.firsts)
    places = groups.places[groups.firsts[:-1]]
    if stream.n_documents < 2:
        ones = np.ones(len(counts), np.int64)
        return places, counts, ones, np.full(len(counts), np.nan)
    documents = stream.documents[stream.sentences[groups.places]]
    return places, counts, *dispersion(groups.groups, documents, shares)


__all__ = ["Frequency", "count_ngrams", "dispersion", "document_shares"]
