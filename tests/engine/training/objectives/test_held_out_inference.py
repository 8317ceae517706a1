"""The accuracy on held-out pairs: which pairs, its value, and what it selects."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from torch import Tensor

from app.engine.encoders.tokens import collate
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.development import METRIC, NLI_METRIC, selection_metric
from app.engine.training.loop import BestWeights, TrainingLoop
from app.engine.training.objectives.nli import InferenceObjective, make_nli
from app.params.training.encoder import TrainEncoder
from tests.engine.training.making import STATIC, Curve, make_tiny
from tests.engine.training.objectives.making import make_context, make_module
from tests.engine.training.synthetic import english_word

LABELS = ("entailment", "neutral", "contradiction")


def write_premises(file: Path, n: int) -> Path:
    """Write three hypotheses of each premise, as in SNLI."""
    lines = [
        f"{label}\t{english_word(i)} {english_word(i + 1)}\t{english_word(j + 40)}\n"
        for i in range(n)
        for j, label in enumerate(LABELS)
    ]
    file.write_text("".join(lines), encoding="utf-8")
    return file


def make(
    folder: Path, vocabulary: Vocabulary, n_development: int
) -> InferenceObjective:
    file = write_premises(folder / "nli.tsv", 60)
    context = make_context(
        folder, vocabulary, nli=[str(file)], n_development=n_development
    )
    return make_nli(context, Report())


def no_step(stage: str) -> None: ...


def test_no_premise_is_on_both_sides(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective = make(tmp_path, vocabulary, 12)
    assert objective.n_pairs == (180 - 12, 12)
    premises = objective._store.hashes[0::2]
    held = set(premises[objective._held].tolist())
    assert len(held) == 4  # whole premises: 12 / 3
    drawn: set[int] = set()
    for step in range(60):
        columns = objective.draw(step).columns
        n = columns.sizes[0]
        for i in range(n):
            ids = columns.tokens.take([i]).ids
            drawn.add(hash(tuple(ids.tolist())))
    held_ids = {
        hash(tuple(objective._store.tokens.take([2 * row]).ids.tolist()))
        for row in objective._held.tolist()
    }
    assert len(drawn) == 56
    assert not drawn & held_ids


def test_at_most_a_tenth_is_held_out(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective = make(tmp_path, vocabulary, 10_000)
    assert objective.n_pairs == (162, 18)
    assert objective.notes == ("Held out 18 NLI pairs to measure the accuracy.",)


def test_nothing_is_measured_without_held_out_pairs(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    objective = make(tmp_path, vocabulary, 0)
    assert objective.n_pairs == (180, 0)
    assert objective.measure(make_module(vocabulary).eval(), no_step) == {}


def test_accuracy_is_that_of_a_slow_reference(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    objective = make(tmp_path, vocabulary, 18)
    module = make_module(vocabulary, "bilstm").eval()
    w1, b1, w2, b2 = (p.detach().double().numpy() for p in objective.heads.parameters())
    store, n_right = objective._store, 0
    for row in objective._held.tolist():
        ids = np.array([2 * row, 2 * row + 1])
        with torch.no_grad():
            u, v = module(collate(store.tokens, ids)).double().numpy()
        features = np.concatenate([u, v, np.abs(u - v), u * v])
        scores = w2 @ np.tanh(w1 @ features + b1) + b2
        n_right += int(scores.argmax() == store.tags[row])
    found = objective.measure(module, no_step)
    assert found == {NLI_METRIC: n_right / 18}


@pytest.mark.parametrize(
    ("values", "selected_by", "metric"),
    [
        ({METRIC: 0.1, NLI_METRIC: 0.5}, "retrieval", METRIC),
        ({METRIC: 0.1, NLI_METRIC: 0.5}, "nli", NLI_METRIC),
        ({NLI_METRIC: 0.5}, "retrieval", NLI_METRIC),
        ({METRIC: 0.1}, "nli", METRIC),
    ],
)
def test_what_is_measured_selects(
    values: dict[str, float], selected_by: str, metric: str
) -> None:
    assert selection_metric(values, selected_by) == metric


def test_the_best_weights_are_those_of_the_highest_accuracy(tmp_path: Path) -> None:
    weights: Callable[[int], dict[str, Tensor]]
    weights = lambda step: {"w": torch.tensor([float(step)])}  # noqa: E731
    by_nli, by_retrieval = (
        BestWeights(tmp_path / name, name) for name in ("nli", "retrieval")
    )
    for best, name in ((by_nli, "nli"), (by_retrieval, "retrieval")):
        (tmp_path / name).mkdir()
        for step, (error, accuracy) in enumerate([(0.5, 0.4), (0.3, 0.6), (0.2, 0.5)]):
            best.offer(step, {METRIC: error, NLI_METRIC: accuracy}, weights(step))
    assert (by_nli.step, by_retrieval.step) == (1, 2)
    assert BestWeights(tmp_path / "nli", "nli").load()["w"].item() == 1


def test_the_curve_shows_the_accuracy_and_the_head_of_the_best_step_is_kept(
    vocabulary: Vocabulary, tmp_path: Path
) -> None:
    file = write_premises(tmp_path / "nli.tsv", 60)
    params: TrainEncoder = msgspec.structs.replace(
        STATIC,
        objectives=("nli",),
        nli=(file,),
        n_development=18,
        n_steps=40,
        evaluate_every=10,
        selected_by="nli",
    )
    recipe = make_tiny(vocabulary, tmp_path / "data", params)
    curve = Curve()
    trainer = recipe.make(params)
    trained = TrainingLoop(trainer, params, tmp_path, curve.report).run()
    accuracies = {s: v[NLI_METRIC] for s, v in curve.points.items() if NLI_METRIC in v}
    assert set(accuracies) == {0, 10, 20, 30, 40}
    assert accuracies[trained.kept_step] == max(accuracies.values())
    assert trained.measured == {NLI_METRIC: max(accuracies.values())}
    assert max(accuracies.values()) > 0.6 > accuracies[0]
    assert set(trained.heads) == {
        "nli.0.weight",
        "nli.0.bias",
        "nli.2.weight",
        "nli.2.bias",
    }
    assert not any(name.startswith("heads.") for name in trained.weights)
