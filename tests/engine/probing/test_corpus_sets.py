"""Probing sets from labelled corpora: split by class, equal texts together."""

from collections import Counter

import pytest

from app.engine.probing.corpus_sets import make_corpus_set
from app.errors import UserError


def test_each_class_is_divided_in_the_same_proportions() -> None:
    texts = [f"text {n}" for n in range(150)]
    labels = ["a"] * 100 + ["b"] * 50
    made = make_corpus_set("mine", "de", texts, labels)
    assert (made.name, made.task, made.language, made.labels) == (
        *("mine", "mine", "de"),
        ("a", "b"),
    )
    assert made.sizes == (120, 15, 15)
    for part, (n_a, n_b) in (
        (made.train, (80, 40)),
        (made.development, (10, 5)),
        (made.test, (10, 5)),
    ):
        assert Counter(part.classes.tolist()) == {0: n_a, 1: n_b}
    assert sorted(made.texts) == sorted(texts)
    assert made.test.lines[0] == texts.index(made.test.texts[0]) + 1
    again = make_corpus_set("mine", "de", texts, labels)
    assert again.test.texts == made.test.texts


def test_equal_texts_count_once_and_small_classes_are_left_out() -> None:
    texts = [f"text {n % 20}" for n in range(40)] + ["other"] * 30 + ["x1", "x2"]
    labels = [f"{n % 2}" for n in range(40)] + ["2"] * 30 + ["3", "3"]
    made = make_corpus_set("mine", "de", texts, labels)
    assert made.labels == ("0", "1")
    assert sorted(made.texts) == sorted({f"text {n}" for n in range(20)})
    assert min(made.sizes) > 0


def test_one_class_is_refused() -> None:
    with pytest.raises(UserError, match="fewer than two classes with at least 10"):
        make_corpus_set("mine", "de", ["a", "b"], ["x", "y"])
