"""What goes into a package: pairs, their sentences, and a few around them."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.review.package_file import PackedPair, PackedSentence
from app.engine.store.pair_rows import PairRow
from app.engine.store.rows import corpus_of, first_id, read_sentences
from app.errors import UserError

N_AROUND = 2  # sentences before and after
GAP = PackedSentence("[…]", "", 0)


class PackedSide(NamedTuple):
    """The sentences of one side, in the order of the corpus.

    Attributes:
        sentences: those of the pairs and around them; `GAP` where some were left out.
        place_of: gives the place of a sentence's id among them; raises UserError where
            the sentence is gone.
    """

    sentences: list[PackedSentence]
    place_of: Callable[[int], int]


def pack_side(store: Engine, spans: Iterable[tuple[int, int]]) -> PackedSide:
    """Collect the sentences of a side.

    Args:
        store: the project's database.
        spans: id of the first sentence, and how many, of each thing to pack.
    """
    wanted: set[int] = set()
    for first, n in spans:
        low = first_id(corpus_of(first))
        wanted.update(range(max(low, first - N_AROUND), first + n + N_AROUND))
    listed = read_sentences(store, sorted(wanted))
    rows = [row for row in listed if row is not None]
    ids = np.array([row.id for row in rows], np.int64)
    is_after_gap = np.diff(ids, prepend=ids[:1]) > 1
    places: NDArray[np.int64] = np.arange(len(ids)) + np.cumsum(is_after_gap)
    sentences: list[PackedSentence] = []
    for row, is_after in zip(rows, is_after_gap, strict=True):
        if is_after:
            sentences.append(GAP)
        sentences.append(PackedSentence(row.text, row.language, row.line))

    def place_of(sentence_id: int) -> int:
        found = int(np.searchsorted(ids, sentence_id))
        if found == len(ids) or ids[found] != sentence_id:
            raise UserError("A sentence of the pairs is not in the project any more.")
        return int(places[found])

    return PackedSide(sentences, place_of)


def pack_pairs(
    store: Engine, pairs: Sequence[PairRow], *, with_scores: bool
) -> tuple[PackedSide, PackedSide, list[PackedPair]]:
    """Collect pairs as they were found, with their sentences and runners-up."""
    source = pack_side(
        store,
        [(pair.source_id, pair.n_source) for pair in pairs]
        + [(pair.reverse_id, 1) for pair in pairs if pair.reverse_id is not None],
    )
    target = pack_side(
        store,
        [(pair.target_id, pair.n_target) for pair in pairs]
        + [(pair.runner_up_id, 1) for pair in pairs if pair.runner_up_id is not None],
    )
    packed = [
        PackedPair(
            source.place_of(pair.source_id),
            pair.n_source,
            target.place_of(pair.target_id),
            pair.n_target,
            _place(target, pair.runner_up_id),
            _place(source, pair.reverse_id),
            (pair.score, pair.cosine, pair.source_mean, pair.target_mean)
            if with_scores
            else None,
        )
        for pair in pairs
    ]
    return source, target, packed


def _place(side: PackedSide, sentence_id: int | None) -> int | None:
    return None if sentence_id is None else side.place_of(sentence_id)
