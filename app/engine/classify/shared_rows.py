"""Which test rows of several languages say the same: parallel files, linked corpora."""

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Engine

from app.engine.classify.heads.head import IntArray
from app.engine.classify.labelled import Labelled
from app.engine.classify.overlap import row_hashes
from app.engine.store.pair_rows import read_links_from
from app.engine.store.schema import CORPUS_STRIDE


def find_shared_rows(
    tests: Mapping[str, Labelled], store: Engine | None = None
) -> dict[str, IntArray]:
    """Number what the rows of several tests say; translations have one number.

    Tests whose labels are the same row by row are taken as parallel; rows of corpora
    are translations where links say so.

    Args:
        tests: by language.
        store: where links are; None: files only.

    Returns:
        int64 (n,) for each test.
    """
    names = list(tests)
    sizes = [len(rows.labels) for rows in tests.values()]
    ends = np.cumsum(sizes)
    edges = [np.empty((0, 2), np.int64), _parallel_rows(list(tests.values()), ends)]
    if store is not None:
        edges.append(_linked_rows(list(tests.values()), store))
    numbers = connect(int(ends[-1]), np.concatenate(edges))
    return dict(zip(names, np.split(numbers, ends[:-1]), strict=True))


def group_rows(parts: Sequence[Labelled], store: Engine | None = None) -> IntArray:
    """Number the rows of a training set: equal texts and translations have one number.

    Args:
        parts: files or corpora, of which some may be translations of others.
        store: where links are; None: files only.

    Returns:
        int64 (n,), of all parts one after the other.
    """
    numbered = find_shared_rows({str(i): rows for i, rows in enumerate(parts)}, store)
    numbers = np.concatenate(list(numbered.values()))
    hashes = np.concatenate([row_hashes(rows) for rows in parts])
    _, firsts, places = np.unique(hashes, return_index=True, return_inverse=True)
    edges = np.stack([numbers, numbers[firsts[places]]], axis=1)
    joined = connect(len(numbers), edges)
    found: IntArray = joined[numbers]
    return found


def connect(n: int, edges: IntArray) -> IntArray:
    """Give each of n things the smallest number that edges lead to: int64 (n,).

    Args:
        n: things, 0…n-1.
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


def _parallel_rows(tests: list[Labelled], ends: IntArray) -> IntArray:
    """Join each row with that of the first test that has the same labels: (m, 2)."""
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


def _linked_rows(tests: list[Labelled], store: Engine) -> IntArray:
    """Join the rows of corpora that links join, and those of one sentence: (m, 2)."""
    parts = [  # the sentences of files are none
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
    places = np.searchsorted(ranked, links).clip(max=len(ranked) - 1)
    is_tested = (ranked[places] == links).all(axis=1)
    return np.concatenate([same, order[places[is_tested]]])
