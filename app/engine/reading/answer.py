"""Answer queries about corpora that are read side by side."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from sqlalchemy import Engine

from app.arrays import BoolArray, IntArray
from app.engine.project.active_sentences import active_positions
from app.engine.reading.rows import Links, arrange_rows
from app.engine.search.session import SearchSession
from app.engine.store.corpora import CorpusRow, first_sentence_id, position_of
from app.engine.store.pairs.beads import VERDICTS, read_beads
from app.engine.store.pairs.sets import (
    PairSetRow,
    count_links,
    first_pair_id,
    read_links,
    read_pair_set,
)
from app.engine.words.equivalents.bitext import expand_ranges
from app.errors import UserError
from app.protocol.answers.reading import (
    ColumnAnswer,
    LinkedCorporaAnswer,
    LinkedCorpus,
    ReadingAnswer,
)
from app.protocol.base import reply
from app.protocol.queries.reading import LinkedCorporaQuery, ReadingQuery


def answer_reading_query(
    session: SearchSession, query: ReadingQuery | LinkedCorporaQuery
) -> object:
    """Return the answer to a query about corpora that are read.

    Raises:
        UserError: a corpus or an alignment is not in the project any more.
    """
    match query:
        case ReadingQuery():
            return reply(query, _answer_reading(session, query))
        case LinkedCorporaQuery():
            return reply(query, _answer_linked_corpora(session, query))


def _answer_reading(session: SearchSession, query: ReadingQuery) -> ReadingAnswer:
    """Arrange corpora in rows, in a file that the window maps.

    Raises:
        UserError: a corpus or an alignment is not in the project any more.
    """
    known = {row.id: row for row in session.corpora()}
    if not set(query.corpora) <= known.keys():
        raise UserError("A corpus was deleted. Select another one to read.")
    corpora = [known[id_] for id_ in dict.fromkeys(query.corpora)]
    store = session.project.store
    alignments = _alignments_of(store, query.alignments)
    links: dict[tuple[int, int], Links] = {}
    for first, second in combinations(range(len(corpora)), 2):
        ids = corpora[first].id, corpora[second].id
        links[first, second] = _links_between(store, ids, alignments)
    active: dict[int, BoolArray] = {}
    for place, corpus in enumerate(corpora):
        positions = active_positions(session.project, corpus)
        if positions is not None:
            active[place] = np.zeros(corpus.n_sentences, np.bool_)
            active[place][positions] = True
    columns = arrange_rows([row.n_sentences for row in corpora], links, active)
    parts = [
        part
        for corpus, column in zip(corpora, columns, strict=True)
        for part in (column.offsets, column.positions + first_sentence_id(corpus.id))
    ]
    return ReadingAnswer(
        session.share_array(np.concatenate(parts)),
        len(columns[0].offsets) - 1,
        [
            ColumnAnswer(
                corpus.id,
                len(column.positions),
                column.is_in_order,
                column.n_links,
                column.n_crossing,
                _alignment_id(corpora[0], corpus, alignments),
            )
            for corpus, column in zip(corpora, columns, strict=True)
        ],
    )


def _answer_linked_corpora(
    session: SearchSession, query: LinkedCorporaQuery
) -> LinkedCorporaAnswer:
    """List the corpora that links connect with one."""
    counts = count_links(session.project.store, query.corpus)
    known = {row.id for row in session.corpora()} - {query.corpus}
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return LinkedCorporaAnswer(
        [LinkedCorpus(id_, n) for id_, n in ranked if id_ in known]
    )


def read_alignment_links(store: Engine, row: PairSetRow) -> Links:
    """Read the links of an alignment: positions of source and target, int64 (p,) each.

    Each sentence of a link is paired with the first one of the other side; links that
    somebody rejected are left out.
    """
    beads = read_beads(store, first_pair_id(row.id), first_pair_id(row.id + 1))
    is_link = (beads.n_sources > 0) & (beads.n_targets > 0)
    is_link &= beads.verdicts != VERDICTS.index("reject")
    sources, targets = position_of(beads.source_ids), position_of(beads.target_ids)
    sources, targets = sources[is_link], targets[is_link]
    n_sources, n_targets = beads.n_sources[is_link], beads.n_targets[is_link]
    ends = (
        (expand_ranges(sources, n_sources), np.repeat(targets, n_sources)),
        (np.repeat(sources, n_targets), expand_ranges(targets, n_targets)),
    )
    firsts, seconds = (np.concatenate(side) for side in zip(*ends, strict=True))
    return firsts, seconds


def _alignments_of(store: Engine, ids: Sequence[int]) -> list[PairSetRow]:
    rows = [read_pair_set(store, id_) for id_ in ids]
    found = [row for row in rows if row is not None and row.kind == "aligned"]
    if len(found) < len(ids):
        raise UserError("An alignment was deleted. Select what to read again.")
    return found


def _links_between(
    store: Engine, ids: tuple[int, int], alignments: Sequence[PairSetRow]
) -> Links:
    """Return the links of two corpora, of their alignment if one is selected."""
    for row in alignments:
        ends = row.source_corpus_id, row.target_corpus_id
        if ends in (ids, ids[::-1]):
            links: tuple[IntArray, IntArray] = read_alignment_links(store, row)
            return links if ends == ids else links[::-1]
    return read_links(store, *ids)


def _alignment_id(
    first: CorpusRow, other: CorpusRow, alignments: Sequence[PairSetRow]
) -> int:
    for row in alignments:
        if {row.source_corpus_id, row.target_corpus_id} == {first.id, other.id}:
            return row.id
    return 0
