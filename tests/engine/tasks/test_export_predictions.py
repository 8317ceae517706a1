"""Classified sentences as files."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.project.project import Project
from app.engine.runtime.report import Report
from app.engine.store.classifiers import list_predictions, map_predictions
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.classify import classify
from app.engine.tasks.export_predictions import export_predictions
from app.engine.tasks.train_classifier import train_classifier
from app.errors import UserError
from app.params import build_params
from app.params.classify import Classify, ExportPredictions, TrainClassifier
from app.protocol.edits.corpora import EditSentence
from app.protocol.edits.general import Undo
from tests.engine.classify.barn import label, make_barn, use_words
from tests.engine.review.made import edit


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        values = {"name": "topics", "train": ["topics"]}
        train_classifier(project, build_params(TrainClassifier, values), Report())
        asked = {"classifier": "topics", "corpora": ["Neues"]}
        classify(project, build_params(Classify, asked), Report())
        yield project


def export(project: Project, out: Path, **fields: Any) -> Any:
    values = {"classifier": "topics", "out": str(out), **fields}
    return export_predictions(
        project, build_params(ExportPredictions, values), Report()
    )


def test_sentences_are_written_with_what_was_said(
    project: Project, tmp_path: Path
) -> None:
    label(project, 2, ["sport"])
    assert export(project, tmp_path / "p.tsv").n_written == 40
    with (tmp_path / "p.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(rows) == 40
    assert rows[0]["label"] == "sport"
    assert rows[0]["language"] == "de"
    assert rows[0]["line"] == "1"
    assert all(1 / 3 < float(row["probability"]) <= 1 for row in rows)
    export(project, tmp_path / "p.jsonl", corpora=["Neues"])
    lines = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["class"] for line in lines] == [r["class"] for r in rows]


def test_only_a_class_and_a_probability_are_written(
    project: Project, tmp_path: Path
) -> None:
    some = export(project, tmp_path / "p.csv", classes=["sport"], lowest=0.5)
    assert 0 < some.n_written < 40
    with pytest.raises(UserError, match="has these classes and probabilities"):
        export(project, tmp_path / "q.csv", classes=["nothing"])
    assert not (tmp_path / "q.csv").exists()


def test_a_sentence_edited_after_its_prediction_is_left_out(
    project: Project, tmp_path: Path
) -> None:
    change = EditSentence(sentence=first_sentence_id(2) + 1, text="xball xgoal")
    edit(project, change)
    asked = {"classifier": "topics", "corpora": ["Neues"]}
    classify(project, build_params(Classify, asked), Report())
    assert export(project, tmp_path / "p.tsv").n_written == 40
    edit(project, Undo())
    result = export(project, tmp_path / "q.tsv")
    assert result.n_written == 39
    assert result.message.endswith(
        "Left out 1 sentence edited after the predictions: classify again to export "
        "all."
    )
    with (tmp_path / "q.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert str(change.sentence) not in {row["id"] for row in rows}
    for row in rows:
        assert row["probability"] == row[f"probability:{row['class']}"]


def test_a_file_is_replaced_only_where_that_is_said(
    project: Project, tmp_path: Path
) -> None:
    export(project, tmp_path / "p.csv")
    with pytest.raises(UserError, match="already exists"):
        export(project, tmp_path / "p.csv")
    assert export(project, tmp_path / "p.csv", replace=True).n_written == 40


def test_what_cannot_be_written_is_told(project: Project, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"end the name in .tsv, .csv or .jsonl"):
        export(project, tmp_path / "p.doc")
    with pytest.raises(UserError, match="has not classified these corpora"):
        export(project, tmp_path / "p.csv", corpora=["topics"])
    some = export(project, tmp_path / "p.csv", corpora=["Neues", "topics"])
    assert some.message.endswith("topics has not classified topics yet.")


def test_each_class_has_its_probability_in_a_column(
    project: Project, tmp_path: Path
) -> None:
    kept = list(project.folder.rglob("*.npy"))
    export(project, tmp_path / "p.tsv")
    with (tmp_path / "p.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    classes = ("politics", "sport", "weather")
    for row in rows:
        shares = {name: float(row[f"probability:{name}"]) for name in classes}
        assert sum(shares.values()) == pytest.approx(1, abs=2e-6)
        assert max(shares, key=lambda name: shares[name]) == row["class"]
        assert shares[row["class"]] == pytest.approx(float(row["probability"]))
    export(project, tmp_path / "p.jsonl")
    lines = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["probabilities"]["sport"] for line in lines] == [
        float(row["probability:sport"]) for row in rows
    ]
    assert list(project.folder.rglob("*.npy")) == kept


def test_without_the_encoder_what_was_said_is_written_alone(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    with pytest.raises(UserError, match=r"words is missing .* \(said only\)"):
        export(project, tmp_path / "p.csv")
    assert export(project, tmp_path / "p.csv", said_only=True).n_written == 40
    head = (tmp_path / "p.csv").read_text(encoding="utf-8").splitlines()[0]
    assert head == "text,class,probability,label,language,corpus,line,id"


def test_a_language_and_the_least_sure_are_written(
    project: Project, tmp_path: Path
) -> None:
    (row,) = list_predictions(project.store)
    said = map_predictions(project.folder, row).probabilities[:40]
    bounds = {"lowest": 0.5, "highest": float(said.max()) - 0.001}
    some = export(project, tmp_path / "p.csv", languages=["DE"], **bounds)
    is_within = (said >= bounds["lowest"]) & (said <= bounds["highest"])
    assert 0 < some.n_written == np.count_nonzero(is_within) < 40
    with pytest.raises(UserError, match="has these classes and probabilities"):
        export(project, tmp_path / "r.csv", languages=["fr"])
