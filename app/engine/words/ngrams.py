"""Count words and n-grams in a token stream: frequency, dispersion and keyness."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import DoubleArray, IntArray
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.words.association import signed_log_likelihood
from app.engine.words.lexicon import IdArray
from app.engine.words.selection import CorpusPart, SharedParts, blank_id, token_places

BLOCK = 1_000_000  # n-grams sorted at once, unless more start with a single word
MAX_BITS = 62
GATHER_STAGE, COUNT_STAGE = "Collecting words", "Counting"
PLACE_BITS = 32


class TokenStream(NamedTuple):
    """Tokens of parts, one part after the other.

    Attributes:
        tokens: int32 (t,), shared ids.
        starts: int64 (s + 1,), first token of each sentence.
        sentences: int32 (t,), sentence of each token.
        documents: int32 (s,), document of each sentence, numbered over all parts.
        n_documents: number of documents.
        order: int32 (t,), places sorted by id, then by place.
        firsts: int64 (v + 1,), first entry of each id in `order`.
        blank: id of an empty item; -1: none.
        bounds: int64 (p + 1,), first token of each part.
        places: for each part, int64, indices of its tokens in the corpus; None: all.
    """

    tokens: IdArray
    starts: IntArray
    sentences: IdArray
    documents: IdArray
    n_documents: int
    order: IdArray
    firsts: IntArray
    blank: int
    bounds: IntArray
    places: tuple[IntArray | None, ...]

    def origins(self, indices: IntArray) -> IntArray:
        """Return origins of tokens: part (high bits) and place in corpus (low bits).

        Args:
            indices: int64 (m,), places in the stream.
        """
        part = np.searchsorted(self.bounds, indices, "right") - 1
        own = indices - self.bounds[part]
        for number, listed in enumerate(self.places):
            if listed is not None:
                is_here = part == number
                own[is_here] = listed[own[is_here]]
        return part << PLACE_BITS | own


class NgramGroups(NamedTuple):
    """Equal n-grams of a block, in the order of their words.

    Attributes:
        places: int64 (m,), first token of each n-gram, by group, then ascending.
        groups: int64 (m,), group of each n-gram, from 0.
        firsts: int64 (g + 1,), first n-gram of each group.
    """

    places: IntArray
    groups: IntArray
    firsts: IntArray


def build_stream(shared: SharedParts, report: Report) -> TokenStream:
    """Concatenate the tokens of parts."""
    return run_in_thread(lambda: _build_stream(shared), report, GATHER_STAGE)


def iterate_groups(
    stream: TokenStream, n: int, report: Report
) -> Iterator[NgramGroups]:
    """Group equal n-grams within sentences, block by block.

    A block contains all n-grams that start with certain words, so that groups are not
    split.
    """
    n_items = len(stream.firsts) - 1
    low = 0
    while low < n_items:
        report.step(COUNT_STAGE, int(stream.firsts[low]), len(stream.tokens))
        wanted = stream.firsts[low] + BLOCK
        high = int(np.searchsorted(stream.firsts, wanted, "right")) - 1
        high = min(max(high, low + 1), n_items)
        begin, end = int(stream.firsts[low]), int(stream.firsts[high])
        places = stream.order[begin:end].astype(np.int64)
        places = _with_room(stream, places, n)
        if len(places):
            yield _grouped(stream, places, n, (low, high))
        low = high
    report.step(COUNT_STAGE, len(stream.tokens), len(stream.tokens))


def _build_stream(shared: SharedParts) -> TokenStream:
    parts = shared.parts
    lengths = np.concatenate([part.lengths for part in parts])
    starts = np.append(0, np.cumsum(lengths))
    sentences = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    firsts = np.append(0, np.cumsum([part.n_documents for part in parts]))
    documents = [
        (part.documents if part.mask is None else part.documents[part.mask]) + first
        for part, first in zip(parts, firsts[:-1].tolist(), strict=True)
    ]
    tokens, indices, order, by_id = _tokens(parts, len(shared.lexicon))
    return TokenStream(
        tokens=tokens,
        starts=starts,
        sentences=sentences,
        documents=np.concatenate(documents).astype(np.int32),
        n_documents=int(firsts[-1]),
        order=order,
        firsts=by_id,
        blank=blank_id(shared.lexicon),
        bounds=np.append(0, np.cumsum([part.n_tokens for part in parts])),
        places=indices,
    )


def _tokens(
    parts: tuple[CorpusPart, ...], n_items: int
) -> tuple[IdArray, tuple[IntArray | None, ...], IdArray, IntArray]:
    """Return tokens, places, order and firsts of a stream."""
    if len(parts) == 1 and parts[0].mask is None:
        layer = parts[0].layer
        return layer.tokens, (None,), layer.order, layer.firsts
    places = tuple(None if p.mask is None else token_places(p) for p in parts)
    rows = []
    for part, some in zip(parts, places, strict=True):
        tokens = part.layer.tokens if some is None else part.layer.tokens[some]
        rows.append(tokens if part.ids is None else part.ids[tokens])
    tokens = np.concatenate(rows)
    order = sorted_order(tokens.astype(np.int64), n_items).astype(np.int32)
    counts = np.bincount(tokens, minlength=n_items)
    return tokens, places, order, np.append(0, np.cumsum(counts))


def _with_room(stream: TokenStream, indices: IntArray, n: int) -> IntArray:
    """Keep the places followed by n non-empty items of the same sentence."""
    if n > 1:
        ends = stream.starts[stream.sentences[indices] + 1]
        indices = indices[indices + n <= ends]
    if stream.blank >= 0:
        for offset in range(n):
            indices = indices[stream.tokens[indices + offset] != stream.blank]
    return indices


def _grouped(
    stream: TokenStream, indices: IntArray, n: int, ids: tuple[int, int]
) -> NgramGroups:
    """Group the n-grams that start with the ids low … high - 1, and sort them."""
    keys = stream.tokens[indices].astype(np.int64) - ids[0]
    n_keys, n_items = ids[1] - ids[0], len(stream.firsts) - 1
    for offset in range(1, n):
        keys = keys * n_items + stream.tokens[indices + offset]
        order = sorted_order(keys, n_keys * n_items)
        indices, keys = indices[order], keys[order]
        keys = _numbered(keys)
        n_keys = int(keys[-1]) + 1
    groups = _numbered(keys) if n == 1 else keys
    firsts = np.flatnonzero(np.diff(groups, prepend=-1))
    return NgramGroups(indices, groups, np.append(firsts, len(groups)))


def sorted_order(keys: IntArray, n_keys: int) -> IntArray:
    """Return the indices that stably sort keys: int64 (m,).

    Args:
        keys: int64 (m,), 0 … n_keys - 1.
        n_keys: number of possible keys.
    """
    bits = len(keys).bit_length()
    if n_keys.bit_length() + bits > MAX_BITS:
        return np.argsort(keys, kind="stable")
    # one sort of integers (key in the high bits, place in the low): five times as fast
    packed = keys << bits | np.arange(len(keys))
    packed.sort()
    return packed & ((1 << bits) - 1)


def _numbered(keys: IntArray) -> IntArray:
    """Number sorted keys from 0, int64 (m,)."""
    return np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)


class NgramCounts(NamedTuple):
    """Counts of the n-grams in a stream, in the order of their words.

    Attributes:
        places: int64 (g,), first occurrence of each n-gram.
        counts: int64 (g,).
        n_documents: int64 (g,), documents with the n-gram.
        dispersion: float64 (g,), see `dispersion`; NaN for a single document.
    """

    places: IntArray
    counts: IntArray
    n_documents: IntArray
    dispersion: DoubleArray


def count_ngrams(stream: TokenStream, n: int, report: Report) -> NgramCounts:
    """Count the n-grams of a stream within sentences.

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
        return NgramCounts(none, none, none, np.empty(0))
    return NgramCounts(
        *(np.concatenate(column) for column in zip(*blocks, strict=True))
    )


