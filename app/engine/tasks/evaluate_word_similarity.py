"""Task: correlate cosines of words with similarity ratings by people."""

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from app.engine.evaluation.correlation import Resamples
from app.engine.runtime.report import Report
from app.engine.wordvectors.neighbours import (
    UnitVectors,
    make_units,
    pair_cosines,
    read_similarities,
)
from app.engine.wordvectors.project_files import find_map_folder, open_table
from app.engine.wordvectors.reader import MAX_WORDS
from app.engine.wordvectors.spaces import load_space
from app.errors import UserError
from app.number_format import format_percent, format_score
from app.params.word_vectors import EvaluateWordSimilarity
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project

STAGE = "Comparing words"
MIN_PAIRS = 3


class WordSimilarity(msgspec.Struct, frozen=True, kw_only=True):
    """Correlation with one file of ratings.

    Attributes:
        n: pairs whose words both have a vector.
        coverage: n as a share of all pairs of the file.
        spearman, pearson: −1…1, with bootstrap intervals over the pairs.
    """

    data: str
    n: int
    coverage: float
    spearman: float
    spearman_interval: tuple[float, float]
    pearson: float
    pearson_interval: tuple[float, float]


class EvaluateWordSimilarityResult(TaskResult, frozen=True):
    """Correlations with all files."""

    results: tuple[WordSimilarity, ...]


def evaluate_word_similarity(
    project: "Project | None", params: EvaluateWordSimilarity, report: Report
) -> EvaluateWordSimilarityResult:
    """Correlate cosines with ratings, within a language or across mapped languages.

    Raises:
        UserError: not exactly one of vectors and map is set, a file has a wrong format,
            or too few of its pairs have vectors.
        ResourceError: a file is missing or damaged.
    """
    sides = _open_sides(project, params, report)
    results = []
    for done, file in enumerate(params.data):
        report.step(STAGE, done, len(params.data), file.name)
        rows = read_similarities(file)
        cosines = pair_cosines(*sides, rows.pairs)
        is_known = np.isfinite(cosines)
        n = int(is_known.sum())
        if n < MIN_PAIRS:
            raise UserError(
                f"{n} of {len(cosines):,} pairs of {file.name} have vectors of both "
                f"words, and {MIN_PAIRS} are needed. Check the languages."
            )
        resamples = Resamples(n, seed=params.seed)
        ranked = resamples.spearman(cosines[is_known], rows.scores[is_known], report)
        straight = resamples.pearson(cosines[is_known], rows.scores[is_known], report)
        results.append(
            WordSimilarity(
                data=file.name,
                n=n,
                coverage=n / len(cosines),
                spearman=ranked.value,
                spearman_interval=(ranked.low, ranked.high),
                pearson=straight.value,
                pearson_interval=(straight.low, straight.high),
            )
        )
    sentences = [
        f"{one.data}: Spearman’s ρ {format_score(one.spearman)} ({one.n:,} pairs, "
        f"{format_percent(one.coverage)} of the file)."
        for one in results
    ]
    return EvaluateWordSimilarityResult(tuple(results), message=" ".join(sentences))


def _open_sides(
    project: "Project | None", params: EvaluateWordSimilarity, report: Report
) -> tuple[UnitVectors, UnitVectors]:
    """Open the word vectors for the first and the second column."""
    if (params.vectors is None) == (params.map is None):
        raise UserError(
            "Choose word vectors to compare words of one language, or bilingual "
            "vectors to compare words of two languages, but not both."
        )
    if params.vectors is not None:
        found, _ = open_table(project, params.vectors, report, max_words=MAX_WORDS)
        units = make_units(found)
        return units, units
    assert params.map is not None, "checked above"
    space = load_space(find_map_folder(project, params.map))
    mapped = msgspec.structs.replace(space.source, vectors=space.mapped)
    return make_units(mapped), make_units(space.target)
