"""Rows shared by two data sets: duplicates, translations and linked sentences."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from app.arrays import FloatArray, IntArray
from app.engine.classify.labelled_rows import LabelledRows
from app.engine.project.project import Project
from app.engine.store.corpora import first_sentence_id
from app.engine.store.pairs.sets import read_links, read_links_from
from app.engine.store.schema import CORPUS_STRIDE
from app.engine.training.held_out import HeldOutSentences, normal_hashes
from app.errors import UserError

# A test row is classified as a translation of its nearest training row if their cosine
# is at least this many times the mean of the next four (a ratio margin, Artetxe and
# Schwenk 2019, with the neighbours of one side). On FLORES-200 dev, 500 English
# sentences in training and vectors of isogloss-3, this finds 95 % of translations in
# German, 86 % in Russian, 79 % in Arabic and 40 % in Thai, with 0 to 0.4 % false
# positives (tests/benchmarks/thresholds.py). If no more are found than expected false
# positives, all are discarded.
MARGIN = 1.5
FALSE_SHARE, CHANCE = 0.004, 0.05
LOWEST_COSINE = 0.5
K = 5


class Overlap(NamedTuple):
    """Test rows that leak from the training set.

    Attributes:
        duplicates: bool (n,), same text except for case and punctuation.
        translations: bool (n,), other rows that are linked translations or seem to be
            translations of a training row.
    """

    duplicates: NDArray[np.bool_]
    translations: NDArray[np.bool_]


def find_overlap(
    train: LabelledRows,
    test: LabelledRows,
    train_vectors: tuple[FloatArray, ...],
    test_vectors: tuple[FloatArray, ...],
    *,
    store: Engine | None = None,
) -> Overlap:
    """Find test rows that are in the training set, all texts of a row together.

    Args:
        train: labelled rows.
        test: test rows, with the same number of texts.
        train_vectors: float32 (n, d), one for each text of a row.
        test_vectors: the same for the test rows.
        store: store with links between translations; None: files only.
    """
    duplicates = HeldOutSentences(row_hashes(train)).marks(row_hashes(test))
    looks = _looks_translated(join_vectors(train_vectors), join_vectors(test_vectors))
    if not exceeds_chance(int(looks.sum()), len(looks)):
        looks[:] = False
    if store is not None:
        looks |= linked_rows(store, train, test)
    return Overlap(duplicates, looks & ~duplicates)


def exceeds_chance(n_found: int, n: int) -> bool:
    """Return whether `n_found` of n rows exceed chance: P(X ≥ n_found) < CHANCE.

    X is binomial with n rows and false positive rate FALSE_SHARE.
    """
    from scipy import special  # slow import, 0.3 s

    return n_found > 0 and float(special.bdtrc(n_found - 1, n, FALSE_SHARE)) < CHANCE


def linked_rows(
    store: Engine, train: LabelledRows, test: LabelledRows
) -> NDArray[np.bool_]:
    """Mark test rows that are linked to a training row as translations: (n,)."""
    found = np.zeros(len(test.labels), np.bool_)
    if not (train.corpora and test.corpora):
        return found
    ours, theirs = train.places[:, 0], test.places[:, 0]
    for one in np.unique(ours // CORPUS_STRIDE).tolist():
        for other in np.unique(theirs // CORPUS_STRIDE).tolist():
            if one == other:
                continue
            sources, targets = read_links(store, one, other)
            is_trained = np.isin(sources + first_sentence_id(one), ours)
            found |= np.isin(theirs, targets[is_trained] + first_sentence_id(other))
    return found


def join_vectors(vectors: tuple[FloatArray, ...]) -> FloatArray:
    """Concatenate and normalise the vectors of a row's texts: float32 (n, t·d)."""
    if len(vectors) == 1:
        return vectors[0]
    return np.concatenate(vectors, axis=1) / np.float32(len(vectors) ** 0.5)


def nearest_rows(
    queries: FloatArray, rows: FloatArray, k: int
) -> tuple[NDArray[np.int64], FloatArray]:
    """Find the k nearest rows of each query, nearest first: (m, k) each."""
    from app.engine.search.knn import top_k

    cosines, indices = top_k(queries, rows, min(k, len(rows)))
    return indices, cosines


def _looks_translated(train: FloatArray, test: FloatArray) -> NDArray[np.bool_]:
    if len(train) <= K:
        return np.zeros(len(test), np.bool_)
    _, cosines = nearest_rows(test, train, K)
    others = np.maximum(cosines[:, 1:].mean(axis=1), 1e-6)
    found: NDArray[np.bool_] = (cosines[:, 0] >= LOWEST_COSINE) & (
        cosines[:, 0] >= MARGIN * others
    )
    return found


def row_hashes(rows: LabelledRows) -> NDArray[np.uint64]:
    """Hash each row's texts in normal form, in order."""
    found = np.zeros(len(rows.labels), np.uint64)
    for texts in rows.texts:
        found = found * np.uint64(1_000_003) + normal_hashes(texts)
    return found


