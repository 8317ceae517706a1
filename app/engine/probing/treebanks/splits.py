"""Balanced splits of rows that share no target word."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.engine.probing.treebanks.labels import (
    LabelledSentence,
    LabelledSentences,
    bits_of,
)
from app.engine.probing.treebanks.reader import Word

SPLITS = ("tr", "va", "te")  # as SentEval's files name training, development and test

Shares = tuple[int, int, int]  # maximum rows of each split; also their shares


class SplitRows(NamedTuple):
    """The rows of a set.

    Attributes:
        splits: rows of training, development and test, each empty or balanced.
        dropped: reason → number of rows in no split.
        n_targets: target words (lemmas) of each split; 0: labels don't depend on a
            word.
        n_classes: classes of all rows, before rare classes were dropped.
    """

    splits: tuple[
        list[LabelledSentence], list[LabelledSentence], list[LabelledSentence]
    ]
    dropped: Counter[str]
    n_targets: tuple[int, int, int]
    n_classes: int


def split_rows(
    rows: LabelledSentences, shares: Shares, generator: np.random.Generator
) -> SplitRows:
    """Choose classes and rows, and assign rows to splits.

    Every split has equally many rows of each class, also within each level of
    `Row.level`. A target word is in one split only, by lemma and by form.
    """
    dropped = rows.dropped.copy()
    classes = choose_classes(rows)
    kept = [row for row in rows.rows if row.label in classes]
    dropped["of a class that is too rare to balance"] = len(rows.rows) - len(kept)
    if any(row.target is not None for row in kept):
        parts = _deal_groups(kept, shares, generator)
        sets = [matched_sets(part, classes, generator) for part in parts]
    else:
        sets = _deal_sets(matched_sets(kept, classes, generator), shares)
    sets = _capped(sets, shares, len(classes))
    splits = [[row for one in part for row in one] for part in sets]
    n_kept = sum(map(len, splits))
    dropped["dropped to balance classes and splits"] = len(kept) - n_kept
    train, dev, test = (
        [split[int(i)] for i in generator.permutation(len(split))] for split in splits
    )
    return SplitRows(
        (train, dev, test),
        Counter({reason: n for reason, n in dropped.items() if n}),
        (_count_targets(train), _count_targets(dev), _count_targets(test)),
        len({row.label for row in rows.rows}),
    )


def choose_classes(rows: LabelledSentences) -> list[str]:
    """Choose the classes whose balanced rows have the most information.

    With k classes of n matched rows each, labels carry k n log2(k) bits: rare classes
    are left out if the loss of rows outweighs them. Selected ordered classes are
    consecutive; otherwise the most frequent classes are selected.

    Returns:
        At least two classes, if there are as many.
    """
    levels: dict[str, Counter[int]] = defaultdict(Counter)
    for row in rows.rows:
        levels[row.label][row.level] += 1
    if rows.classes:
        order = [name for name in rows.classes if name in levels]
        firsts = range(len(order))
    else:
        order = sorted(levels, key=lambda name: (-levels[name].total(), name))
        firsts = range(min(1, len(order)))
    best, most = order[:1], 0.0
    for first in firsts:
        matched = levels[order[first]]
        for end in range(first + 1, len(order)):
            matched = matched & levels[order[end]]  # the minimum count at each level
            k = end + 1 - first
            bits = bits_of(k, matched.total())
            if bits > most:
                best, most = order[first : end + 1], bits
    return best


def matched_sets(
    rows: Sequence[LabelledSentence],
    classes: Sequence[str],
    generator: np.random.Generator,
) -> list[list[LabelledSentence]]:
    """Group rows of one level, one per class, in random order."""
    cells: dict[int, dict[str, list[LabelledSentence]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for i in generator.permutation(len(rows)):
        row = rows[int(i)]
        cells[row.level][row.label].append(row)
    sets = []
    for level in sorted(cells):
        columns = [cells[level][name] for name in classes]
        sets += [list(one) for one in zip(*columns, strict=False)]
    return [sets[int(i)] for i in generator.permutation(len(sets))]


def _deal_sets(
    sets: list[list[LabelledSentence]], shares: Shares
) -> list[list[list[LabelledSentence]]]:
    """Assign sets by the splits' shares; each split gets one, if there are three."""
    total, n = sum(shares), len(sets)
    if n < len(SPLITS):
        return [sets, [], []]
    n_dev = max(1, n * shares[1] // total)
    n_test = max(1, n * shares[2] // total)
    n_train = n - n_dev - n_test
    return [sets[:n_train], sets[n_train : n_train + n_dev], sets[n_train + n_dev :]]


def _deal_groups(
    rows: Sequence[LabelledSentence], shares: Shares, generator: np.random.Generator
) -> list[list[LabelledSentence]]:
    """Assign rows so that rows with the same target word are in the same split.

    Assigns the largest groups first, each to the split that needs it most.
    """
    groups = _group(rows)
    order = [groups[int(i)] for i in generator.permutation(len(groups))]
    order.sort(key=len, reverse=True)
    counts = Counter(row.label for row in rows)
    total = sum(shares)
    needed = [
        {name: n * share / total for name, n in counts.items()} for share in shares
    ]
    parts: list[list[LabelledSentence]] = [[], [], []]
    for group in order:
        own = Counter(row.label for row in group)
        use = [sum(min(own[c], max(left[c], 0)) for c in own) for left in needed]
        room = [sum(left[c] for c in own) for left in needed]
        index = max(range(len(parts)), key=lambda i: (use[i], room[i]))
        parts[index] += group
        for name, n in own.items():
            needed[index][name] -= n
    return parts


def _group(rows: Sequence[LabelledSentence]) -> list[list[LabelledSentence]]:
    """Group rows whose targets share a lemma or a form."""
    leaders: dict[str, str] = {}

    def leader(name: str) -> str:
        while leaders.setdefault(name, name) != name:
            leaders[name] = leaders[leaders[name]]
            name = leaders[name]
        return name

    for row in rows:
        if row.target is not None:
            form, lemma = names_of(row.target)
            leaders[leader(lemma)] = leader(form)
    groups: dict[str, list[LabelledSentence]] = defaultdict(list)
    alone: list[list[LabelledSentence]] = []
    for row in rows:
        if row.target is None:
            alone.append([row])
        else:
            groups[leader(names_of(row.target)[0])].append(row)
    return [*groups.values(), *alone]


def names_of(word: Word) -> tuple[str, str]:
    """Return the form and the lemma of a target (the form if it has no lemma)."""
    form = word.form.lower()
    lemma = form if word.lemma in ("", "_") else word.lemma.lower()
    return f"form {form}", f"lemma {lemma}"


def _capped(
    sets: list[list[list[LabelledSentence]]], shares: Shares, n_classes: int
) -> list[list[list[LabelledSentence]]]:
    """Reduce splits to their maximum numbers of rows, keeping at least one set."""
    return [
        part[: max(1, share // max(n_classes, 1))]
        for part, share in zip(sets, shares, strict=True)
    ]


def _count_targets(rows: Sequence[LabelledSentence]) -> int:
    return len({names_of(row.target)[1] for row in rows if row.target is not None})
