"""The control task: labels that hold nothing but words, each with a random class.

Hewitt and Liang 2019, "Designing and interpreting probes with control tasks", section
2: each word type gets a random class, drawn by the frequencies of the task's classes,
so only a probe that learns words by heart can be right. Theirs are tasks on words. A
sentence as a type would never come again in the test rows, so here the class of a
sentence is that of its *key word*: the most frequent word among those that are in few
training rows (at most `SHARE` of them, no more than a class has on average, but two).
"""

from typing import NamedTuple

import numpy as np

from app.engine.classify.heads.head import IntArray
from app.engine.probing.tasks import ProbingSet, count_rows
from app.engine.probing.words import TextWords

SHARE = 0.01  # of the training rows, that may have a key word
FEWEST = 2  # rows that a key word may be in at least
NO_KEY = -1


class Labelling(NamedTuple):
    """Classes of the three splits' rows, int64 (n,) each."""

    train: IntArray
    development: IntArray
    test: IntArray


def key_words(words: TextWords, n_train: int, n_classes: int) -> IntArray:
    """Choose the key word of each text: int64 (n,), `NO_KEY` where it has none.

    Args:
        words: of all texts, the training rows first.
        n_train: training rows.
        n_classes: of the task.
    """
    once, _ = words.distinct()
    is_train = once.rows < n_train
    frequencies = np.bincount(once.ids[is_train], minlength=words.n_words)
    most = max(FEWEST, min(int(SHARE * n_train), n_train // n_classes))
    found = frequencies[once.ids]
    is_rare = (found > 0) & (found <= most)
    rows, ids, found = once.rows[is_rare], once.ids[is_rare], found[is_rare]
    order = np.lexsort((ids, -found, rows))  # of equals the first number
    rows, ids = rows[order], ids[order]
    keys = np.full(len(words.counts), NO_KEY, np.int64)
    firsts = np.unique(rows, return_index=True)[1]
    keys[rows[firsts]] = ids[firsts]
    return keys


def label_by_words(probing_set: ProbingSet, keys: IntArray, *, seed: int) -> Labelling:
    """Give each key word a random class, and each row that of its key word.

    The classes are drawn from what is left of each, so that the training rows have
    them about as often as in the task. A row without a key word has any class.

    Args:
        probing_set: whose classes and rows they are.
        keys: int64 (n,), the key word of each row.
        seed: of the draws.
    """
    generator = np.random.default_rng(seed)
    n_train, n_development = (
        len(part.texts) for part in (probing_set.train, probing_set.development)
    )
    counts = count_rows(probing_set.train.classes, probing_set.n_classes)
    shares = counts / counts.sum()
    class_of = generator.choice(len(counts), keys.max(initial=0) + 1, p=shares)
    left = counts.astype(np.float64)
    names, sizes = np.unique(keys[:n_train], return_counts=True)
    names, sizes = names[names != NO_KEY], sizes[names != NO_KEY]
    for place in generator.permutation(len(names)).tolist():
        rest = np.maximum(left, 0)
        odds = np.cumsum(rest / rest.sum() if rest.any() else shares)
        drawn = int(np.searchsorted(odds, generator.random(), side="right"))
        drawn = min(drawn, len(shares) - 1)
        class_of[names[place]] = drawn
        left[drawn] -= sizes[place]
    strays = generator.choice(len(counts), len(keys), p=shares)
    labels = np.where(keys == NO_KEY, strays, class_of[np.maximum(keys, 0)])
    ends = [n_train, n_train + n_development]
    return Labelling(*np.split(labels.astype(np.int64), ends))
