"""The training loop: the error falls, and a resumed run equals an uninterrupted one."""

from pathlib import Path

import numpy as np
import pytest

from app.engine.report import Report
from app.engine.text.vocabulary import Vocabulary
from app.engine.training.batches import TableShape
from app.engine.training.loop import Trainer, train_table
from app.engine.training.state import save_state
from app.engine.training.tokens import TokenPairs, tokenise_pairs
from app.errors import Cancelled
from app.params.training import TrainEncoder
from tests.engine.training.synthetic import make_pairs, write_pairs

PARAMS = TrainEncoder(
    name="tiny",
    n_bigrams=64,
    dim=32,
    n_steps=200,
    batch_size=64,
    n_warmup=5,
    lr=0.03,
    checkpoint_every_s=3600,
)


class Curve:
    """A sink that keeps the curve and cancels at a step."""

    def __init__(self, cancel_at: int = -1):
        self.points: dict[int, dict[str, float]] = {}
        self.report = Report(self)
        self._cancel_at = cancel_at

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        pass

    def metric(self, step: int, values: dict[str, float]) -> None:
        self.points[step] = values
        if step == self._cancel_at:
            self.report.cancel()

    def changed(self, kind: str, row_id: int) -> None:
        pass


@pytest.fixture
def pairs(vocabulary: Vocabulary, tmp_path: Path) -> TokenPairs:
    files = [
        write_pairs(tmp_path / f"eng-{c}.tsv", 300, seed=i) for i, c in enumerate("ab")
    ]
    return tokenise_pairs(files, vocabulary, tmp_path, Report())


def trainer(pairs: TokenPairs, vocabulary: Vocabulary) -> Trainer:
    shape = TableShape(vocabulary.n_pieces, PARAMS.n_bigrams, vocabulary.space_id)
    return Trainer(pairs, shape, PARAMS, "cpu")


def test_error_falls(pairs: TokenPairs, vocabulary: Vocabulary, tmp_path: Path) -> None:
    curve = Curve()
    trained = train_table(trainer(pairs, vocabulary), PARAMS, tmp_path, curve.report)
    assert curve.points[200]["error"] < 0.05 < 0.5 < curve.points[10]["error"]
    assert curve.points[200]["loss"] < curve.points[10]["loss"]
    assert not trained.table[0].any()  # the silent row stays silent


def test_resumed_run_equals_an_uninterrupted_one(
    pairs: TokenPairs, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    whole_folder, cut_folder = tmp_path / "whole", tmp_path / "cut"
    whole_folder.mkdir()
    cut_folder.mkdir()
    whole, before, after = Curve(), Curve(cancel_at=20), Curve()
    expected = train_table(
        trainer(pairs, vocabulary), PARAMS, whole_folder, whole.report
    )

    stopped = trainer(pairs, vocabulary)
    for _ in range(7):
        stopped.make_step()
    save_state(cut_folder, stopped.state())
    with pytest.raises(Cancelled):
        train_table(stopped, PARAMS, cut_folder, before.report)
    resumed = train_table(trainer(pairs, vocabulary), PARAMS, cut_folder, after.report)

    assert resumed.first_step == 7
    assert after.points == whole.points
    np.testing.assert_array_equal(resumed.table, expected.table)


def test_checkpoints_are_written_while_training(
    pairs: TokenPairs, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    import msgspec

    params = msgspec.structs.replace(PARAMS, checkpoint_every_s=1e-6)
    train_table(trainer(pairs, vocabulary), params, tmp_path, Report())
    assert list(tmp_path.glob("checkpoint-*.safetensors"))


def test_gathered_pieces_are_those_of_the_texts(
    pairs: TokenPairs, vocabulary: Vocabulary
) -> None:
    texts = make_pairs(300, seed=1)  # the second file
    sides = np.array([2 * 302 + 1, 2 * 305, 0])
    piece_ids, lengths = pairs.gather(sides)
    expected, expected_lengths = vocabulary.tokenise(
        [texts[2][1], texts[5][0], make_pairs(300, seed=0)[0][0]]
    )
    assert piece_ids.tolist() == expected.tolist()
    assert lengths.tolist() == expected_lengths.tolist()
