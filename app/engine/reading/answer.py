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
from app.engine.store.pairs.judgements import (
    read_changed_sides,
    read_current_verdicts,
)
from app.engine.store.pairs.sets import (
    PairSetRow,
    count_links,
    first_pair_id,
    read_links,
    read_pair_integers,
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
    pair_set = _pair_set_of(store, query.pairs)
    links: dict[tuple[int, int], Links] = {}
    for first, second in combinations(range(len(corpora)), 2):
        ids = corpora[first].id, corpora[second].id
        links[first, second] = (
            _pairs_between(store, ids, pair_set, accepted_only=query.accepted_only)
            if pair_set is not None and _connects(pair_set, ids)
            else _links_between(store, ids, alignments)
        )
    corpora[0] = corpora[0]._replace(subcorpus=query.subcorpus)
    active = _active_sentences(session, corpora)
    is_paired = [
        pair_set is not None and _connects(pair_set, (corpora[0].id, row.id))
        for row in corpora
    ]
    if pair_set is not None:
        has_pair = np.zeros(corpora[0].n_sentences, np.bool_)
        for place in np.flatnonzero(is_paired).tolist():
            has_pair[links[0, place][0]] = True
        active[0] = has_pair & active.get(0, True)
    columns = arrange_rows(
        [row.n_sentences for row in corpora],
        links,
        active,
        only_first=bool(query.subcorpus or query.pairs),
    )
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
                0 if paired else _alignment_id(corpora[0], corpus, alignments),
                query.pairs if paired else 0,
            )
            for corpus, column, paired in zip(corpora, columns, is_paired, strict=True)
        ],
    )


def _active_sentences(
    session: SearchSession, corpora: Sequence[CorpusRow]
) -> dict[int, BoolArray]:
    """Return which sentences take part, bool (n,), of corpora where not all do."""
    active: dict[int, BoolArray] = {}
    for place, corpus in enumerate(corpora):
        positions = active_positions(session.project, corpus)
        if positions is not None:
            active[place] = np.zeros(corpus.n_sentences, np.bool_)
            active[place][positions] = True
    return active


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
    return _link_ends(
        (sources[is_link], targets[is_link]),
        (beads.n_sources[is_link], beads.n_targets[is_link]),
    )


def read_pair_links(store: Engine, row: PairSetRow, *, accepted_only: bool) -> Links:
    """Read the pairs of a set as links: positions of both sides, int64 (p,) each.

    Pairs that somebody rejected are left out, and candidates that nobody accepted.
    """
    ids, *ends = (
        read_pair_integers(store, row.id, name)
        for name in ("id", "source_id", "target_id", "n_source", "n_target")
    )
    for changed in read_changed_sides(store, row.id):  # a runner-up was swapped in
        place = np.searchsorted(ids, changed.pair_id)
        ends[0][place], ends[1][place] = changed.source_id, changed.target_id
    verdicts = read_current_verdicts(store, row.id).of(ids)
    is_link = verdicts == VERDICTS.index("accept")
    if not accepted_only:
        is_own = ids < first_pair_id(row.id) + row.n_pairs
        is_link |= is_own & (verdicts != VERDICTS.index("reject"))
    sources, targets, n_sources, n_targets = (values[is_link] for values in ends)
    return _link_ends(
        (position_of(sources), position_of(targets)), (n_sources, n_targets)
    )


def _link_ends(firsts: Links, counts: Links) -> Links:
    """Pair each sentence of a link with the first one of the other side.

    Args:
        firsts: first sentence of each link on both sides, int64 (l,) each.
        counts: its number of sentences on both sides.
    """
    (sources, targets), (n_sources, n_targets) = firsts, counts
    ends = (
        (expand_ranges(sources, n_sources), np.repeat(targets, n_sources)),
        (np.repeat(sources, n_targets), expand_ranges(targets, n_targets)),
    )
    both = [np.concatenate(side) for side in zip(*ends, strict=True)]
    return both[0], both[1]


def _alignments_of(store: Engine, ids: Sequence[int]) -> list[PairSetRow]:
    rows = [read_pair_set(store, id_) for id_ in ids]
    found = [row for row in rows if row is not None and row.kind == "aligned"]
    if len(found) < len(ids):
        raise UserError("An alignment was deleted. Select what to read again.")
    return found


def _pair_set_of(store: Engine, id_: int) -> PairSetRow | None:
    row = read_pair_set(store, id_) if id_ else None
    if id_ and (row is None or row.state != "ready"):
        raise UserError("The pair set was deleted. Select what to read again.")
    return row


def _connects(row: PairSetRow, ids: tuple[int, int]) -> bool:
    """Return whether the pairs of a set are between two corpora."""
    return (row.source_corpus_id, row.target_corpus_id) in (ids, ids[::-1])


def _pairs_between(
    store: Engine, ids: tuple[int, int], row: PairSetRow, *, accepted_only: bool
) -> Links:
    """Return the pairs of a set from the first corpus to the second."""
    links: tuple[IntArray, IntArray] = read_pair_links(
        store, row, accepted_only=accepted_only
    )
    return links if row.source_corpus_id == ids[0] else links[::-1]


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
