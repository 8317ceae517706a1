"""Answer queries about words."""

import time
from collections.abc import Sequence

import msgspec

from app.arrays import IntArray
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.pairs.sets import read_pair_set
from app.engine.store.words.dictionaries import list_dictionaries
from app.engine.words.cache import word_cache
from app.engine.words.collocates import Window
from app.engine.words.concordance import ConcordanceOptions, find_lines
from app.engine.words.equivalents.bitext import BitextOptions
from app.engine.words.equivalents.ranking import find_equivalents
from app.engine.words.frequency_lists import FrequencyList, takes_long
from app.engine.words.line_neighbours import LineNeighbourOptions, find_neighbours
from app.engine.words.pages import (
    MIXED_COLLOCATES,
    CollocateOptions,
    FrequencyOptions,
    FrequencyPage,
    KeynessOptions,
    RowSelection,
    build_collocate_page,
    build_frequency_page,
    build_keyness_page,
    describe_languages,
    select_rows,
    truncate_rows,
)
from app.engine.words.patterns import parse_pattern
from app.engine.words.selection import CountOptions, select_parts
from app.errors import UserError
from app.protocol.answers.words import (
    CollocatesAnswer,
    ConcordanceAnswer,
    EquivalentsAnswer,
    FrequenciesAnswer,
    KeynessAnswer,
    LineNeighbour,
    LineNeighboursAnswer,
)
from app.protocol.base import reply
from app.protocol.queries.words import (
    CollocatesQuery,
    ConcordanceQuery,
    EquivalentsQuery,
    FrequenciesQuery,
    KeynessQuery,
    LineNeighboursQuery,
    WordIndexQuery,
)

MAX_NEIGHBOURS = 600  # 90 bytes each, in an answer of at most 256 KB


def answer_word_query(
    session: SearchSession, query: WordIndexQuery, report: Report | None = None
) -> object:
    """Answer a query about words.

    Raises:
        UserError: the query names something that does not exist.
        Cancelled: a newer query replaced this one.
    """
    report = report or Report()
    match query:
        case ConcordanceQuery():
            return reply(query, _answer_concordance(session, query))
        case LineNeighboursQuery():
            return reply(query, _answer_neighbours(session, query))
        case EquivalentsQuery():
            return reply(query, _answer_equivalents(session, query))
        case FrequenciesQuery():
            return reply(query, _answer_frequencies(session, query, report))
        case CollocatesQuery():
            return reply(query, _answer_collocates(session, query, report))
        case KeynessQuery():
            return reply(query, _answer_keyness(session, query, report))


def _answer_concordance(
    session: SearchSession, query: ConcordanceQuery
) -> ConcordanceAnswer:
    """Find concordance lines, and write them to files that the window maps."""
    begun = time.monotonic()
    corpora = session.searched_corpora(query.corpora, query.subcorpora)
    options = ConcordanceOptions(
        query.text,
        query.mode,
        query.case,
        query.languages,
        query.sort,
        query.top,
        query.seed,
    )
    found = find_lines(word_cache(session), corpora, options, Report())
    return ConcordanceAnswer(
        file=session.share_array(found.lines),
        words=session.share_array(found.words),
        n=found.n,
        n_lines=len(found.lines),
        n_sentences=found.n_sentences,
        n_searched=found.n_searched,
        n_tokens=found.n_tokens,
        is_cut=found.is_cut,
        not_indexed=tuple(found.not_indexed),
        notes=tuple(found.notes),
        elapsed_s=time.monotonic() - begun,
    )


