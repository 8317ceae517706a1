"""Quick thought: neighbours in documents, formula, gradients and learning."""

from pathlib import Path

import numpy as np
import pytest
import torch

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.objective import encode_columns
from app.engine.training.objectives.contrast import Scoring, response_head
from app.engine.training.objectives.quick_thought import (
    QuickThoughtObjective,
    make_quick_thought,
)
from app.errors import UserError
from tests.engine.training.objectives.making import (
    check_draws_are_reproducible,
    gradient_norms,
    make_context,
    make_module,
    train,
)
from tests.engine.training.objectives.test_contrast import slow_loss
from tests.engine.training.synthetic import english_word


def write_documents(file: Path, n: int) -> Path:
    """Write documents of four sentences, each with its own two words in all of them."""
    lines = []
    for i in range(n):
        pair = f"{english_word(i)} {english_word((i * 7 + 3) % 100)}"
        lines += [f"{english_word(90 + j)} {pair}" for j in range(4)]
        lines.append("")
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def make(
    folder: Path, vocabulary: Vocabulary, text: str = "", name: str = "news.txt"
) -> QuickThoughtObjective:
    file = folder / name
    if text:
        file.write_text(text, encoding="utf-8")
    elif not file.exists():
        write_documents(file, 60)
    context = make_context(folder, vocabulary, documents=[str(file)])
    (objective,) = make_quick_thought(context, Report())
    return objective


def test_only_sentences_with_both_neighbours_are_drawn(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    # b and c have both neighbours; the last document has a sentence without a token
    text = "ba\ndo\nki\nlu\n\nme\nno\n\npa\n\N{SNOWMAN}\nri\nsu\n"
    objective = make(tmp_path, vocabulary, text)
    assert objective.n_examples == 2
    columns = objective.draw(0).columns
    sentences = [columns.tokens.take([i]).ids.tolist() for i in range(6)]
    words = {
        tuple(vocabulary.tokenise([word])[0].tolist()): word
        for word in ("ba", "do", "ki", "lu")
    }
    named = [words[tuple(ids)] for ids in sentences]
    triples = set(zip(named[2:4], named[:2], named[4:], strict=True))
    assert triples == {("ba", "do", "ki"), ("do", "ki", "lu")}


def test_columns_of_a_table_are_languages(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    rows = [f"x\t{english_word(i)}\t{english_word(i + 50)}" for i in range(5)]
    text = "\n".join(["document\teng\tdeu", *rows])
    objective = make(tmp_path, vocabulary, text, "news.tsv")
    assert objective.n_examples == 6  # 3 in each language


def test_loss_equals_a_slow_reference(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    examples = objective.draw(0)
    found = objective.loss(module, examples)
    vectors = encode_columns(module, examples.columns, "cpu")
    roles = objective.heads.get_submodule("roles")
    made = [
        roles.get_submodule(name)(column)
        for name, column in zip(
            ("input", "predecessor", "successor"), vectors, strict=True
        )
    ]
    scoring = Scoring(torch.tensor(0.1))
    expected = sum(
        slow_loss(made[0], candidates, torch.from_numpy(masked), scoring)
        for candidates, masked in zip(made[1:], examples.masked, strict=True)
    )
    assert found.loss.item() == pytest.approx(expected, rel=1e-4)
    assert found.n_sentences == 3 * len(examples.masked[0])


def test_equal_neighbours_are_no_negatives(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    text = "ba\ndo\nki\n\nba\nlu\nme\n\nno\ndo\npa\n"
    objective = make(tmp_path, vocabulary, text)
    before, after = objective.draw(0).masked
    assert before.sum() == 4  # ba before do and lu; do is the input twice
    assert after.sum() == 2  # do is the input twice


def test_heads_have_the_published_sizes() -> None:
    shapes = [tuple(p.shape) for p in response_head(512).parameters()]
    assert shapes == [(320, 512), (320,), (512, 320), (512,)]
    assert [type(m).__name__ for m in response_head(512)][1::2] == ["Tanh", "Tanh"]


@pytest.mark.parametrize("architecture", ["static", "bilstm"])
def test_gradient_reaches_module_and_all_heads(
    tmp_path: Path, vocabulary: Vocabulary, architecture: str
) -> None:
    objective = make(tmp_path, vocabulary)
    norms = gradient_norms(objective, make_module(vocabulary, architecture))
    assert all(norm > 0 for norm in norms.values())
    assert len([name for name in norms if name.startswith("roles.")]) == 12


def test_a_module_learns_its_neighbours(tmp_path: Path, vocabulary: Vocabulary) -> None:
    objective, module = make(tmp_path, vocabulary), make_module(vocabulary)
    losses = train(objective, module, 60, lr=0.01)
    assert np.mean(losses[-5:]) < 0.5 * losses[0]


def test_draws_are_reproducible(tmp_path: Path, vocabulary: Vocabulary) -> None:
    check_draws_are_reproducible(lambda: make(tmp_path, vocabulary))


def test_documents_of_two_sentences_are_refused(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    with pytest.raises(UserError, match="contain 0 sentence triples"):
        make(tmp_path, vocabulary, "ba\ndo\n\nki\nlu\n")