def find_shared_rows(
    tests: Mapping[str, LabelledRows], store: Engine | None = None
) -> dict[str, IntArray]:
    """Number the rows of several tests by meaning; translations share a number.

    Tests with the same labels row by row are assumed to be parallel; rows of corpora
    are translations if they are linked.

    Args:
        tests: tests by language.
        store: store with the links; None: files only.

    Returns:
        int64 (n,) for each test.
    """
    names = list(tests)
    sizes = [len(rows.labels) for rows in tests.values()]
    ends = np.cumsum(sizes)
    edges = [np.empty((0, 2), np.int64), _parallel_rows(list(tests.values()), ends)]
    if store is not None:
        edges.append(_linked_rows(list(tests.values()), store))
    numbers = connected_components(int(ends[-1]), np.concatenate(edges))
    return dict(zip(names, np.split(numbers, ends[:-1]), strict=True))


def group_rows(parts: Sequence[LabelledRows], store: Engine | None = None) -> IntArray:
    """Number the rows of a training set; equal texts and translations share a number.

    Args:
        parts: files or corpora, which may be translations of each other.
        store: store with the links; None: files only.

    Returns:
        int64 (n,), for the concatenated parts.
    """
    numbered = find_shared_rows({str(i): rows for i, rows in enumerate(parts)}, store)
    numbers = np.concatenate(list(numbered.values()))
    hashes = np.concatenate([row_hashes(rows) for rows in parts])
    _, firsts, indices = np.unique(hashes, return_index=True, return_inverse=True)
    edges = np.stack([numbers, numbers[firsts[indices]]], axis=1)
    joined = connected_components(len(numbers), edges)
    found: IntArray = joined[numbers]
    return found


def connected_components(n: int, edges: IntArray) -> IntArray:
    """Return the smallest node connected to each of n nodes: int64 (n,).

    Args:
        n: number of nodes.
        edges: int64 (m, 2).
    """
    found = np.arange(n)
    while True:
        low = found[edges].min(axis=1)  # (m, 2) -> (m,)
        if (found[edges] == low[:, None]).all():
            return found
        for side in edges.T:
            np.minimum.at(found, found[side], low)
            np.minimum.at(found, side, low)
        found = found[found]


def _parallel_rows(tests: list[LabelledRows], ends: IntArray) -> IntArray:
    """Connect each row to the row of the first test with equal labels: (m, 2)."""
    firsts: dict[tuple[str, ...], int] = {}
    edges = [np.empty((0, 2), np.int64)]
    for rows, end in zip(tests, ends.tolist(), strict=True):
        n = len(rows.labels)
        begun = firsts.setdefault(tuple(rows.labels), end - n)
        if begun == end - n:
            continue
        both = np.arange(begun, begun + n), np.arange(end - n, end)
        edges.append(np.stack(both, axis=1))
    return np.concatenate(edges)


def _linked_rows(tests: list[LabelledRows], store: Engine) -> IntArray:
    """Connect rows of corpora that are linked or have the same sentence: (m, 2)."""
    parts = [  # files have no sentence ids
        rows.places[:, 0] if rows.corpora else np.full(len(rows.labels), -1)
        for rows in tests
    ]
    ids = np.concatenate(parts)
    order = np.argsort(ids, kind="stable")
    ranked = ids[order]
    is_same = (ranked[1:] == ranked[:-1]) & (ranked[1:] >= 0)
    same = np.stack([order[:-1][is_same], order[1:][is_same]], axis=1)
    corpora = np.unique(ranked[ranked >= 0] // CORPUS_STRIDE)
    links = read_links_from(store, corpora.tolist())
    indices = np.searchsorted(ranked, links).clip(max=len(ranked) - 1)
    is_tested = (ranked[indices] == links).all(axis=1)
    return np.concatenate([same, order[indices[is_tested]]])


def exclude_translations(
    project: Project | None, train: LabelledRows, tests: dict[str, LabelledRows]
) -> tuple[LabelledRows, dict[str, LabelledRows]]:
    """Remove training rows that are linked to a test's rows as translations.

    A test on the training corpus itself uses the removed rows only.

    Raises:
        UserError: the rows are not from corpora, or no rows remain on a side.
    """
    if project is None or not train.corpora:
        raise UserError(
            "Only corpora of a project have linked translations. Train on a corpus, "
            "or include translations."
        )
    own = train.corpora[0].id
    positions = train.places[:, 0] - first_sentence_id(own)
    is_apart = np.zeros(len(positions), np.bool_)
    for rows in tests.values():
        if not rows.corpora or rows.corpora[0].id == own:
            continue
        other = rows.corpora[0].id
        ours, theirs = read_links(project.store, own, other)
        tested = rows.places[:, 0] - first_sentence_id(other)
        is_apart |= np.isin(positions, ours[np.isin(theirs, tested)])
    apart, rest = np.flatnonzero(is_apart), np.flatnonzero(~is_apart)
    if not len(rest):
        raise UserError(
            f"{train.source}: all labelled rows are translations of test rows, so "
            "none is left to train on. Test on other rows."
        )
    kept = {}
    for name, rows in tests.items():
        is_own = bool(rows.corpora) and rows.corpora[0].id == own
        if is_own and not len(apart):
            raise UserError(
                f"The test {name} uses the training corpus, but none of its rows was "
                "excluded from training. Test on other rows."
            )
        kept[name] = train.part(apart) if is_own else rows
    return train.part(rest), kept
