"""Task: count words or n-grams, and their dispersion over documents."""

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.words.pages import (
    FrequencyOptions,
    RowSelection,
    build_frequency_page,
)
from app.engine.words.selection import select_corpora
from app.params.words import Frequencies
from app.plurals import count_text
from app.protocol.answers.words import FrequencyRow
from app.results.task import TaskResult


class FrequenciesResult(TaskResult, frozen=True):
    """The most frequent words or n-grams.

    Attributes:
        n_items: distinct words or n-grams that match the query.
        n_tokens, n_documents: counted tokens and documents.
        notes: sentences for the user.
    """

    rows: list[FrequencyRow]
    n_items: int
    n_tokens: int
    n_documents: int
    notes: list[str]


def frequencies(
    project: Project, params: Frequencies, report: Report
) -> FrequenciesResult:
    """Count words or n-grams of corpora; cache the list if possible.

    Raises:
        UserError: unknown corpus, a corpus without the counted attribute, or an invalid
            expression.
    """
    chosen = select_corpora(project, params, report)
    rows = RowSelection(params.find, params.min_count)
    options = FrequencyOptions(params.layer, params.n, rows, slice(params.top))
    page = build_frequency_page(project, chosen, options, report)
    named = "word" if params.n == 1 else f"{params.n}-gram"
    found = count_text(page.n_items, f"different {named}")
    message = f"{found} of {count_text(page.n_tokens, 'word')}."
    notes = list(page.notes)
    return FrequenciesResult(
        page.rows,
        page.n_items,
        page.n_tokens,
        page.n_documents,
        notes,
        message=" ".join([message, *notes]),
    )
