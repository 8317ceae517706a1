"""Semantic textual similarity: cosines of pairs against human scores.

Agirre et al. 2012 ff.; nothing is trained. Within a language the two texts of a row are
compared; across languages, the first text in one language and the second in the other,
so their files must be aligned.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.arrays import DoubleArray
from app.engine.classify.labelled_rows import LabelledRows, read_file, read_scores
from app.engine.evaluation.batch import NamedFile
from app.engine.evaluation.correlation import Resamples
from app.engine.evaluation.geometry import angles_of
from app.engine.evaluation.recording import DIGITS, rounded_interval
from app.engine.runtime.report import Report
from app.engine.statistics import Estimate
from app.errors import UserError
from app.number_format import format_score
from app.results.measurements import Correlated, Interval

MIN_STS_PAIRS = 3  # since two pairs always correlate perfectly
ROUNDING = 1e-6  # float32 error of the cosines of equal texts


class StsPairs(NamedTuple):
    """Pairs of texts with human scores.

    Attributes:
        scores: float64 (n,).
        rows: rows of the file, whose labels are the scores.
    """

    name: str
    rows: LabelledRows
    scores: DoubleArray


def read_sts(named: NamedFile, lowest: float, highest: float) -> StsPairs:
    """Read the lines score⇥text⇥text of a file.

    Raises:
        UserError: a line has another format, a score is invalid or out of range, or all
            scores are equal.
        ResourceError: the file is missing or cannot be read.
    """
    rows = read_file(named.file)
    if len(rows.texts) != 2:
        raise UserError(
            f"{named.file}, line {int(rows.places[0, 0]):,}: the row has one text. "
            "Rows need tab-separated columns: score and two texts."
        )
    if not _is_number(rows.labels[0]) and _is_number(rows.texts[1][0]):
        raise UserError(
            f"{named.file}, line {int(rows.places[0, 0]):,}: the score is in the last "
            "column. Rows need tab-separated columns: score and two texts."
        )
    scores = read_scores(rows, lowest, highest).astype(np.float64)
    if len(scores) < MIN_STS_PAIRS:
        raise UserError(
            f"{named.file} contains {len(scores)} scored pairs; a correlation needs at "
            f"least {MIN_STS_PAIRS}."
        )
    if scores.min() == scores.max():
        raise UserError(
            f"{named.file}: all {len(scores):,} scores are {scores[0]:g}. A "
            "correlation needs different scores."
        )
    return StsPairs(named.name, rows, scores)


def check_aligned(sets: Sequence[StsPairs]) -> None:
    """Check that row i has the same score in every language.

    Raises:
        UserError: a score differs; the message contains the line.
    """
    first, *others = sets
    for other in others:
        lines, other_lines = (one.rows.places[:, 0] for one in (first, other))
        both = min(len(lines), len(other_lines))
        differs = (lines[:both] != other_lines[:both]) | (
            first.scores[:both] != other.scores[:both]
        )
        if differs.any():
            row = int(differs.argmax())
            raise UserError(
                f"{other.rows.source}, line {int(other_lines[row]):,} has the score "
                f"{other.scores[row]:g}, but {first.rows.source}, line "
                f"{int(lines[row]):,} has {first.scores[row]:g}. Across languages, "
                "files must have the same pairs in the same lines."
            )
        if len(lines) != len(other_lines):
            raise UserError(
                f"{other.rows.source} has {len(other_lines):,} scored pairs, but "
                f"{first.rows.source} has {len(lines):,}. Across languages, files must "
                "be aligned line by line."
            )


class StsCorrelator:
    """Correlates similarities with one column of scores, with shared resamples."""

    def __init__(self, scores: DoubleArray, *, seed: int):
        self._scores, self._resamples = scores, Resamples(len(scores), seed=seed)

    def rate(
        self,
        encoder: str,
        names: tuple[str, str],
        cosines: DoubleArray,
        report: Report,
        prefix: str = "",
    ) -> list[Correlated]:
        """Return the rows of both similarities for one language pair.

        Args:
            cosines: (n,), cosines of the pairs.

        Raises:
            UserError: the cosine is the same for all pairs.
        """
        if np.ptp(cosines) < ROUNDING:
            raise UserError(
                f"{names[0]} with {names[1]}: all {len(cosines):,} cosines are "
                f"{format_score(cosines[0])}, so there is nothing to correlate. Check "
                "whether the texts are equal, and the encoder's coverage."
            )
        # −arccos is monotonic in the cosine, so it has the same ranks
        ranked = self._resamples.spearman(cosines, self._scores, report)
        rows = []
        for similarity, values in (("cosine", cosines), ("arccos", angles_of(cosines))):
            straight = self._resamples.pearson(values, self._scores, report)
            rows.append(
                _row(
                    encoder,
                    names,
                    f"{prefix}{similarity}",
                    len(values),
                    (straight, ranked),
                )
            )
        return rows

    def mean_interval(self, cosines: DoubleArray, report: Report) -> Interval:
        """Return the interval of the mean of r over language pairs.

        Args:
            cosines: (c, n), cosines for each language pair.
        """
        mean = self._resamples.mean_pearson(cosines, self._scores, report)
        return rounded_interval(mean)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _row(
    encoder: str,
    names: tuple[str, str],
    similarity: str,
    n: int,
    found: tuple[Estimate, Estimate],
) -> Correlated:
    straight, ranked = found
    return Correlated(
        encoder=encoder,
        first=names[0],
        second=names[1],
        similarity=similarity,
        n=n,
        pearson=round(straight.value, DIGITS),
        pearson_interval=rounded_interval(straight),
        spearman=round(ranked.value, DIGITS),
        spearman_interval=rounded_interval(ranked),
    )
