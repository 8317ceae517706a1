"""Baselines and control tasks that a probe is compared with.

Hewitt and Liang 2019, "Designing and interpreting probes with control tasks", section
2: each word type gets a random class, drawn by the frequencies of the task's classes,
so only a probe that memorises words can be right. Their tasks are on words. Sentence
types would not recur in the test rows, so here a sentence's class is the class of its
*key word*: its most frequent word that occurs in few training rows (at most a share
`MAX_KEY_SHARE`, and no more rows than a class has on average, but at least two).
"""

from typing import NamedTuple

import numpy as np
import torch

from app.arrays import FloatArray, IntArray
from app.engine.probing.bags_of_words import NaiveBayes, TextWords, weigh_words
from app.engine.probing.sets import ProbingSet, ProbingSplit, count_rows
from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import split_words

DIMENSIONS = 64  # of random vectors drawn at once
ALPHAS = (1.0, 0.1, 0.01)  # of naive Bayes, chosen on the development set


def majority_accuracy(probing_set: ProbingSet) -> float:
    """Return the test accuracy of the most frequent class of the training rows."""
    counts = count_rows(probing_set.train.classes, probing_set.n_classes)
    return float((probing_set.test.classes == counts.argmax()).mean())


def length_accuracy(probing_set: ProbingSet) -> float:
    """Return the accuracy of the best classifier by the number of words alone.

    It predicts the most frequent class (the first of ties) of the training rows of this
    length, or of the nearest existing length.
    """
    train, test = (text_lengths(one) for one in (probing_set.train, probing_set.test))
    seen = np.unique(train)
    best = np.array(
        [
            count_rows(
                probing_set.train.classes[train == length], probing_set.n_classes
            ).argmax()
            for length in seen
        ]
    )
    after = np.minimum(np.searchsorted(seen, test), len(seen) - 1)
    before = np.maximum(after - 1, 0)
    is_before = np.abs(test - seen[before]) <= np.abs(seen[after] - test)
    nearest = np.where(is_before, before, after)
    return float((best[nearest] == probing_set.test.classes).mean())


def text_lengths(part: ProbingSplit) -> IntArray:
    """Count the words of texts, int64 (n,): strings between spaces.

    If most texts have no spaces, as in untokenised Chinese, counts characters.
    """
    counts = np.array([len(text.split()) for text in part.texts], np.int64)
    if np.median(counts) > 1:
        return counts
    return np.array([len(split_words(text)) for text in part.texts], np.int64)


def bayes_accuracy(probing_set: ProbingSet, words: TextWords, report: Report) -> float:
    """Return the accuracy of naive Bayes on TF-IDF, with α from the development set."""
    n_train, n_development, n_test = probing_set.sizes
    bags = weigh_words(words, n_train)
    train = bags.part(0, n_train)
    development = bags.part(n_train, n_train + n_development)
    test = bags.part(n_train + n_development, n_train + n_development + n_test)
    model = NaiveBayes(train, probing_set.train.classes, probing_set.n_classes)
    scores = []
    for alpha in ALPHAS:
        found = model.predict(development, alpha, report)
        scores.append((found == probing_set.development.classes).mean())
    found = model.predict(test, ALPHAS[int(np.argmax(scores))], report)
    return float((found == probing_set.test.classes).mean())


def random_vectors(
    words: TextWords, dim: int, *, seed: int, report: Report
) -> FloatArray:
    """Return the mean of random word vectors for each text.

    Wieting and Kiela 2019, "No training required", bag of random embeddings.

    Returns:
        float32 (n, d); a text without a word has zeros.
    """
    generator = np.random.default_rng(seed)
    ids = torch.from_numpy(words.ids)
    starts = torch.from_numpy(np.cumsum(words.counts) - words.counts)
    vectors = np.empty((len(words.counts), dim), np.float32)
    for first in range(0, dim, DIMENSIONS):
        report.step("Drawing random vectors", first, dim)
        width = min(DIMENSIONS, dim - first)
        table = generator.standard_normal((words.n_words, width), np.float32)
        vectors[:, first : first + width] = torch.nn.functional.embedding_bag(
            ids, torch.from_numpy(table), starts, mode="mean"
        ).numpy()
    return vectors


MAX_KEY_SHARE = 0.01  # maximum share of training rows with a key word
MIN_KEY_ROWS = 2  # lower limit of the maximum number of rows
NO_KEY = -1


class Labelling(NamedTuple):
    """Classes of the three splits' rows, int64 (n,) each."""

    train: IntArray
    development: IntArray
    test: IntArray


def key_words(words: TextWords, n_train: int, n_classes: int) -> IntArray:
    """Choose the key word of each text: int64 (n,), `NO_KEY` if it has none.

    Args:
        words: words of all texts, training rows first.
        n_train: number of training rows.
    """
    once, _ = words.distinct()
    is_train = once.rows < n_train
    frequencies = np.bincount(once.ids[is_train], minlength=words.n_words)
    most = max(MIN_KEY_ROWS, min(int(MAX_KEY_SHARE * n_train), n_train // n_classes))
    found = frequencies[once.ids]
    is_rare = (found > 0) & (found <= most)
    rows, ids, found = once.rows[is_rare], once.ids[is_rare], found[is_rare]
    order = np.lexsort((ids, -found, rows))  # the first id of ties
    rows, ids = rows[order], ids[order]
    keys = np.full(len(words.counts), NO_KEY, np.int64)
    firsts = np.unique(rows, return_index=True)[1]
    keys[rows[firsts]] = ids[firsts]
    return keys


def label_by_words(probing_set: ProbingSet, keys: IntArray, *, seed: int) -> Labelling:
    """Draw a random class per key word, and label each row by its key word.

    Classes are drawn without replacement, so that their frequencies in the training
    rows are about as in the task. A row without a key word has a random class.

    Args:
        keys: int64 (n,), key word of each row.
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
    for index in generator.permutation(len(names)).tolist():
        rest = np.maximum(left, 0)
        odds = np.cumsum(rest / rest.sum() if rest.any() else shares)
        drawn = int(np.searchsorted(odds, generator.random(), side="right"))
        drawn = min(drawn, len(shares) - 1)
        class_of[names[index]] = drawn
        left[drawn] -= sizes[index]
    strays = generator.choice(len(counts), len(keys), p=shares)
    labels = np.where(keys == NO_KEY, strays, class_of[np.maximum(keys, 0)])
    ends = [n_train, n_train + n_development]
    return Labelling(*np.split(labels.astype(np.int64), ends))
