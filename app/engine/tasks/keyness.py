"""Task: rank the words that distinguish one corpus from another."""

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.words.pages import (
    KeynessOptions,
    build_keyness_page,
    describe_languages,
)
from app.engine.words.selection import select_sides
from app.errors import UserError
from app.params.words import Keyness
from app.plurals import count_text
from app.protocol.answers.words import KeywordRow
from app.results.task import TaskResult


class KeynessResult(TaskResult, frozen=True):
    """Key words of a corpus.

    Attributes:
        n_items: distinct words that are frequent enough.
        n_tokens, n_tokens_against: words of the corpus and of the reference corpus.
        notes: sentences for the user.
    """

    rows: list[KeywordRow]
    n_items: int
    n_tokens: int
    n_tokens_against: int
    notes: list[str]


def keyness(project: Project, params: Keyness, report: Report) -> KeynessResult:
    """Rank the words that distinguish a corpus from a reference corpus.

    Raises:
        UserError: unknown corpus, or a corpus without words or without the counted
            attribute.
    """
    chosen, against = select_sides(project, params, report)
    options = KeynessOptions(params.n, params.min_count, params.top)
    page = build_keyness_page(chosen.parts, against.parts, options, report)
    for names, n in (
        (params.corpora, page.n_tokens),
        (params.against, page.n_tokens_against),
    ):
        if not n:
            raise UserError(
                f"There is no word to compare in {', '.join(names)}. Choose other "
                "corpora or languages."
            )
    warnings = describe_languages(chosen, against)
    notes = list(dict.fromkeys([*page.notes, *warnings, *chosen.notes, *against.notes]))
    named = "word" if params.n == 1 else f"{params.n}-gram"
    message = (
        f"{count_text(page.n_items, f'different {named}')} of "
        f"{count_text(page.n_tokens, 'word')} against {page.n_tokens_against:,}."
    )
    return KeynessResult(
        page.rows,
        page.n_items,
        page.n_tokens,
        page.n_tokens_against,
        notes,
        message=" ".join([message, *notes]),
    )
