"""Find equal, nearly equal and translated sentences."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from app.arrays import FloatArray, IdArray
from app.engine.mining.approximate_search import Recall
from app.engine.mining.exact_search import ExactSide
from app.engine.mining.scores import margin_scores, neighbour_means
from app.engine.project.project import Project
from app.engine.quality.neighbours import (
    NeighbourOptions,
    NeighbourResult,
    find_neighbours_both_ways,
    find_neighbours_within,
)
from app.engine.quality.selection import (
    READING_STAGE,
    EncodedSentences,
    SentenceSelection,
    read_all_texts,
    read_hashes,
)
from app.engine.runtime.blocking_calls import run_in_thread
from app.engine.runtime.report import Report
from app.engine.search.knn import NO_NEIGHBOUR
from app.engine.store.findings import Finding
from app.engine.text.normalisation import near_hashes
from app.number_format import format_percent, format_score


def group_pairs(n: int, ones: IdArray, others: IdArray) -> IdArray:
    """Return the first member of the group of each of n members: int64 (n,).

    A group is a connected component. Labels are propagated along the pairs, and each
    label is replaced by its own label, until nothing changes (Shiloach and Vishkin
    1982): a few rounds, whatever the order of the pairs.

    Args:
        n: number of members.
        ones: int64 (p,), first member of each pair.
        others: int64 (p,), second member of each pair.
    """
    firsts = np.arange(n)
    while True:
        lowest = np.minimum(firsts[ones], firsts[others])
        before = firsts.copy()
        np.minimum.at(firsts, before[ones], lowest)
        np.minimum.at(firsts, before[others], lowest)
        while not np.array_equal(jumped := firsts[firsts], firsts):
            firsts = jumped
        if np.array_equal(firsts, before):
            return firsts


def choose_kept(firsts: IdArray, lengths: "IdArray | None" = None) -> IdArray:
    """Return the kept member of each member's group: int64 (n,).

    Args:
        firsts: int64 (n,), first member of each member's group.
        lengths: int64 (n,): keep the longest member, or the first of equal length;
            None: keep the first.
    """
    if lengths is None:
        return firsts
    order = np.lexsort((np.arange(len(firsts)), -lengths, firsts))
    groups, starts = np.unique(firsts[order], return_index=True)
    kept: IdArray = order[starts][np.searchsorted(groups, firsts)]
    return kept


LETTER_STAGE = "Comparing letters"
BLOCK = 10_000  # pairs per step


def character_similarity(
    ones: Sequence[str], others: Sequence[str], report: Report
) -> FloatArray:
    """Compare texts pair by pair, ignoring case: float32 (p,), 0…1.

    1 minus the edit distance (Levenshtein 1966) divided by the longer text's length.
    """
    parts = [np.empty(0, np.float32)]
    for start in range(0, len(ones), BLOCK):
        report.step(LETTER_STAGE, start, len(ones))
        sides = [
            [text.casefold() for text in side[start : start + BLOCK]]
            for side in (ones, others)
        ]
        parts.append(
            cpdist(*sides, scorer=Levenshtein.normalized_similarity, dtype=np.float32)
        )
    similarity: FloatArray = np.concatenate(parts)
    return similarity


K = 16  # nearest sentences to compare
PAIRING_STAGE = "Pairing sentences"
STEP = 1_000  # findings between two steps
EQUAL = "Equal texts."
JOINED = "Both are similar to another sentence of the group."
LIGHT = "They differ only in case, punctuation and spaces."


class Duplicates(NamedTuple):
    """Groups of duplicates.

    Attributes:
        kept: int64 (n,), for each active sentence the index of the kept sentence of its
            group (itself for single sentences).
        recalls: recall of each approximate search.
        least: minimum cosine and minimum similarity of the letters of a pair.
    """

    kept: IdArray
    recalls: list[Recall | None]
    least: tuple[float, float]

    @property
    def places(self) -> IdArray:
        """Indices of the sentences that are not kept: int64 (m,), ascending."""
        return np.flatnonzero(self.kept != np.arange(len(self.kept)))

    @property
    def n_groups(self) -> int:
        """Number of groups with more than one member."""
        return len(np.unique(self.kept[self.places]))


class HashedTexts(NamedTuple):
    """The texts of the sentences and their hashes.

    Attributes:
        texts: texts of the sentences.
        hashes: int64 (n,), hashes of the texts.
        light: int64 (n,), hashes ignoring case, punctuation and spaces.
    """

    texts: Sequence[str]
    hashes: IdArray
    light: IdArray


def read_hashed_texts(
    project: Project, chosen: SentenceSelection, report: Report
) -> HashedTexts:
    """Read the texts of all selected sentences, and hash them."""
    texts = read_all_texts(project, chosen, report)
    light = run_in_thread(lambda: near_hashes(texts), report, READING_STAGE)
    hashes = run_in_thread(lambda: read_hashes(project, chosen), report, READING_STAGE)
    return HashedTexts(texts, hashes, light)


def group_duplicates(
    chosen: SentenceSelection,
    known: EncodedSentences,
    texts: HashedTexts,
    wanted: tuple[NeighbourOptions, float, bool],
    report: Report,
) -> Duplicates:
    """Group the duplicates within each language.

    Texts that are equal, ignoring case, punctuation and spaces, form a group regardless
    of their vectors; others need a high cosine and similar letters.

    Args:
        known: vectors of the sentences that have one.
        wanted: options of the vector search, minimum similarity of the letters, and
            whether to keep the longest instead of the first member of a group.
    """
    near, similarity, longest = wanted
    codes = chosen.languages.codes
    ones, others = _equal_pairs(codes, texts.light)
    # of texts that differ only in punctuation, the first is compared with others
    is_first = np.ones(len(codes), bool)
    is_first[ones] = False
    recalls: list[Recall | None] = []
    for code in np.unique(codes).tolist():
        part = known.part(is_first[known.places] & (codes[known.places] == code))
        if len(part.places) < 2:
            continue
        found = find_neighbours_within(part.side, near, report)
        recalls.append(found.recall)
        pairs = _pairs_of(found, part.places, near.floor, report)
        alike = character_similarity(*texts_at(texts.texts, pairs), report)
        ones = np.concatenate([ones, pairs[0][alike >= similarity]])
        others = np.concatenate([others, pairs[1][alike >= similarity]])
    firsts = group_pairs(len(codes), ones, others)
    lengths = np.array([len(text) for text in texts.texts]) if longest else None
    least = (near.floor, similarity)
    return Duplicates(choose_kept(firsts, lengths), recalls, least)


def duplicate_findings(
    duplicates: Duplicates,
    chosen: SentenceSelection,
    known: EncodedSentences,
    texts: HashedTexts,
    report: Report,
) -> list[Finding]:
    """Return a finding for each removed sentence, with the kept one."""
    indices = duplicates.places
    kept = duplicates.kept[indices]
    alike = character_similarity(*texts_at(texts.texts, (indices, kept)), report)
    cosines = cosines_of(known, len(chosen), (indices, kept))
    hashes, light = texts.hashes, texts.light
    found = []
    for i, (one, other) in enumerate(zip(indices.tolist(), kept.tolist(), strict=True)):
        if i % STEP == 0:
            report.step(PAIRING_STAGE, i, len(indices))
        is_equal = hashes[one] == hashes[other]
        detail = describe_similarity(alike[i], cosines[i])
        if light[one] == light[other]:
            detail = LIGHT
        elif cosines[i] < duplicates.least[0] or alike[i] < duplicates.least[1]:
            detail = f"{detail} {JOINED}"
        found.append(
            Finding(
                "equal" if is_equal else "near",
                int(chosen.ids[one]),
                int(chosen.ids[other]),
                None if np.isnan(cosines[i]) else round(float(cosines[i]), 4),
                round(float(alike[i]), 4),
                EQUAL if is_equal else detail,
            )
        )
    order = np.lexsort((indices, kept))
    return [found[i] for i in order.tolist()]


def cosines_of(
    known: EncodedSentences, n: int, pairs: tuple[IdArray, IdArray]
) -> FloatArray:
    """Return the cosines of pairs of indices: float32 (p,), NaN without a vector."""
    rows = np.full(n, NO_NEIGHBOUR, np.int64)
    rows[known.places] = np.arange(len(known.places))
    ones, others = rows[pairs[0]], rows[pairs[1]]
    cosines = np.full(len(ones), np.nan, np.float32)
    has_both = np.flatnonzero((ones != NO_NEIGHBOUR) & (others != NO_NEIGHBOUR))
    for start in range(0, len(has_both), 8_192):
        some = has_both[start : start + 8_192]
        left = _vectors_at(known.side, ones[some])
        cosines[some] = (left * _vectors_at(known.side, others[some])).sum(axis=1)
    return cosines


def _equal_pairs(
    codes: "np.ndarray[tuple[int], np.dtype[np.int32]]", hashes: IdArray
) -> tuple[IdArray, IdArray]:
    """Pair each sentence with the first of its language that has the same hash."""
    order = np.lexsort((np.arange(len(codes)), hashes, codes))
    is_same = (codes[order][1:] == codes[order][:-1]) & (
        hashes[order][1:] == hashes[order][:-1]
    )
    starts = np.flatnonzero(np.concatenate([[True], ~is_same]))
    firsts = np.repeat(order[starts], np.diff([*starts.tolist(), len(order)]))
    is_other = firsts != order
    return order[is_other], firsts[is_other]


def _pairs_of(
    found: NeighbourResult, indices: IdArray, floor: float, report: Report
) -> tuple[IdArray, IdArray]:
    """Return the distinct pairs of indices that are near enough."""
    near, n = found.neighbours, len(indices)
    owners, ranks = np.nonzero((near.scores >= floor) & (near.rows != NO_NEIGHBOUR))
    others = near.rows[owners, ranks]
    keys = np.minimum(owners, others) * n + np.maximum(owners, others)
    once = run_in_thread(lambda: np.unique(keys), report, PAIRING_STAGE)
    return indices[once // n], indices[once % n]


def texts_at(
    texts: Sequence[str], pairs: tuple[IdArray, IdArray]
) -> tuple[list[str], list[str]]:
    """Return the texts of both sides of pairs of indices: int64 (p,) each."""
    ones, others = ([texts[index] for index in side.tolist()] for side in pairs)
    return ones, others


def describe_similarity(similarity: float, cosine: float) -> str:
    """Describe the similarity of two texts."""
    shares = f"{format_percent(similarity)} of the characters are equal"
    known = f", cosine {format_score(cosine)}" if cosine == cosine else ""
    return f"{shares}{known}."


def _vectors_at(side: ExactSide, indices: IdArray) -> FloatArray:
    rows = indices if side.rows is None else side.rows[indices]
    vectors: FloatArray = side.vectors[rows]
    return vectors


TRANSLATION_K = 4  # neighbours of the margin, as in mining
TRANSLATION_FEW = (
    2 * TRANSLATION_K
)  # minimum sentences per side for a meaningful mean of neighbours
ANY_COSINE = -1.0  # the margin needs neighbours at any distance


class TranslatedPairs(NamedTuple):
    """Pairs of two sides.

    Attributes:
        ones, others: int64 (p,), indices of the chosen sentences.
        cosines, margins: float32 (p,).
        recalls: recalls of both searches, if approximate.
    """

    ones: IdArray
    others: IdArray
    cosines: FloatArray
    margins: FloatArray
    recalls: list[Recall | None]


def find_translated_pairs(
    source: EncodedSentences,
    target: EncodedSentences,
    least: tuple[float, float],
    how: tuple[bool, int],
    report: Report,
    *,
    is_mutual: bool = True,
) -> TranslatedPairs:
    """Pair sentences with their nearest neighbours on the other side.

    Cosine and margin must be high enough. The margin is the ratio of the cosine to the
    mean cosine of both with their four nearest (Artetxe and Schwenk 2019, equations 2,
    5). If a side has too few sentences for a mean, only the cosine decides.

    Args:
        least: minimum cosine and margin.
        how: whether to force an exact search; seed.
        is_mutual: only pairs that are each other's nearest.
    """
    wanted = NeighbourOptions(TRANSLATION_K, ANY_COSINE, *how)
    near = find_neighbours_both_ways(source.side, target.side, wanted, report)
    of_source, of_target = near[0].neighbours, near[1].neighbours
    means = neighbour_means(of_source.scores), neighbour_means(of_target.scores)
    own = np.arange(len(source.places))
    best, cosines = of_source.rows[:, 0], of_source.scores[:, 0]
    is_there = (best != NO_NEIGHBOUR) & (cosines >= least[0])
    own, best, cosines = own[is_there], best[is_there], cosines[is_there]
    margins = margin_scores(cosines, means[0][own], means[1][best], "ratio")
    is_in = margins >= least[1]
    if min(len(source.places), len(target.places)) < TRANSLATION_FEW:
        is_in[:] = True
    if is_mutual:
        is_in &= of_target.rows[best, 0] == own
    return TranslatedPairs(
        source.places[own[is_in]],
        target.places[best[is_in]],
        cosines[is_in],
        margins[is_in],
        recalls_of(near),
    )


def recalls_of(near: tuple[NeighbourResult, ...]) -> list[Recall | None]:
    """Return the measured recall of each search."""
    return [one.recall for one in near]


def describe_translation(cosine: float, margin: float) -> str:
    """Describe why two sentences are likely translations."""
    return f"Cosine {format_score(cosine)}, margin {format_score(margin)}."
