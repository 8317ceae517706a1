"""Conversation response: one head, formula, gradients and learning."""

from pathlib import Path

import numpy as np
import pytest
import torch

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.objective import encode_columns
from app.engine.training.objectives.contrast import Scoring
from app.engine.training.objectives.conversation import (
    ConversationObjective,
    make_conversation,
)
from tests.engine.training.objectives.making import (
    check_draws_are_reproducible,
    gradient_norms,
    make_context,
    make_module,
    train,
)
from tests.engine.training.objectives.test_contrast import slow_loss
from tests.engine.training.synthetic import write_pairs


def make(folder: Path, vocabulary: Vocabulary, text: str = "") -> ConversationObjective:
    file = folder / "talk.tsv"
    if text:
        file.write_text(text, encoding="utf-8")
    elif not file.exists():
        write_pairs(file, 150)
    context = make_context(folder, vocabulary, conversations=[str(file)])
    (objective,) = make_conversation(context, Report())
    return objective


def test_loss_equals_a_slow_reference(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    examples = objective.draw(0)
    found = objective.loss(module, examples)
    inputs, responses = encode_columns(module, examples.columns, "cpu")
    head = objective.heads.get_submodule("response")
    expected = slow_loss(
        inputs,
        head(responses),
        torch.from_numpy(examples.masked),
        Scoring(torch.tensor(0.1)),
    )
    assert found.loss.item() == pytest.approx(expected, rel=1e-4)


def test_equal_inputs_and_responses_are_no_negatives(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    objective = make(tmp_path, vocabulary, "ba\tdo\nba\tki\nlu\tki\nme\tno\n")
    masked = objective.draw(0).masked
    assert masked.sum() == 4
    assert not masked.diagonal().any()


@pytest.mark.parametrize("architecture", ["static", "bilstm"])
def test_gradient_reaches_module_and_head(
    tmp_path: Path, vocabulary: Vocabulary, architecture: str
) -> None:
    objective = make(tmp_path, vocabulary)
    norms = gradient_norms(objective, make_module(vocabulary, architecture))
    assert all(norm > 0 for norm in norms.values())


def test_a_module_learns_to_respond(tmp_path: Path, vocabulary: Vocabulary) -> None:
    losses = train(make(tmp_path, vocabulary), make_module(vocabulary), 80)
    assert np.mean(losses[-5:]) < 0.5 * losses[0]


def test_draws_are_reproducible(tmp_path: Path, vocabulary: Vocabulary) -> None:
    check_draws_are_reproducible(lambda: make(tmp_path, vocabulary))
