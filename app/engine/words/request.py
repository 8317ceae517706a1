"""What tasks that count words ask for, as the user names it."""

from collections.abc import Sequence

from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.find import find_corpora
from app.engine.store.rows import CorpusRow, list_corpora
from app.engine.words.counts import Chosen, Opener, Wanted, choose_parts, index_opener
from app.engine.words.shelf import WordShelf
from app.errors import UserError
from app.languages import parse_language
from app.params.words import Collocates, Frequencies, Keyness, Layer


def choose_named(
    project: Project,
    params: Frequencies | Collocates,
    report: Report,
    *,
    asked: tuple[Layer, ...] = (),
) -> Chosen:
    """Open what is counted, and index what is not indexed.

    Args:
        project: whose corpora.
        params: what is asked.
        report: of progress.
        asked: layers in which words are looked for.

    Raises:
        UserError: no such corpus, nothing in these languages, or no lemmas.
    """
    corpora = find_corpora(project.store, params.corpora)
    corpora = corpora or list_corpora(project.store)
    if not corpora:
        raise UserError("The project has no corpus yet: import one first.")
    codes = tuple(parse_language(text).code for text in params.languages)
    wanted = Wanted(params.layer, codes, asked)
    chosen = _choose(project, corpora, wanted, index_opener(project, report))
    if not chosen.parts:
        where = f" in {', '.join(params.languages)}" if params.languages else ""
        raise UserError(
            f"There is no sentence{where} to count: name other corpora or languages."
        )
    return chosen


def choose_sides(
    project: Project, params: Keyness, report: Report
) -> tuple[Chosen, Chosen]:
    """Open the corpora of the two sides that are compared.

    Raises:
        UserError: no such corpus, twice the same, or no lemmas.
    """
    named = (params.corpora, params.against)
    sides = [find_corpora(project.store, names) for names in named]
    one, other = ({(row.id, row.subcorpus) for row in side} for side in sides)
    if one == other:
        here, there = (", ".join(names) for names in named)
        raise UserError(f"{here} and {there} are the same: name two corpora.")
    codes = tuple(parse_language(text).code for text in params.languages)
    opened, wanted = index_opener(project, report), Wanted(params.layer, codes)
    first, second = (_choose(project, side, wanted, opened) for side in sides)
    return first, second


def _choose(
    project: Project, corpora: Sequence[CorpusRow], wanted: Wanted, opened: Opener
) -> Chosen:
    return choose_parts(WordShelf(project), corpora, wanted, opened)


__all__ = ["choose_named", "choose_sides"]
