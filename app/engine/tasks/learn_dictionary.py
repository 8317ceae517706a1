"""Task: learn a dictionary from bilingual vectors, for review."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from sqlalchemy import insert

from app.arrays import IdArray
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.search.keyword_search import find_by_keywords
from app.engine.store.corpora import (
    EXAMPLE_WRITER,
    WORD_LIST_FORMAT,
    CorpusRow,
    corpus_of,
    first_sentence_id,
    list_corpora,
)
from app.engine.store.corpus_writes import (
    NewCorpus,
    Shard,
    ShardSide,
    create_corpora,
    finish_corpora,
    mark_corpora_removed,
    write_shard,
)
from app.engine.store.pairs.sets import (
    NewPairs,
    NewPairSet,
    PairSetCounts,
    list_pair_sets,
    write_pair_set,
)
from app.engine.store.schema import note
from app.engine.store.sentences import read_sentences
from app.engine.text.normalisation import clean_text, text_hashes
from app.engine.wordvectors.entries import LearnedEntries, WordLimits, find_entries
from app.engine.wordvectors.learning import describe_convergence
from app.engine.wordvectors.project_files import find_map_folder
from app.engine.wordvectors.retrieval import K
from app.engine.wordvectors.spaces import WordSpace, load_space
from app.errors import UserError
from app.languages import language_name, parse_language
from app.params.word_vectors import LearnDictionary
from app.results.task import TaskResult

EXAMPLE_STAGE = "Finding examples"
KIND = "learned"  # kind of the pair set


class LearnDictionaryResult(TaskResult, frozen=True, kw_only=True):
    """The pair set with the entries.

    Attributes:
        mining: id of the pair set.
        n_entries: pairs of words.
        n_examples: words with an example from the corpora of the project.
        notes: sentences for the user.
    """

    mining: int
    name: str
    n_entries: int
    n_examples: int
    notes: tuple[str, ...]


class _Side(NamedTuple):
    """Words of one side, in the order of their corpus."""

    words: list[str]
    language: str


def learn_dictionary(
    project: Project, params: LearnDictionary, report: Report
) -> LearnDictionaryResult:
    """Save mutual CSLS neighbours as a pair set, with an example for each word.

    The words are two corpora with one word per line, so that the entries can be
    reviewed, edited and exported like other pairs. The notes on the words contain
    examples from the project's corpora in the same language.

    Raises:
        UserError: the folder contains no map, its languages are unknown, the name is in
            use, or there are no entries.
    """
    space = load_space(find_map_folder(project, params.map))
    _check(project, params, space)
    limits = WordLimits(params.n, params.max_rank, params.min_letters)
    entries = find_entries(space, limits, report)
    if not len(entries.sources):
        raise UserError(
            "No words are mutual neighbours. Increase the maximum rank, or make "
            "bilingual vectors from more text."
        )
    rows = _word_rows(entries)
    sides = [
        _Side([table.words[row] for row in some.tolist()], table.language)
        for table, some in zip((space.source, space.target), rows, strict=True)
    ]
    corpora = list_corpora(project.store)
    n_examples, mining = _write(
        project, params, (entries, rows), sides, corpora, report
    )
    n = len(entries.sources)
    problem = describe_convergence(space.details)
    notes = (problem,) if problem else ()
    message = f"{params.name}: {n:,} entries to review, {n_examples:,} words with an "
    message += "example."
    return LearnDictionaryResult(
        mining=mining,
        name=params.name,
        n_entries=n,
        n_examples=n_examples,
        notes=notes,
        message=" ".join([message, *notes]),
    )


def _check(project: Project, params: LearnDictionary, space: WordSpace) -> None:
    if params.name in {row.name for row in list_pair_sets(project.store)}:
        raise UserError(
            f"A pair set named {params.name} already exists. Choose another name."
        )
    if not (space.source.language and space.target.language):
        raise UserError(
            "The languages of the bilingual vectors are unknown. Import the word "
            "vectors into the project with their languages, and make bilingual vectors "
            "there."
        )


def _word_rows(entries: LearnedEntries) -> tuple[IdArray, IdArray]:
    """Return the rows of all words: first of the entries, then of the runners-up."""
    found = []
    for own, others in (
        (entries.sources, entries.reverse),
        (entries.targets, entries.runners_up),
    ):
        more = np.setdiff1d(others[others >= 0], own)
        found.append(np.concatenate([own, more]))
    return found[0], found[1]


def _write(
    project: Project,
    params: LearnDictionary,
    found: tuple[LearnedEntries, tuple[IdArray, IdArray]],
    sides: Sequence[_Side],
    corpora: Sequence[CorpusRow],
    report: Report,
) -> tuple[int, int]:
    """Write words, examples and pairs; return the number of examples and the set."""
    new = [
        NewCorpus(
            f"{params.name}: {language_name(side.language)} words",
            parse_language(side.language),
            str(params.map),
        )
        for side in sides
    ]
    ids = create_corpora(project.store, new, report.run)
    is_done = False
    try:
        n_examples = 0
        for id_, side in zip(ids, sides, strict=True):
            _write_words(project, id_, side, report)
            n_examples += _write_examples(project, id_, side, corpora, report)
        finish_corpora(project.store, dict.fromkeys(ids, _corpus_report(params.map)))
        mining = _write_pairs(project, params, found, ids, report)
        is_done = True
    finally:
        if not is_done:
            mark_corpora_removed(project.store, ids)
    for id_ in ids:
        report.changed("corpus", id_)
    return n_examples, mining


def _corpus_report(map_: Path) -> str:
    return msgspec.json.encode({"format": WORD_LIST_FORMAT, "file": str(map_)}).decode()


def _write_words(project: Project, corpus_id: int, side: _Side, report: Report) -> None:
    words = [clean_text(word)[0] for word in side.words]
    shard = Shard(
        0,
        list(range(1, len(words) + 1)),
        [
            ShardSide(
                corpus_id,
                [side.language] * len(words),
                words,
                text_hashes(words).tolist(),
                [],
            )
        ],
        are_linked=False,
    )
    write_shard(project.store, shard, report.run)


def _write_examples(
    project: Project,
    corpus_id: int,
    side: _Side,
    corpora: Sequence[CorpusRow],
    report: Report,
) -> int:
    """Write an example of each word as its note; return the number of examples."""
    searched = [corpus for corpus in corpora if not corpus.is_word_list]
    names = {corpus.id: corpus.name for corpus in searched}
    first, now, notes = first_sentence_id(corpus_id), time.time(), []
    for index, word in enumerate(side.words):
        report.step(EXAMPLE_STAGE, index, len(side.words), word)
        found = find_by_keywords(project, f'"{word}"', searched, 1)
        ids = found.get(side.language, [])
        for row in read_sentences(project.store, ids):
            if row is not None:
                corpus = names[corpus_of(row.id)]
                text = f"{row.text} ({corpus}, {row.line:,})"
                notes.append(
                    {
                        "sentence_id": first + index,
                        "text": text,
                        "who": EXAMPLE_WRITER,
                        "changed_at": now,
                    }
                )
    if notes:
        with project.store.begin() as connection:
            connection.execute(insert(note), notes)
    return len(notes)


def _write_pairs(
    project: Project,
    params: LearnDictionary,
    found: tuple[LearnedEntries, tuple[IdArray, IdArray]],
    ids: Sequence[int],
    report: Report,
) -> int:
    entries, rows = found
    firsts = [first_sentence_id(id_) for id_ in ids]
    pairs = NewPairs(
        source_ids=_sentences(entries.sources, rows[0], firsts[0]),
        target_ids=_sentences(entries.targets, rows[1], firsts[1]),
        scores=entries.scores,
        cosines=entries.cosines,
        source_means=entries.source_means,
        target_means=entries.target_means,
        runner_up_ids=_sentences(entries.runners_up, rows[1], firsts[1]),
        runner_up_scores=entries.runner_up_scores,
        reverse_ids=_sentences(entries.reverse, rows[0], firsts[0]),
        reverse_scores=entries.reverse_scores,
    )
    new = NewPairSet(
        name=params.name,
        kind=KIND,
        source_corpus_id=ids[0],
        target_corpus_id=ids[1],
        margin="distance",
        k=K,
    )
    counts = PairSetCounts(len(entries.sources), 0, "{}")
    return write_pair_set(project.store, new, pairs, counts, report)


def _sentences(wanted: IdArray, rows: IdArray, first: int) -> IdArray:
    """Return the sentence id of each word; -1: no word."""
    order = np.argsort(rows, kind="stable")
    indices = order[np.searchsorted(rows[order], np.maximum(wanted, rows.min()))]
    found: IdArray = np.where(wanted >= 0, indices + first, -1)
    return found
