"""Batches of pairs for the static trainer, and the table rows that they use."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.encoders.static.table_rows import table_rows
from app.engine.numeric import IdArray, hash_runs
from app.engine.training.data.tokens import RowRange, TokenPairs
from app.errors import UserError


class TableShape(msgspec.Struct, frozen=True):
    """Numbers of rows for pieces, bigrams and n-grams in an encoder's table."""

    n_pieces: int
    n_bigrams: int
    space_id: int
    n_ngrams: int = 0


class Bags(msgspec.Struct, frozen=True):
    """Bags of rows, and their transpose: the bags of each row.

    Attributes:
        places: int64 (t,), concatenated rows of all bags.
        starts: int64 (bags,), start of each bag in `places`.
        rows: int64 (r,), distinct rows, ascending, without the silent row.
        row_bags: int64 (u,), concatenated ids of the bags that contain each of `rows`.
        row_starts: int64 (r,), start of each row in `row_bags`.
    """

    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    row_bags: NDArray[np.int64]
    row_starts: NDArray[np.int64]


class Batch(msgspec.Struct, frozen=True):
    """A batch of b pairs as 2b bags, the b English bags first.

    Attributes:
        pieces: bags of table rows of pieces and bigrams.
        words: bags of the batch's w distinct words, numbered from 0; None without
            n-grams.
        ngrams: w bags of table rows of n-grams; None without n-grams.
        masked: bool (b, b), pairs (i, j) with an equal side, which are not negatives.
        n_tokens: number of pieces on all sides.
    """

    pieces: Bags
    words: Bags | None
    ngrams: Bags | None
    masked: NDArray[np.bool_]
    n_tokens: int


class PairSampler:
    """Draws languages by size^exponent, and each language's pairs in shuffled order.

    A batch has `languages_per_batch` slots of equal size, which are assigned to
    languages at random. A language's expected share of the slots, and so its share of
    all pairs in the long run, is q_i = w_i n_i^a / sum_j w_j n_j^a with weights w_i, by
    default 1 (Conneau and Lample 2019, section 3.1), for any number of languages. A
    language with fewer pairs than a slot fills only a part of it and is drawn
    proportionally more often. No batch contains a pair twice: a language can't exceed
    its size, and pairs of other languages fill the rest.

    Attributes:
        n_drawn: int64 (languages,), pairs of each language drawn so far; together with
            seed and step, the complete state.
    """

    def __init__(
        self,
        languages: Sequence[RowRange],
        *,
        batch_size: int,
        languages_per_batch: int,
        exponent: float,
        seed: int,
        factors: NDArray[np.float64] | None = None,
    ):
        """Make a sampler.

        Args:
            languages: ranges of pairs.
            batch_size: pairs per batch.
            languages_per_batch: slots per batch.
            exponent: power of the size by which languages are drawn.
            factors: float64 (languages,), positive weights that multiply these powers;
                None: all 1.
        """
        self.n_drawn = np.zeros(len(languages), np.int64)
        self._languages = languages
        self._sizes = np.array([one.n_pairs for one in languages], np.int64)
        self._batch_size = min(batch_size, int(self._sizes.sum()))
        self._max_slots = min(languages_per_batch, batch_size)
        filled = np.minimum(batch_size / self._max_slots, self._sizes)  # of a slot
        weights = self._sizes.astype(float) ** exponent
        if factors is not None:
            weights = weights * factors
        self._n_slots = batch_size * weights / weights.sum() / filled  # expected number
        self._seed = seed
        self._orders: dict[tuple[int, int], NDArray[np.int64]] = {}

    def draw(self, step: int) -> NDArray[np.int64]:
        """Draw the pairs of a step, int64 (b,); fewer only if there are fewer."""
        generator = np.random.default_rng([self._seed, step])
        taken = np.zeros(len(self._languages), np.int64)
        drawn = self._draw_languages(generator)
        ends = self._batch_size * np.arange(1, len(drawn) + 1) // self._max_slots
        slots = np.diff(ends, prepend=0).tolist()
        while n_left := self._batch_size - int(taken.sum()):
            left = self._sizes - taken
            if drawn:
                i, n_wanted = drawn.pop(), min(slots.pop(), n_left)
            else:  # languages smaller than their slots left the batch unfilled
                weights = np.where(left > 0, self._n_slots, 0.0)
                i = generator.choice(len(left), p=weights / weights.sum())
                n_wanted = n_left
            taken[i] += min(n_wanted, left[i])
        return np.concatenate(
            [self._take(i, taken[i]) for i in np.flatnonzero(taken).tolist()]
        )

    def _draw_languages(self, generator: np.random.Generator) -> list[int]:
        """Draw a language for each slot by systematic sampling in random order.

        A language gets its expected number of slots, rounded up or down at random, so
        its share varies less between batches than with independent draws.
        """
        order = generator.permutation(len(self._languages))
        bounds = np.cumsum(self._n_slots[order])
        points = np.arange(generator.random(), bounds[-1] - 1e-9)
        found = order[np.searchsorted(bounds, points, "right")]
        drawn: list[int] = generator.permutation(found).tolist()
        return drawn

    def _take(self, i: int, n_taken: np.int64) -> NDArray[np.int64]:
        """Take a language's next pairs, across the end of an epoch if necessary."""
        language = self._languages[i]
        indices = np.arange(self.n_drawn[i], self.n_drawn[i] + n_taken)
        epochs, turns = np.divmod(indices, language.n_pairs)
        taken = [
            self._order(i, int(epoch))[turns[epochs == epoch]]
            for epoch in np.unique(epochs)
        ]
        self.n_drawn[i] += n_taken
        return np.concatenate(taken) + language.first

    def _order(self, i: int, epoch: int) -> NDArray[np.int64]:
        """Shuffle a language's pairs for an epoch; cache the last two epochs."""
        if (i, epoch) not in self._orders:
            generator = np.random.default_rng([self._seed, i, epoch, 1])
            self._orders.pop((i, epoch - 2), None)
            n_pairs = self._languages[i].n_pairs
            self._orders[i, epoch] = generator.permutation(n_pairs)
        return self._orders[i, epoch]


