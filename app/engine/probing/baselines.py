"""What any probe has to beat: majority, length, naive Bayes, random vectors."""

import numpy as np
import torch

from app.engine.classify.heads.head import IntArray
from app.engine.probing.naive_bayes import NaiveBayes, weigh_words
from app.engine.probing.tasks import Part, ProbingSet, count_rows
from app.engine.probing.words import TextWords
from app.engine.report import Report
from app.engine.store.arrays import FloatArray
from app.engine.text.words import split_words

DIMENSIONS = 64  # of random vectors that are drawn at once
ALPHAS = (1.0, 0.1, 0.01)  # of naive Bayes; the development set chooses


def majority_accuracy(probing_set: ProbingSet) -> float:
    """Give the accuracy of the training rows' most frequent class on the test rows."""
    counts = count_rows(probing_set.train.classes, probing_set.n_classes)
    return float((probing_set.test.classes == counts.argmax()).mean())


def length_accuracy(probing_set: ProbingSet) -> float:
    """Give the accuracy of the best classifier that sees the number of words alone.

    It says what class most training rows of that length have (of equals the first), or
    those of the nearest length that there is.
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


def text_lengths(part: Part) -> IntArray:
    """Count the words of texts, int64 (n,): what stands between spaces.

    Where most texts have no space, as in Chinese that is not tokenised, their signs.
    """
    counts = np.array([len(text.split()) for text in part.texts], np.int64)
    if np.median(counts) > 1:
        return counts
    return np.array([len(split_words(text)) for text in part.texts], np.int64)


def bayes_accuracy(probing_set: ProbingSet, words: TextWords, report: Report) -> float:
    """Give the accuracy of naive Bayes on TF-IDF; α is chosen on the development set.

    Args:
        probing_set: the task.
        words: of all its texts.
        report: may end it.
    """
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
    """Give each text the mean of its words' vectors, each drawn at random.

    Wieting and Kiela 2019, "No training required", bag of random embeddings.

    Returns:
        float32 (n, d); a text without a word has zeros.
    """
    generator = np.random.default_rng(seed)
    ids = torch.from_numpy(words.ids)
    starts = torch.from_numpy(np.cumsum(words.counts) - words.counts)
    vectors = np.empty((len(words.counts), dim), np.float32)
    for first in range(0, dim, DIMENSIONS):
        report.step("Drawing vectors", first, dim)
        width = min(DIMENSIONS, dim - first)
        table = generator.standard_normal((words.n_words, width), np.float32)
        vectors[:, first : first + width] = torch.nn.functional.embedding_bag(
            ids, torch.from_numpy(table), starts, mode="mean"
        ).numpy()
    return vectors
