"""Steps of modules: accumulation, clipping, turns, precision, and their states."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor, nn

from app.engine.encoders.configs import StaticConfig
from app.engine.encoders.neural import SentenceModule
from app.engine.encoders.weights import build_module
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.objective import ObjectiveLoss
from app.engine.training.trainers.module_trainer import ModuleTrainer, TrainableModule
from app.engine.training.trainers.state import load_state, save_state
from app.params.training.encoder import TrainEncoder
from tests.engine.training.making import BILSTM, make_tiny

PARAMS = TrainEncoder(
    name="x", lr=0.1, n_warmup=0, decay="constant", n_steps=100, precision="float32"
)


class Pull:
    """An objective that pulls all weights to the next of some values."""

    def __init__(self, targets: Sequence[float], name: str = "pull"):
        self.name = name
        self.weight = nn.Linear(1, 1, bias=False)
        self.heads: nn.Module = self.weight
        self.n_examples = len(targets)
        self.notes: tuple[str, ...] = ()
        self.n_drawn = 0
        self.n_prepared = 0
        self._targets = targets

    def prepare(self, step: int, module: SentenceModule, report: Report) -> None:
        self.n_prepared += 1

    def draw(self, step: int) -> float:
        self.n_drawn += 1
        return self._targets[(self.n_drawn - 1) % len(self._targets)]

    def loss(self, module: SentenceModule, examples: Any) -> ObjectiveLoss:
        table = dict(module.named_parameters())["table"]
        loss = (table - examples).square().mean() + self.weight.weight.square().sum()
        return ObjectiveLoss(loss, {"drawn": float(self.n_drawn)}, 2, 6)

    def state(self) -> dict[str, Tensor]:
        return {"n_drawn": torch.tensor(self.n_drawn)}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        self.n_drawn = int(tensors["n_drawn"])


def make_trainer(params: TrainEncoder, *objectives: Pull) -> ModuleTrainer:
    torch.manual_seed(1)
    module = build_module(StaticConfig(name="x", dim=2, n_pieces=3, n_bigrams=0))
    weights = [1.0] * len(objectives)
    nothing = cast(Any, None)  # its texts are not cut
    trained = TrainableModule(module, nothing, objectives, weights)
    return ModuleTrainer(trained, params, "cpu")


def table_of(trainer: ModuleTrainer) -> np.ndarray:
    return trainer.weights()["table"].detach().numpy().copy()


def test_accumulated_batches_give_the_step_of_their_mean() -> None:
    two = msgspec.structs.replace(PARAMS, n_accumulated=2)
    accumulated = make_trainer(two, Pull([1.0, 3.0]))
    at_once = make_trainer(PARAMS, Pull([2.0]))  # the same gradient: 2 (w - 2) / n
    for _ in range(3):
        result = accumulated.make_step(wants_values=True)
        at_once.make_step(wants_values=True)
    np.testing.assert_allclose(table_of(accumulated), table_of(at_once), rtol=1e-6)
    assert (result.n_sentences, result.n_tokens) == (4, 12)
    assert result.values["drawn"] == 5.5  # of the fifth and the sixth batch


def test_a_clipped_gradient_keeps_its_direction() -> None:
    params = msgspec.structs.replace(PARAMS, clip_norm=0.01)
    trainer = make_trainer(params, Pull([100.0]))
    trainer.make_step(wants_values=True)
    state = trainer.state().tensors
    first = torch.cat(  # a tenth of the gradient after one step of Adam
        [v.flatten() for k, v in state.items() if k.endswith("exp_avg")]
    )
    assert float(10 * first.norm()) == pytest.approx(0.01, rel=1e-4)


def test_objectives_take_turns_and_are_told_apart() -> None:
    one, other = Pull([0.0], "ranking"), Pull([0.0], "nli")
    trainer = make_trainer(PARAMS, one, other)
    names = []
    for _ in range(4):
        trainer.prepare(Report())
        names.append(trainer.make_step(wants_values=True).objective)
    assert names == ["ranking", "nli", "ranking", "nli"]
    assert (one.n_prepared, other.n_prepared) == (2, 2)
    assert trainer.make_step(wants_values=True).values == {"drawn.ranking": 3.0}


def test_heads_are_trained_and_left_out_of_the_encoder() -> None:
    objective = Pull([0.0])
    trainer = make_trainer(PARAMS, objective)
    before = float(objective.weight.weight.detach())
    trainer.make_step(wants_values=True)
    assert float(objective.weight.weight.detach()) != before
    assert trainer.weights().keys() == {"table"}
    assert trainer.n_parameters == 3 * 2 + 1


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_restored_trainer_takes_the_same_steps(
    precision: str, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    params = msgspec.structs.replace(BILSTM, precision=precision, n_accumulated=2)
    recipe = make_tiny(vocabulary, tmp_path, params)
    whole = recipe.make(params)
    losses = []
    for step in range(6):
        if step == 3:
            save_state(tmp_path, whole.state())
            whole.encoder().encode(["made between two steps"])  # changes nothing
        whole.prepare(Report())
        losses.append(whole.make_step(wants_values=True).loss)
    restored = recipe.make(msgspec.structs.replace(params, precision="auto"))
    state = load_state(tmp_path)
    assert state is not None
    restored.restore(state)
    again = []
    for _ in range(3):
        restored.prepare(Report())
        again.append(restored.make_step(wants_values=True).loss)
    assert again == losses[3:]
    assert restored.precision == precision  # that of the checkpoint, whatever is faster
    for name, weight in whole.weights().items():
        assert torch.equal(weight, restored.weights()[name])


def test_the_scale_of_float16_is_part_of_the_state(tmp_path: Path) -> None:
    trainer, other = (
        make_trainer(PARAMS, Pull([1e3])),
        make_trainer(PARAMS, Pull([1e3])),
    )
    state = trainer.state()
    trainer.restore(msgspec.structs.replace(state, notes={"precision": "float16"}))
    for _ in range(3):  # the CPU has scaled losses too
        trainer.make_step(wants_values=True)
    save_state(tmp_path, trainer.state())
    loaded = load_state(tmp_path)
    assert loaded is not None
    assert float(loaded.tensors["scaler._growth_tracker"]) > 0
    other.restore(loaded)
    for _ in range(2):
        losses = [t.make_step(wants_values=True).loss for t in (trainer, other)]
        assert losses[0] == losses[1]
    saved, again = (
        t.state().tensors["scaler._growth_tracker"] for t in (trainer, other)
    )
    assert (
        float(saved) == float(again) > float(loaded.tensors["scaler._growth_tracker"])
    )


def test_choosing_the_precision_leaves_no_trace(
    vocabulary: Vocabulary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def choose(wanted: str, device: str, trial: Any) -> str:
        for precision in ("bfloat16", "float32"):
            trial(precision)
            tried.append(precision)
        return "float32"

    monkeypatch.setattr(
        "app.engine.training.trainers.module_trainer.choose_precision", choose
    )
    recipe = make_tiny(vocabulary, tmp_path, BILSTM)
    losses = []
    for is_chosen in (True, False):
        trainer = recipe.make(BILSTM)
        if is_chosen:
            trainer.prepare(Report())
        losses.append([trainer.make_step(wants_values=True).loss for _ in range(3)])
    assert tried == ["bfloat16", "float32"]
    assert losses[0] == losses[1]


def test_bfloat16_is_used_and_near_float32(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    recipe = make_tiny(vocabulary, tmp_path, BILSTM)
    losses = {}
    for precision in ("float32", "bfloat16"):
        params = msgspec.structs.replace(BILSTM, precision=precision, dropout=0.0)
        trainer = recipe.make(params)
        trainer.prepare(Report())
        losses[precision] = trainer.make_step(wants_values=True).loss
    assert losses["bfloat16"] != losses["float32"]
    assert losses["bfloat16"] == pytest.approx(losses["float32"], rel=0.02)
