"""Which objectives the params name, and whose turn it is."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from app.engine.runtime.report import Report
from app.engine.text.subword_vocabulary import Vocabulary
from app.engine.training.objectives.mixture import (
    ObjectiveRotation,
    WeightedObjective,
    make_objectives,
    parse_objectives,
)
from app.errors import UserError
from tests.engine.training.objectives.making import make_context
from tests.engine.training.synthetic import write_pairs


def test_names_and_weights_are_read() -> None:
    assert parse_objectives(("ranking", " nli:0.5")) == (
        WeightedObjective("ranking", 1.0),
        WeightedObjective("nli", 0.5),
    )


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("rank",), "Unknown objective 'rank'. Choose from ranking, translation"),
        (("nli", "nli:2"), "nli is listed twice"),
        (("nli:often",), "'nli:often' is not a number"),
        (("nli:",), "'nli:' is not a number"),
        (("nli:0",), "must be between 0.01 and 100"),
        (("nli:nan",), "must be between"),
        ((), "at least one objective"),
    ],
)
def test_what_is_no_objective_is_refused(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_objectives(texts)


def test_equal_weights_take_turns() -> None:
    rotation = ObjectiveRotation([1.0, 1.0, 1.0])
    assert [rotation.task(step) for step in range(7)] == [0, 1, 2, 0, 1, 2, 0]


def test_a_task_of_half_the_weight_has_half_the_turns_evenly_spread() -> None:
    rotation = ObjectiveRotation([1.0, 0.5])
    turns = [rotation.task(step) for step in range(300)]
    assert Counter(turns) == {0: 200, 1: 100}
    indices = [step for step, task in enumerate(turns) if task == 1]
    assert {later - earlier for earlier, later in pairwise(indices)} == {3}


def test_odd_weights_have_their_shares() -> None:
    rotation = ObjectiveRotation([1.0, 0.33, 0.07])
    turns = Counter(rotation.task(step) for step in range(140))
    assert turns == {0: 100, 1: 33, 2: 7}


def test_objectives_share_the_aligned_files(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    files = [write_pairs(tmp_path / "eng-deu.tsv", 40)]
    context = make_context(
        tmp_path,
        vocabulary,
        files=files,
        objectives=("ranking", "translation:0.5"),
        target_languages=("eng",),
    )
    ranking, translation = make_objectives(context, Report())
    assert (ranking.name, translation.name) == ("ranking", "translation")
    assert ranking.n_examples == translation.n_examples == 40


@pytest.mark.parametrize("name", ["nli", "quick-thought", "conversation", "ranking"])
def test_an_objective_without_data_is_refused(
    tmp_path: Path, vocabulary: Vocabulary, name: str
) -> None:
    context = make_context(tmp_path, vocabulary, objectives=(name,))
    with pytest.raises(UserError, match=r"(Add one|Choose at least one file)"):
        make_objectives(context, Report())
