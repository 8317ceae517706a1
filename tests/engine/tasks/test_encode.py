"""Encoding: vectors as the encoder gives them, in shards that a kill cannot undo."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import update

from app.engine.edits.journal import apply_edit
from app.engine.project.project import Project, create_project, open_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report, SilentSink
from app.engine.search import corpus_encoding
from app.engine.store import schema
from app.engine.store.arrays import map_array, partial_path
from app.engine.store.embeddings import (
    EmbeddingRow,
    embedding_files,
    is_embedding_complete,
    list_embeddings,
    map_embedding,
)
from app.engine.tasks import encode as module
from app.engine.tasks.encode import encode
from app.errors import Cancelled, ResourceError, UserError
from app.params.vectors import Encode
from app.protocol.edits.general import DropRun
from tests.engine.search.made import WordEncoder, add_corpus

TEXTS = [f"the {word} stands at gate {i}" for i in range(40) for word in ("ox", "cow")]


class KilledEncoder(WordEncoder):
    """Dies, as a process does, when it has encoded so many texts."""

    def __init__(self, n_texts: int):
        super().__init__()
        self._n_texts = n_texts

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.n_encoded + len(texts) > self._n_texts:
            raise KeyboardInterrupt
        return super().encode(texts)


class CancellingSink(SilentSink):
    """Asks its report to stop after 32 rows."""

    report: Report

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        if done == 32:
            self.report.cancel()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    for name in ("FIRST_SHARD", "MAX_SHARD"):
        monkeypatch.setattr(corpus_encoding, name, 16)
    with create_project(tmp_path / "barn.isogloss") as project:
        yield project


def _use(monkeypatch: pytest.MonkeyPatch, encoder: WordEncoder) -> WordEncoder:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: encoder)
    return encoder


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    return _use(monkeypatch, WordEncoder())


def _arrays(project: Project, row: EmbeddingRow) -> list[NDArray[np.float32]]:
    return [map_array(file) for file in embedding_files(project.folder, row.array)]


def _only_row(project: Project) -> EmbeddingRow:
    (row,) = list_embeddings(project.store)
    return row


def test_the_progress_leaves_the_rate_to_its_reader(
    project: Project, encoder: WordEncoder
) -> None:
    class Notes(SilentSink):
        def progress(self, stage: str, done: int, total: int, note: str) -> None:
            notes.add(note)

    notes: set[str] = set()
    report = Report(Notes())
    report.INTERVAL_S = 0.0
    add_corpus(project, "barn", "en", TEXTS)
    encode(project, Encode(corpora=("barn",)), report)
    assert notes == {""}


def test_unit_rows_times_norms_are_the_encoders_vectors(
    project: Project, encoder: WordEncoder
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    result = encode(project, Encode(corpora=("barn",)), Report())
    unit, scan, norms = _arrays(project, _only_row(project))
    expected = WordEncoder().encode(TEXTS)
    np.testing.assert_allclose(unit * norms[:, None], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, rtol=1e-6)
    assert unit.dtype == norms.dtype == np.float32
    assert scan.dtype == np.float16
    assert (scan == unit.astype(np.float16)).all()
    assert (result.sentences, result.encoded, result.reused) == (80, 80, 0)
    assert not list((project.folder / "arrays").glob("*.part"))


def test_texts_without_a_known_piece_are_counted(
    project: Project, encoder: WordEncoder
) -> None:
    add_corpus(project, "barn", "en", ["an ox", "?!", "…", "a cow"])
    result = encode(project, Encode(corpora=("barn",)), Report())
    _, _, norms = _arrays(project, _only_row(project))
    assert result.zero_rows == _only_row(project).n_zero == 2
    assert (
        "Search skips 2 sentences, because the encoder knows no part of them."
        in result.message
    )
    assert (norms == 0).tolist() == [False, True, True, False]


def test_encoding_again_does_nothing_and_says_so(
    project: Project, encoder: WordEncoder
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    encode(project, Encode(corpora=("barn",)), Report())
    result = encode(project, Encode(corpora=("1",)), Report())
    assert encoder.n_encoded == len(TEXTS)
    assert result.corpora[0].was_done
    assert "already" in result.message


def test_equal_texts_of_other_corpora_are_copied(
    project: Project, encoder: WordEncoder
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    add_corpus(project, "field", "en", TEXTS[1::2])
    encode(project, Encode(corpora=("barn", "field")), Report())
    add_corpus(project, "farm", "en", ["a new sentence", *TEXTS[50:70], "and another"])
    result = encode(project, Encode(corpora=("farm",)), Report())
    assert encoder.n_encoded == len(TEXTS) + 2
    assert (result.encoded, result.reused) == (2, 20)
    unit, _, norms = _arrays(project, list_embeddings(project.store)[-1])
    expected = WordEncoder().encode(["a new sentence", *TEXTS[50:70], "and another"])
    np.testing.assert_allclose(unit * norms[:, None], expected, rtol=1e-5, atol=1e-5)


def test_a_killed_run_goes_on_at_its_last_shard(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_corpus(project, "barn", "en", [*TEXTS[:20], "?", *TEXTS[20:]])
    _use(monkeypatch, KilledEncoder(60))
    with pytest.raises(KeyboardInterrupt):
        encode(project, Encode(corpora=("barn",)), Report())
    folder = project.folder
    project.close()
    with open_project(folder) as reopened:
        assert _only_row(reopened).n_done == 48
        encoder = _use(monkeypatch, WordEncoder())
        result = encode(reopened, Encode(corpora=("barn",)), Report())
        assert (result.corpora[0].resumed_at, encoder.n_encoded) == (48, 33)
        assert _only_row(reopened).n_zero == result.zero_rows == 1
        unit, scan, norms = _arrays(reopened, _only_row(reopened))
        expected = WordEncoder().encode([*TEXTS[:20], "?", *TEXTS[20:]])
        np.testing.assert_allclose(unit * norms[:, None], expected, atol=1e-5)
        assert (scan == unit.astype(np.float16)).all()


def test_a_kill_between_naming_the_arrays_and_the_record_is_mended(
    project: Project, encoder: WordEncoder
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    encode(project, Encode(corpora=("barn",)), Report())
    row = _only_row(project)
    with project.store.begin() as connection:
        connection.execute(update(schema.embedding).values(n_done=64, n_zero=0))
    norm_file = embedding_files(project.folder, row.array)[2]
    norm_file.replace(partial_path(norm_file))
    result = encode(project, Encode(corpora=("barn",)), Report())
    unit, _, norms = _arrays(project, _only_row(project))
    assert result.corpora[0].resumed_at == 64
    expected = WordEncoder().encode(TEXTS)
    np.testing.assert_allclose(unit * norms[:, None], expected, atol=1e-5)


@pytest.mark.parametrize("kept", [None, 0, 100])
def test_a_complete_embedding_whose_file_is_damaged_is_made_again(
    kept: int | None, project: Project, encoder: WordEncoder
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    encode(project, Encode(corpora=("barn",)), Report())
    old = _only_row(project)
    file = embedding_files(project.folder, old.array)[0]
    if kept is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(ResourceError, match="Encode its corpus again"):
        map_embedding(project.folder, old)
    result = encode(project, Encode(corpora=("barn",)), Report())
    assert result.encoded == len(TEXTS)
    assert is_embedding_complete(project.folder, _only_row(project))


def test_lost_arrays_are_made_again(project: Project, encoder: WordEncoder) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    encode(project, Encode(corpora=("barn",)), Report())
    for file in embedding_files(project.folder, _only_row(project).array):
        file.unlink()
    with project.store.begin() as connection:
        connection.execute(update(schema.embedding).values(n_done=64))
    result = encode(project, Encode(corpora=("barn",)), Report())
    assert (result.corpora[0].resumed_at, result.encoded) == (0, 80)


def test_a_corpus_of_another_size_is_encoded_anew(
    project: Project, encoder: WordEncoder
) -> None:
    corpus_id = add_corpus(project, "barn", "en", TEXTS)
    encode(project, Encode(corpora=("barn",)), Report())
    old = _only_row(project)
    with project.store.begin() as connection:
        connection.execute(update(schema.corpus).values(n_sentences=40))
    encode(project, Encode(corpora=(str(corpus_id),)), Report())
    assert _only_row(project).n_rows == 40
    assert _only_row(project).array != old.array
    assert not embedding_files(project.folder, old.array)[0].exists()


def test_cancel_keeps_the_shards_that_are_done(
    project: Project, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    monkeypatch.setattr(Report, "INTERVAL_S", 0.0)
    sink = CancellingSink()
    report = sink.report = Report(sink)
    with pytest.raises(Cancelled):
        encode(project, Encode(corpora=("barn",)), report)
    row = _only_row(project)
    assert row.n_done == 48
    assert encode(project, Encode(corpora=("barn",)), Report()).encoded == 32


def test_a_full_disk_is_said_before_the_work(
    project: Project, encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=50_000_100))
    with pytest.raises(
        ResourceError, match=r"80 sentences take 0\u00a0MB.*has 50\u00a0MB free"
    ):
        encode(project, Encode(corpora=("barn",)), Report())
    assert encoder.n_encoded == 0


def test_an_unknown_corpus_is_refused_with_the_names_there_are(
    project: Project, encoder: WordEncoder
) -> None:
    with pytest.raises(UserError, match="the project has no corpora yet"):
        encode(project, Encode(corpora=("barn",)), Report())
    add_corpus(project, "field", "en", ["a"])
    with pytest.raises(UserError, match=r"'barn'; the project has field \(id 1\)"):
        encode(project, Encode(corpora=("barn",)), Report())
    add_corpus(project, "field", "de", ["b"])
    with pytest.raises(UserError, match=r"2 corpora are named 'field'.*\(1, 2\)"):
        encode(project, Encode(corpora=("field",)), Report())
    result = encode(project, Encode(corpora=("2",)), Report())
    assert result.corpora[0].id == 2


def test_dropping_an_old_run_spares_what_a_new_one_went_on_with(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    params = Encode(corpora=("barn",))
    runs = [queue_run(project, params) for _ in range(2)]
    _use(monkeypatch, KilledEncoder(40))
    with pytest.raises(KeyboardInterrupt):
        encode(project, params, Report(run=runs[0]))
    with pytest.raises(KeyboardInterrupt):
        encode(project, params, Report(run=runs[1]))
    with project.store.begin() as connection:
        connection.execute(update(schema.run).values(state="interrupted"))
    apply_edit(project, DropRun(runs[0]), lambda *_: None)
    assert _only_row(project).n_done == 32
    apply_edit(project, DropRun(runs[1]), lambda *_: None)
    assert list_embeddings(project.store) == []


def test_a_cancelled_run_can_be_dropped_while_its_vectors_are_incomplete(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_corpus(project, "barn", "en", TEXTS)
    params = Encode(corpora=("barn",))
    run = queue_run(project, params)
    _use(monkeypatch, KilledEncoder(40))
    with pytest.raises(KeyboardInterrupt):
        encode(project, params, Report(run=run))
    with project.store.begin() as connection:
        connection.execute(update(schema.run).values(state="cancelled"))
    apply_edit(project, DropRun(run), lambda *_: None)
    assert list_embeddings(project.store) == []
    with pytest.raises(UserError, match="no progress to delete"):
        apply_edit(project, DropRun(run), lambda *_: None)
