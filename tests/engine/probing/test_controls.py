"""Control tasks: one random class per key word, with the task's frequencies."""

import numpy as np

from app.engine.probing.bags_of_words import number_words
from app.engine.probing.baselines import NO_KEY, key_words, label_by_words
from app.engine.runtime.report import Report
from tests.engine.probing.made import make_set


def test_the_key_word_is_the_most_frequent_of_the_rare_ones() -> None:
    texts = ["the cat sat", "the cat ran", "the dog ran", "the", "the bird sat there"]
    # of 4 training rows a key word may be in 2: cat (2), ran (2), sat and dog (1)
    words = number_words(texts, Report())
    names = ["the", "cat", "sat", "ran", "dog", "bird", "there"]
    keys = key_words(words, 4, 2).tolist()
    found = [names[key] if key != NO_KEY else "" for key in keys]
    assert found == ["cat", "cat", "ran", "", "sat"]


def test_a_word_has_one_class_in_all_splits_and_another_by_another_seed() -> None:
    rows = [(n % 2, f"w{n % 30} the") for n in range(300)]
    made = make_set(rows, rows[:60], rows[:60])
    keys = key_words(number_words(made.texts, Report()), 300, 2)
    # every wN is in 10 rows, so more than 1 % of 300: none is rare enough
    assert set(keys.tolist()) == {NO_KEY}
    keys = np.array([int(text[1:].split()[0]) for text in made.texts])
    ones, others = (label_by_words(made, keys, seed=seed) for seed in (1, 2))
    assert ones.train[:60].tolist() == ones.test.tolist() == ones.development.tolist()
    assert ones.train.tolist() != others.train.tolist()
    again = label_by_words(made, keys, seed=1)
    assert again.train.tolist() == ones.train.tolist()


def test_classes_are_as_frequent_as_in_the_task() -> None:
    rows = [(int(n % 10 == 0), "x") for n in range(1_000)]
    made = make_set(rows, rows[:10], rows[:10])
    keys = np.concatenate([np.arange(1_000) // 5, np.zeros(20, np.int64)])
    for seed in range(5):
        labels = label_by_words(made, keys, seed=seed).train
        assert 0.9 - 0.03 < (labels == 0).mean() < 0.9 + 0.03


def test_rows_without_a_key_word_have_any_class() -> None:
    rows = [(n % 4, "x") for n in range(400)]
    made = make_set(rows, rows[:4], rows[:4])
    labels = label_by_words(made, np.full(408, NO_KEY), seed=1).train
    assert np.bincount(labels).min() > 60
