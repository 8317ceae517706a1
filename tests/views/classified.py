"""A project with labels, a test of a classifier, classifiers and predictions."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from sqlalchemy import insert, update

from app.engine.project.project import open_project
from app.engine.store import schema
from app.engine.store.arrays import write_array
from app.engine.store.classifiers import (
    TransferRow,
    add_classifier,
    begin_prediction,
    prediction_files,
    record_prediction_progress,
    write_transfer,
)
from app.engine.store.corpora import first_sentence_id
from app.params.classify import (
    CheckLabels,
    EvaluateFewShot,
    EvaluateTransfer,
    ImportClassifier,
    TrainClassifier,
)
from app.results.transfer import (
    ClassScores,
    ConfidentError,
    LanguageDetails,
    LanguageScore,
    NearestExample,
)
from tests.views.mined import add_run

CLASSES = ("sea", "wind")
LABELS = ("wind", "sea", "sea")  # of the three sentences of a corpus
N = 3


def add_labels(folder: Path, corpus: int, names: tuple[str, ...] = LABELS) -> None:
    """Label the sentences of a corpus; an empty name: none."""
    rows = [
        {
            "sentence_id": first_sentence_id(corpus) + index,
            "class_name": name,
            "who": "",
            "created_at": 0.0,
        }
        for index, name in enumerate(names)
        if name
    ]
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(insert(schema.label), rows)


def make_imported(folder: Path, corpus: int) -> None:
    """Let the labels of a corpus be some that came with its file."""
    ids = schema.label.c.sentence_id
    is_here = ids.between(first_sentence_id(corpus), first_sentence_id(corpus + 1) - 1)
    with open_project(folder) as project, project.store.begin() as connection:
        connection.execute(update(schema.label).where(is_here).values(who="imported"))


def details(name: str, right: int) -> LanguageDetails:
    """Return of a language of which so many of three rows are right."""
    wrong = N - right
    confusion = ((2 - min(wrong, 2), min(wrong, 2)), (max(wrong - 2, 0), right and 1))
    score = LanguageScore(
        n=N,
        accuracy=right / N,
        accuracy_interval=(max(right / N - 0.3, 0), min(right / N + 0.3, 1)),
        macro_f1=right / N,
        majority=2 / 3,
    )
    near = NearestExample(
        ("So we are staying one more night.",), "sea", 0.71, first_sentence_id(1)
    )
    error = ConfidentError(
        ("لن تبحر العبّارة غدًا بسبب العاصفة.",),
        first_sentence_id(3) + 1,
        "sea",
        "wind",
        0.91,
        (near,),
    )
    return LanguageDetails(
        name=name,
        score=score,
        macro_f1_interval=(right / N - 0.2, right / N),
        classes=CLASSES,
        confusion=confusion,
        per_class=tuple(ClassScores(one, 0.5, 0.5, 0.5, 1) for one in CLASSES),
        calibration_error=0.1,
        errors=(error,) * wrong,
        n_translations=1 if name == "de" else 0,
    )


def add_transfer(
    folder: Path,
    rights: dict[str, int],
    *,
    result: dict[str, Any] | None = None,
    **fields: Any,
) -> int:
    """Record a test with so many right rows of three by language; returns its run.

    `result` replaces parts of its result.
    """
    corpora = {"en": "Harbour letters", "de": "Hafenbriefe", "ar": "رسائل الميناء"}
    params = EvaluateTransfer(
        train="Harbour letters",
        tests=tuple(f"{name}={corpora[name]}" for name in rights),
        **fields,
    )
    told = [details(name, right) for name, right in rights.items()]
    found = {
        "languages": {one.name: msgspec.to_builtins(one.score) for one in told},
        "mean_gap": 0.25,
        "training": {
            "head": fields.get("head", "logistic"),
            "features": "single",
            "encoder": "isogloss-2",
            "language": "en",
            "classes": CLASSES,
            "n_train": 3,
            "n_development": 10,
            "development": 0.8,
            "temperature": 1.0,
            "notes": {},
        },
        "matrix": {},
        "notes": ["de: of 1 of 3 rows the training set seems to hold a translation."],
    }
    run = add_run(folder, params, found | (result or {}))
    none = np.zeros(N, np.int64)
    with open_project(folder) as project:
        write_transfer(
            project.store, run, [TransferRow(one, none, none, none) for one in told]
        )
    return run


def add_trained(folder: Path, name: str = "Topics", *, head: str = "logistic") -> int:
    """Record a classifier of two classes; returns its id."""
    params = TrainClassifier(name=name, train=("Harbour letters",))
    run = add_run(folder, params, {"n_development": 20, "majority": 0.6})
    report = {
        "sets": [
            {
                "name": "train",
                "n": N,
                "classes": [{"name": "sea", "n": 2}, {"name": "wind", "n": 1}],
                "n_classes": 2,
                "n_unlabelled": 0,
                "n_empty": 0,
                "n_repeated": 0,
                "n_contradicting": 0,
            }
        ],
        "warnings": ["1 classes have a single training row: 'wind'."],
    }
    values = {
        "name": name,
        "folder": "none",
        "head": head,
        "classes": json.dumps(CLASSES),
        "encoder": "isogloss-2",
        "fingerprint": "f" * 64,
        "language": "en",
        "n_train": N,
        "development": 0.75,
        "report": json.dumps(report),
        "run_id": run,
    }
    with open_project(folder) as project:
        return add_classifier(project.store, values)


def add_imported(folder: Path, n_development: int) -> int:
    """Record a classifier that another project exported; returns its id."""
    params = ImportClassifier(file=folder / "topics.zip")
    run = add_run(folder, params, {"n_development": n_development})
    id_ = add_trained(folder, "Imported")
    values = {"run_id": run, "report": '{"sets": [], "warnings": []}'}
    with open_project(folder) as project, project.store.begin() as connection:
        table = schema.classifier
        connection.execute(update(table).where(table.c.id == id_).values(values))
    return id_


def add_predictions(folder: Path, classifier: int, corpus: int) -> None:
    """Show "wind" of the first sentence of a corpus and "sea" of the others."""
    with open_project(folder) as project:
        values = {
            "classifier_id": classifier,
            "corpus_id": corpus,
            "other_id": 0,
            "n_rows": N,
            "run_id": None,
        }
        row = begin_prediction(project.store, values)
        files = prediction_files(folder, row.array)
        files[0].parent.mkdir(exist_ok=True)
        write_array(files[0], np.array([1, 0, 0], np.int32))
        write_array(files[1], np.array([0.9, 0.6, 0.7], np.float32))
        record_prediction_progress(project.store, row.id, N, None)


def add_check(folder: Path, *, n_warnings: int = 1) -> int:
    """Record a check that doubts the label of the second sentence."""
    params = CheckLabels(train=("Harbour letters",), tests=("de=Hafenbriefe",))
    counts = {"n_unlabelled": 0, "n_empty": 0, "n_repeated": 0, "n_contradicting": 0}
    one = {"n": N, "classes": [], "n_classes": 2, **counts}
    doubt = {
        "texts": ["The ferry will not sail tomorrow because of the storm."],
        "place": first_sentence_id(1) + 1,
        "label": "sea",
        "suggested": "wind",
        "probability": 0.93,
        "label_probability": 0.02,
    }
    result = {
        "data": {
            "sets": [
                {"name": "train", **one},
                {"name": "de", **one, "n_duplicates": 2},
            ],
            "warnings": [
                "de: 2 of 3 rows are in the training set too.",
                *(f"Warning {n}." for n in range(2, n_warnings + 1)),
            ],
        },
        "n_doubtful": 1,
        "doubtful": [doubt],
        "doubts_note": "",
    }
    return add_run(folder, params, result)


def add_few_shot(folder: Path, target: str) -> int:
    """Record a few-shot curve of two points."""
    params = EvaluateFewShot(train="Harbour letters", target=target)
    point = {"deviation": 0.02, "lowest": 0.5, "highest": 0.7, "alone": None}
    result = {
        "n_train": 3,
        "n_test": 40,
        "zero_shot": 0.55,
        "majority": 0.5,
        "repeats": 5,
        "points": [
            {"n": 10, "accuracy": 0.6, **point},
            {"n": 50, "accuracy": 0.65, "gain_interval": [0.015, 0.185], **point},
        ],
    }
    return add_run(folder, params, result)
