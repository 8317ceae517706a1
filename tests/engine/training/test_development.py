"""Retrieval error by hand."""

from pathlib import Path

import numpy as np

from app.engine.encoders.registry import load_encoder
from app.engine.runtime.report import Report
from app.engine.training.development import DevelopmentSet, retrieval_error


def test_each_direction_is_counted_apart() -> None:
    sources = np.array([[1, 0], [1, 0.1], [0, 5]], np.float32)
    targets = np.array([[9, 0], [0.1, 1], [0, 1]], np.float32)
    # sources find targets 0, 0, 2; targets find sources 0, 2, 2
    error = retrieval_error(sources, targets, Report())
    assert error.n == 3
    assert error.source_to_target == 1 / 3
    assert error.target_to_source == 1 / 3


def test_an_equal_vector_at_another_index_is_an_error() -> None:
    vectors = np.ones((4, 2), np.float32)
    assert retrieval_error(vectors, vectors, Report()).mean == 3 / 4


def test_length_of_a_vector_does_not_count() -> None:
    vectors = np.array([[1, 0], [0.9, 0.9]], np.float32)
    assert retrieval_error(vectors, vectors * np.float32(100), Report()).mean == 0


def test_what_is_measured_is_named_by_languages_without_ids(tmp_path: Path) -> None:
    file = tmp_path / "ar-en.1-4.tsv"
    file.write_text("one\tuno\ntwo\tdos\n", encoding="utf-8")
    development = DevelopmentSet({"ar-en.1-4": file})
    notes: set[str] = set()
    errors = development.measure(load_encoder("isogloss-2", None), notes.add)
    assert notes == {"measuring Arabic – English"}
    assert "dev.error.ar-en.1-4" in errors
