"""The tokens of several parts as one row, and the n-grams in it, group by group."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.patience import wait_for
from app.engine.report import Report
from app.engine.words.counts import Part, Shared, blank_id, token_places
from app.engine.words.lexicon import IdArray

IntArray = NDArray[np.int64]
BLOCK = 1_000_000  # n-grams that are sorted at once, if no word alone begins more
MAX_BITS = 62
GATHER_STAGE, COUNT_STAGE = "gather words", "count"
PLACE_BITS = 32


class Stream(NamedTuple):
    """Tokens of parts, one part after the other.

    Attributes:
        tokens: int32 (t,), shared ids.
        starts: int64 (s + 1,), first token of each sentence.
        sentences: int32 (t,), the sentence of each token.
        documents: int32 (s,), of each sentence, from 0 over all parts.
        n_documents: how many.
        order: int32 (t,), places sorted by id, then by place.
        firsts: int64 (v + 1,), where each id begins in it.
        blank: id that stands for nothing; -1: none.
        bounds: int64 (p + 1,), first token of each part.
        places: of each part, int64, its tokens in the whole corpus; None: all.
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

    def origins(self, places: IntArray) -> IntArray:
        """Say where tokens are of: the part above, the place in its corpus below.

        Args:
            places: int64 (m,), in the stream; what is given has their shape.
        """
        part = np.searchsorted(self.bounds, places, "right") - 1
        own = places - self.bounds[part]
        for number, listed in enumerate(self.places):
            if listed is not None:
                is_here = part == number
                own[is_here] = listed[own[is_here]]
        return part << PLACE_BITS | own


class Groups(NamedTuple):
    """Equal n-grams of a block, in the order of their words.

    Attributes:
        places: int64 (m,), first token of each n-gram, by group, then rising.
        groups: int64 (m,), from 0.
        firsts: int64 (g + 1,), where each group begins.
    """

    places: IntArray
    groups: IntArray
    firsts: IntArray


def make_stream(shared: Shared, report: Report) -> Stream:
    """Put the tokens of parts in a row."""
    return wait_for(lambda: _make_stream(shared), report, GATHER_STAGE)


def iterate_groups(stream: Stream, n: int, report: Report) -> Iterator[Groups]:
    """Group equal n-grams within sentences, block by block.

    The blocks hold all n-grams that begin with some words, so no group is in two.
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


def _make_stream(shared: Shared) -> Stream:
    parts = shared.parts
    lengths = np.concatenate([part.lengths for part in parts])
    starts = np.append(0, np.cumsum(lengths))
    sentences = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    firsts = np.append(0, np.cumsum([part.n_documents for part in parts]))
    documents = [
        (part.documents if part.mask is None else part.documents[part.mask]) + first
        for part, first in zip(parts, firsts[:-1].tolist(), strict=True)
    ]
    tokens, places, order, by_id = _tokens(parts, len(shared.lexicon))
    return Stream(
        tokens=tokens,
        starts=starts,
        sentences=sentences,
        documents=np.concatenate(documents).astype(np.int32),
        n_documents=int(firsts[-1]),
        order=order,
        firsts=by_id,
        blank=blank_id(shared.lexicon),
        bounds=np.append(0, np.cumsum([part.n_tokens for part in parts])),
        places=places,
    )


def _tokens(
    parts: tuple[Part, ...], n_items: int
) -> tuple[IdArray, tuple[IntArray | None, ...], IdArray, IntArray]:
    """Give tokens, places, order and firsts of a stream."""
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


def _with_room(stream: Stream, places: IntArray, n: int) -> IntArray:
    """Keep the places from which a sentence goes on for n words that say something."""
    if n > 1:
        ends = stream.starts[stream.sentences[places] + 1]
        places = places[places + n <= ends]
    if stream.blank >= 0:
        for offset in range(n):
            places = places[stream.tokens[places + offset] != stream.blank]
    return places


def _grouped(stream: Stream, places: IntArray, n: int, ids: tuple[int, int]) -> Groups:
    """Group n-grams that begin with the ids low … high - 1 and are sorted by them."""
    keys = stream.tokens[places].astype(np.int64) - ids[0]
    n_keys, n_items = ids[1] - ids[0], len(stream.firsts) - 1
    for offset in range(1, n):
        keys = keys * n_items + stream.tokens[places + offset]
        order = sorted_order(keys, n_keys * n_items)
        places, keys = places[order], keys[order]
        keys = _numbered(keys)
        n_keys = int(keys[-1]) + 1
    groups = _numbered(keys) if n == 1 else keys
    firsts = np.flatnonzero(np.diff(groups, prepend=-1))
    return Groups(places, groups, np.append(firsts, len(groups)))


def sorted_order(keys: IntArray, n_keys: int) -> IntArray:
    """Give the places of keys in their order, equal ones as they come: int64 (m,).

    Args:
        keys: int64 (m,), 0 … n_keys - 1.
        n_keys: how many there may be.
    """
    bits = len(keys).bit_length()
    if n_keys.bit_length() + bits > MAX_BITS:
        return np.argsort(keys, kind="stable")
    # one sort of whole numbers, key above and place below: five times as fast
    packed = keys << bits | np.arange(len(keys))
    packed.sort()
    return packed & ((1 << bits) - 1)


def _numbered(keys: IntArray) -> IntArray:
    """Number sorted keys from 0, int64 (m,)."""
    return np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)


__all__ = ["Groups", "Stream", "iterate_groups", "make_stream", "sorted_order"]
