"""Vectors made elsewhere: rows by line, one space a name, nothing half-written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import update

from app.engine.encoders.registry import list_encoders
from app.engine.process.queries import answer_query
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report, SilentSink
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.embeddings import EmbeddingRow, list_embeddings, map_embedding
from app.engine.tasks import import_vectors as module
from app.engine.tasks.encode import encode
from app.engine.tasks.import_vectors import import_vectors
from app.engine.training.recipes import load_initial
from app.errors import Cancelled, UserError
from app.params.encoders import ImportVectors
from app.params.vectors import Encode
from app.protocol.queries.encoders import WarmQuery
from app.protocol.queries.search import NearestQuery
from tests.engine.search.made import add_corpus
from tests.engine.tasks.importing import run_import, write

LINES = ["the ox", "", "the cow", "the gate"]  # the corpus leaves the empty one out
VECTORS = np.array([[3, 4], [9, 9], [0, 2], [0, 0]], np.float32)
KEPT = [0, 2, 3]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "barn.isogloss") as project:
        run_import(
            project, write(tmp_path, "\n".join(LINES), "barn.txt"), languages=["en"]
        )
        yield project


def _save(tmp_path: Path, vectors: np.ndarray, name: str = "v.npy") -> Path:
    np.save(tmp_path / name, vectors)
    return tmp_path / name


def _import(project: Project, file: Path, corpus: str = "barn", **more: Any) -> None:
    params = ImportVectors(file=file, corpus=corpus, encoder="laser", **more)
    import_vectors(project, params, Report())


def _units(project: Project, row: EmbeddingRow) -> tuple[np.ndarray, np.ndarray]:
    unit, _, norms = map_embedding(project.folder, row)
    return unit, norms


def _files(project: Project) -> list[str]:
    folders = (project.folder / "arrays", project.folder / "encoders")
    return [str(file) for folder in folders for file in folder.rglob("*")]


@pytest.mark.parametrize(
    "rows",
    [VECTORS, VECTORS[KEPT].astype(np.float16), VECTORS.astype(np.float64)],
)
def test_rows_belong_to_lines_or_to_sentences(
    project: Project, tmp_path: Path, rows: np.ndarray
) -> None:
    _import(project, _save(tmp_path, rows))
    (row,) = list_embeddings(project.store)
    unit, norms = _units(project, row)
    np.testing.assert_allclose(norms, [5, 2, 0])
    np.testing.assert_allclose(unit, [[0.6, 0.8], [0.0, 1.0], [0.0, 0.0]], rtol=1e-6)
    assert (row.encoder, row.n_zero, row.dim, row.n_done) == ("laser", 1, 2, 3)


def test_raw_file_of_laser_is_the_same_as_npy(project: Project, tmp_path: Path) -> None:
    VECTORS.tofile(tmp_path / "v.raw")
    _import(project, tmp_path / "v.raw", dim=2)
    (row,) = list_embeddings(project.store)
    np.testing.assert_allclose(_units(project, row)[1], [5, 2, 0])


def test_sentences_of_one_line_are_refused(project: Project, tmp_path: Path) -> None:
    with project.store.begin() as connection:
        connection.execute(update(schema.sentence).values(line=1))
    with pytest.raises(UserError, match="were split into sentences"):
        _import(project, _save(tmp_path, VECTORS))
    _import(project, _save(tmp_path, VECTORS[KEPT]))


def test_corpora_of_one_name_share_a_space_of_equal_dimensions(
    project: Project, tmp_path: Path
) -> None:
    add_corpus(project, "yard", "en", ["an ox"])
    _import(project, _save(tmp_path, VECTORS))
    _import(project, _save(tmp_path, VECTORS[:1] * 2), "yard")
    rows = list_embeddings(project.store)
    assert len({row.fingerprint for row in rows}) == 1
    with pytest.raises(UserError, match="have 2 dimensions, but these have 3"):
        _import(project, _save(tmp_path, np.ones((1, 3), np.float32)), "yard")
    assert list_embeddings(project.store) == rows


def test_search_from_a_sentence_works_and_new_text_is_refused(
    project: Project, tmp_path: Path
) -> None:
    add_corpus(project, "yard", "en", ["an ox", "a hen"])
    _import(project, _save(tmp_path, VECTORS))
    yard = np.array([[0, 5], [6, 8]], np.float32)
    _import(project, _save(tmp_path, yard), "yard")
    desk = SearchSession(project, device="cpu")
    query = NearestQuery(sentence=first_sentence_id(1), encoder="laser", k=1)
    answer = answer_query(desk, query)
    best = max(answer.hits, key=lambda hit: hit.score or 0.0)
    assert (best.sentence, best.score) == (first_sentence_id(2) + 1, 1.0)
    assert answer_query(desk, WarmQuery(encoder="laser")).n_searched == 5
    with pytest.raises(UserError, match="can't encode new text"):
        answer_query(desk, NearestQuery(text="ox", encoder="laser"))


def test_encoding_by_vectors_alone_is_refused_before_it_begins(
    project: Project, tmp_path: Path
) -> None:
    add_corpus(project, "yard", "en", ["an ox"])
    _import(project, _save(tmp_path, VECTORS))
    with pytest.raises(UserError, match="can't encode new text"):
        encode(project, Encode(corpora=("yard",), encoder="laser"), Report())
    assert [row.corpus_id for row in list_embeddings(project.store)] == [1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3e38])
def test_row_that_is_not_finite_is_named_and_nothing_stays(
    project: Project, tmp_path: Path, bad: float
) -> None:
    vectors = VECTORS.copy()
    vectors[2] = bad
    before = _files(project)
    with pytest.raises(UserError, match=r"v\.npy, row 3: .* not finite"):
        _import(project, _save(tmp_path, vectors))
    assert _files(project) == before
    assert list_embeddings(project.store) == []


def test_cancel_leaves_what_was_there(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _import(project, _save(tmp_path, VECTORS))
    before = _files(project), list_embeddings(project.store)
    monkeypatch.setattr(module, "SHARD_BYTES", 8)  # one row

    class CancelAtTwo(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            if stage == "Importing vectors":
                report.cancel()

    report = Report(CancelAtTwo())
    file = _save(tmp_path, VECTORS * 2)
    params = ImportVectors(file=file, corpus="barn", encoder="laser")
    with pytest.raises(Cancelled):
        import_vectors(project, params, report)
    assert (_files(project), list_embeddings(project.store)) == before


def test_importing_again_replaces_the_vectors(project: Project, tmp_path: Path) -> None:
    _import(project, _save(tmp_path, VECTORS))
    _import(project, _save(tmp_path, VECTORS * 2))
    (row,) = list_embeddings(project.store)
    np.testing.assert_allclose(_units(project, row)[1], [10, 4, 0])
    assert len(list((project.folder / "arrays").glob("*.npy"))) == 3


def test_name_of_an_encoder_with_weights_is_refused(
    project: Project, tmp_path: Path
) -> None:
    file = _save(tmp_path, VECTORS)
    params = ImportVectors(file=file, corpus="barn", encoder="isogloss-2")
    with pytest.raises(UserError, match="already"):
        import_vectors(project, params, Report())


def test_card_says_what_the_vectors_are(project: Project, tmp_path: Path) -> None:
    _import(project, _save(tmp_path, VECTORS))
    (card,) = [c for c in list_encoders(project.folder) if c.name == "laser"]
    assert (card.architecture, card.dim, card.origin) == ("vectors", 2, "v.npy")
    text = (Path(card.folder) / "README.md").read_text(encoding="utf-8")
    assert "New text can't be encoded" in text
    assert card.source_sha256 in text


@pytest.mark.parametrize("shape", ["(True, 2)", "(" * 4_000, "(4, 2.0)"])
def test_header_that_lies_is_one_sentence(
    project: Project, tmp_path: Path, shape: str
) -> None:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little")
    file = tmp_path / "v.npy"
    file.write_bytes(head + text + bytes(8))
    with pytest.raises(UserError) as caught:
        _import(project, file)
    assert "v.npy" in str(caught.value)


@pytest.mark.parametrize("name", ["..", ".", "../arrays", "a/b"])
def test_name_that_is_no_folders_is_refused(
    project: Project, tmp_path: Path, name: str
) -> None:
    params = ImportVectors(file=_save(tmp_path, VECTORS), corpus="barn", encoder=name)
    with pytest.raises(UserError, match="Invalid encoder name"):
        import_vectors(project, params, Report())


def test_vectors_alone_are_nothing_to_train_on_from(
    project: Project, tmp_path: Path
) -> None:
    _import(project, _save(tmp_path, VECTORS))
    with pytest.raises(UserError, match="imported and can't be trained"):
        load_initial("laser", project.folder)
