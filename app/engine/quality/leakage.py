"""Find sentences of one set in another: equal, nearly equal or translated."""

from typing import NamedTuple

import numpy as np

from app.arrays import IdArray
from app.engine.mining.approximate_search import Recall
from app.engine.quality.duplicates import (
    EQUAL,
    LIGHT,
    HashedTexts,
    character_similarity,
    describe_similarity,
    describe_translation,
    find_translated_pairs,
    texts_at,
)
from app.engine.quality.neighbours import NeighbourOptions, find_neighbours_in_other
from app.engine.quality.selection import EncodedSentences, SentenceSelection
from app.engine.runtime.report import Report
from app.engine.search.knn import NO_NEIGHBOUR
from app.engine.store.findings import Finding
from app.params.quality import FindLeakage

K = 4  # nearest sentences to compare by letters


class LeakSide(NamedTuple):
    """One side: sentences, their vectors and their texts."""

    chosen: SentenceSelection
    known: EncodedSentences
    texts: HashedTexts


class Leaks(NamedTuple):
    """Findings by the index of the sentence, and measured recalls."""

    found: dict[int, Finding]
    recalls: list[Recall | None]


def find_leaks(
    unseen: LeakSide, within: LeakSide, params: FindLeakage, report: Report
) -> Leaks:
    """Find the sentences of one side that occur on the other, one finding each.

    Equal texts come first, then those that differ in case, punctuation and spaces,
    then those nearly equal by vectors and letters, then translations.
    """
    leaks = Leaks({}, [])
    _add_equal(leaks, unseen, within)
    names = unseen.chosen.languages.names
    for code, name in enumerate(names):
        own = _of_language(unseen, code, leaks)
        for other_code, other_name in enumerate(within.chosen.languages.names):
            other = _of_language(within, other_code, None)
            if name == other_name and len(own.places) and len(other.places):
                _add_near(leaks, (unseen, own), (within, other), params, report)
    for code, name in enumerate(names):
        own = _of_language(unseen, code, leaks)
        best: dict[int, Finding] = {}
        for other_code, other_name in enumerate(within.chosen.languages.names):
            other = _of_language(within, other_code, None)
            if name != other_name and len(own.places) and len(other.places):
                sides = (unseen, own), (within, other)
                _add_translations(leaks, best, sides, params, report)
        leaks.found.update(best)
    return leaks


def _add_translations(
    leaks: Leaks,
    best: dict[int, Finding],
    sides: tuple[tuple[LeakSide, EncodedSentences], tuple[LeakSide, EncodedSentences]],
    params: FindLeakage,
    report: Report,
) -> None:
    """Find translations, keeping the one with the highest cosine."""
    (unseen, own), (within, other) = sides
    pairs = find_translated_pairs(
        own,
        other,
        (params.across_cosine, params.margin),
        (params.exact, params.seed),
        report,
        is_mutual=False,
    )
    leaks.recalls.extend(pairs.recalls)
    for one, two, cosine, margin in zip(*pairs[:4], strict=True):
        known = best.get(int(one))
        if known is None or float(cosine) > (known.cosine or 0):
            best[int(one)] = Finding(
                "translation",
                int(unseen.chosen.ids[one]),
                int(within.chosen.ids[two]),
                round(float(cosine), 4),
                None,
                describe_translation(cosine, margin),
            )


def _add_equal(leaks: Leaks, unseen: LeakSide, within: LeakSide) -> None:
    """Find texts that are equal, or equal up to case, punctuation and spaces."""
    for kind, detail, own, others in (
        ("equal", EQUAL, unseen.texts.hashes, within.texts.hashes),
        ("near", LIGHT, unseen.texts.light, within.texts.light),
    ):
        known, firsts = np.unique(others, return_index=True)
        where = np.minimum(np.searchsorted(known, own), len(known) - 1)
        for index in np.flatnonzero(known[where] == own).tolist():
            if index not in leaks.found:
                other = int(within.chosen.ids[firsts[where[index]]])
                id_ = int(unseen.chosen.ids[index])
                leaks.found[index] = Finding(kind, id_, other, detail=detail)


def _add_near(
    leaks: Leaks,
    unseen: tuple[LeakSide, EncodedSentences],
    within: tuple[LeakSide, EncodedSentences],
    params: FindLeakage,
    report: Report,
) -> None:
    """Find the most similar nearly equal text of the same language."""
    own, other = unseen[1], within[1]
    wanted = NeighbourOptions(K, params.cosine, params.exact, params.seed)
    near = find_neighbours_in_other(own.side, other.side, wanted, report)
    leaks.recalls.append(near.recall)
    rows = near.neighbours.rows
    is_near = (near.neighbours.scores >= params.cosine) & (rows != NO_NEIGHBOUR)
    owners, ranks = np.nonzero(is_near)
    indices = own.places[owners]
    others = other.places[rows[owners, ranks]]
    nothing = np.empty(0, np.int64)
    alike = character_similarity(
        texts_at(unseen[0].texts.texts, (indices, nothing))[0],
        texts_at(within[0].texts.texts, (others, nothing))[0],
        report,
    )
    cosines = near.neighbours.scores[owners, ranks]
    for i in np.argsort(alike, kind="stable").tolist():  # the most similar remains
        if alike[i] >= params.similarity:
            leaks.found[int(indices[i])] = Finding(
                "near",
                int(unseen[0].chosen.ids[indices[i]]),
                int(within[0].chosen.ids[others[i]]),
                round(float(cosines[i]), 4),
                round(float(alike[i]), 4),
                describe_similarity(float(alike[i]), float(cosines[i])),
            )


def _of_language(side: LeakSide, code: int, leaks: Leaks | None) -> EncodedSentences:
    """Return the sentences of a language without a finding yet."""
    is_in = side.chosen.languages.codes[side.known.places] == code
    if leaks is not None and leaks.found:
        found: IdArray = np.fromiter(leaks.found, np.int64)
        is_in &= ~np.isin(side.known.places, found)
    return side.known.part(is_in)
