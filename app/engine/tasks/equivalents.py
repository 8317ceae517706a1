"""Task: rank the translations of a word, with examples."""

from functools import partial

import msgspec

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_texts
from app.engine.store.lookup import find_corpora, find_pair_set
from app.engine.store.sentences import read_sentences
from app.engine.store.words.dictionaries import find_dictionary
from app.engine.words.equivalents.bitext import BitextCache, BitextOptions
from app.engine.words.equivalents.export import (
    EquivalentExample,
    check_ending,
    read_examples,
    write_equivalents,
)
from app.engine.words.equivalents.ranking import find_equivalents
from app.engine.words.index import open_index
from app.engine.words.patterns import parse_pattern
from app.errors import UserError
from app.languages import language_name, parse_language
from app.params.words import Equivalents
from app.plurals import count_text
from app.protocol.answers.words import EquivalentsAnswer, EquivalentScores
from app.protocol.queries.words import EquivalentsQuery
from app.results.task import TaskResult

STAGE = "Ranking translations"


class ListedEquivalent(EquivalentScores, frozen=True):
    """A candidate translation with the texts of its examples."""

    examples: list[EquivalentExample]


class EquivalentsResult(TaskResult, frozen=True):
    """Translations of a word, the strongest association first.

    Attributes:
        n_word: pairs that contain the word.
        n_pairs: all pairs.
        missing: translations in the dictionary that no pair contains.
        notes: sentences for the user.
    """

    rows: list[ListedEquivalent]
    n_word: int
    n_pairs: int
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def equivalents(
    project: Project, params: Equivalents, report: Report
) -> EquivalentsResult:
    """Rank the words that translate a word in pairs of sentences.

    Raises:
        UserError: the corpus, pair set or dictionary does not exist, no pairs connect
            these languages, or the text contains no word.
    """
    check_ending(params)
    parse_pattern(params.text)
    if params.accepted and not params.pairs:
        raise UserError("--accepted needs a pair set. Name one with --pairs.")
    store = project.store
    wanted = BitextOptions(
        find_corpora(store, params.corpora) or list_texts(store),
        _code(params.source_language) if params.source_language else "",
        _code(params.target_language),
        [find_pair_set(store, name) for name in params.pairs],
        params.accepted,
        params.layer,
    )
    dictionary = (
        find_dictionary(store, params.dictionary) if params.dictionary else None
    )
    query = EquivalentsQuery(
        text=params.text,
        target_language=wanted.target_language,
        order_by=params.order_by,
        min_count=params.min_count,
        top=params.top,
        n_examples=params.n_examples,
    )
    report.step(STAGE, 0, 1)
    answer = find_equivalents(
        project,
        wanted,
        query,
        cache=BitextCache(),
        open_index=partial(open_index, project, report=report),
        dictionary=dictionary,
    )
    if not answer.n_pairs:
        raise UserError(_no_pairs(params))
    source = wanted.source_language or _source_language(answer, project)
    write_equivalents(store, params, answer, source)
    report.step(STAGE, 1, 1)
    return _result(project, params, answer)


def _result(
    project: Project, params: Equivalents, answer: EquivalentsAnswer
) -> EquivalentsResult:
    examples = read_examples(project.store, [row.examples for row in answer.rows])
    rows = [
        ListedEquivalent(**(msgspec.structs.asdict(row) | {"examples": some}))
        for row, some in zip(answer.rows, examples, strict=True)
    ]
    return EquivalentsResult(
        rows,
        answer.n_word,
        answer.n_pairs,
        answer.missing,
        answer.notes,
        message=_message(params, answer),
    )


def _message(params: Equivalents, answer: EquivalentsAnswer) -> str:
    pairs = count_text(answer.n_pairs, "pair")
    found = f"{params.text} occurs in {answer.n_word:,} of {pairs}"
    if not answer.rows:
        return f"{found}: no significant translation."
    names = ", ".join(row.form for row in answer.rows[:3])
    parts = [f"{found}: {names}.", *answer.notes]
    if params.out is not None:
        parts.append(f"Exported to {params.out}.")
    return " ".join(parts)


def _no_pairs(params: Equivalents) -> str:
    source = language_name(params.source_language or "") or "another language"
    target = language_name(params.target_language)
    if params.pairs:
        what = "accepted " if params.accepted else ""
        return (
            f"The pair set has no {what}pairs of {source} and {target}. Choose other "
            "languages or another pair set."
        )
    return (
        f"No sentences of {source} and {target} are linked. Import or align "
        "translations, or choose a pair set."
    )


def _source_language(answer: EquivalentsAnswer, project: Project) -> str:
    """Return the language of the first example."""
    ids = [source for row in answer.rows for source, _ in row.examples][:1]
    (row,) = read_sentences(project.store, ids) or [None]
    return row.language if row is not None else "und"


def _code(text: str) -> str:
    code = parse_language(text).code
    if not code:
        raise UserError("The language is missing. Use a code such as en or zh-Hans.")
    return code
