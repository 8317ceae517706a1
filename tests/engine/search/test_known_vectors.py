"""Known vectors: found by the hash of the text, as far as looking can pay."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.search import vector_source
from app.engine.search.vector_source import TextHashes, load_reusable_vectors
from app.engine.store.sentences import read_integers
from app.engine.tasks.encode import encode
from app.params.vectors import Encode
from tests.engine.search.made import WordEncoder, add_corpus


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    encoder = WordEncoder(dim=4)
    monkeypatch.setattr(
        "app.engine.tasks.encode.load_encoder", lambda *_, **__: encoder
    )
    return encoder


@pytest.fixture
def project(tmp_path: Path, encoder: WordEncoder) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "one", "en", ["a", "b", "c"])
        add_corpus(project, "two", "en", ["d", "a"])
        encode(project, Encode(corpora=("one", "two")), Report())
        add_corpus(project, "new", "en", ["x", "d", "c", "?", "a"])
        yield project


def test_vectors_of_equal_texts_come_from_the_corpus_that_has_them(
    project: Project, encoder: WordEncoder
) -> None:
    hashes = TextHashes(project.store)
    known = load_reusable_vectors(project, encoder.fingerprint, 5, hashes)
    indices = known.find(hashes.of(3))
    assert (indices >= 0).tolist() == [False, True, True, False, True]
    unit_vectors = np.full((5, 4), 9, np.float32)
    norms = np.full(5, 9, np.float32)
    known.copy(indices, unit_vectors, norms)
    expected = encoder.encode(["d", "c", "a"])
    found = (unit_vectors * norms[:, None])[[1, 2, 4]]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (unit_vectors[[0, 3]] == 9).all()


def test_another_encoders_vectors_are_not_known(project: Project) -> None:
    known = load_reusable_vectors(project, "other", 5, TextHashes(project.store))
    assert len(known) == 0
    assert known.find(np.array([1, 2])).tolist() == [-1, -1]


def test_small_work_does_not_look_through_large_corpora(
    project: Project, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_source, "MAX_ROWS_ALWAYS", 2)
    monkeypatch.setattr(vector_source, "MAX_ROWS_EACH", 3)
    sizes = [
        len(
            load_reusable_vectors(
                project, encoder.fingerprint, n, TextHashes(project.store)
            )
        )
        for n in (0, 1, 2)
    ]
    assert sizes == [2, 2, 5]


def test_hashes_are_read_in_the_order_of_position(project: Project) -> None:
    of_one = read_integers(project.store, 1, "hash").tolist()
    of_two = read_integers(project.store, 2, "hash").tolist()
    assert len(set(of_one)) == 3
    assert of_two[1] == of_one[0]
