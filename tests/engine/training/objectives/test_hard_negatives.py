"""Mining of hard negatives: against a slow search, false ones, files, refreshing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.encoders.neural import NeuralEncoder
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.data.aligned import open_aligned
from app.engine.training.data.row_store import RowStore
from app.engine.training.objective import ObjectiveContext
from app.engine.training.objectives import hard_negatives
from app.engine.training.objectives.hard_negatives import (
    NONE,
    NegativeCache,
    NegativeMiner,
)
from app.errors import Cancelled
from tests.engine.training.objectives.making import (
    make_context,
    make_module,
    save_encoder,
)
from tests.engine.training.synthetic import write_pairs


@pytest.fixture
def coarse(tmp_path: Path, vocabulary: Vocabulary) -> Path:
    return save_encoder(tmp_path / "coarse", vocabulary, 8)


def make(
    folder: Path, vocabulary: Vocabulary, coarse: Path, **settings: Any
) -> tuple[ObjectiveContext, RowStore]:
    files = [
        write_pairs(folder / "eng-deu.tsv", 70),
        write_pairs(folder / "eng-fra.tsv", 30, seed=1),
    ]
    values: dict[str, Any] = {"n_hard_negatives": 3, "coarse_encoder": str(coarse)}
    context = make_context(folder, vocabulary, files=files, **values | settings)
    return context, open_aligned(context, Report())


def random_vectors(store: RowStore) -> Any:
    vectors = np.random.default_rng(2).normal(size=(2 * store.n_rows, 5))
    return vectors.astype(np.float32)


def test_negatives_are_the_nearest_of_the_language(
    tmp_path: Path, vocabulary: Vocabulary, coarse: Path
) -> None:
    _, store = make(tmp_path, vocabulary, coarse)
    vectors = random_vectors(store)
    mined = NegativeMiner(store, lambda ids: vectors[ids], 3).mine(
        ("target", "source"), Report()
    )
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for side, queries, candidates in (
        ("target", units[0::2], units[1::2]),
        ("source", units[1::2], units[0::2]),
    ):
        for first, end in ((0, 70), (70, 100)):
            scores = queries[first:end] @ candidates[first:end].T
            np.fill_diagonal(scores, -np.inf)
            expected = np.argsort(-scores, axis=1)[:, :3] + first
            assert mined[side][first:end].tolist() == expected.tolist()


def test_blocks_bound_the_candidates(
    tmp_path: Path,
    vocabulary: Vocabulary,
    coarse: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hard_negatives, "BLOCK_PAIRS", 20)
    _, store = make(tmp_path, vocabulary, coarse)
    vectors = random_vectors(store)
    mined = NegativeMiner(store, lambda ids: vectors[ids], 3).mine(
        ("target",), Report()
    )
    blocks = [*np.array_split(np.arange(70), 4), *np.array_split(np.arange(70, 100), 2)]
    for block in blocks:
        assert set(mined["target"][block].ravel()) <= set(block.tolist())


def test_pairs_that_share_a_side_are_no_negatives(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    file = tmp_path / "eng-deu.tsv"
    text = "ba do\tbado\nba do\tkilu\nBA do\tmeno\nme no\tbado\nsu te\ttesu\n"
    file.write_text(text, encoding="utf-8")
    context = make_context(tmp_path, vocabulary, files=[file])
    store = open_aligned(context, Report())
    vectors = np.ones((10, 2), np.float32)
    mined = NegativeMiner(store, lambda ids: vectors[ids], 3).mine(
        ("target",), Report()
    )
    # equal scores: by pair; pairs 0, 1, 2 share their source, 0 and 3 their target
    assert mined["target"].tolist() == [
        [4, NONE, NONE],
        [3, 4, NONE],
        [3, 4, NONE],
        [1, 2, 4],
        [0, 1, 2],
    ]


def test_the_coarse_encoder_mines_first_and_the_file_serves_again(
    tmp_path: Path, vocabulary: Vocabulary, coarse: Path
) -> None:
    context, store = make(tmp_path, vocabulary, coarse)
    module = make_module(vocabulary)
    files = NegativeCache(context, store, ("target",))
    files.prepare(0, module, Report())
    first = files.of("target", np.arange(100))
    assert first.shape == (100, 3)
    (file,) = tmp_path.glob("negatives-*.npy")
    np.save(file, np.full((100, 3), 7, np.int32))
    again = NegativeCache(context, store, ("target",))
    again.prepare(99, module, Report())
    assert (again.of("target", np.arange(100)) == 7).all()


def test_a_missing_negative_is_the_pair_itself(
    tmp_path: Path, vocabulary: Vocabulary, coarse: Path
) -> None:
    context, store = make(tmp_path, vocabulary, coarse)
    np.save(
        tmp_path / "negatives-target-000000000.npy",
        np.full((100, 3), NONE, np.int32),
    )
    files = NegativeCache(context, store, ("target",))
    files.prepare(0, make_module(vocabulary), Report())
    assert files.of("target", np.array([4, 9])).tolist() == [[4] * 3, [9] * 3]


def test_the_encoder_in_training_mines_when_it_is_due(
    tmp_path: Path, vocabulary: Vocabulary, coarse: Path
) -> None:
    context, store = make(tmp_path, vocabulary, coarse, negatives_every=10)
    module = make_module(vocabulary, "bilstm")
    module.train()
    files = NegativeCache(context, store, ("target",))
    for step in (0, 9, 10, 19):
        files.prepare(step, module, Report())
    assert module.training
    encoder = NeuralEncoder(module, context.tokeniser)
    mined = NegativeMiner(
        store, lambda ids: encoder.encode_tokens(store.tokens.take(ids)), 3
    ).mine(("target",), Report())
    pair_ids = np.arange(100)
    assert files.of("target", pair_ids).tolist() == mined["target"].tolist()
    names = sorted(file.name for file in tmp_path.glob("negatives-*.npy"))
    assert names == [
        "negatives-target-000000000.npy",
        "negatives-target-000000010.npy",
    ]


def test_old_files_are_deleted(
    tmp_path: Path, vocabulary: Vocabulary, coarse: Path
) -> None:
    context, store = make(tmp_path, vocabulary, coarse, negatives_every=1)
    files = NegativeCache(context, store, ("source",))
    for step in range(4):
        files.prepare(step, make_module(vocabulary), Report())
    names = sorted(file.name for file in tmp_path.glob("negatives-*.npy"))
    assert names == [
        "negatives-source-000000002.npy",
        "negatives-source-000000003.npy",
    ]


def test_a_cancelled_mining_leaves_no_file(
    tmp_path: Path, vocabulary: Vocabulary, coarse: Path
) -> None:
    context, store = make(tmp_path, vocabulary, coarse)
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        NegativeCache(context, store, ("target",)).prepare(
            0, make_module(vocabulary), report
        )
    assert not list(tmp_path.glob("negatives-*"))
