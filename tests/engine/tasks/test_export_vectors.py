"""Exported vectors: the array and the sentences of its rows."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.engine.project.project import Project, create_project, open_read_only
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.encode import encode
from app.engine.tasks.export_vectors import export_vectors
from app.errors import Cancelled, UserError
from app.params.corpora import ExportVectors
from app.params.vectors import Encode
from tests.engine.search.made import WordEncoder, add_corpus

TEXTS = ["ein Haus", "?", "zwei alte Häuser"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    for task in ("encode", "export_vectors"):
        name = f"app.engine.tasks.{task}.load_encoder"
        monkeypatch.setattr(name, lambda *_, **__: WordEncoder())
    with create_project(tmp_path / "houses.isogloss") as project:
        add_corpus(project, "alte / neue Häuser", "de", TEXTS)
        yield project


def test_vectors_and_ids_stand_in_two_files(project: Project, tmp_path: Path) -> None:
    encode(project, Encode(corpora=("1",)), Report())
    params = ExportVectors(corpus="alte / neue Häuser", out=tmp_path / "a" / "b")
    with open_read_only(project.folder) as reading:
        result = export_vectors(reading, params, Report())
    assert result.vectors == tmp_path / "a" / "b" / "alte_neue_Häuser.npy"
    vectors = np.load(result.vectors)
    expected = WordEncoder().encode(TEXTS)
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors, expected / np.maximum(lengths, 1), atol=1e-6)
    lines = result.ids.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["id", "corpus", "line", "language", "text"]
    assert lines[3].split("\t") == [
        str(first_sentence_id(1) + 2),
        "alte / neue Häuser",
        "3",
        "de",
        TEXTS[2],
    ]
    assert (result.n, result.dim, len(lines)) == (3, 256, 4)
    assert not list(result.vectors.parent.glob("*.part"))


def test_raw_vectors_have_the_encoders_lengths(
    project: Project, tmp_path: Path
) -> None:
    encode(project, Encode(corpora=("1",)), Report())
    params = ExportVectors(corpus="1", out=tmp_path, raw=True)
    result = export_vectors(project, params, Report())
    expected = WordEncoder().encode(TEXTS)
    np.testing.assert_allclose(np.load(result.vectors), expected, atol=1e-4)


def test_a_corpus_without_vectors_is_refused(project: Project, tmp_path: Path) -> None:
    params = ExportVectors(corpus="1", out=tmp_path / "out")
    with pytest.raises(UserError, match=r"not encoded by words yet.*--corpus 1"):
        export_vectors(project, params, Report())
    assert not params.out.exists()


def test_a_place_that_is_a_file_is_refused(project: Project, tmp_path: Path) -> None:
    encode(project, Encode(corpora=("1",)), Report())
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match=r"out is a file\. Choose a folder"):
        export_vectors(
            project, ExportVectors(corpus="1", out=tmp_path / "out"), Report()
        )


def test_a_cancel_between_the_two_files_leaves_neither(
    project: Project, tmp_path: Path
) -> None:
    class CancelAtSentences(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage == "Writing sentences":
                raise Cancelled

    encode(project, Encode(corpora=("1",)), Report())
    params = ExportVectors(corpus="1", out=tmp_path / "out")
    with pytest.raises(Cancelled):
        export_vectors(project, params, Report(CancelAtSentences()))
    assert list(params.out.iterdir()) == []
