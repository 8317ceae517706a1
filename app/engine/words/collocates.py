"""Count and score the collocates of a word."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import DoubleArray, IntArray
from app.engine.runtime.report import Report
from app.engine.words.association import signed_log_likelihood
from app.engine.words.lexicon import IdArray
from app.engine.words.patterns import WordPattern, find_places
from app.engine.words.selection import CorpusPart, SharedParts, blank_id, count_items

STAGE = "Counting collocates"


class Window(NamedTuple):
    """Numbers of words left and right of a hit that count as near, in its sentence."""

    left: int
    right: int


class CooccurrenceCounts(NamedTuple):
    """Counts near the hits of a word, over v items.

    A token near several hits is counted once; tokens that belong to a hit are counted
    only in `in_corpus`.

    Attributes:
        n_hits: hits of the word.
        n_near: tokens near the hits.
        n_outside: tokens that belong to no hit, near or not.
        near: int64 (v,), occurrences near hits.
        left, right: int64 (v,), occurrences near and left or right of a hit; a token
            between two hits counts on both sides.
        outside: int64 (v,), occurrences outside hits.
        in_corpus: int64 (v,), all occurrences.
    """

    n_hits: int
    n_near: int
    n_outside: int
    near: IntArray
    left: IntArray
    right: IntArray
    outside: IntArray
    in_corpus: IntArray


class CollocateScores(NamedTuple):
    """Scores of the association of items with a word: float64 (v,) each."""

    expected: DoubleArray
    log_likelihood: DoubleArray
    log_dice: DoubleArray
    t_score: DoubleArray


def count_cooccurrences(
    shared: SharedParts, pattern: WordPattern, window: Window, report: Report
) -> CooccurrenceCounts:
    """Count the words near a word.

    Raises:
        UserError: a corpus lacks the lemmas or parts of speech of the query.
    """
    n_items = len(shared.lexicon)
    in_corpus = count_items(shared, report)
    sums = np.zeros((4, n_items), np.int64)  # near, left, right, in hits
    n_hits = 0
    for done, part in enumerate(shared.parts):
        report.step(STAGE, done, len(shared.parts))
        firsts, lasts = _hits(part, pattern)
        n_hits += len(firsts)
        ids = slice(None) if part.ids is None else part.ids
        for row, marks in enumerate(_marks(part, firsts, lasts, window)):
            counts = np.bincount(
                part.layer.tokens[np.flatnonzero(marks)],
                minlength=len(part.layer.lexicon),
            )
            sums[row][ids] += counts
    blank = blank_id(shared.lexicon)
    if blank >= 0:
        sums[:, blank] = in_corpus[blank] = 0
    near, left, right, in_hits = sums
    outside = in_corpus - in_hits
    report.step(STAGE, len(shared.parts), len(shared.parts))
    return CooccurrenceCounts(
        n_hits,
        int(near.sum()),
        int(outside.sum()),
        near,
        left,
        right,
        outside,
        in_corpus,
    )


def score_collocates(near: CooccurrenceCounts) -> CollocateScores:
    """Score the words near a word.

    Expected: n_near · outside / n_outside, by chance among the tokens outside hits
    (surface cooccurrence, Evert 2008, "Corpora and collocations", section 4.1, with
    overlapping windows counted once). Log-likelihood: G² of the 2×2 table near/not
    near, this item/other items (Dunning 1993). Log-Dice: 14 + log2(2 f_xy / (f_x +
    f_y)) (Rychlý 2008, "A lexicographer-friendly association score", section 2.3), with
    f_xy near, f_x hits, f_y in the corpus. t-score: (O − E) / √O (Church, Gale, Hanks
    and Hindle 1991, "Using statistics in lexical analysis", section 3.2).
    """
    n_outside = max(1, near.n_outside)
    expected = near.n_near * (near.outside / n_outside)
    found = np.maximum(near.near, 1)
    shares = 2 * found / (near.n_hits + near.in_corpus).clip(1)
    return CollocateScores(
        expected,
        signed_log_likelihood(near.near, near.n_near, near.outside, near.n_outside),
        np.where(near.near > 0, 14 + np.log2(shares), -np.inf),
        (near.near - expected) / np.sqrt(found),
    )


def _hits(part: CorpusPart, pattern: WordPattern) -> tuple[IdArray, IdArray]:
    """Find the hits in the active sentences."""
    firsts, lasts = find_places(part.words, pattern)
    if part.mask is not None:
        is_kept = part.mask[part.words.sentence_of(firsts)]
        firsts, lasts = firsts[is_kept], lasts[is_kept]
    return firsts, lasts


def _marks(
    part: CorpusPart, firsts: IdArray, lasts: IdArray, window: Window
) -> tuple[NDArray[np.bool_], ...]:
    """Return masks of tokens, bool (t,) each: near, left, right, in a hit."""
    starts = part.words.starts
    sentences = part.words.sentence_of(firsts)
    begins, ends = starts[sentences], starts[sentences + 1]
    left, right, in_hit = (np.zeros(part.words.n_tokens, bool) for _ in range(3))
    for offset in range(1, window.left + 1):
        tokens = firsts - offset
        left[tokens[tokens >= begins]] = True
    for offset in range(1, window.right + 1):
        tokens = lasts + offset
        right[tokens[tokens < ends]] = True
    for offset in range(int((lasts - firsts).max(initial=-1)) + 1):
        tokens = firsts + offset
        in_hit[tokens[tokens <= lasts]] = True
    left &= ~in_hit
    right &= ~in_hit
    return left | right, left, right, in_hit
