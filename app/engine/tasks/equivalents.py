"""Task: rank the translations of a word, with examples."""

from functools import partial
from typing import Any

import msgspec

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import list_corpora
from app.engine.store.dictionaries import find_dictionary
from app.engine.store.lookup import find_corpora, find_pair_set
from app.engine.store.sentences import read_sentences
from app.engine.words.equivalents.bitext import BitextCache, BitextOptions
from app.engine.words.equivalents.export import (
    check_ending,
    read_examples,
    write_equivalents,
)
from app.engine.words.equivalents.ranking import find_equivalents
from app.engine.words.index import open_index
from app.engine.words.patterns import parse_pattern
from app.errors import UserError
from app.languages import parse_language
from app.params.words import Equivalents
from app.plurals import count_text
from app.protocol.queries.words import EquivalentsQuery

STAGE = "Ranking translations"


class EquivalentsResult(msgspec.Struct, frozen=True):
    """How a word is translated, the strongest association first.

    Attributes:
        rows: see `EquivalentsQuery`; examples with their texts and places.
        n_word: pairs with the word.
        n_pairs: pairs that were looked at.
        missing: translations that the dictionary has and the pairs have not.
        notes: sentences on what to mind.
        message: a sentence on all of it.
    """

    rows: list[dict[str, Any]]
    n_word: int
    n_pairs: int
    missing: list[str]
    notes: list[str]
    message: str


def equivalents(
    project: Project, params: Equivalents, report: Report
) -> EquivalentsResult:
    """Rank the words that translate a word in pairs of sentences.

    Raises:
        UserError: there is no such corpus, set of pairs or dictionary, there are no
            pairs between these languages, or the text is no word.
    """
    check_ending(params)
    parse_pattern(params.text)
    if params.accepted and not params.pairs:
        raise UserError("--accepted is of a set of pairs: name one with --pairs.")
    store = project.store
    wanted = BitextOptions(
        find_corpora(store, params.corpora) or list_corpora(store),
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
        shelf=BitextCache(),
        open_index=partial(open_index, project, report=report),
        dictionary=dictionary,
    )
    if not answer["n_pairs"]:
        raise UserError(_no_pairs(params))
    source = wanted.source_language or _source_language(answer, project)
    write_equivalents(store, params, answer, source)
    report.step(STAGE, 1, 1)
    return _result(project, params, answer)


def _result(
    project: Project, params: Equivalents, answer: dict[str, Any]
) -> EquivalentsResult:
    examples = read_examples(project.store, [row["examples"] for row in answer["rows"]])
    rows = [
        {**row, "examples": [one._asdict() for one in some]}
        for row, some in zip(answer["rows"], examples, strict=True)
    ]
    return EquivalentsResult(
        rows,
        answer["n_word"],
        answer["n_pairs"],
        answer["missing"],
        answer["notes"],
        _message(params, answer),
    )


def _message(params: Equivalents, answer: dict[str, Any]) -> str:
    n_word, n_pairs = answer["n_word"], answer["n_pairs"]
    found = f"{params.text} is in {n_word:,} of {count_text(n_pairs, 'pair')}"
    if not answer["rows"]:
        return f"{found}: no translation stands out."
    names = ", ".join(row["form"] for row in answer["rows"][:3])
    parts = [f"{found}: {names}.", *answer["notes"]]
    if params.out is not None:
        parts.append(f"Written to {params.out}.")
    return " ".join(parts)


def _no_pairs(params: Equivalents) -> str:
    source = params.source_language or "another language"
    if params.pairs:
        what = "accepted " if params.accepted else ""
        return (
            f"The set has no {what}pairs of {source} and {params.target_language}: "
            "name other languages, or another set."
        )
    return (
        f"No links between {source} and {params.target_language}: import or align "
        "translations, or name a set of mined pairs with --pairs."
    )


def _source_language(answer: dict[str, Any], project: Project) -> str:
    """Name the language of the word by its first example."""
    ids = [pair for row in answer["rows"] for pair in row["examples"]][:1]
    return "und" if not ids else _language_of(project, ids[0][0])


def _language_of(project: Project, sentence: int) -> str:
    (row,) = read_sentences(project.store, [sentence])
    return row.language if row is not None else "und"


def _code(text: str) -> str:
    code = parse_language(text).code
    if not code:
        raise UserError("The language is empty: write a code such as en or zh-Hans.")
    return code
