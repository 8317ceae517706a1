"""Inference: features, formula, gradients, learning and refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.objective import encode_columns
from app.engine.training.objectives.nli import (
    InferenceObjective,
    make_nli,
    pair_features,
)
from app.errors import UserError
from tests.engine.training.objectives.making import (
    DIM,
    check_draws_are_reproducible,
    gradient_norms,
    make_context,
    make_module,
    train,
)
from tests.engine.training.synthetic import english_word

LABELS = ("entailment", "neutral", "contradiction")


def write_inference(file: Path, n: int) -> Path:
    """Write premises whose first word is repeated, moved on by one, or replaced."""
    generator = np.random.default_rng(0)
    lines = []
    for i in range(n):
        word, other = generator.integers(0, 20, 2)
        hypothesis = (word, 20 + word, 40 + other)[i % 3]
        lines.append(
            f"{LABELS[i % 3]}\t{english_word(word)} su\t{english_word(hypothesis)} su\n"
        )
    file.write_text("".join(lines), encoding="utf-8")
    return file


def make(
    folder: Path, vocabulary: Vocabulary, text: str = "", **settings: Any
) -> InferenceObjective:
    file = folder / "nli.tsv"
    if text:
        file.write_text(text, encoding="utf-8")
    elif not file.exists():
        write_inference(file, 120)
    context = make_context(folder, vocabulary, nli=[str(file)], **settings)
    return make_nli(context, Report())


def test_features_are_both_vectors_their_distance_and_product() -> None:
    u, v = torch.tensor([[1.0, -2.0]]), torch.tensor([[3.0, 4.0]])
    assert pair_features(u, v).tolist() == [[1, -2, 3, 4, 2, 6, 3, -8]]


def test_loss_and_accuracy_equal_a_slow_reference(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    examples = objective.draw(0)
    found = objective.loss(module, examples)
    w1, b1, w2, b2 = objective.heads.parameters()
    premises, hypotheses = encode_columns(module, examples.columns, "cpu")
    loss, n_right, n = 0.0, 0, len(examples.classes)
    for u, v, label in zip(premises, hypotheses, examples.classes, strict=True):
        features = torch.cat([u, v, (u - v).abs(), u * v])
        hidden = torch.tanh(w1 @ features + b1)
        logits = w2 @ hidden + b2
        shares = logits.exp() / logits.exp().sum()
        loss -= shares[label].log().item()
        n_right += int(shares.argmax() == label)
    assert found.loss.item() == pytest.approx(loss / n, rel=1e-5)
    assert found.values == {"accuracy": n_right / n}
    assert w1.shape == (512, 4 * DIM)


@pytest.mark.parametrize("architecture", ["static", "bilstm"])
def test_gradient_reaches_module_and_head(
    tmp_path: Path, vocabulary: Vocabulary, architecture: str
) -> None:
    objective = make(tmp_path, vocabulary)
    norms = gradient_norms(objective, make_module(vocabulary, architecture))
    assert all(norm > 0 for norm in norms.values())


def test_a_module_learns_to_infer(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    losses = train(objective, module, 60)
    assert losses[0] == pytest.approx(np.log(3), abs=0.1)
    assert np.median(losses[-9:]) < 0.2


def test_draws_are_reproducible(tmp_path: Path, vocabulary: Vocabulary) -> None:
    check_draws_are_reproducible(lambda: make(tmp_path, vocabulary))


def test_kept_out_sentences_are_left_out(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    text = "0\tba do\tki lu\n1\tme no\tsu te\n2\tba\tme NO!\n0\tlu\tdo\n"
    objective = make(tmp_path, vocabulary, text, kept_out=["me no"])
    assert objective.n_examples == 2
    assert objective.notes == (
        "Excluded 2 pairs: a sentence is in a development or test set.",
    )


def test_a_single_pair_is_refused(tmp_path: Path, vocabulary: Vocabulary) -> None:
    with pytest.raises(UserError, match="contain 1 pair, but at least 2 are needed"):
        make(tmp_path, vocabulary, "0\tba do\tki lu\n1\t\tsu te\n")
