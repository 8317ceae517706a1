"""Rows with the same meaning are held out, and assigned to folds, together."""

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert

from app.engine.classify.labelled_rows import read_labelled
from app.engine.classify.overlap import group_rows
from app.engine.heads.folds import hold_out, make_folds
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.train_classifier import TrainClassifierResult, train_classifier
from app.errors import UserError
from app.params import build_params
from app.params.classify import TrainClassifier
from tests.engine.classify.barn import add_labelled, use_words
from tests.engine.classify.word_encoder import make_rows

CLASSES = np.repeat([0, 1], 30)
GROUPS = np.tile(np.arange(30), 2) // 3  # three rows of each class say the same
N = 120


def test_a_fold_has_all_rows_that_say_the_same() -> None:
    folds = make_folds(CLASSES, 5, seed=1, groups=GROUPS)
    for one in (0, 1):
        by_group = folds[one == CLASSES].reshape(10, 3)
        assert (by_group == by_group[:, :1]).all()
        assert np.bincount(by_group[:, 0]).tolist() == [2] * 5


def test_rows_that_say_the_same_are_held_out_together() -> None:
    held = hold_out(CLASSES, 0.2, seed=1, groups=GROUPS)
    assert np.bincount(CLASSES[held]).tolist() == [6, 6]
    for one in (0, 1):
        counts = np.bincount(GROUPS[held][CLASSES[held] == one])
        assert set(counts.tolist()) == {0, 3}


def test_rows_of_which_no_two_say_the_same_are_held_out_as_ever() -> None:
    alone = np.arange(60)
    assert np.array_equal(
        hold_out(CLASSES, 0.2, seed=3), hold_out(CLASSES, 0.2, seed=3, groups=alone)
    )


def add_parallel(project: Project, labels: list[str]) -> None:
    """Put an English corpus in, and its translations, linked in another order."""
    texts = [text for _, text in make_rows(N, seed=4)]
    for name, language, prefix in (("A", "en", ""), ("B", "de", "x")):
        order = range(N) if language == "en" else reversed(range(N))
        rows = [(labels[at], f"{prefix}{texts[at]}") for at in order]
        add_labelled(project, name, language, rows)
    links = [
        {
            "source_id": first_sentence_id(1) + at,
            "target_id": first_sentence_id(2) + N - 1 - at,
        }
        for at in range(N)
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), [{**one, "kind": "g"} for one in links])


def train(project: Project, **fields: object) -> TrainClassifierResult:
    values = {"name": "a", "train": ["A", "B"], "head": "knn", "k": 1, **fields}
    return train_classifier(project, build_params(TrainClassifier, values), Report())


def test_translations_of_held_out_rows_teach_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels by chance cannot be learnt, only be read off the translation."""
    use_words(monkeypatch)
    chance = np.random.default_rng(2).choice(["heads", "tails"], N).tolist()
    with create_project(tmp_path / "p.isogloss") as project:
        add_parallel(project, chance)
        parts = [read_labelled(project, name) for name in ("A", "B")]
        numbers = group_rows(parts, project.store)
        result = train(project, development_share=0.3)
    assert np.array_equal(numbers[:N], numbers[N:][::-1])
    assert result.n_development >= 60
    assert result.development < 0.7


def test_classes_of_one_sentence_each_have_nothing_to_hold_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_words(monkeypatch)
    rows = [("sea", "ball"), ("sea", "Ball!"), ("farm", "tax"), ("farm", "tax")]
    with create_project(tmp_path / "p.isogloss") as project:
        add_labelled(project, "A", "en", rows)
        with pytest.raises(UserError, match="rows of each class are translations"):
            train(project, train=["A"])