MIN_FACTOR, MAX_FACTOR = 0.001, 1_000.0


def file_factors(
    languages: Sequence[RowRange], weights: Sequence[str]
) -> NDArray[np.float64]:
    """Return the weight of each language by `pair_weights` of the params.

    Raises:
        UserError: a weight is not a number in range.
    """
    factors = np.ones(len(languages))
    for pattern, factor in map(parse_weight, weights):
        for i, language in enumerate(languages):
            if fnmatchcase(language.name, pattern):
                factors[i] = factor
    return factors


def parse_weight(text: str) -> tuple[str, float]:
    """Parse a pattern of file names and its weight: "eng-deu*:0.5".

    Raises:
        UserError: the pattern is missing, or the weight is not a number in range.
    """
    pattern, _, number = text.strip().rpartition(":")
    try:
        factor = float(number)
    except ValueError:
        factor = 0.0
    if not pattern or not MIN_FACTOR <= factor <= MAX_FACTOR:
        raise UserError(
            f"{text!r} is not a weight of pair files. Write a pattern of file names "
            f"and a number from {MIN_FACTOR:g} to {MAX_FACTOR:g}, like eng-deu*:0.5."
        )
    return pattern, factor


def make_batch(
    pairs: TokenPairs, pair_ids: NDArray[np.int64], shape: TableShape
) -> Batch:
    """Gather the pieces and words of some pairs, and the rows that they use."""
    sides = np.concatenate([2 * pair_ids, 2 * pair_ids + 1])  # (b,) -> (2b,)
    piece_ids, lengths = pairs.gather(sides)
    rows, starts = table_rows(
        piece_ids,
        lengths,
        n_pieces=shape.n_pieces,
        n_bigrams=shape.n_bigrams,
        space_id=shape.space_id,
    )
    words = ngrams = None
    if pairs.words is not None:
        side_words, counts = pairs.words.gather(sides)
        word_ids, indices = np.unique(side_words, return_inverse=True)
        ngram_rows, ngram_counts = pairs.words.ngrams(word_ids.astype(np.int64))
        first = shape.n_pieces + shape.n_bigrams
        words = make_bags(indices.astype(np.int32), np.cumsum(counts) - counts, 0)
        ngrams = make_bags(
            ngram_rows + np.int32(first), np.cumsum(ngram_counts) - ngram_counts, 0
        )
    return Batch(
        pieces=make_bags(rows, starts, n_silent=1),
        words=words,
        ngrams=ngrams,
        masked=mask_equal_sides(piece_ids, lengths),
        n_tokens=len(piece_ids),
    )


def make_bags(rows: IdArray, starts: NDArray[np.int64], n_silent: int) -> Bags:
    """Make bags of rows; the first `n_silent` rows get no gradient."""
    bag_ids = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(rows)))
    is_heard = rows >= n_silent
    return Bags(
        rows.astype(np.int64),
        starts,
        *transpose_bags(rows[is_heard], bag_ids[is_heard]),
    )


def transpose_bags(
    bag_rows: IdArray, bag_ids: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Transpose bags of rows into rows with their bags.

    With the transpose, the gradient of a sum over bags is also a sum over bags, as fast
    as the forward pass; torch's backward pass of embedding_bag is many times slower.

    Args:
        bag_rows: int32 (t,), row at each position.
        bag_ids: int64 (t,), bag of each position.

    Returns:
        rows, row_bags, row_starts as in `Bags`.
    """
    order = sort_places(bag_rows)
    sorted_rows = bag_rows[order]
    is_first = np.ones(len(sorted_rows), np.bool_)
    is_first[1:] = sorted_rows[1:] != sorted_rows[:-1]
    row_starts = np.flatnonzero(is_first)
    return sorted_rows[row_starts].astype(np.int64), bag_ids[order], row_starts


def sort_places(values: IdArray) -> NDArray[np.int64]:
    """Return the stable order of values below 2^32, by two radix sorts of 16 bits."""
    order = np.argsort((values & 0xFFFF).astype(np.uint16), kind="stable")
    high = (values >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")]


def mask_equal_sides(piece_ids: IdArray, lengths: IdArray) -> NDArray[np.bool_]:
    """Mark pairs of pairs that share a side, and so are also translations crosswise.

    Args:
        piece_ids: int32 (t,), pieces of 2b sides, the b English sides first.
        lengths: int32 (2b,), number of pieces of each side.

    Returns:
        bool (b, b), symmetric, false on the diagonal.
    """
    hashes = hash_runs(piece_ids, lengths)
    masked = np.zeros((len(lengths) // 2,) * 2, np.bool_)
    for side in np.split(hashes, 2):
        masked |= side[:, None] == side[None, :]
    np.fill_diagonal(masked, False)
    return masked
