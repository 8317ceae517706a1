"""Truncated, modified and forged classifier files are rejected with one sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.engine.classify.classifier import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    load_classifier,
    save_classifier,
)
from app.engine.classify.labelled_rows import LabelledRows
from app.engine.classify.training import EncodedRows, train_classifier_on
from app.engine.runtime.report import Report
from app.engine.tasks.evaluate_transfer import evaluate_transfer
from app.engine.tasks.train_classifier import train_classifier
from app.errors import UserError
from app.params import build_params
from app.params.classify import EvaluateTransfer, TrainClassifier
from tests.engine.classify.barn import make_barn, use_words
from tests.engine.classify.word_encoder import WordEncoder, make_rows

HEADS = ("logistic", "mlp", "centroid", "knn", "relatedness")
Arrays = dict[str, Any]


def made(folder: Path, head: str) -> Path:
    """Train a small classifier and save it."""
    rows = make_rows(30)
    texts = [text for _, text in rows]
    is_scored = head == "relatedness"
    labels = [str(n % 6) if is_scored else row[0] for n, row in enumerate(rows)]
    columns = (texts, texts) if is_scored else (texts,)
    indices = np.arange(30, dtype=np.int64)[:, None]
    encoder: Any = WordEncoder()
    vectors = tuple(
        np.ascontiguousarray(encoder.encode(column) / 4) for column in columns
    )
    params = build_params(
        EvaluateTransfer, {"head": head, "tests": ["de=x"], "n_epochs": 2}
    )
    data = EncodedRows(LabelledRows("rows", columns, labels, indices), vectors)
    classifier = train_classifier_on(data, None, encoder, params, Report())
    save_classifier(folder / head, classifier)
    return folder / head


def change(folder: Path, do: Callable[[Arrays], Arrays]) -> None:
    """Write other arrays in place of those there are."""
    file = folder / WEIGHTS_FILE
    save_file(do(dict(load_file(file))), file)


def with_nan(arrays: Arrays) -> Arrays:
    name = next(name for name, array in arrays.items() if array.ndim == 2)
    arrays[name] = np.full_like(arrays[name], np.nan)
    return arrays


def one_row_less(arrays: Arrays) -> Arrays:
    return {name: array[:-1].copy() for name, array in arrays.items()}


def narrower(arrays: Arrays) -> Arrays:
    return {
        name: array[:, :2].copy() if array.ndim == 2 else array
        for name, array in arrays.items()
    }


def as_integers(arrays: Arrays) -> Arrays:
    return {name: array.astype(np.int32) for name, array in arrays.items()}


def others(arrays: Arrays) -> Arrays:
    return {"x": np.zeros(1, np.float32)}


def with_odd_ids(arrays: Arrays) -> Arrays:
    return {**arrays, "training_ids": np.arange(3)}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(
    "do", [with_nan, one_row_less, narrower, as_integers, others, with_odd_ids]
)
def test_arrays_that_do_not_fit_are_refused(
    tmp_path: Path, head: str, do: Callable[[Arrays], Arrays]
) -> None:
    folder = made(tmp_path, head)
    load_classifier(folder)
    change(folder, do)
    with pytest.raises(UserError, match=r"weights.safetensors is damaged \("):
        load_classifier(folder)


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": 0},
        {"temperature": -1},
        {"dim": 0},
        {"classes": ["sport", "sport", "weather"]},
        {"classes": ["sport"]},
        {"head": "relatedness"},
    ],
)
def test_values_that_cannot_be_are_refused(
    tmp_path: Path, values: dict[str, object]
) -> None:
    folder = made(tmp_path, "logistic")
    file = folder / CONFIG_FILE
    config = msgspec.json.decode(file.read_bytes())
    file.write_bytes(msgspec.json.encode(config | values))
    with pytest.raises(UserError, match=r"classifier.json is damaged \("):
        load_classifier(folder)


@pytest.mark.parametrize(
    "content",
    [b"", b"[", b'{"name": "\xff"}', b'{"settings":' + b'{"a":' * 100_000],
    ids=["empty", "cut", "not UTF-8", "deep"],
)
def test_json_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = made(tmp_path, "logistic")
    (folder / CONFIG_FILE).write_bytes(content)
    with pytest.raises(UserError, match=r"classifier.json is damaged \("):
        load_classifier(folder)


def test_settings_that_cannot_be_used_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_words(monkeypatch)
    with make_barn(tmp_path) as project:
        params = build_params(TrainClassifier, {"name": "a", "train": ["topics"]})
        train_classifier(project, params, Report())
        (file,) = (project.folder / "classifiers").glob(f"*/{CONFIG_FILE}")
        config = msgspec.json.decode(file.read_bytes())
        config["settings"]["lr"] = 5
        file.write_bytes(msgspec.json.encode(config))
        values = {"classifier": "a", "tests": ["en=topics"]}
        with pytest.raises(UserError, match="settings that a was trained with can't"):
            evaluate_transfer(project, build_params(EvaluateTransfer, values), Report())
