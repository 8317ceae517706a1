"""Find the entries of a dictionary: words that are each other's best translation."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.arrays import BoolArray, FloatArray, IdArray
from app.engine.runtime.report import Report
from app.engine.wordvectors.retrieval import mutual_pairs, rank_targets
from app.engine.wordvectors.spaces import WordSpace

STAGE = "Finding entries"


class WordLimits(NamedTuple):
    """Which words take part.

    Attributes:
        n: maximum number of entries.
        max_rank: number of the most frequent words of each language.
        min_letters: letters that a word needs; words with digits never take part.
    """

    n: int
    max_rank: int
    min_letters: int


class LearnedEntries(NamedTuple):
    """Entries of a dictionary, the best score first; rows of the words of a space.

    Attributes:
        sources, targets: int64 (p,).
        cosines: float32 (p,).
        source_means, target_means: float32 (p,), with the ten nearest words.
        runners_up: int64 (p,), the source's best other target; -1: there is none.
        runner_up_scores: float32 (p,).
        reverse: int64 (p,), the target's best other source; -1: there is none.
        reverse_scores: float32 (p,).
    """

    sources: IdArray
    targets: IdArray
    cosines: FloatArray
    source_means: FloatArray
    target_means: FloatArray
    runners_up: IdArray
    runner_up_scores: FloatArray
    reverse: IdArray
    reverse_scores: FloatArray

    @property
    def scores(self) -> FloatArray:
        """Return the scores, float32 (p,): the distance margin, which is CSLS / 2.

        Artetxe & Schwenk 2019, equation 4: cosine - (r_T + r_S) / 2.
        """
        means = (self.source_means + self.target_means) * np.float32(0.5)
        scores: FloatArray = self.cosines - means
        return scores


def find_entries(
    space: WordSpace, limits: WordLimits, report: Report
) -> LearnedEntries:
    """Find mutual CSLS neighbours among frequent words, the best score first."""
    rows = [
        np.flatnonzero(_take_part(table.words[: limits.max_rank], limits.min_letters))
        for table in (space.source, space.target)
    ]
    mapped = space.mapped[rows[0]]
    target = np.ascontiguousarray(space.target.vectors[rows[1]])
    means = space.near.source_means[rows[0]], space.near.target_means[rows[1]]
    found = mutual_pairs(mapped, target, means, report, STAGE)
    order = np.argsort(-found.scores, kind="stable")[: limits.n]
    sources, targets = found.sources[order], found.targets[order]
    runners_up = _second_best(mapped[sources], target, means[1], targets)
    reverse = _second_best(target[targets], mapped, means[0], sources)
    sides = mapped[sources], target[targets]
    own = means[0][sources], means[1][targets]
    return LearnedEntries(
        sources=rows[0][sources],
        targets=rows[1][targets],
        cosines=np.einsum("pd,pd->p", *sides),
        source_means=own[0],
        target_means=own[1],
        runners_up=_rows_of(rows[1], runners_up.rows),
        runner_up_scores=(runners_up.scores - own[0]) * np.float32(0.5),
        reverse=_rows_of(rows[0], reverse.rows),
        reverse_scores=(reverse.scores - own[1]) * np.float32(0.5),
    )


class _Second(NamedTuple):
    scores: FloatArray  # (p,), 2 cosine - mean of the other side
    rows: IdArray  # (p,), -1: there is none


def _second_best(
    queries: FloatArray, others: FloatArray, means: FloatArray, best: IdArray
) -> _Second:
    """Return the best of the others that is not the one paired with each query."""
    near = rank_targets(queries, others, means, 2, "csls")
    if near.rows.shape[1] < 2:
        none = np.full(len(best), -1, np.int64)
        return _Second(np.zeros(len(best), np.float32), none)
    index = (near.rows[:, 0] == best).astype(np.int64)
    each = np.arange(len(best))
    return _Second(near.scores[each, index], near.rows[each, index])


def _rows_of(rows: NDArray[np.int64], indices: IdArray) -> IdArray:
    found: IdArray = np.where(indices >= 0, rows[np.maximum(indices, 0)], -1)
    return found


def _take_part(words: tuple[str, ...], min_letters: int) -> BoolArray:
    return np.array(
        [
            sum(one.isalpha() for one in word) >= min_letters
            and not any(one.isdigit() for one in word)
            for word in words
        ],
        np.bool_,
    )
