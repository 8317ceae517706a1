"""Contradiction: changed facts, contradicted hypotheses, loss and masks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.objective import encode_columns
from app.engine.training.objectives.contradiction import (
    ContradictionObjective,
    make_contradiction,
)
from app.errors import UserError
from tests.engine.training.objectives.making import (
    check_draws_are_reproducible,
    make_context,
    make_module,
    train,
)

PAIRS = (
    ("The bado was kilu.", "яэ меню"),
    ("The bado was kilu.", "ба до ки"),
    ("It had 12 meno.", "лю ме но"),
    ("kilu", "па ри су"),  # nothing in it can be changed
)
NLI = (
    ("entailment", "bado kilu", "bado"),
    ("contradiction", "bado kilu", "meno"),
    ("neutral", "bado kilu", "pari"),
    ("entailment", "sute", "te"),
)


def make(
    folder: Path, vocabulary: Vocabulary, *, nli: bool = True, **settings: Any
) -> ContradictionObjective:
    pairs = folder / "eng-deu.tsv"
    pairs.write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS), encoding="utf-8")
    if nli:
        file = folder / "nli.tsv"
        file.write_text("".join("\t".join(row) + "\n" for row in NLI), encoding="utf-8")
        settings["nli"] = [str(file)]
    context = make_context(folder, vocabulary, files=[pairs], **settings)
    return make_contradiction(context, Report())


def test_pairs_whose_english_can_be_changed_and_premises_with_both_hypotheses(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    objective = make(tmp_path, vocabulary)
    assert objective.n_examples == 3 + 1
    assert make(tmp_path / "..", vocabulary, nli=False).n_examples == 3


def test_english_can_be_the_second_side(tmp_path: Path, vocabulary: Vocabulary) -> None:
    for name, n in (("deu-eng.tsv", 3), ("deu-fra.tsv", 0)):
        folder = tmp_path / name
        folder.mkdir()
        file = folder / name
        file.write_text("".join(f"{b}\t{a}\n" for a, b in PAIRS), encoding="utf-8")
        context = make_context(folder, vocabulary, files=[file])
        if n:
            assert make_contradiction(context, Report()).n_examples == n
        else:
            with pytest.raises(UserError, match="found nothing to change"):
                make_contradiction(context, Report())


def test_loss_equals_a_slow_reference(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    examples = objective.draw(0)
    found = objective.loss(module, examples)
    sentences, matches, contradictions = (
        torch.nn.functional.normalize(part.detach(), dim=1)
        for part in encode_columns(module, examples.columns, "cpu")
    )
    candidates = [*matches, *contradictions]
    losses, n_wrong = [], 0
    for i, sentence in enumerate(sentences):
        scores = [
            float(sentence @ one) / 0.1
            for one, is_masked in zip(candidates, examples.masked[i], strict=True)
            if not is_masked
        ]
        own = float(sentence @ matches[i]) / 0.1
        losses.append(np.log(np.exp(scores).sum()) - own)
        n_wrong += max(scores) > own + 1e-6
    assert found.loss.item() == pytest.approx(np.mean(losses), rel=1e-4)
    assert found.values["error"] == pytest.approx(n_wrong / len(sentences))


def test_matches_of_equal_pairs_are_no_negatives_but_their_own_contradiction_is(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    examples = make(tmp_path, vocabulary, nli=False).draw(0)
    n = len(examples.masked)
    own = np.arange(n)
    assert n == 3
    assert not examples.masked[own, own].any()
    assert not examples.masked[own, n + own].any()
    assert examples.masked[:, :n].sum() == 2  # the two pairs with the same English


def test_it_learns_to_tell_a_changed_sentence(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    losses = train(make(tmp_path, vocabulary), make_module(vocabulary), 30)
    assert losses[-1] < 0.5 * losses[0]


def test_draws_are_reproducible(tmp_path: Path, vocabulary: Vocabulary) -> None:
    check_draws_are_reproducible(lambda: make(tmp_path, vocabulary))


def test_nothing_to_change_is_one_sentence(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    file = tmp_path / "eng-deu.tsv"
    file.write_text("kilu\tяэ\nmeno\tлю\n", encoding="utf-8")
    context = make_context(tmp_path, vocabulary, files=[file])
    with pytest.raises(UserError, match="found nothing to change"):
        make_contradiction(context, Report())
