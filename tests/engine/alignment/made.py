"""Documents with a known alignment, made of sentences that are known translations.

Some neighbours are written as one sentence on one side, some sentences have no
translation, and some stand on one side only that are of another text.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.engine.store.pairs.texts import join_sentences

SHARE_MERGED, SHARE_DROPPED, SHARE_INSERTED = 0.15, 0.05, 0.05
Link = tuple[tuple[int, ...], tuple[int, ...]]  # positions on both sides


class Documents(NamedTuple):
    """Two documents and the links between them."""

    sources: list[str]
    targets: list[str]
    gold: list[Link]


class Quality(NamedTuple):
    """Precision, recall and F1 of links (0…1)."""

    precision: float
    recall: float
    f1: float


def make_documents(
    pairs: Sequence[tuple[str, str]],
    strangers: tuple[Sequence[str], Sequence[str]],
    languages: tuple[str, str],
    random: np.random.Generator,
) -> Documents:
    """Make two documents of pairs in this order.

    Args:
        pairs: source and target.
        strangers: sentences of either side that have no translation.
        languages: of the two sides.
        random: draws what happens to each pair.
    """
    sides: tuple[list[str], list[str]] = ([], [])
    gold: list[Link] = []
    i = 0
    while i < len(pairs):
        for side in (0, 1):
            if strangers[side] and random.random() < SHARE_INSERTED:
                sides[side].append(str(random.choice(list(strangers[side]))))
        if random.random() < SHARE_DROPPED:
            side = int(random.integers(2))
            sides[side].append(pairs[i][side])
            i += 1
            continue
        n = 1
        if random.random() < SHARE_MERGED:
            n = min(int(random.integers(2, 4)), len(pairs) - i)
        one = int(random.integers(2))
        places: list[tuple[int, ...]] = []
        for side in (0, 1):
            texts = [pair[side] for pair in pairs[i : i + n]]
            if n > 1 and side == one:
                texts = [join_sentences(texts, languages[side])]
            first = len(sides[side])
            sides[side].extend(texts)
            places.append(tuple(range(first, first + len(texts))))
        gold.append((places[0], places[1]))
        i += n
    return Documents(*sides, gold)


def links_of(moves: Sequence[Sequence[int]]) -> list[Link]:
    """Return the links of a path, without what has no translation."""
    links: list[Link] = []
    i = j = 0
    for n, m in moves:
        if n and m:
            links.append((tuple(range(i, i + n)), tuple(range(j, j + m))))
        i, j = i + n, j + m
    return links


def strict(found: Sequence[Link], gold: Sequence[Link]) -> Quality:
    """Count a link as right that is one of the gold."""
    n_right = len(set(found) & set(gold))
    return _quality(n_right, len(found), n_right, len(gold))


def lax(found: Sequence[Link], gold: Sequence[Link]) -> Quality:
    """Count a link as right that shares a sentence of both sides with one of the gold.

    (Sennrich and Volk 2010; Thompson and Koehn 2019, section 4.)
    """
    ours, theirs = (
        {(i, j) for source, target in links for i in source for j in target}
        for links in (found, gold)
    )
    n_found = sum(any((i, j) in theirs for i in s for j in t) for s, t in found)
    n_gold = sum(any((i, j) in ours for i in s for j in t) for s, t in gold)
    return _quality(n_found, len(found), n_gold, len(gold))


def read_samples(folder: Path, language: str) -> tuple[list[str], list[str]]:
    """Read the gold sentences of a sample in the order of their keys, and the rest."""
    file = folder / f"{language}.tsv"
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    gold = sorted((row for row in rows if row["gold"]), key=lambda row: row["gold"])
    others = [row["text"] for row in rows if not row["gold"]]
    return [row["text"] for row in gold], others


def _quality(n_found: int, found: int, n_gold: int, gold: int) -> Quality:
    precision = n_found / max(found, 1)
    recall = n_gold / max(gold, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return Quality(precision, recall, f1)
