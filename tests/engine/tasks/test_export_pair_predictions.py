"""Classified pairs as files: with both texts, and of the corpora that are named."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.engine.classify.predictions import order_predictions
from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.classify import classify
from app.engine.tasks.export_predictions import export_predictions
from app.engine.tasks.train_classifier import train_classifier
from app.params import build_params
from app.params.classify import Classify, ExportPredictions, TrainClassifier
from app.protocol.queries.classify import PredictionsQuery
from tests.engine.classify.barn import add_labelled, make_barn, use_words
from tests.engine.search.made import add_corpus

FIRSTS = ["ball goal", "tax vote", "rain snow", "goal team", "vote law", "snow wind"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Pairs A+B of equal texts and A+C of others, trained on A+B and A+C together."""
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        rows = [(label, text) for label, text in zip("505050", FIRSTS, strict=True)]
        add_labelled(project, "A", "en", rows)
        add_corpus(project, "B", "de", [f"x{text}" for text in FIRSTS])
        add_corpus(project, "C", "fr", [FIRSTS[index - 1] for index in range(6)])
        yield project


def use(project: Project, head: str, *corpora: str) -> None:
    """Train a head on A+B and classify pairs by it."""
    values = {"name": head, "train": ["A+B"], "head": head, "n_epochs": 3}
    train_classifier(project, build_params(TrainClassifier, values), Report())
    asked = {"classifier": head, "corpora": list(corpora)}
    classify(project, build_params(Classify, asked), Report())


def export(project: Project, out: Path, head: str, **fields: Any) -> list[Any]:
    values = {"classifier": head, "out": str(out), "replace": True, **fields}
    params = build_params(ExportPredictions, values)
    export_predictions(project, params, Report())
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def said_of(row: dict[str, Any]) -> float:
    return float(row["probabilities"][row["class"]])


def test_scores_of_pairs_are_written(project: Project, tmp_path: Path) -> None:
    use(project, "relatedness", "A+B")
    rows = export(project, tmp_path / "p.jsonl", "relatedness")
    assert [row["text"] for row in rows] == FIRSTS
    assert [row["second_text"] for row in rows] == [f"x{text}" for text in FIRSTS]
    assert all(row["class"] == "" and 0 <= row["probability"] <= 5 for row in rows)
    query = PredictionsQuery(classifier=1, which="contradicted")
    assert order_predictions(project, query)[0].tolist() == []


def test_each_pair_is_written_once_and_as_it_was_named(
    project: Project, tmp_path: Path
) -> None:
    use(project, "logistic", "A+B", "A+C")
    out = tmp_path / "p.jsonl"
    same = export(project, out, "logistic", corpora=["A+B"])
    others = export(project, out, "logistic", corpora=["A+C"])
    assert export(project, out, "logistic") == others  # classified last
    assert all(sum(row["probabilities"].values()) == pytest.approx(1) for row in same)
    assert all(
        row["probability"] == pytest.approx(said_of(row)) for row in same + others
    )
    assert [row["second_text"] for row in same] == [f"x{text}" for text in FIRSTS]
    assert [row["second_text"] for row in others] == [*FIRSTS[-1:], *FIRSTS[:-1]]
    assert [row["probability"] for row in same] != [
        row["probability"] for row in others
    ]
    query = PredictionsQuery(classifier=1, order="position")
    wanted = [first_sentence_id(3) + index for index in range(6)]
    assert order_predictions(project, query)[0].tolist() == wanted
