"""TF-IDF and naive Bayes, by hand and against scikit-learn."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB

from app.engine.probing import bags_of_words as module
from app.engine.probing.bags_of_words import NaiveBayes, number_words, weigh_words
from app.engine.runtime.report import Report
from app.engine.text.word_vocabulary import split_words


def make_texts(n: int, n_classes: int) -> tuple[list[str], np.ndarray]:
    generator = np.random.default_rng(1)
    classes = np.concatenate(
        [np.arange(n_classes), generator.integers(0, n_classes, n - n_classes)]
    )
    texts = []
    for one in classes.tolist():
        drawn = generator.zipf(1.5, 8) % 60
        texts.append(" ".join([f"w{word}" for word in drawn] + [f"k{one} k{one}"][:1]))
    return texts, classes


def test_weights_are_those_worked_out_by_hand() -> None:
    bags = weigh_words(number_words(["a a b", "b", "c b", "?"], Report()), 2)
    # a is in 1 of 2 training rows, b in both; c and ? in none
    rare, common = 2 * (np.log(3 / 2) + 1), 1.0
    length = np.hypot(rare, common)
    wanted = [rare / length, common / length, 1, 1]
    np.testing.assert_allclose(bags.weights, wanted, rtol=1e-6)
    assert bags.words.counts.tolist() == [2, 1, 1, 0]


@pytest.mark.parametrize("alpha", [1.0, 0.01])
@pytest.mark.parametrize("n_classes", [2, 7])
def test_it_says_what_scikit_learn_says(
    n_classes: int, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CLASSES", 3)  # blocks of classes
    texts, classes = make_texts(300, n_classes)
    weigher = TfidfVectorizer(analyzer=split_words)
    theirs = weigher.fit_transform(texts[:200])
    peer = MultinomialNB(alpha=alpha).fit(theirs, classes[:200])
    bags = weigh_words(number_words(texts, Report()), 200)
    np.testing.assert_allclose(
        np.sort(bags.part(0, 200).weights), np.sort(theirs.data), rtol=1e-5
    )
    own = NaiveBayes(bags.part(0, 200), classes[:200], n_classes)
    said = own.predict(bags.part(200, 300), alpha, Report())
    assert said.tolist() == peer.predict(weigher.transform(texts[200:])).tolist()
