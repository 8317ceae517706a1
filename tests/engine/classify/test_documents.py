"""A document classifier uses the mean of the sentences everywhere."""

from pathlib import Path
from typing import Any

import pytest

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.classifiers import list_predictions, map_predictions
from app.engine.tasks import check_labels as checking
from app.engine.tasks import evaluate_few_shot as few_shot
from app.engine.tasks.check_labels import check_labels
from app.engine.tasks.classify import classify
from app.engine.tasks.evaluate_few_shot import evaluate_few_shot
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.engine.tasks.train_classifier import train_classifier
from app.params import build_params
from app.params.classify import (
    CheckLabels,
    Classify,
    EvaluateFewShot,
    EvaluateTransfer,
    TrainClassifier,
)
from app.results.transfer import LanguageScore
from tests.engine.classify.barn import add_labelled, make_barn, use_words
from tests.engine.classify.word_encoder import WordEncoder, as_lines, make_rows

# Most of its words are of sport, most of its sentences are of weather.
DOCUMENT = "The ball ball ball ball ball ball today. The rain today. The snow today."
SHORT = "The goal today. The goal today."


@pytest.mark.parametrize(("documents", "wanted"), [(False, "sport"), (True, "weather")])
def test_a_classifier_reads_texts_as_it_was_trained_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, documents: bool, wanted: str
) -> None:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        values = {"name": "a", "train": ["topics"], "head": "centroid"}
        params = build_params(TrainClassifier, {**values, "documents": documents})
        train_classifier(project, params, Report())
        add_labelled(project, "docs", "en", [(wanted, DOCUMENT), ("sport", SHORT)])
        asked: dict[str, Any] = {"classifier": "a", "corpora": ["docs"]}
        got = classify(project, build_params(Classify, asked), Report())
        assert got.corpora[0].sentences == 2
        assert said(project) == [wanted, "sport"]
        asked = {"classifier": "a", "tests": ["de=docs"]}
        params = build_params(EvaluateTransfer, asked)
        score = evaluate_transfer(project, params, Report()).languages["de"]
        assert isinstance(score, LanguageScore)
        assert score.accuracy == 1


def said(project: Project) -> list[str]:
    (row,) = list_predictions(project.store)
    names = ("politics", "sport", "weather")
    return [names[index] for index in map_predictions(project.folder, row).classes]


@pytest.mark.parametrize("documents", [False, True])
def test_checks_and_curves_read_documents_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, documents: bool
) -> None:
    asked: list[str] = []

    class Listening(WordEncoder):
        def encode(self, texts: Any) -> Any:
            asked.extend(texts)
            return super().encode(texts)

    for module in (checking, few_shot):
        monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Listening())
    file = tmp_path / "a.tsv"
    rows = [
        (label, f"The {text} today. The rain today.") for label, text in make_rows(30)
    ]
    file.write_text(as_lines(rows), encoding="utf-8")
    settings = {"head": "centroid", "documents": documents}
    values: dict[str, Any] = {"train": [str(file)], "suspects": 0, **settings}
    check_labels(None, build_params(CheckLabels, values), Report())
    assert ("The rain today." in asked) == documents
    asked.clear()
    sides = {"train": str(file), "target": str(file), "sizes": [5], "repeats": 1}
    params = build_params(EvaluateFewShot, {**settings, **sides})
    evaluate_few_shot(None, params, Report())
    assert ("The rain today." in asked) == documents
