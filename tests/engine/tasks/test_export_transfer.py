"""Every prediction of a transfer test as a file."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.engine.project.project import Project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.store.classifiers import read_transfer_predictions
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks import evaluate_transfer as testing
from app.engine.tasks.export_transfer import export_transfer
from app.engine.tasks.train_classifier import train_classifier
from app.errors import UserError
from app.params import build_params
from app.params.classify import EvaluateTransfer, ExportTransfer, TrainClassifier
from app.protocol.edits.corpora import EditSentence
from tests.engine.classify.barn import add_labelled, make_barn, use_words
from tests.engine.classify.word_encoder import make_rows
from tests.engine.review.made import edit

GERMAN = [*make_rows(30, prefix="x", seed=4), *make_rows(2, prefix="x", seed=4)]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        training = build_params(TrainClassifier, {"name": "a", "train": ["topics"]})
        train_classifier(project, training, Report())
        add_labelled(project, "Briefe", "de", GERMAN)
        yield project


@pytest.fixture
def english(tmp_path: Path) -> Path:
    """A file of the training language."""
    file = tmp_path / "en.tsv"
    rows = make_rows(30, seed=4)
    file.write_text("".join(f"{label}\t{text}\n" for label, text in rows), "utf-8")
    return file


def measure(project: Project, *tests: str) -> int:
    """Test the classifier; returns the run."""
    params = build_params(EvaluateTransfer, {"classifier": "a", "tests": list(tests)})
    run = queue_run(project, params)
    testing.evaluate_transfer(project, params, Report(run=run))
    return run


def export(project: Project, run: int, out: Path) -> Any:
    params = build_params(ExportTransfer, {"run": run, "out": str(out)})
    return export_transfer(project, params, Report())


def test_every_tested_row_has_its_label_prediction_and_text(
    project: Project, english: Path, tmp_path: Path
) -> None:
    run = measure(project, "de=Briefe", f"en-x-2={english}")
    result = export(project, run, tmp_path / "p.tsv")
    assert (result.n_written, result.n_changed) == (62, 0)
    assert result.message == f"Exported 62 predictions to {tmp_path / 'p.tsv'}."
    with (tmp_path / "p.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    german = [row for row in rows if row["language"] == "de"]
    assert [(row["label"], row["text"]) for row in german] == GERMAN
    assert [row["line"] for row in german] == [str(n + 1) for n in range(32)]
    assert {row["corpus"] for row in german} == {"Briefe"}
    assert "second_text" not in rows[0]  # no pairs were tested
    other = rows[-1]
    assert (other["language"], other["name"]) == ("en", "English (set 2)")
    assert other["line"] == "30"
    found = read_transfer_predictions(project.store, run)
    right = sum(int(row["is_correct"]) for row in german)
    assert right == int((found["de"].gold == found["de"].predicted).sum())
    for row in rows:
        assert (row["label"] == row["predicted"]) == (row["is_correct"] == "1")


def test_a_row_that_changed_since_has_no_text(project: Project, tmp_path: Path) -> None:
    run = measure(project, "de=Briefe")
    with project.store.begin() as connection:  # no run is active any more
        connection.exec_driver_sql("UPDATE run SET state = 'finished'")
    edit(project, EditSentence(sentence=first_sentence_id(3) + 15, text="other words"))
    result = export(project, run, tmp_path / "p.jsonl")
    assert (result.n_written, result.n_changed) == (32, 1)
    assert result.message.endswith("1 row changed after the test: without a text.")
    lines = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    changed = [one for one in map(json.loads, lines) if not one["text"]]
    assert [(one["label"], one["line"]) for one in changed] == [(GERMAN[15][0], None)]


def test_only_tests_of_classes_are_exported(project: Project, tmp_path: Path) -> None:
    out = tmp_path / "p.tsv"
    with pytest.raises(UserError, match="has no run 99"):
        export(project, 99, out)
    other = queue_run(project, build_params(ExportTransfer, {"run": 1, "out": "x.tsv"}))
    with pytest.raises(UserError, match="is no transfer test"):
        export(project, other, out)
    params = build_params(EvaluateTransfer, {"classifier": "a", "tests": ["de=Briefe"]})
    with pytest.raises(UserError, match="has no predictions of classes"):
        export(project, queue_run(project, params), out)
    assert not out.exists()
