"""Translation ranking on modules: formula, masks, hard negatives, learning."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from app.engine.encoders.tokens import collate
from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.objectives.translation_ranking import (
    RankingObjective,
    make_ranking,
)
from tests.engine.training.objectives.making import (
    check_draws_are_reproducible,
    gradient_norms,
    make_context,
    make_module,
    train,
)
from tests.engine.training.synthetic import make_pairs, write_pairs

TWINS = "ba do\tbado\nba do\tkilu\nme no\tbado\nsu te\ttesu\nki lu\tluki\n"
NEGATIVES = np.array([[3, 1], [4, 2], [0, 3], [0, 2], [-1, -1]], np.int32)


def make(
    folder: Path, vocabulary: Vocabulary, text: str = "", **settings: Any
) -> RankingObjective:
    file = folder / "eng-deu.tsv"
    if text:
        file.write_text(text, encoding="utf-8")
    elif not file.exists():
        write_pairs(file, 200)
    context = make_context(folder, vocabulary, files=[file], **settings)
    (objective,) = make_ranking(context, Report())
    return objective


def write_negatives(folder: Path) -> None:
    for side in ("source", "target"):
        np.save(folder / f"negatives-{side}-000000000.npy", NEGATIVES)


def vectors_of(module: Any, vocabulary: Vocabulary, texts: list[str]) -> Tensor:
    ids = make_context(Path(), vocabulary).tokeniser.tokenise(texts)
    return functional.normalize(module(collate(ids, range(len(texts))))).detach()


def slow_loss(
    queries: Tensor, candidates: Tensor, negatives: list[list[int]], margin: float
) -> float:
    """Return the loss where each query's negatives are named one by one."""
    total = 0.0
    for i, found in enumerate(negatives):
        true = math.exp(float(queries[i] @ candidates[i] - margin) / 0.1)
        others = sum(math.exp(float(queries[i] @ candidates[j]) / 0.1) for j in found)
        total -= math.log(true / (true + others))
    return total / len(queries)


# Pairs 0 and 1 share their source, pairs 0 and 2 their target.
TRUE_NEGATIVES = [[3, 4], [2, 3, 4], [1, 3, 4], [0, 1, 2, 4], [0, 1, 2, 3]]
# What `NEGATIVES` adds for the whole batch: 3 1 4 2 0 3 0 2, for each pair without
# those that share a side with it.
POOLED = [[3, 4, 3], [3, 4, 2, 3, 2], [3, 1, 4, 3], [1, 4, 2, 0, 0, 2]]
POOLED.append([3, 1, 2, 0, 3, 0, 2])
OWN = [[3], [4, 2], [3], [0, 2], []]


@pytest.mark.parametrize("direction", ["source", "target", "both"])
@pytest.mark.parametrize("pool", ["none", "batch", "own"])
def test_loss_equals_a_slow_reference(
    tmp_path: Path, vocabulary: Vocabulary, direction: str, pool: str
) -> None:
    settings: dict[str, Any] = {"margin": 0.2, "direction": direction}
    more: list[list[int]] = [[]] * 5
    if pool != "none":
        settings |= {"n_hard_negatives": 2, "negatives_pool": pool}
        write_negatives(tmp_path)
        more = POOLED if pool == "batch" else OWN
    objective = make(tmp_path, vocabulary, TWINS, **settings)
    module = make_module(vocabulary)
    objective.prepare(0, module, Report())
    found = objective.loss(module, objective.draw(0)).loss
    sources, targets = zip(*(x.split("\t") for x in TWINS.splitlines()), strict=True)
    u = vectors_of(module, vocabulary, list(sources))
    v = vectors_of(module, vocabulary, list(targets))
    negatives = [a + b for a, b in zip(TRUE_NEGATIVES, more, strict=True)]
    losses = {
        "source": slow_loss(u, v, negatives, 0.2),
        "target": slow_loss(v, u, negatives, 0.2),
    }
    losses["both"] = (losses["source"] + losses["target"]) / 2
    assert found.item() == pytest.approx(losses[direction], rel=1e-4)


def test_what_the_module_encodes_is_counted(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    write_negatives(tmp_path)
    objective = make(tmp_path, vocabulary, TWINS, n_hard_negatives=2)
    module = make_module(vocabulary)
    objective.prepare(0, module, Report())
    found = objective.loss(module, objective.draw(0))
    assert found.n_sentences == 2 * 5 + 2 * 2 * 5
    assert 0 <= found.values["error"] <= 1
    assert set(found.values) == {"error"}


@pytest.mark.parametrize("architecture", ["static", "bilstm"])
def test_gradient_reaches_module_and_temperature(
    tmp_path: Path, vocabulary: Vocabulary, architecture: str
) -> None:
    objective = make(tmp_path, vocabulary, learns_temperature=True)
    norms = gradient_norms(objective, make_module(vocabulary, architecture))
    assert all(norm > 0 for norm in norms.values())
    assert "temperature.logarithm" in norms


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_a_module_learns_to_find_translations(
    tmp_path: Path, vocabulary: Vocabulary, similarity: str
) -> None:
    objective = make(tmp_path, vocabulary, similarity=similarity)
    losses = train(objective, make_module(vocabulary), 60)
    assert np.mean(losses[-5:]) < 0.5 * losses[0]


def test_draws_are_reproducible(tmp_path: Path, vocabulary: Vocabulary) -> None:
    check_draws_are_reproducible(lambda: make(tmp_path, vocabulary))


def test_a_learned_temperature_is_shown(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective = make(tmp_path, vocabulary, learns_temperature=True)
    found = objective.loss(make_module(vocabulary), objective.draw(0))
    assert found.values["temperature"] == pytest.approx(0.1)


def test_bounds_count_the_negatives_too(tmp_path: Path, vocabulary: Vocabulary) -> None:
    file = tmp_path / "eng-deu.tsv"
    file.write_text(
        "".join(f"{a}\t{b}\n" for a, b in make_pairs(100)), encoding="utf-8"
    )
    plain = make(tmp_path, vocabulary, batch_tokens=200)
    n_plain = len(plain.draw(0).masked["source"])
    (tmp_path / "more").mkdir()
    context = make_context(
        tmp_path / "more",
        vocabulary,
        files=[file],
        batch_tokens=200,
        n_hard_negatives=4,
    )
    (mined,) = make_ranking(context, Report())
    for side in ("source", "target"):
        negatives = np.zeros((100, 4), np.int32)
        np.save(tmp_path / "more" / f"negatives-{side}-000000000.npy", negatives)
    mined.prepare(0, make_module(vocabulary), Report())
    assert len(mined.draw(0).masked["source"]) < n_plain / 2


def test_gradients_of_masked_candidates_are_zero(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    # all share a source: nothing is a negative, so there is nothing to learn
    text = "ba do\tbado\nba do\tkilu\nba do\tmeno\n"
    objective = make(tmp_path, vocabulary, text)
    module = make_module(vocabulary)
    loss = objective.loss(module, objective.draw(0)).loss
    loss.backward()
    assert loss.item() == 0
    gradients = [p.grad for p in module.parameters() if p.grad is not None]
    assert all(torch.equal(g, torch.zeros_like(g)) for g in gradients)
