"""Answer queries about corpora that are shown side by side."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine

from app.arrays import BoolArray, DoubleArray, IntArray
from app.engine.project.active_sentences import active_positions
from app.engine.reading.rows import Links, ReadingColumn, arrange_rows
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
    read_scores,
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
    corpora = _find_corpora(session, query.corpora)
    store = session.project.store
    alignments = _alignments_of(store, query.alignments)
    pairs = _read_pairs(store, query)
    fallbacks = _alignments_of(store, query.fallbacks)
    links, used, n_replaced = _find_links(store, corpora, alignments, fallbacks, pairs)
    corpora[0] = corpora[0]._replace(subcorpus=query.subcorpus)
    active = _active_sentences(session, corpora)
    is_paired = [_is_paired(pairs, corpora[0], row) for row in corpora]
    if pairs is not None:
        has_pair = np.zeros(corpora[0].n_sentences, np.bool_)
        for index in np.flatnonzero(is_paired).tolist():
            has_pair[links[0, index][0]] = True
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
    scores = ""
    if pairs is not None and any(is_paired):
        order = [0, is_paired.index(True)]
        if pairs.row.source_corpus_id != corpora[0].id:
            order.reverse()
        sides = columns[order[0]], columns[order[1]]
        sizes = [corpora[index].n_sentences for index in order]
        scores = session.share_array(_score_rows(pairs.read, sides, sizes))
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
                used.get(index, 0),
                query.pairs if paired else 0,
                n_replaced.get(index, 0),
            )
            for index, (corpus, column, paired) in enumerate(
                zip(corpora, columns, is_paired, strict=True)
            )
        ],
        session.share_array(find_linked_rows(links, columns, corpora)),
        scores,
    )


def _find_corpora(session: SearchSession, ids: Sequence[int]) -> list[CorpusRow]:
    """Return the corpora of ids, each once.

    Raises:
        UserError: one was deleted.
    """
    known = {row.id: row for row in session.corpora()}
    if not set(ids) <= known.keys():
        raise UserError("A corpus was deleted. Select another one to read.")
    return [known[id_] for id_ in dict.fromkeys(ids)]


class _ChosenPairs(NamedTuple):
    """The chosen pair set and its pairs."""

    row: PairSetRow
    read: "PairLinks"


def _read_pairs(store: Engine, query: ReadingQuery) -> _ChosenPairs | None:
    """Read the pairs of the chosen set; None if no set is chosen."""
    row = _pair_set_of(store, query.pairs)
    if row is None:
        return None
    read = read_pair_links(
        store, row, accepted_only=query.accepted_only, lowest=query.lowest
    )
    return _ChosenPairs(row, read)


def _is_paired(pairs: _ChosenPairs | None, one: CorpusRow, other: CorpusRow) -> bool:
    """Return whether the chosen pairs connect two corpora."""
    return pairs is not None and _connects(pairs.row, (one.id, other.id))


class _FoundLinks(NamedTuple):
    """The links of columns.

    Attributes:
        links: of each two columns, by their places.
        alignments: id of the alignment of the first column and another, by its place.
        n_replaced: imported links of these two that the alignment replaces.
    """

    links: dict[tuple[int, int], Links]
    alignments: dict[int, int]
    n_replaced: dict[int, int]


def _find_links(
    store: Engine,
    corpora: Sequence[CorpusRow],
    alignments: Sequence[PairSetRow],
    fallbacks: Sequence[PairSetRow],
    pairs: _ChosenPairs | None,
) -> _FoundLinks:
    """Return the links of each two corpora."""
    found = _FoundLinks({}, {}, {})
    for first, second in combinations(range(len(corpora)), 2):
        one, other = corpora[first], corpora[second]
        ids = one.id, other.id
        if pairs is not None and _is_paired(pairs, one, other):
            found.links[first, second] = _turned(pairs.read.links, pairs.row, ids)
            continue
        imported = read_links(store, *ids)
        listed = (*alignments, *(fallbacks if not len(imported[0]) else ()))
        row = next((row for row in listed if _connects(row, ids)), None)
        if row is None:
            found.links[first, second] = imported
            continue
        links, n = _add_aligned_links(store, row, ids, imported)
        found.links[first, second] = links
        if not first:
            found.alignments[second], found.n_replaced[second] = row.id, n
    return found


def _active_sentences(
    session: SearchSession, corpora: Sequence[CorpusRow]
) -> dict[int, BoolArray]:
    """Return which sentences are active, bool (n,), for corpora with inactive ones."""
    active: dict[int, BoolArray] = {}
    for index, corpus in enumerate(corpora):
        positions = active_positions(session.project, corpus)
        if positions is not None:
            active[index] = np.zeros(corpus.n_sentences, np.bool_)
            active[index][positions] = True
    return active


def _answer_linked_corpora(
    session: SearchSession, query: LinkedCorporaQuery
) -> LinkedCorporaAnswer:
    """List the corpora connected with a corpus by links."""
    counts = count_links(session.project.store, query.corpus)
    known = {row.id for row in session.corpora()} - {query.corpus}
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return LinkedCorporaAnswer(
        [LinkedCorpus(id_, n) for id_, n in ranked if id_ in known]
    )


def _add_aligned_links(
    store: Engine, row: PairSetRow, ids: tuple[int, int], imported: Links
) -> tuple[Links, int]:
    """Return the links of an alignment, and the imported ones outside its lines.

    Each sentence of a link is paired with the first one of the other side; links that
    somebody rejected are left out. Also counts the imported links that are replaced.
    """
    beads = read_beads(store, first_pair_id(row.id), first_pair_id(row.id + 1))
    is_link = (beads.n_sources > 0) & (beads.n_targets > 0)
    is_link &= beads.verdicts != VERDICTS.index("reject")
    firsts = position_of(beads.source_ids), position_of(beads.target_ids)
    counts = beads.n_sources, beads.n_targets
    found = _link_ends(
        (firsts[0][is_link], firsts[1][is_link]),
        (counts[0][is_link], counts[1][is_link]),
    )
    covered = _turned(
        (expand_ranges(firsts[0], counts[0]), expand_ranges(firsts[1], counts[1])),
        row,
        ids,
    )
    is_outside = ~np.isin(imported[0], covered[0]) & ~np.isin(imported[1], covered[1])
    aligned = _turned(found, row, ids)
    both = [
        np.concatenate([one, other[is_outside]])
        for one, other in zip(aligned, imported, strict=True)
    ]
    return (both[0], both[1]), int((~is_outside).sum())


class PairLinks(NamedTuple):
    """The p pairs of a set that are read.

    Attributes:
        links: positions of the linked sentences of both sides, int64 (l,) each.
        firsts: position of the first sentence of both sides, int64 (p,) each.
        scores: float64 (p,); NaN: a runner-up is in the pair.
    """

    links: Links
    firsts: Links
    scores: DoubleArray


def read_pair_links(
    store: Engine,
    row: PairSetRow,
    *,
    accepted_only: bool,
    lowest: float | None = None,
) -> PairLinks:
    """Read the pairs of a set as links.

    Pairs that somebody rejected are left out. Of those that nobody accepted,
    candidates and pairs with a score below `lowest` are left out, too.
    """
    ids, *ends = (
        read_pair_integers(store, row.id, name)
        for name in ("id", "source_id", "target_id", "n_source", "n_target")
    )
    scores = read_scores(store, row.id)
    is_high = scores >= (-np.inf if lowest is None else lowest)
    for changed in read_changed_sides(store, row.id):
        index = np.searchsorted(ids, changed.pair_id)
        sides = changed.source_id, changed.target_id
        if sides != (ends[0][index], ends[1][index]):  # a runner-up was swapped in
            ends[0][index], ends[1][index] = sides
            scores[index] = np.nan
    verdicts = read_current_verdicts(store, row.id).of(ids)
    is_link = verdicts == VERDICTS.index("accept")
    if not accepted_only:
        is_own = ids < first_pair_id(row.id) + row.n_pairs
        is_link |= is_own & is_high & (verdicts != VERDICTS.index("reject"))
    sources, targets, n_sources, n_targets = (values[is_link] for values in ends)
    firsts = position_of(sources), position_of(targets)
    links = _link_ends(firsts, (n_sources, n_targets))
    return PairLinks(links, firsts, scores[is_link])


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
    ends = row.source_corpus_id, row.target_corpus_id
    return ends in (ids, ids[::-1])


def _turned(links: Links, row: PairSetRow, ids: tuple[int, int]) -> Links:
    """Return the links of a set from the first corpus to the second."""
    return links if row.source_corpus_id == ids[0] else links[::-1]


def _score_rows(
    pairs: PairLinks, sides: tuple[ReadingColumn, ReadingColumn], sizes: Sequence[int]
) -> DoubleArray:
    """Return the lowest and the highest score of each row: float64 (2, n_rows).

    Args:
        sides: the columns of their sources and of their targets.
        sizes: sentences of the two corpora.
    """
    n_rows = len(sides[0].offsets) - 1
    ends = [
        _rows_by_position(column, n)[positions]
        for positions, column, n in zip(pairs.firsts, sides, sizes, strict=True)
    ]
    is_here = (ends[0] == ends[1]) & (ends[0] >= 0)  # no crossing link
    rows, scores = ends[0][is_here], pairs.scores[is_here]
    found = np.full((2, n_rows), np.nan)
    np.fmin.at(found[0], rows, scores)
    np.fmax.at(found[1], rows, scores)
    return found


def find_linked_rows(
    links: Mapping[tuple[int, int], Links],
    columns: Sequence[ReadingColumn],
    corpora: Sequence[CorpusRow],
) -> BoolArray:
    """Return in which rows links connect columns: bool (n_columns, n_columns, n_rows).

    Args:
        links: between two columns, by their places.
    """
    rows = [
        _rows_by_position(column, corpus.n_sentences)
        for column, corpus in zip(columns, corpora, strict=True)
    ]
    n_rows = len(columns[0].offsets) - 1
    found = np.zeros((len(columns), len(columns), n_rows), np.bool_)
    for (first, second), (sources, targets) in links.items():
        ends = rows[first][sources], rows[second][targets]
        is_here = (ends[0] == ends[1]) & (ends[0] >= 0)  # no crossing link
        found[first, second, ends[0][is_here]] = True
    return found


def _rows_by_position(column: ReadingColumn, n: int) -> IntArray:
    """Return the row of each of the n sentences of a corpus: int64 (n,); -1: none."""
    rows = np.full(n, -1, np.int64)
    n_rows = len(column.offsets) - 1
    rows[column.positions] = np.repeat(np.arange(n_rows), np.diff(column.offsets))
    return rows
