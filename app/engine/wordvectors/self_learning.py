"""Learn a map between two languages from the similarities of their words alone.

Artetxe et al. 2018, "A Robust Self-Learning Method for Fully Unsupervised Cross-Lingual
Mappings of Word Embeddings". Sections 3.2 and 3.3: words with similar distributions of
similarities are the first pairs; rounds of Procrustes and pairing by CSLS in both
directions follow. Most similarities are dropped at random at first, so that the rounds
escape from wrong maps; fewer are dropped whenever the score no longer rises.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from app.arrays import FloatArray, IdArray
from app.engine.numeric import normalise_rows
from app.engine.runtime.report import Report
from app.engine.wordvectors.mapping import procrustes

STARTING_STAGE = "Comparing similarity distributions"
STAGE = "Learning without a dictionary"
N_START = 4_000  # words whose similarity distributions are compared
N_WORDS = 4_000  # of each language in each round; Artetxe et al.: 20,000
K = 10  # neighbours of CSLS
KEEP_SHARES = (0.1, 0.2, 0.4, 0.8, 1.0)  # of the similarities
N_PATIENCE = 20  # rounds at each share without a gain; Artetxe et al.: 50
MIN_GAIN = 1e-4  # of the score; Artetxe et al.: 1e-6
LEVELS = 256  # of the random numbers that drop similarities
DROPPED = -4.0  # below every score


class MutualPairs(NamedTuple):
    """The best pairs of both directions, int64 (n + m,) each, and their mean score."""

    sources: IdArray
    targets: IdArray
    score: float


def start_from_distributions(
    source: FloatArray, target: FloatArray, seed: int, report: Report
) -> FloatArray:
    """Find a first map without any dictionary, from the words' similarities.

    Words that translate each other have similar distributions of similarities to all
    other words. The sorted rows of the square roots of both similarity matrices give
    the first pairs (Artetxe et al. 2018, section 3.2); self-learning follows (section
    3.3).

    Returns:
        float32 (d, d), orthogonal.
    """
    n = min(N_START, len(source), len(target))
    report.step(STARTING_STAGE, 0, 2)
    rows = [_sorted_similarities(side[:n]) for side in (source, target)]
    report.step(STARTING_STAGE, 1, 2)
    pairs = pair_words(rows[0], rows[1], 1.0, np.random.default_rng(seed))
    start = procrustes(source[pairs.sources], target[pairs.targets])
    return _learn_alone(source, target, start, seed, report)


def _sorted_similarities(vectors: FloatArray) -> FloatArray:
    """Return the sorted rows of (X X^T)^(1/2), centred, of length 1: (n, n)."""
    left, values, _ = np.linalg.svd(vectors, full_matrices=False)
    similarities = (left * values) @ left.T  # (n, d) x (d, n) -> (n, n)
    similarities.sort(axis=1)
    unit, _ = normalise_rows(similarities.astype(np.float32))
    unit -= unit.mean(axis=0)
    return normalise_rows(unit)[0]


def _learn_alone(
    source: FloatArray,
    target: FloatArray,
    mapping: FloatArray,
    seed: int,
    report: Report,
) -> FloatArray:
    """Improve a map by its own pairs: float32 (d, d).

    Args:
        source: float32 (n, d), unit rows, the most frequent word first.
        target: float32 (m, d).
        mapping: float32 (d, d), the first map.
    """
    random = np.random.default_rng(seed)
    sides = source[:N_WORDS], target[:N_WORDS]
    best = -np.inf
    for index, share in enumerate(KEEP_SHARES):
        n_waited = n_rounds = 0
        while n_waited < N_PATIENCE:
            n_rounds += 1
            report.step(STAGE, index, len(KEEP_SHARES), f"round {n_rounds}")
            pairs = pair_words(sides[0] @ mapping.T, sides[1], share, random)
            n_waited = 0 if pairs.score >= best + MIN_GAIN else n_waited + 1
            best = max(best, pairs.score)
            mapping = procrustes(sides[0][pairs.sources], sides[1][pairs.targets])
    return mapping


def pair_words(
    mapped: FloatArray, target: FloatArray, share: float, random: np.random.Generator
) -> MutualPairs:
    """Pair each word with its best by CSLS among those that are not dropped.

    Args:
        mapped: float32 (n, d), unit rows in the space of the target.
        target: float32 (m, d).
        share: of the similarities to keep.
        random: decides which.

    Returns:
        Pairs of both directions. Their score is the mean of half the CSLS of the best,
        without what is the same for all candidates, before any is dropped.
    """
    cosines = torch.from_numpy(mapped) @ torch.from_numpy(target).T  # (n, m)
    k = min(K, *cosines.shape)
    source_means = cosines.topk(k, dim=1).values.mean(dim=1)  # (n,)
    target_means = cosines.topk(k, dim=0).values.mean(dim=0)  # (m,)
    forward = cosines - target_means / 2
    backward = (cosines - source_means[:, None] / 2).T.contiguous()
    score = float(forward.max(dim=1).values.mean() + backward.max(dim=1).values.mean())
    firsts, seconds = (
        _drop(scores, share, random).argmax(dim=1).numpy()
        for scores in (forward, backward)
    )
    sources = np.concatenate([np.arange(len(mapped)), seconds])
    targets = np.concatenate([firsts, np.arange(len(target))])
    return MutualPairs(sources, targets, score / 2)


def _drop(scores: Tensor, share: float, random: np.random.Generator) -> Tensor:
    """Return the scores with all but a share of them lowered."""
    if share >= 1:
        return scores
    drawn = random.integers(0, LEVELS, scores.shape, np.uint8)
    return scores.masked_fill(torch.from_numpy(drawn >= round(LEVELS * share)), DROPPED)
