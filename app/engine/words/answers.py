"""Answer the window's queries about words."""

import time
from collections.abc import Sequence
from typing import Any

from app.arrays import IntArray
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.dictionaries import list_dictionaries
from app.engine.store.pairs.sets import read_pair_set
from app.engine.words.cache import word_cache
from app.engine.words.collocates import Window
from app.engine.words.concordance import ConcordanceOptions, find_lines
from app.engine.words.equivalents.bitext import BitextOptions
from app.engine.words.equivalents.ranking import find_equivalents
from app.engine.words.frequency_lists import FrequencyList, takes_long
from app.engine.words.line_neighbours import (
    Neighbour,
    NeighbourOptions,
    find_neighbours,
)
from app.engine.words.pages import (
    CollocateOptions,
    FrequencyOptions,
    FrequencyPage,
    KeynessOptions,
    RowSelection,
    build_collocate_page,
    build_frequency_page,
    build_keyness_page,
    select_rows,
    truncate_rows,
)
from app.engine.words.patterns import parse_pattern
from app.engine.words.selection import CountOptions, select_parts
from app.errors import UserError
from app.protocol.base import reply
from app.protocol.queries.words import (
    CollocatesQuery,
    ConcordanceQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
    LineNeighboursQuery,
    StepsQuery,
    WordQuery,
)

MAX_NEIGHBOURS = 600  # of 90 bytes each in an answer of at most 64 KB


def answer_concordance(desk: SearchSession, query: ConcordanceQuery) -> dict[str, Any]:
    """Find lines, and write them for the window.

    Raises:
        UserError: what is typed can't be looked for.
    """
    begun = time.monotonic()
    corpora = desk.corpora(query.corpora, query.subcorpora)
    wish = ConcordanceOptions(
        query.text,
        query.mode,
        query.case,
        query.languages,
        query.sort,
        query.top,
        query.seed,
    )
    found = find_lines(word_cache(desk), corpora, wish, Report())
    return {
        "file": desk.share_array(found.lines),
        "n": found.n,
        "n_lines": len(found.lines),
        "n_sentences": found.n_sentences,
        "n_searched": found.n_searched,
        "n_tokens": found.n_tokens,
        "is_cut": found.is_cut,
        "not_indexed": found.not_indexed,
        "words": desk.share_array(found.words),
        "notes": found.notes,
        "elapsed_s": time.monotonic() - begun,
    }


