"""Which words of the other side of pairs translate a word: association, own pairs.

A word that often stands beside another is found with that one's translation too: water
with the translation of drink. Such indirect associations (Melamed 2000, "Models of
translational equivalence among words", section 2) are told from direct ones as in the
links of Moore 2005, "A discriminative framework for bilingual word alignment", section
3: in a pair, a candidate belongs to the word of the other side that it is associated
with most. Pairs in which it belongs to another word do not speak for it. Unlike there,
a word may have several candidates of its own in a pair, so that compounds and particles
are found.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.words.association import FloatArray, signed_log_likelihood
from app.engine.words.pair_words import IntArray, PairWords

N_LOOKED_AT = 100  # candidates at least whose own pairs are counted
TIE = 1e-9  # associations that differ by less are equal
MAX_PAIRS = 4_000  # of a word that are looked at one by one: every so many of more


class Candidates(NamedTuple):
    """Words of the other side, the strongest association first.

    Attributes:
        words: int64 (c,), ids.
        n_both: int64 (c,), pairs with the word and the candidate.
        n_own: int64 (c,), those of them in which no other word of the source is
            associated with the candidate more.
        n_targets: int64 (c,), pairs with the candidate.
        scores: float64 (c,), log-likelihood ratio of the own pairs, or nought where
            these are no more than chance would have.
        log_likelihoods: float64 (c,), that of all pairs, signed.
    """

    words: IntArray
    n_both: IntArray
    n_own: IntArray
    n_targets: IntArray
    scores: FloatArray
    log_likelihoods: FloatArray


def find_translations(
    sources: PairWords,
    targets: PairWords,
    pairs: IntArray,
    matched: IntArray,
    *,
    n: int = N_LOOKED_AT,
) -> Candidates:
    """Find what translates a word, or a phrase.

    Args:
        sources: the side of the word.
        targets: the other side.
        pairs: int64 (q,), pairs with the word, rising.
        matched: int64, ids of the words that it is made of: they are no others.
        n: candidates that are looked at, those with the highest G² of all pairs.
    """
    n_pairs, n_targets = len(sources.lengths), targets.n_pairs_of
    found, _ = targets.words_of(pairs)
    n_both = np.bincount(found, minlength=len(n_targets))
    known = np.flatnonzero(n_both)
    plain = signed_log_likelihood(n_both[known], len(pairs), n_targets[known], n_pairs)
    best = np.lexsort((known, -n_both[known], -plain))[: max(n, N_LOOKED_AT)]
    words, plain = known[best], plain[best]
    both, totals = n_both[words], n_targets[words]
    few = thin_out(pairs), matched
    own = [are_own(sources, targets, few, word)[1] for word in words.tolist()]
    shares = np.array([part.mean() if len(part) else 0.0 for part in own])
    n_own = np.rint(shares * both).astype(np.int64)
    scores = np.maximum(signed_log_likelihood(n_own, len(pairs), totals, n_pairs), 0)
    columns = (words, both, n_own, totals)
    order = np.lexsort((words, -both, -plain, -scores))
    ids, n_both, n_own, n_targets = (column[order] for column in columns)
    return Candidates(ids, n_both, n_own, n_targets, scores[order], plain[order])


def are_own(
    sources: PairWords,
    targets: PairWords,
    wanted: tuple[IntArray, IntArray],
    word: int,
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Tell in which pairs a candidate belongs to the word, and not to another.

    Args:
        sources: the side of the word.
        targets: the other side.
        wanted: pairs with the word, rising, and ids of the words that it is made of.
        word: the candidate.

    Returns:
        The pairs with both, int64 (b,), and whether it is the word's own, bool (b,).
    """
    pairs, matched = wanted
    n_pairs, of_candidate = len(sources.lengths), targets.pairs_of(word)
    both = np.intersect1d(pairs, of_candidate, assume_unique=True)
    if not len(both):
        return both, np.ones(0, np.bool_)
    seen = thin_out(of_candidate)
    scale = len(of_candidate) / len(seen)
    beside, _ = sources.words_of(seen)
    counts = np.bincount(beside, minlength=len(sources.word_firsts) - 1) * scale
    rivals, lengths = sources.words_of(both)
    n_rivals = sources.n_pairs_of[rivals]
    together = np.minimum(counts[rivals], n_rivals)
    ties = signed_log_likelihood(together, n_rivals, len(of_candidate), n_pairs)
    ties[np.isin(rivals, matched)] = -np.inf
    # every pair has a word of the source: the one that was looked for
    strongest = np.maximum.reduceat(ties, np.cumsum(lengths) - lengths)  # (b,)
    n_both = len(np.intersect1d(seen, pairs, assume_unique=True)) * scale
    own = signed_log_likelihood(n_both, len(pairs), len(of_candidate), n_pairs)
    return both, strongest <= own + TIE


def thin_out(pairs: IntArray) -> IntArray:
    """Give every so many of many pairs: int64 (m,) at most `MAX_PAIRS`."""
    return pairs[:: max(1, -(-len(pairs) // MAX_PAIRS))]
