"""Where exported pairs come from: a set of pairs, or the links of two corpora."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.engine.project import Project
from app.engine.report import Report
from app.engine.store.find import find_corpus, find_mining
from app.engine.store.hidden_rows import hidden_ids
from app.engine.store.judgement_rows import VERDICTS, read_held_verdicts, read_tagged
from app.engine.store.members import linked_members
from app.engine.store.pair_rows import (
    MiningRow,
    PairIntegerColumn,
    read_links,
    read_pair_integers,
    read_scores,
)
from app.engine.store.pair_texts import read_pair_texts
from app.engine.store.rows import first_id, read_sentences
from app.engine.text.pair_documents import PairSource, tell_documents
from app.engine.text.pair_units import link_head, link_unit, mining_head, mining_unit
from app.engine.text.writers import ExportTally, PairUnit
from app.errors import UserError
from app.params.exports import ExportPairs

IdArray = NDArray[np.int64]
CHOOSING = "Choosing pairs"
PAGE = 1_000  # pairs: a cancel waits for one page
WRONG_VERDICT = "not of the wanted verdict"
LOW_SCORE = "score below the threshold"
NO_TAG = "without the wanted tag"
NO_TEXT = "no text on one side"
HIDDEN = "a sentence is hidden"


def open_pair_source(
    project: Project, params: ExportPairs, tally: ExportTally, report: Report
) -> PairSource:
    """Choose the pairs of an export; the tally counts those that are left out.

    Raises:
        UserError: there are no such pairs, or they have none of what was asked for.
    """
    report.step(CHOOSING, 0, 0)
    has_corpora = bool(params.source or params.target)
    if bool(params.pairs) == has_corpora:
        raise UserError(
            "Name either a set of pairs, or the source and the target corpus whose "
            "linked sentences are to be written."
        )
    if params.pairs:
        source = _mining_source(project.store, params, tally, report)
        mining = find_mining(project.store, params.pairs)
        corpora = (mining.source_corpus_id, mining.target_corpus_id)
        return tell_documents(project.store, source, corpora)
    if not (params.source and params.target):
        raise UserError("Linked sentences need both the source and the target corpus.")
    if params.verdicts or params.tags or params.threshold is not None:
        raise UserError(
            "Linked sentences have no verdicts, tags and scores: score the pair of "
            "corpora first, then name that set of pairs."
        )
    return _link_source(project, params, tally)


def _mining_source(
    store: Engine, params: ExportPairs, tally: ExportTally, report: Report
) -> PairSource:
    mining = find_mining(store, params.pairs)
    ids = read_pair_integers(store, mining.id, "id")
    report.step(CHOOSING, 1, 3)
    scores = read_scores(store, mining.id)
    is_hidden = _are_hidden(store, mining, len(ids))
    report.step(CHOOSING, 2, 3)
    if not params.with_candidates and mining.n_candidates:
        ids, scores = ids[: mining.n_pairs], scores[: mining.n_pairs]
    is_hidden = is_hidden[: len(ids)]
    tally.left_out[HIDDEN] += int(np.count_nonzero(is_hidden))
    ids, scores = ids[~is_hidden], scores[~is_hidden]
    ids = ids[_are_wanted(store, mining, (ids, scores), params, tally)]
    head = mining_head(store, mining)

    def pages() -> Iterator[tuple[int, list[PairUnit]]]:
        for start in range(0, len(ids), PAGE):
            part = ids[start : start + PAGE].tolist()
            found = (texts for texts in read_pair_texts(store, part) if texts)
            units = [mining_unit(head, texts, params) for texts in found]
            yield len(part), _keep_good(units, params, tally)

    return PairSource(head, len(ids), pages())


def _are_hidden(store: Engine, mining: MiningRow, n: int) -> NDArray[np.bool_]:
    """Tell which of n pairs hold a sentence that takes no part any more: (n,)."""
    found = np.zeros(n, bool)
    ends: tuple[tuple[int, PairIntegerColumn, PairIntegerColumn], ...] = (
        (mining.source_corpus_id, "source_id", "n_source"),
        (mining.target_corpus_id, "target_id", "n_target"),
    )
    for corpus_id, first, size in ends:
        hidden = hidden_ids(store, corpus_id)
        if not len(hidden):
            continue
        firsts = read_pair_integers(store, mining.id, first)
        sizes = read_pair_integers(store, mining.id, size)
        low, high = np.searchsorted(hidden, [firsts, firsts + sizes])
        found |= high > low
    return found


def _are_wanted(
    store: Engine,
    mining: MiningRow,
    pairs: tuple[IdArray, NDArray[np.float64]],
    params: ExportPairs,
    tally: ExportTally,
) -> NDArray[np.bool_]:
    """Choose by verdict and tag; by score only where no judgement can change it.

    Args:
        store: the project's database.
        mining: the set of pairs.
        pairs: ids and scores, (p,) each.
        params: what is wanted.
        tally: counts the others.

    Returns:
        (p,).
    """
    ids, scores = pairs
    held = read_held_verdicts(store, mining.id)
    kept = np.ones(len(ids), bool)
    if params.verdicts:
        wanted = {verdict.replace("unjudged", "") for verdict in params.verdicts}
        codes = [VERDICTS.index(verdict) for verdict in wanted]
        kept &= np.isin(held.of(ids), codes)
        tally.left_out[WRONG_VERDICT] += int(np.count_nonzero(~kept))
    if params.tags:
        tagged = [read_tagged(store, mining.id, tag) for tag in params.tags]
        has_tag = np.isin(ids, np.concatenate(tagged))
        tally.left_out[NO_TAG] += int(np.count_nonzero(kept & ~has_tag))
        kept &= has_tag
    if params.threshold is not None:
        is_low = (scores < params.threshold) & ~np.isin(ids, held.pair_ids)
        tally.left_out[LOW_SCORE] += int(np.count_nonzero(kept & is_low))
        kept &= ~is_low
    return kept


def _keep_good(
    units: list[PairUnit], params: ExportPairs, tally: ExportTally
) -> list[PairUnit]:
    """Clean pairs; leave out those without a text, or of low score once judged."""
    kept = []
    for unit in map(tally.clean_unit, units):
        is_low = params.threshold is not None and (
            unit.score is None or unit.score < params.threshold
        )
        if is_low:
            tally.left_out[LOW_SCORE] += 1
        elif not unit.source.strip() or not unit.target.strip():
            tally.left_out[NO_TEXT] += 1
        else:
            kept.append(unit)
    return kept


def _link_source(
    project: Project, params: ExportPairs, tally: ExportTally
) -> PairSource:
    store = project.store
    source = find_corpus(store, params.source)
    target = find_corpus(store, params.target)
    links = read_links(store, source.id, target.id)
    source_places, target_places = linked_members(project, (source, target), links)
    if not len(source_places):
        raise UserError(
            f"No sentence of {source.name} is linked with one of {target.name}: import "
            "them as the sides of one parallel text, or mine pairs between them."
        )
    head = link_head(source, target)
    firsts = first_id(source.id), first_id(target.id)

    def pages() -> Iterator[tuple[int, list[PairUnit]]]:
        for start in range(0, len(source_places), PAGE):
            ids = [
                (places[start : start + PAGE] + first).tolist()
                for places, first in zip(
                    (source_places, target_places), firsts, strict=True
                )
            ]
            sides = [read_sentences(store, part) for part in ids]
            found = zip(*sides, strict=True)
            units = [link_unit(one, two) for one, two in found if one and two]
            yield len(ids[0]), _keep_good(units, params, tally)

    made = PairSource(head, len(source_places), pages())
    return tell_documents(store, made, (source.id, target.id))


__all__ = ["PairSource", "open_pair_source"]
