"""The cheapest path: against plain loops, from coarse to fine, in linear memory."""

import itertools
import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.alignment.costs import Costs, compute_costs, list_moves
from app.engine.alignment.paths import (
    AlignmentSettings,
    Path,
    align,
    find_path,
    full_windows,
    windows_around,
)
from app.engine.alignment.spans import Spans
from app.engine.runtime.report import Report
from app.errors import Cancelled
from tests.engine.alignment.made import Link, lax, links_of, strict

DIM = 32


def spans_of(singles: NDArray[np.float32], k: int) -> Spans:
    """Join sentences by the sums of their vectors."""
    vectors = np.zeros((k, *singles.shape), np.float32)
    for a, end in itertools.product(range(1, k + 1), range(len(singles))):
        if a <= end + 1:
            total = singles[end + 1 - a : end + 1].sum(axis=0)
            vectors[a - 1, end] = total / max(float(np.linalg.norm(total)), 1e-9)
    return Spans(vectors)


def make_sides(
    n: int, seed: int, *, k: int = 3, noise: float = 0.5
) -> tuple[Spans, Spans, list[Link]]:
    """Make a document and its translation, in which some neighbours are joined."""
    random = np.random.default_rng(seed)
    source = random.normal(size=(n, DIM)).astype(np.float32)
    target: list[NDArray[np.float64]] = []
    gold: list[Link] = []
    i = 0
    while i < n:
        size = 2 if random.random() < 0.15 and i + 1 < n else 1
        if random.random() < 0.1:
            i += size
            continue
        whole = source[i : i + size].sum(axis=0)
        gold.append((tuple(range(i, i + size)), (len(target),)))
        target.append(whole + noise * random.normal(size=DIM))
        i += size
    return spans_of(source, k), spans_of(np.array(target, np.float32), k), gold


def reference(costs: Costs, joined: int) -> float:
    """Find the cost of the cheapest path by plain loops over all cells."""
    n, m = costs.source.n, costs.target.n
    best = np.full((n + 1, m + 1), np.inf)
    best[0, 0] = 0
    for i, j in itertools.product(range(n + 1), range(m + 1)):
        if i:
            best[i, j] = min(best[i, j], best[i - 1, j] + costs.skip)
        if j:
            best[i, j] = min(best[i, j], best[i, j - 1] + costs.skip)
        for a, b in list_moves(joined):
            if a <= i and b <= j:
                cost = best[i - a, j - b] + link_cost(costs, (i, a), (j, b))
                best[i, j] = min(best[i, j], cost)
    return float(best[n, m])


def link_cost(costs: Costs, source: tuple[int, int], target: tuple[int, int]) -> float:
    """Weigh one link as the paper's equation 1 says."""
    (i, a), (j, b) = source, target
    x = costs.source.vectors[a - 1, i - 1].astype(float)
    y = costs.target.vectors[b - 1, j - 1].astype(float)
    far_x, far_y = (
        1 - np.mean([other @ own for other in all_spans(side)])
        for own, side in ((x, costs.target), (y, costs.source))
    )
    return float((1 - x @ y) * a * b / ((far_x + far_y) / 2))


def all_spans(side: Spans) -> list[NDArray[np.float32]]:
    return [side.vectors[a, end] for a in range(side.k) for end in range(a, side.n)]


def cost_of(path: Path, costs: Costs) -> float:
    """Add up what the steps of a path cost."""
    total, i, j = 0.0, 0, 0
    for a, b in path.moves.tolist():
        i, j = i + a, j + b
        total += link_cost(costs, (i, a), (j, b)) if a and b else costs.skip
    return total


