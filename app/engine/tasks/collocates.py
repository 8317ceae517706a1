"""Task: rank the collocates of a word."""

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.words.collocates import Window
from app.engine.words.pages import CollocateOptions, build_collocate_page
from app.engine.words.patterns import parse_pattern
from app.engine.words.selection import select_corpora
from app.params.words import Collocates
from app.plurals import count_text
from app.protocol.answers.words import CollocateRow
from app.results.task import TaskResult


class CollocatesResult(TaskResult, frozen=True):
    """Collocates of a word.

    Attributes:
        n_hits: occurrences of the word.
        n_tokens: words that were searched.
        notes: sentences for the user.
    """

    rows: list[CollocateRow]
    n_hits: int
    n_tokens: int
    notes: list[str]


def collocates(
    project: Project, params: Collocates, report: Report
) -> CollocatesResult:
    """Find the words that are near a word more often than expected by chance.

    Raises:
        UserError: unknown corpus, a corpus without the counted attribute, or an empty
            query.
    """
    pattern = parse_pattern(params.text)
    chosen = select_corpora(project, params, report, asked=pattern.layers)
    options = CollocateOptions(
        pattern,
        Window(params.left, params.right),
        params.order_by,
        params.min_count,
        params.top,
    )
    page = build_collocate_page(chosen.parts, options, report)
    hits = "1 time" if page.n_hits == 1 else f"{page.n_hits:,} times"
    message = f"{params.text} occurs {hits} among {count_text(page.n_tokens, 'word')}."
    notes = list(chosen.notes)
    return CollocatesResult(
        page.rows,
        page.n_hits,
        page.n_tokens,
        notes,
        message=" ".join([message, *notes]),
    )
