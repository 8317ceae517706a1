"""Probing sets from labelled corpora."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from app.arrays import IntArray
from app.engine.probing.sets import ProbingSet, ProbingSplit
from app.errors import UserError

SEED = 1
SHARES = (0.8, 0.1)  # of each class for training and development; the rest is test rows
FEWEST = 10  # distinct texts per class, so that every split has one


def make_corpus_set(
    name: str, language: str, texts: Sequence[str], labels: Sequence[str]
) -> ProbingSet:
    """Divide labelled sentences into training, development and test rows at random.

    Each class is divided in the same proportions. Equal texts are used once, so that no
    test text occurs in training. Classes with fewer than ten texts are left out.

    Args:
        language: code of the corpus.
        texts: n sentences.
        labels: classes of the sentences.

    Raises:
        UserError: fewer than two classes have enough texts.
    """
    label_of = dict(zip(texts, labels, strict=True))
    lines = {text: line for line, text in enumerate(texts, 1)}
    counts = Counter(label_of.values())
    classes = sorted(label for label, n in counts.items() if n >= FEWEST)
    if len(classes) < 2:
        raise UserError(
            f"{name} has fewer than two classes with at least {FEWEST} different "
            "sentences. Label more sentences, or choose another corpus."
        )
    kept = [text for text, label in label_of.items() if label in classes]
    indices = {label: index for index, label in enumerate(classes)}
    own = np.array([indices[label_of[text]] for text in kept], np.int64)
    everything = ProbingSplit(
        kept, own, np.array([lines[text] for text in kept], np.int64)
    )
    splits = _divide(own)
    return ProbingSet(
        name, name, language, tuple(classes), *(everything.part(one) for one in splits)
    )


def _divide(classes: IntArray) -> list[IntArray]:
    """Return the rows of the three splits, sorted: int64 (m,) each."""
    generator = np.random.default_rng(SEED)
    parts: list[list[IntArray]] = [[], [], []]
    for index in np.unique(classes):
        rows = generator.permutation(np.flatnonzero(classes == index))
        n_development = max(1, round(SHARES[1] * len(rows)))
        n_train = round(SHARES[0] * len(rows))
        ends = [n_train, n_train + n_development]
        for part, some in zip(parts, np.split(rows, ends), strict=True):
            part.append(some)
    return [np.sort(np.concatenate(part)) for part in parts]