@pytest.mark.parametrize("seed", range(4))
def test_the_path_is_the_cheapest_there_is(seed: int) -> None:
    source, target, _ = make_sides(12, seed)
    costs = compute_costs(source, target, 0.5, np.random.default_rng(1))
    path = find_path(
        costs, list_moves(3), full_windows(source.n, target.n), Report(), ""
    )
    assert path.nodes()[-1].tolist() == [source.n, target.n]
    assert path.cost == pytest.approx(reference(costs, 3), rel=1e-5)
    assert path.cost == pytest.approx(cost_of(path, costs), rel=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_from_coarse_to_fine_it_is_the_path_of_the_full_search(seed: int) -> None:
    source, target, _ = make_sides(90, seed)
    full, _ = align(source, target, AlignmentSettings(joined=3), Report())
    rough, _ = align(source, target, AlignmentSettings(joined=3, small=10), Report())
    assert rough.moves.tolist() == full.moves.tolist()
    assert rough.cost == pytest.approx(full.cost, rel=1e-6)


def test_known_links_are_found() -> None:
    source, target, gold = make_sides(400, 1, noise=0.3)
    path, _ = align(source, target, AlignmentSettings(joined=3, small=64), Report())
    found = links_of(path.moves.tolist())
    assert strict(found, gold).f1 > 0.95
    assert lax(found, gold).f1 > 0.99


def test_links_of_both_sides_are_one_longer_than_what_is_joined() -> None:
    assert list_moves(1) == [(1, 1)]
    assert list_moves(2) == [(1, 1), (1, 2), (2, 1)]
    assert len(list_moves(4)) == 10


def test_a_long_insertion_is_walked_around() -> None:
    source, target, _ = make_sides(150, 3, noise=0.1)
    strange = np.random.default_rng(9).normal(size=(200, DIM)).astype(np.float32)
    singles = np.concatenate([target.vectors[0, :70], strange, target.vectors[0, 70:]])
    longer = spans_of(singles, 3)
    path, _ = align(source, longer, AlignmentSettings(joined=3, small=20), Report())
    alone, _ = align(source, target, AlignmentSettings(joined=3, small=20), Report())
    shifted = [
        (s, tuple(j + 200 if j >= 70 else j for j in t))
        for s, t in links_of(alone.moves.tolist())
    ]
    assert strict(links_of(path.moves.tolist()), shifted).f1 > 0.9


def test_equal_sentences_are_linked_one_by_one() -> None:
    same = np.ones((30, DIM), np.float32)
    one, other = spans_of(same, 3), spans_of(same[:25], 3)
    path, costs = align(one, one, AlignmentSettings(joined=3), Report())
    assert path.moves.tolist() == [[1, 1]] * 30
    assert (path.cost, costs.skip) == (0, 0)
    path, _ = align(one, other, AlignmentSettings(joined=3, small=8), Report())
    assert path.nodes()[-1].tolist() == [30, 25]


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 40), (40, 1), (3, 200)])
def test_documents_of_any_lengths_are_covered(n: int, m: int) -> None:
    random = np.random.default_rng(2)
    source, target = (
        spans_of(random.normal(size=(size, DIM)).astype(np.float32), 4)
        for size in (n, m)
    )
    path, _ = align(source, target, AlignmentSettings(small=8), Report())
    assert path.nodes()[-1].tolist() == [n, m]


def test_unknown_sentences_are_no_reason_to_stop() -> None:
    source, target, _ = make_sides(20, 5)
    source.vectors[:, 3:8] = 0
    path, _ = align(source, target, AlignmentSettings(joined=3), Report())
    assert np.isfinite(path.cost)
    assert path.nodes()[-1].tolist() == [source.n, target.n]


def test_windows_hold_the_path_that_they_are_made_of() -> None:
    moves = np.array([[1, 1], [0, 1], [0, 1], [1, 0], [1, 1]])
    windows = windows_around(Path(moves, 0.0), 5, 8, 1)
    assert windows.lows.tolist() == [0, 0, 1, 1, 5, 5]
    assert windows.highs.tolist() == [1, 7, 7, 7, 7, 8]
    assert (np.diff(windows.lows) >= 0).all()


def test_memory_grows_with_the_length_alone() -> None:
    def peak(n: int) -> int:
        source, target, _ = make_sides(n, 1)
        tracemalloc.start()
        align(source, target, AlignmentSettings(joined=3, small=50), Report())
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    assert peak(2_400) < 3 * peak(1_200)  # its square would be four times


def test_a_cancel_is_met_within_the_rows() -> None:
    source, target, _ = make_sides(50, 1)
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        align(source, target, AlignmentSettings(joined=3), report)