def answer_neighbours(
    desk: SearchSession, query: LineNeighboursQuery
) -> dict[str, Any]:
    """Find the nearest sentences of lines.

    Raises:
        UserError: a sentence or the encoder is gone.
    """
    corpora = desk.corpora(query.corpora, query.subcorpora)
    wish = NeighbourOptions(corpora, query.languages, query.k, query.encoder)
    found = find_neighbours(desk, query.sentences, wish)
    most = max(1, MAX_NEIGHBOURS // len(query.sentences))
    return {
        "neighbours": [
            [one._asdict() for one in _best(line, most)] for line in found.lines
        ],
        "not_encoded": found.not_encoded,
    }


def _best(line: Sequence[Neighbour], most: int) -> list[Neighbour]:
    """Choose the best neighbours of a line, in their order: translations first."""
    ranked = sorted(line, key=lambda one: (not one.is_translation, -(one.score or 0)))
    chosen = {one.sentence for one in ranked[:most]}
    return [one for one in line if one.sentence in chosen]


def answer_frequencies(
    desk: SearchSession, query: FrequenciesQuery, report: Report
) -> dict[str, Any]:
    """Return a page of a list of frequencies.

    Raises:
        UserError: no corpus has what is counted, or what is looked for can't be read.
        Cancelled: a newer question came.
    """
    corpora = desk.corpora(query.corpora, query.subcorpora)
    wanted = CountOptions(query.layer, query.languages)
    chosen = select_parts(word_cache(desk), corpora, wanted, word_cache(desk).index)
    rows = RowSelection(query.find, query.min_count, query.order_by, query.descending)
    some = slice(query.offset, query.offset + query.limit)
    wish = FrequencyOptions(query.layer, query.n, rows, some)

    def ordered(found: FrequencyList, rows: RowSelection) -> IntArray:
        """Remember the order: pages of one list are asked for one after the other."""
        key = (found.key, rows)
        return word_cache(desk).remember(key, lambda: select_rows(found, rows))

    parts = chosen.parts
    is_left = not query.waits and takes_long(desk.project, parts, query.layer, query.n)
    page = FrequencyPage([], 0, 0, 0, chosen.notes)
    if not is_left:
        page = build_frequency_page(desk.project, chosen, wish, report, ordered)
    return {
        "rows": truncate_rows(page.rows),
        "n_items": page.n_items,
        "n_tokens": page.n_tokens,
        "n_documents": page.n_documents,
        "not_indexed": list(chosen.not_indexed),
        "not_counted": is_left,
        "notes": list(page.notes),
    }


def answer_collocates(
    desk: SearchSession, query: CollocatesQuery, report: Report
) -> dict[str, Any]:
    """Return the words that stand near a word.

    Raises:
        UserError: no corpus has what is counted, or what is typed can't be read.
        Cancelled: a newer question came.
    """
    pattern = parse_pattern(query.text)
    corpora = desk.corpora(query.corpora, query.subcorpora)
    wanted = CountOptions(query.layer, query.languages, pattern.layers)
    chosen = select_parts(word_cache(desk), corpora, wanted, word_cache(desk).index)
    wish = CollocateOptions(
        pattern,
        Window(query.left, query.right),
        query.order_by,
        query.min_count,
        query.top,
    )
    page = build_collocate_page(chosen.parts, wish, report)
    return {
        "rows": truncate_rows(page.rows),
        "n_hits": page.n_hits,
        "n_tokens": page.n_tokens,
        "not_indexed": list(chosen.not_indexed),
        "notes": list(chosen.notes),
    }


def answer_keyness(
    desk: SearchSession, query: KeynessQuery, report: Report
) -> dict[str, Any]:
    """Return the words that mark corpora against others.

    Raises:
        UserError: no corpus has what is counted.
        Cancelled: a newer question came.
    """
    wanted = CountOptions(query.layer, query.languages)
    sides = [
        select_parts(
            word_cache(desk),
            desk.corpora(corpora, subcorpora),
            wanted,
            word_cache(desk).index,
        )
        for corpora, subcorpora in (
            (query.corpora, query.subcorpora),
            (query.against_corpora, query.against_subcorpora),
        )
    ]
    wish = KeynessOptions(query.n, query.min_count, query.top)
    page = build_keyness_page(sides[0].parts, sides[1].parts, wish, report)
    missing = dict.fromkeys(id_ for side in sides for id_ in side.not_indexed)
    return {
        "rows": truncate_rows(page.rows),
        "n_items": page.n_items,
        "n_tokens": page.n_tokens,
        "n_tokens_against": page.n_tokens_against,
        "not_indexed": list(missing),
        "notes": list(dict.fromkeys(note for side in sides for note in side.notes)),
    }


def answer_equivalents(desk: SearchSession, query: EquivalentsQuery) -> dict[str, Any]:
    """Rank how a word is translated.

    Raises:
        UserError: the text is no word; a corpus, set of pairs or dictionary is gone.
    """
    project = desk.project
    minings = [read_pair_set(project.store, id_) for id_ in query.minings]
    ready = [row for row in minings if row is not None and row.state == "ready"]
    if len(ready) < len(query.minings):
        raise UserError("The set of pairs is not in the project any more.")
    dictionary = None
    if query.dictionary is not None:
        known = {row.id: row for row in list_dictionaries(project.store)}
        if query.dictionary not in known:
            raise UserError("The dictionary is not in the project any more.")
        dictionary = known[query.dictionary]
    wanted = BitextOptions(
        desk.corpora(query.corpora, query.subcorpora),
        query.source_language,
        query.target_language,
        ready,
        query.accepted,
        query.layer,
    )
    return find_equivalents(
        project,
        wanted,
        query,
        shelf=word_cache(desk).bitexts,
        open_index=word_cache(desk).index,
        dictionary=dictionary,
    )


def answer_word_query(
    desk: SearchSession, query: WordQuery, report: Report | None = None
) -> object:
    """Answer a short read about words.

    Raises:
        UserError: what the query names is not there.
        Cancelled: a newer question came; only a long answer is ended so.
    """
    report = report or Report()
    match query:
        case ConcordanceQuery():
            return reply(query, answer_concordance(desk, query))
        case LineNeighboursQuery():
            return reply(query, answer_neighbours(desk, query))
        case EquivalentsQuery():
            return reply(query, answer_equivalents(desk, query))
        case StepsQuery():
            from app.engine.subcorpora.execution import answer_steps_query

            return reply(query, answer_steps_query(desk, query, report))
        case FrequenciesQuery():
            return reply(query, answer_frequencies(desk, query, report))
        case CollocatesQuery():
            return reply(query, answer_collocates(desk, query, report))
        case KeynessQuery():
            return reply(query, answer_keyness(desk, query, report))
