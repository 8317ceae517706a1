"""One query: the float16 scan with re-scoring gives exactly the float32 reference."""

import numpy as np
import pytest
import torch

from app.engine.search import nearest
from app.engine.search.knn import top_k
from app.engine.search.nearest import (
    SCAN_ERROR,
    StoredVectors,
    nearest_sentences,
    open_vectors,
    scan_scores,
    select_rows,
)
from app.engine.store.schema import CORPUS_STRIDE


def _vectors(corpus_id: int, rows: np.ndarray) -> StoredVectors:
    norms = np.linalg.norm(rows, axis=1).astype(np.float32)
    unit = (rows / np.maximum(norms, 1e-9)[:, None]).astype(np.float32)
    return open_vectors(corpus_id, unit, unit.astype(np.float16), norms)


def _query(values: list[float] | np.ndarray) -> np.ndarray:
    query = np.asarray(values, np.float32)
    return np.asarray(query / np.linalg.norm(query), np.float32)


@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e-5])
def test_hits_are_those_of_the_float32_reference(spread: float) -> None:
    """A small spread packs scores closer than float16 can tell apart."""
    generator = np.random.default_rng(7)
    rows = 1 + spread * generator.normal(size=(3_000, 64))
    vectors = _vectors(2, rows)
    query = _query(np.ones(64) + spread * generator.normal(size=64))
    hits = nearest_sentences([scan_scores(vectors, query)], query, 20)
    exact = vectors.unit.astype(np.float64) @ query.astype(np.float64)
    order = np.lexsort((np.arange(3_000), -exact.astype(np.float32)))[:20]
    assert (hits.ids - 2 * CORPUS_STRIDE).tolist() == order.tolist()
    _, reference = top_k(query[None], vectors.unit, 20)
    if spread == 1.0:
        assert reference[0].tolist() == order.tolist()


def test_the_scan_is_off_by_no_more_than_its_bound() -> None:
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(20_000, 256)) * generator.exponential(size=256)
    vectors = _vectors(1, rows)
    query = _query(generator.normal(size=256) + rows[0])
    scores = scan_scores(vectors, query).scores.float().numpy()
    exact = vectors.unit.astype(np.float64) @ query.astype(np.float64)
    assert np.abs(scores - exact).max() <= SCAN_ERROR


def test_parts_are_merged_and_equal_scores_come_by_id() -> None:
    same = np.array([[1, 0], [0, 1], [1, 0]])
    parts = [_vectors(corpus_id, same) for corpus_id in (5, 3)]
    query = _query([1, 0])
    hits = nearest_sentences([scan_scores(part, query) for part in parts], query, 3)
    stride = CORPUS_STRIDE
    assert hits.ids.tolist() == [3 * stride, 3 * stride + 2, 5 * stride]
    assert hits.scores.tolist() == [1, 1, 1]


def test_zero_rows_and_the_query_itself_are_left_out() -> None:
    vectors = _vectors(1, np.array([[-1, 0], [0, 0], [1, 0], [1, 1]]))
    query = _query([1, 0])
    hits = nearest_sentences([scan_scores(vectors, query, without=2)], query, 10)
    assert (hits.ids - CORPUS_STRIDE).tolist() == [3, 0]
    np.testing.assert_allclose(hits.scores, [0.5**0.5, -1], atol=1e-7)


def test_some_rows_of_a_corpus_can_be_searched_alone() -> None:
    vectors = _vectors(1, np.array([[1, 0], [1, 1], [0, 1], [1, 0]]))
    query = _query([1, 0])
    part = select_rows(scan_scores(vectors, query), torch.tensor([1, 2, 3]))
    assert (nearest_sentences([part], query, 2).ids - CORPUS_STRIDE).tolist() == [3, 1]


def test_thousands_of_equal_best_rows_are_all_candidates() -> None:
    vectors = _vectors(1, np.tile([[0.6, 0.8]], (5_000, 1)))
    query = _query([0.6, 0.8])
    hits = nearest_sentences([scan_scores(vectors, query)], query, 100)
    assert (hits.ids - CORPUS_STRIDE).tolist() == list(range(100))


def test_nothing_to_search_gives_no_hits() -> None:
    assert nearest_sentences([], _query([1, 0]), 3).ids.tolist() == []


def test_the_way_of_a_gpu_gives_the_same_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nearest, "GPU_ROWS", 7)
    generator = np.random.default_rng(5)
    vectors = _vectors(1, generator.normal(size=(30, 8)))
    query = _query(generator.normal(size=8))
    scores = nearest._dot_by_blocks(vectors.scan, torch.from_numpy(query))
    np.testing.assert_allclose(scores, vectors.unit @ query, atol=SCAN_ERROR)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_gpu_finds_the_same_hits() -> None:
    generator = np.random.default_rng(5)
    rows = generator.normal(size=(300_000, 64)).astype(np.float32)
    rows[7] = 0
    norms = np.linalg.norm(rows, axis=1)
    unit = rows / np.maximum(norms, 1e-9)[:, None]
    scan = unit.astype(np.float16)
    query = _query(generator.normal(size=64))
    found = []
    for device in ("cpu", "cuda:0"):
        vectors = open_vectors(1, unit, scan, norms, device=device)
        assert vectors.scan.device == torch.device(device)
        found.append(
            nearest_sentences([scan_scores(vectors, query, without=9)], query, 50)
        )
    assert found[0].ids.tolist() == found[1].ids.tolist()
    assert found[0].scores.tolist() == found[1].scores.tolist()