def document_shares(stream: TokenStream) -> DoubleArray:
    """Return the share of all tokens in each document: float64 (d,)."""
    lengths = np.diff(stream.starts)
    sizes = np.bincount(stream.documents, lengths, stream.n_documents)
    return np.asarray(sizes / max(1, sizes.sum()))


def dispersion(
    groups: IntArray, documents: NDArray[np.integer], shares: DoubleArray
) -> tuple[IntArray, DoubleArray]:
    """Measure the dispersion of items over documents: DP, from 0 (even) to 1 (uneven).

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
    # documents without the item add their shares: 1 minus the shares of the others
    own = np.abs(counts / totals[items] - shares[where]) - shares[where]
    spread = (1 + np.bincount(items, own)) / 2
    return np.bincount(items), np.clip(spread, 0, 1)


def _count_block(
    stream: TokenStream, groups: NgramGroups, shares: DoubleArray
) -> tuple[IntArray, IntArray, IntArray, DoubleArray]:
    counts = np.diff(groups.firsts)
    places = groups.places[groups.firsts[:-1]]
    if stream.n_documents < 2:
        ones = np.ones(len(counts), np.int64)
        return places, counts, ones, np.full(len(counts), np.nan)
    documents = stream.documents[stream.sentences[groups.places]]
    return places, counts, *dispersion(groups.groups, documents, shares)


Z = 1.959964  # quantile of the normal distribution for 95 %
ZERO = 0.5  # replaces a count of 0 (Hardie 2014)


class SideCounts(NamedTuple):
    """Counts of n-grams on two sides, in the order of their words.

    Attributes:
        places: int64 (g,), first occurrence of each in the stream of both.
        counts: int64 (g, 2).
    """

    places: IntArray
    counts: IntArray


class KeynessScores(NamedTuple):
    """Keyness of n-grams for the first side: float64 (g,) each.

    Attributes:
        log_likelihood: G², negative if the n-gram is rarer on the first side.
        log_ratio: log2 of the ratio of relative frequencies; 1: twice as frequent.
        low, high: 95 % confidence interval of the log ratio.
    """

    log_likelihood: DoubleArray
    log_ratio: DoubleArray
    low: DoubleArray
    high: DoubleArray


def count_sides(
    stream: TokenStream, n: int, n_first: int, min_count: int, report: Report
) -> SideCounts:
    """Count the n-grams of a stream on two sides.

    Args:
        stream: tokens of the first side, followed by those of the second.
        n: number of words per n-gram.
        n_first: number of tokens of the first side.
        min_count: minimum total count; rarer n-grams are left out.
    """
    found_places, found_counts = [np.empty(0, np.int64)], [np.empty((0, 2), np.int64)]
    for groups in iterate_groups(stream, n, report):
        n_groups = len(groups.firsts) - 1
        is_other = groups.places >= n_first
        counts = np.bincount(groups.groups * 2 + is_other, minlength=2 * n_groups)
        counts = counts.reshape(n_groups, 2)  # (2 g,) -> (g, 2)
        is_kept = counts.sum(axis=1) >= min_count  # (g, 2) -> (g,)
        found_places.append(groups.places[groups.firsts[:-1]][is_kept])
        found_counts.append(counts[is_kept])
    return SideCounts(np.concatenate(found_places), np.concatenate(found_counts))


def score_keyness(
    ones: IntArray, others: IntArray, n_ones: int, n_others: int
) -> KeynessScores:
    """Score the keyness of items for one side against another.

    Log-likelihood: G² of the 2×2 table this side or the other, this item or another
    (Dunning 1993; all four cells, where Rayson and Garside 2000 add up two). Log ratio:
    log2 of the relative frequencies' ratio, with 0.5 for a count of 0 (Hardie 2014,
    "Log Ratio: an informal introduction"). Its confidence interval is that of the
    logarithm of a ratio of two shares, with the variance 1/a − 1/m + 1/b − 1/n (Katz,
    Baptista, Azen and Pike 1978, "Obtaining confidence intervals for the risk ratio").

    Args:
        ones: int64 (g,), counts on the first side.
        others: int64 (g,), counts on the second side.
        n_ones: number of tokens of the first side.
        n_others: number of tokens of the second side.
    """
    here, there = np.where(ones > 0, ones, ZERO), np.where(others > 0, others, ZERO)
    n_here, n_there = max(1, n_ones), max(1, n_others)
    ratio = np.log2(here / n_here) - np.log2(there / n_there)
    variance = 1 / here - 1 / n_here + 1 / there - 1 / n_there
    half = Z * np.sqrt(np.maximum(variance, 0)) / np.log(2)
    both = n_ones + n_others
    return KeynessScores(
        signed_log_likelihood(ones, ones + others, n_ones, both),
        ratio,
        ratio - half,
        ratio + half,
    )
