"""Task: list the nearest words of a word, or the answers to an analogy."""

from typing import TYPE_CHECKING

import msgspec

from app.engine.runtime.report import Report
from app.engine.wordvectors.neighbours import list_neighbours, make_units
from app.engine.wordvectors.project_files import open_table
from app.engine.wordvectors.reader import MAX_WORDS
from app.params.word_vectors import NearestWords
from app.protocol.answers.words import NeighbourRow

if TYPE_CHECKING:
    from app.engine.project.project import Project


class NearestWordsResult(msgspec.Struct, frozen=True):
    """The nearest words, best first."""

    rows: list[NeighbourRow]


def nearest_words(
    project: "Project | None", params: NearestWords, report: Report
) -> NearestWordsResult:
    """List the nearest words in one language.

    Raises:
        UserError: a word has no vector, or the analogy is incomplete.
        ResourceError: the word vectors are missing.
    """
    table, _ = open_table(project, params.vectors, report, max_words=MAX_WORDS)
    rows = list_neighbours(make_units(table), params.text, params.top)
    return NearestWordsResult(rows)