def _answer_neighbours(
    session: SearchSession, query: LineNeighboursQuery
) -> LineNeighboursAnswer:
    corpora = session.searched_corpora(query.corpora, query.subcorpora)
    options = LineNeighbourOptions(corpora, query.languages, query.k, query.encoder)
    found = find_neighbours(session, query.sentences, options)
    most = max(1, MAX_NEIGHBOURS // len(query.sentences))
    best = [_best(line, most) for line in found.neighbours]
    return msgspec.structs.replace(found, neighbours=best)


def _best(line: Sequence[LineNeighbour], most: int) -> list[LineNeighbour]:
    """Choose the best neighbours of a line, translations first."""
    ranked = sorted(line, key=lambda one: (not one.is_translation, -(one.score or 0)))
    chosen = {one.sentence for one in ranked[:most]}
    return [one for one in line if one.sentence in chosen]


def _answer_frequencies(
    session: SearchSession, query: FrequenciesQuery, report: Report
) -> FrequenciesAnswer:
    corpora = session.searched_corpora(query.corpora, query.subcorpora)
    cache = word_cache(session)
    counted = CountOptions(query.layer, query.languages)
    chosen = select_parts(cache, corpora, counted, cache.index)
    rows = RowSelection(query.find, query.min_count, query.order_by, query.descending)
    shown = slice(query.offset, query.offset + query.limit)
    options = FrequencyOptions(query.layer, query.n, rows, shown)

    def ordered(found: FrequencyList, rows: RowSelection) -> IntArray:
        """Cache the order, since the pages of a list are requested one by one."""
        return cache.remember((found.key, rows), lambda: select_rows(found, rows))

    project = session.project
    is_deferred = not query.waits and takes_long(
        project, chosen.parts, query.layer, query.n
    )
    page = FrequencyPage([], 0, 0, 0, chosen.notes)
    if not is_deferred:
        page = build_frequency_page(project, chosen, options, report, ordered)
    return FrequenciesAnswer(
        rows=truncate_rows(page.rows),
        n_items=page.n_items,
        n_tokens=page.n_tokens,
        n_documents=page.n_documents,
        not_indexed=tuple(chosen.not_indexed),
        not_counted=is_deferred,
        notes=tuple(page.notes),
    )


def _answer_collocates(
    session: SearchSession, query: CollocatesQuery, report: Report
) -> CollocatesAnswer:
    pattern = parse_pattern(query.text)
    corpora = session.searched_corpora(query.corpora, query.subcorpora)
    counted = CountOptions(query.layer, query.languages, pattern.layers)
    cache = word_cache(session)
    chosen = select_parts(cache, corpora, counted, cache.index)
    options = CollocateOptions(
        pattern,
        Window(query.left, query.right),
        query.order_by,
        query.min_count,
        query.top,
    )
    page = build_collocate_page(chosen.parts, options, report)
    is_mixed = len(chosen.languages) > 1
    return CollocatesAnswer(
        rows=truncate_rows(page.rows),
        n_hits=page.n_hits,
        n_tokens=page.n_tokens,
        not_indexed=tuple(chosen.not_indexed),
        notes=(*chosen.notes, *([MIXED_COLLOCATES] if is_mixed else [])),
    )


def _answer_keyness(
    session: SearchSession, query: KeynessQuery, report: Report
) -> KeynessAnswer:
    counted = CountOptions(query.layer, query.languages)
    cache = word_cache(session)
    sides = [
        select_parts(
            cache, session.searched_corpora(corpora, subcorpora), counted, cache.index
        )
        for corpora, subcorpora in (
            (query.corpora, query.subcorpora),
            (query.against_corpora, query.against_subcorpora),
        )
    ]
    options = KeynessOptions(query.n, query.min_count, query.top)
    page = build_keyness_page(sides[0].parts, sides[1].parts, options, report)
    return KeynessAnswer(
        rows=truncate_rows(page.rows),
        n_items=page.n_items,
        n_tokens=page.n_tokens,
        n_tokens_against=page.n_tokens_against,
        not_indexed=tuple(
            dict.fromkeys(id_ for side in sides for id_ in side.not_indexed)
        ),
        notes=tuple(
            dict.fromkeys(
                [
                    *page.notes,
                    *describe_languages(*sides),
                    *sides[0].notes,
                    *sides[1].notes,
                ]
            )
        ),
    )


def _answer_equivalents(
    session: SearchSession, query: EquivalentsQuery
) -> EquivalentsAnswer:
    project = session.project
    sets = [read_pair_set(project.store, id_) for id_ in query.minings]
    ready = [row for row in sets if row is not None and row.state == "ready"]
    if len(ready) < len(query.minings):
        raise UserError("The pair set was deleted. Select another one.")
    dictionary = None
    if query.dictionary is not None:
        known = {row.id: row for row in list_dictionaries(project.store)}
        if query.dictionary not in known:
            raise UserError("The dictionary was deleted. Select another one.")
        dictionary = known[query.dictionary]
    options = BitextOptions(
        session.searched_corpora(query.corpora, query.subcorpora),
        query.source_language,
        query.target_language,
        ready,
        query.accepted,
        query.layer,
    )
    cache = word_cache(session)
    return find_equivalents(
        project,
        options,
        query,
        cache=cache.bitexts,
        open_index=cache.index,
        dictionary=dictionary,
    )
