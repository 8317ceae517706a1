"""Task: measure how often a word's translation is among its nearest words."""

from typing import TYPE_CHECKING

from app.engine.runtime.report import Report
from app.engine.wordvectors.evaluation import BandPrecision, measure_precision
from app.engine.wordvectors.project_files import find_map_folder
from app.engine.wordvectors.seeds import read_pairs
from app.engine.wordvectors.spaces import load_space
from app.number_format import format_percent
from app.params.word_vectors import EvaluateWordTranslation, RetrievalName
from app.results.task import TaskResult

if TYPE_CHECKING:
    from app.engine.project.project import Project


class EvaluateWordTranslationResult(TaskResult, frozen=True, kw_only=True):
    """Precision of word translation; shares 0…1.

    Attributes:
        precision_at_1, precision_at_5, precision_at_10: share of source words with a
            correct translation among the nearest 1, 5 and 10.
        n: source words with a vector and a translation that has a vector.
        coverage: `n` as a share of the source words of the dictionary.
        bands: precision by the source word's frequency rank.
    """

    precision_at_1: float
    precision_at_5: float
    precision_at_10: float
    n: int
    coverage: float
    retrieval: RetrievalName
    bands: tuple[BandPrecision, ...]


def evaluate_word_translation(
    project: "Project | None", params: EvaluateWordTranslation, report: Report
) -> EvaluateWordTranslationResult:
    """Measure precision at 1, 5 and 10 against a dictionary.

    Raises:
        UserError: the folder contains no map, or no pair has vectors of both words.
        ResourceError: a file is missing or damaged.
    """
    space = load_space(find_map_folder(project, params.map))
    pairs = read_pairs(project, params.dictionary, space.source, space.target)
    found = measure_precision(space, pairs, params.retrieval, report)
    return EvaluateWordTranslationResult(
        precision_at_1=found.at[0],
        precision_at_5=found.at[1],
        precision_at_10=found.at[2],
        n=found.n,
        coverage=found.coverage,
        retrieval=params.retrieval,
        bands=found.bands,
        message=f"{format_percent(found.at[0], 1)} of {found.n:,} words have a correct "
        f"translation as the nearest word ({format_percent(found.coverage)} of the "
        "dictionary's words have vectors).",
    )
