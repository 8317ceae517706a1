"""Draw the text on which a vocabulary is trained: languages by size to a power."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.engine.report import Report
from app.engine.training.files import file_stem, read_pairs

STAGE = "Reading pairs"


def count_pairs(files: Sequence[Path], report: Report) -> list[int]:
    """Count the pairs of each file."""
    counts = []
    for done, file in enumerate(files):
        report.step("Counting pairs", done, len(files), file_stem(file))
        counts.append(sum(1 for _ in read_pairs(file)))
    return counts


def share_quota(
    sizes: NDArray[np.int64], n_wanted: int, exponent: float
) -> NDArray[np.int64]:
    """Share a sample over groups by size^exponent, never above a group's size.

    What a small group cannot give is shared again over the others.

    Args:
        sizes: int64 (g,), sentences of each group.
        n_wanted: sentences wanted in all.
        exponent: 1 = by size, 0 = all groups alike.

    Returns:
        int64 (g,), sentences to draw from each group.
    """
    quota = np.zeros(len(sizes), np.int64)
    weights = np.where(sizes > 0, sizes.astype(float) ** exponent, 0.0)
    for _ in range(len(sizes)):
        left = n_wanted - quota.sum()
        is_open = quota < sizes
        total = weights[is_open].sum()
        if left <= 0 or total == 0:
            break
        added = np.floor(left * np.where(is_open, weights, 0) / total).astype(np.int64)
        if not added.any():
            break
        quota = np.minimum(quota + added, sizes)
    return quota


class SamplePlan(msgspec.Struct, frozen=True):
    """Which sentences make a sample; English, the first column, is one language.

    Attributes:
        files: TSV of english⇥foreign, one file a language.
        counts: int64 (files,), pairs of each.
        english, foreign: int64 (files,), sentences of either side to draw.
        seed: of the drawing.
    """

    files: tuple[Path, ...]
    counts: NDArray[np.int64]
    english: NDArray[np.int64]
    foreign: NDArray[np.int64]
    seed: int

    @property
    def n_sentences(self) -> int:
        """Give the number of sentences to draw."""
        return int(self.english.sum() + self.foreign.sum())

    def marks(self, i: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Mark the sentences to draw from file i: bool (pairs,) for either side."""
        generator = np.random.default_rng([self.seed, i])
        return (
            _mark(generator, self.counts[i], self.english[i]),
            _mark(generator, self.counts[i], self.foreign[i]),
        )


def plan_sample(
    files: Sequence[Path],
    report: Report,
    *,
    n_sentences: int,
    exponent: float,
    seed: int,
) -> SamplePlan:
    """Share a sample over languages.

    Args:
        files: TSV of english⇥foreign, one file a language.
        report: shows the file that is read.
        n_sentences: sentences wanted in all.
        exponent: languages are sampled by size to this power.
        seed: of the drawing.
    """
    counts = np.array(count_pairs(files, report), np.int64)
    quota = share_quota(np.append(counts, counts.sum()), n_sentences, exponent)
    english = np.floor(quota[-1] * counts / max(1, counts.sum())).astype(np.int64)
    return SamplePlan(tuple(files), counts, english, quota[:-1], seed)


def write_sample(plan: SamplePlan, out: Path, report: Report) -> None:
    """Write the sentences of a sample, one a line."""
    with out.open("w", encoding="utf-8", newline="\n") as stream:
        for i, file in enumerate(plan.files):
            report.step(STAGE, i, len(plan.files), file_stem(file))
            wants_english, wants_foreign = plan.marks(i)
            for row, (source, target) in enumerate(read_pairs(file)):
                if wants_english[row]:
                    stream.write(source + "\n")
                if wants_foreign[row]:
                    stream.write(target + "\n")


def _mark(
    generator: np.random.Generator, n: np.int64, n_marked: np.int64
) -> NDArray[np.bool_]:
    """Mark `n_marked` of `n` rows at random."""
    marked = np.zeros(n, np.bool_)
    marked[generator.permutation(n)[:n_marked]] = True
    return marked
