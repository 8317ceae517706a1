"""An index finds nearly all neighbours, reports its recall, and ends on Cancel."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from app.arrays import FloatArray
from app.engine.mining import approximate_search
from app.engine.mining.approximate_search import (
    IndexSettings,
    MappedSide,
    Recall,
    find_approximate_neighbours,
)
from app.engine.mining.exact_search import ExactSide
from app.engine.runtime.report import Report
from app.engine.store.arrays import map_array, write_array
from app.errors import Cancelled, ResourceError
from app.params.mining import IndexName
from tests.engine.mining.vectors import all_neighbours, two_sides


def side_of(folder: Path, name: str, vectors: FloatArray) -> MappedSide:
    file = folder / f"{name}.npy"
    write_array(file, vectors)
    return MappedSide(ExactSide(map_array(file)), file)


@pytest.mark.parametrize("kind", ["ivf", "sq8", "hnsw"])
def test_an_index_finds_nearly_all_and_scores_them_in_float32(
    tmp_path: Path, kind: IndexName
) -> None:
    source, target = two_sides(900, 700)
    sides = side_of(tmp_path, "s", source), side_of(tmp_path, "t", target)
    some = ExactSide(sides[1].exact.vectors, np.arange(10, 690, 2))
    sides = sides[0], sides[1]._replace(exact=some)
    settings = IndexSettings(kind, 4, tmp_path / "work")
    *found, recall = find_approximate_neighbours(*sides, settings, Report())
    wanted = (
        all_neighbours(sides[0].exact, some, 4),
        all_neighbours(some, sides[0].exact, 4),
    )
    shares = []
    for one, other in zip(found, wanted, strict=True):
        is_same = one.rows == other.rows
        # what is among the first k in both is scored the same, bit by bit
        assert (one.scores[is_same] == other.scores[is_same]).all()
        shares.append(float((one.scores >= other.scores[:, -1:]).mean()))
    assert min(shares) > 0.95
    assert recall.share == pytest.approx(np.mean(shares), abs=0.02)
    assert recall.sentences == 900 - 256 + 340 - 170


def test_one_sentence_and_k_of_more_than_there_are(tmp_path: Path) -> None:
    source, target = two_sides(1, 3)
    sides = side_of(tmp_path, "s", source), side_of(tmp_path, "t", target)
    settings = IndexSettings("ivf", 100, tmp_path / "work")
    of_source, of_target, recall = find_approximate_neighbours(
        *sides, settings, Report()
    )
    assert sorted(of_source.rows[0].tolist()) == [0, 1, 2]
    assert of_target.rows.tolist() == [[0], [0], [0]]
    assert recall.share == 1


class _Stops(Report):
    """Cancels when a stage comes."""

    def __init__(self, stage: str):
        super().__init__()
        self._stage_to_stop = stage

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        if stage == self._stage_to_stop:
            self.cancel()
        super().step(stage, done, total, note)


def test_what_was_found_before_a_cancel_is_taken_up(tmp_path: Path) -> None:
    sides = [
        side_of(tmp_path, name, vectors)
        for name, vectors in zip("st", two_sides(400, 300), strict=True)
    ]
    settings = IndexSettings("ivf", 4, tmp_path / "work")
    with pytest.raises(Cancelled):
        find_approximate_neighbours(
            sides[0], sides[1], settings, _Stops(approximate_search.SCORING_STAGE)
        )
    (index,) = (tmp_path / "work").glob("source/index.faiss")
    before = index.stat().st_mtime_ns
    again = find_approximate_neighbours(sides[0], sides[1], settings, Report())
    assert index.stat().st_mtime_ns == before
    other = settings._replace(folder=tmp_path / "other")
    whole = find_approximate_neighbours(sides[0], sides[1], other, Report())
    for one, two in zip(again[:2], whole[:2], strict=True):
        np.testing.assert_array_equal(one.rows, two.rows)
        np.testing.assert_array_equal(one.scores, two.scores)


@pytest.mark.parametrize(
    "stage", [approximate_search.BUILD_STAGE, approximate_search.SEARCH_STAGE]
)
def test_a_cancel_kills_the_child(tmp_path: Path, stage: str) -> None:
    source, target = two_sides(40, 30)
    sides = side_of(tmp_path, "s", source), side_of(tmp_path, "t", target)
    others = psutil.Process().children()  # of earlier tests: the process of readers
    with pytest.raises(Cancelled):
        find_approximate_neighbours(
            *sides, IndexSettings("ivf", 4, tmp_path / "work"), _Stops(stage)
        )
    # what watches over shared resources stays, as in any program that makes children
    left = [
        child.cmdline() for child in psutil.Process().children() if child not in others
    ]
    assert not [line for line in left if "spawn_main" in " ".join(line)]


def test_a_child_that_dies_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approximate_search, "MODULE", "tests.engine.mining.dying_index")
    source, target = two_sides(30, 30)
    sides = side_of(tmp_path, "s", source), side_of(tmp_path, "t", target)
    settings = IndexSettings("hnsw", 4, tmp_path / "work")
    with pytest.raises(ResourceError, match=r"index ended unexpectedly .* memory"):
        find_approximate_neighbours(*sides, settings, Report())


def test_a_recall_is_told_with_its_interval() -> None:
    text = Recall(0.9731, 0.9654, 0.979, 2_000).text
    assert text.startswith(
        "97.3\u00a0% of the true neighbours (96.5 to 97.9\u00a0%, measured on"
    )


def test_faiss_is_in_no_module_that_the_engine_imports() -> None:
    code = (
        "import sys; import app.engine.tasks.mine_pairs; "
        "sys.exit('faiss' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
