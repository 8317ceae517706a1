"""Sentences that stand twice in their language: equal texts, and those nearly so."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.engine.care.gather import (
    READING_STAGE,
    Chosen,
    Known,
    read_all_texts,
    read_hashes,
)
from app.engine.care.groups import choose_kept, group_pairs
from app.engine.care.letters import letter_similarity
from app.engine.care.nearest import (
    NOTHING,
    Near,
    Wanted,
    near_in_itself,
)
from app.engine.mining.by_index import Recall
from app.engine.mining.rescoring import ExactSide
from app.engine.patience import wait_for
from app.engine.project import Project
from app.engine.report import Report
from app.engine.search.knn import IdArray
from app.engine.store.arrays import FloatArray
from app.engine.store.finding_rows import Finding
from app.engine.text.normalise import near_hashes

K = 16  # nearest sentences of each that are looked at
PAIRING_STAGE = "pair sentences"
STEP = 1_000  # findings between two steps
EQUAL = "Equal texts."
JOINED = "Another sentence, alike to both, joins them."
LIGHT = "They differ in case, punctuation and spaces only."


class Doubles(NamedTuple):
    """What was found.

    Attributes:
        kept: int64 (n,), for each sentence that takes part the place of the one that
            is kept of its group: itself where it stands alone.
        recalls: of each search that did not compare all.
        least: cosine and similarity of the letters that make two a pair.
    """

    kept: IdArray
    recalls: list[Recall | None]
    least: tuple[float, float]

    @property
    def places(self) -> IdArray:
        """Give the places of those that are not kept: int64 (m,), rising."""
        return np.flatnonzero(self.kept != np.arange(len(self.kept)))

    @property
    def n_groups(self) -> int:
        """Count the groups of more than one."""
        return len(np.unique(self.kept[self.places]))


class Texts(NamedTuple):
    """What the sentences say.

    Attributes:
        texts: of each.
        hashes: int64 (n,), of the texts.
        light: int64 (n,), of the texts without case, punctuation and spaces.
    """

    texts: Sequence[str]
    hashes: IdArray
    light: IdArray


def read_with_hashes(project: Project, chosen: Chosen, report: Report) -> Texts:
    """Read the texts of all that take part, and hash them."""
    texts = read_all_texts(project, chosen, report)
    light = wait_for(lambda: near_hashes(texts), report, READING_STAGE)
    hashes = wait_for(lambda: read_hashes(project, chosen), report, READING_STAGE)
    return Texts(texts, hashes, light)


def find_doubles(
    chosen: Chosen,
    known: Known,
    texts: Texts,
    wanted: tuple[Wanted, float, bool],
    report: Report,
) -> Doubles:
    """Group the sentences of each language that say the same in the same words.

    Texts that are equal, or are so without case, punctuation and spaces, are one group
    whatever their vectors; others are by a cosine that is high enough, confirmed by
    the letters.

    Args:
        chosen: who takes part.
        known: the vectors of those that have one.
        texts: of all.
        wanted: what is looked for by vectors, the least similarity of the letters, and
            whether the longest of a group is kept instead of the first.
        report: is told of the work.
    """
    near, similarity, longest = wanted
    codes = chosen.languages.codes
    ones, others = _equal_pairs(codes, texts.light)
    # of texts that are equal but for signs, the first is compared with others
    is_first = np.ones(len(codes), bool)
    is_first[ones] = False
    recalls: list[Recall | None] = []
    for code in np.unique(codes).tolist():
        part = known.part(is_first[known.places] & (codes[known.places] == code))
        if len(part.places) < 2:
            continue
        found = near_in_itself(part.side, near, report)
        recalls.append(found.recall)
        pairs = _pairs_of(found, part.places, near.floor, report)
        alike = letter_similarity(*texts_at(texts.texts, pairs), report)
        ones = np.concatenate([ones, pairs[0][alike >= similarity]])
        others = np.concatenate([others, pairs[1][alike >= similarity]])
    firsts = group_pairs(len(codes), ones, others)
    lengths = np.array([len(text) for text in texts.texts]) if longest else None
    least = (near.floor, similarity)
    return Doubles(choose_kept(firsts, lengths), recalls, least)


def double_findings(
    doubles: Doubles, chosen: Chosen, known: Known, texts: Texts, report: Report
) -> list[Finding]:
    """Name each sentence that is not kept, beside the one that is."""
    places = doubles.places
    kept = doubles.kept[places]
    alike = letter_similarity(*texts_at(texts.texts, (places, kept)), report)
    cosines = cosines_of(known, len(chosen), (places, kept))
    hashes, light = texts.hashes, texts.light
    found = []
    for i, (one, other) in enumerate(zip(places.tolist(), kept.tolist(), strict=True)):
        if i % STEP == 0:
            report.step(PAIRING_STAGE, i, len(places))
        is_equal = hashes[one] == hashes[other]
        detail = told_alike(alike[i], cosines[i])
        if light[one] == light[other]:
            detail = LIGHT
        elif cosines[i] < doubles.least[0] or alike[i] < doubles.least[1]:
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
    order = np.lexsort((places, kept))
    return [found[i] for i in order.tolist()]


def cosines_of(known: Known, n: int, pairs: tuple[IdArray, IdArray]) -> FloatArray:
    """Give the cosines of pairs of places: float32 (p,), NaN without a vector."""
    rows = np.full(n, NOTHING, np.int64)
    rows[known.places] = np.arange(len(known.places))
    ones, others = rows[pairs[0]], rows[pairs[1]]
    cosines = np.full(len(ones), np.nan, np.float32)
    has_both = np.flatnonzero((ones != NOTHING) & (others != NOTHING))
    for start in range(0, len(has_both), 8_192):
        some = has_both[start : start + 8_192]
        left = _vectors_at(known.side, ones[some])
        cosines[some] = (left * _vectors_at(known.side, others[some])).sum(axis=1)
    return cosines


def _equal_pairs(
    codes: "np.ndarray[tuple[int], np.dtype[np.int32]]", hashes: IdArray
) -> tuple[IdArray, IdArray]:
    """Pair each sentence with the first of its language of the same hash."""
    order = np.lexsort((np.arange(len(codes)), hashes, codes))
    is_same = (codes[order][1:] == codes[order][:-1]) & (
        hashes[order][1:] == hashes[order][:-1]
    )
    starts = np.flatnonzero(np.concatenate([[True], ~is_same]))
    firsts = np.repeat(order[starts], np.diff([*starts.tolist(), len(order)]))
    is_other = firsts != order
    return order[is_other], firsts[is_other]


def _pairs_of(
    found: Near, places: IdArray, floor: float, report: Report
) -> tuple[IdArray, IdArray]:
    """Give the pairs of places that are near enough, each once."""
    near, n = found.neighbours, len(places)
    owners, ranks = np.nonzero((near.scores >= floor) & (near.rows != NOTHING))
    others = near.rows[owners, ranks]
    keys = np.minimum(owners, others) * n + np.maximum(owners, others)
    once = wait_for(lambda: np.unique(keys), report, PAIRING_STAGE)
    return places[once // n], places[once % n]


def texts_at(
    texts: Sequence[str], pairs: tuple[IdArray, IdArray]
) -> tuple[list[str], list[str]]:
    """Give the texts of both sides of pairs of places: int64 (p,) each."""
    ones, others = ([texts[place] for place in side.tolist()] for side in pairs)
    return ones, others


def told_alike(similarity: float, cosine: float) -> str:
    """Say how alike two texts are."""
    told = f"{100 * similarity:.0f} % of the letters are equal"
    return f"{told}, the cosine is {cosine:.3f}." if cosine == cosine else f"{told}."


def _vectors_at(side: ExactSide, places: IdArray) -> FloatArray:
    rows = places if side.rows is None else side.rows[places]
    vectors: FloatArray = side.vectors[rows]
    return vectors
