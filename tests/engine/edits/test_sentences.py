"""Edit a sentence: its text, index rows and vectors; undo and redo restore them."""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from sqlalchemy import insert, select, update

from app.engine.edits.journal import apply_edit
from app.engine.edits.sentences import TRAININGS
from app.engine.project.project import Project, create_project, open_project
from app.engine.runtime.report import Report
from app.engine.search.index import build_index
from app.engine.search.keyword_search import find_by_keywords
from app.engine.search.session import SearchSession
from app.engine.store import schema
from app.engine.store.arrays import map_array
from app.engine.store.corpora import first_sentence_id, list_corpora
from app.engine.store.embeddings import (
    EmbeddingKey,
    EmbeddingRow,
    begin_embedding,
    embedding_files,
    list_embeddings,
    map_embedding,
    map_unit_vectors,
    open_embedding_writer,
    record_embedding_progress,
    unit_file,
)
from app.engine.store.journal import count_edited_sentences
from app.engine.store.sentences import read_note, read_sentences
from app.engine.store.words.hit_lists import read_saved_hits
from app.engine.store.words.indexes import WordAnnotation, read_analyses, write_analyses
from app.engine.tasks.encode import encode
from app.engine.tasks.export_vectors import export_vectors
from app.engine.text.normalisation import text_hashes
from app.engine.words.cache import word_cache
from app.engine.words.index import known_index, open_index
from app.errors import UserError
from app.params import Params, command_name
from app.params.corpora import ExportVectors
from app.params.vectors import Encode
from app.protocol.answers.edits import EditAnswer
from app.protocol.edits import Change
from app.protocol.edits.corpora import EditSentence, SaveHits
from app.protocol.edits.general import Redo, SetNote, Undo
from tests.engine.search.made import WordEncoder, add_corpus

TEXTS = ["the cat sleeps", "a hous by the sea", "the dog barks"]
SENTENCE = first_sentence_id(1) + 1
CORRECTED = "a house by the sea"


class Encoders(dict[str, WordEncoder]):
    """Encoders by name, in place of those of the project."""

    def load(self, name: str = "", *_: object, **__: object) -> WordEncoder:
        if name not in self:
            raise UserError(f"There is no encoder {name}.")
        return self[name]


@pytest.fixture
def encoders(monkeypatch: pytest.MonkeyPatch) -> Encoders:
    found = Encoders(
        first=WordEncoder(dim=8, name="first"), second=WordEncoder(dim=4, name="second")
    )
    for place in (
        *("encoders.registry", "tasks.encode", "tasks.export_vectors"),
        "search.edited_vectors",
    ):
        monkeypatch.setattr(f"app.engine.{place}.load_encoder", found.load)
    return found


@pytest.fixture
def folder(tmp_path: Path, encoders: Encoders) -> Path:
    with create_project(tmp_path / "p.isogloss") as project:
        add_corpus(project, "texts", "en", TEXTS)
        for name in encoders:
            encode(project, Encode(corpora=("texts",), encoder=name), Report())
    return tmp_path / "p.isogloss"


@pytest.fixture
def project(folder: Path) -> Iterator[Project]:
    with open_project(folder) as project:
        yield project


def _apply(project: Project, change: Change) -> EditAnswer:
    return apply_edit(project, change, lambda kind, id_: None)


def _edit(project: Project, text: str = CORRECTED) -> EditAnswer:
    return _apply(project, EditSentence(sentence=SENTENCE, text=text))


def _text(project: Project) -> str:
    (row,) = read_sentences(project.store, [SENTENCE])
    assert row is not None
    assert row.length == len(row.text)
    return row.text


def _embedding(project: Project, name: str) -> EmbeddingRow:
    (row,) = [row for row in list_embeddings(project.store) if row.encoder == name]
    return row


def _vectors(project: Project, name: str) -> np.ndarray[tuple[int, ...], np.dtype]:
    """Return the stored vectors with their lengths: (n, d)."""
    unit, scan, norm = map_embedding(project.folder, _embedding(project, name))
    np.testing.assert_array_equal(scan, unit.astype(np.float16))
    return unit * norm[:, None]


def _check_vectors(project: Project, encoders: Encoders, texts: list[str]) -> None:
    for name, encoder in encoders.items():
        expected = encoder.encode(texts)
        np.testing.assert_allclose(_vectors(project, name), expected, rtol=1e-5)


def _with_words(project: Project, *words: str) -> list[list[int]]:
    found = [
        find_by_keywords(project, word, list_corpora(project.store), 9)
        for word in words
    ]
    return [ids.get("en", []) for ids in found]


def test_an_edit_replaces_the_text_and_keeps_what_belongs_to_the_sentence(
    project: Project,
) -> None:
    _apply(project, SetNote(SENTENCE, "a note"))
    changed: list[tuple[str, int]] = []
    edit = EditSentence(sentence=SENTENCE, text="  a house\nby the sea ")
    answer = apply_edit(project, edit, lambda kind, id_: changed.append((kind, id_)))
    assert answer == EditAnswer(
        SENTENCE, f"The sentence is now “{CORRECTED}”.", can_undo=True, can_redo=False
    )
    assert changed == [("sentence", SENTENCE), ("embedding", 1), ("embedding", 2)]
    assert _text(project) == CORRECTED
    assert read_note(project.store, SENTENCE) == "a note"
    assert _with_words(project, "house", "hous", "sea") == [[SENTENCE], [], [SENTENCE]]


def test_edited_sentences_are_counted_by_corpus(project: Project) -> None:
    add_corpus(project, "others", "en", ["one", "two"])
    _edit(project, "a house")
    _edit(project, "a home")
    other = first_sentence_id(2)
    _apply(project, EditSentence(sentence=other, text="the first"))
    _apply(project, EditSentence(sentence=other + 1, text="the second"))
    assert count_edited_sentences(project.store) == {1: 1, 2: 2}
    _apply(project, Undo(3))
    assert count_edited_sentences(project.store) == {1: 1}
    _apply(project, Undo())
    assert count_edited_sentences(project.store) == {}


def test_only_the_edited_row_of_every_encoder_is_encoded_again(
    project: Project, encoders: Encoders
) -> None:
    n_before = [encoder.n_encoded for encoder in encoders.values()]
    _edit(project)
    n_after = [encoder.n_encoded for encoder in encoders.values()]
    assert [n - before for n, before in zip(n_after, n_before, strict=True)] == [1, 1]
    _check_vectors(project, encoders, [TEXTS[0], CORRECTED, TEXTS[2]])
    row = _embedding(project, "first")
    unit = map_unit_vectors(unit_file(project.folder, row.array))
    np.testing.assert_array_equal(unit, map_embedding(project.folder, row)[0])


def test_the_index_of_approximate_mining_reads_the_new_vector(
    project: Project, tmp_path: Path
) -> None:
    import faiss

    _edit(project)
    row = _embedding(project, "first")
    file = str(unit_file(project.folder, row.array))
    rows, progress = tmp_path / "rows.npy", tmp_path / "progress.npy"
    np.save(rows, np.arange(3))
    np.save(progress, np.zeros(2, np.int64))
    job = {
        **dict.fromkeys(("stored_rows", "query_rows", "sample", "truth"), str(rows)),
        "kind": "hnsw",
        "stored": file,
        "queries": file,
        "k": 1,
        "n_threads": 1,
        "folder": str(tmp_path),
    }
    build_index(job)
    index = faiss.read_index(str(tmp_path / "index.faiss"))
    stored = map_embedding(project.folder, row)[0]
    np.testing.assert_array_equal(index.reconstruct_n(0, 3), stored)


def test_undo_and_redo_survive_a_restart(folder: Path, encoders: Encoders) -> None:
    with open_project(folder) as project:
        _edit(project)
        _edit(project, "a house at sea")
    with open_project(folder) as project:
        _check_vectors(project, encoders, [TEXTS[0], "a house at sea", TEXTS[2]])
        _apply(project, Undo())
        assert _text(project) == CORRECTED
        _check_vectors(project, encoders, [TEXTS[0], CORRECTED, TEXTS[2]])
        _apply(project, Undo())
    with open_project(folder) as project:
        assert _text(project) == TEXTS[1]
        assert _with_words(project, "house", "hous") == [[], [SENTENCE]]
        _check_vectors(project, encoders, TEXTS)
        assert "_" not in _embedding(project, "first").array
        answer = _apply(project, Redo())
        assert answer.text == f"Done again. The sentence is now “{CORRECTED}”."
        assert _text(project) == CORRECTED
        _check_vectors(project, encoders, [TEXTS[0], CORRECTED, TEXTS[2]])


def test_a_file_of_edited_vectors_goes_when_it_is_not_in_use(folder: Path) -> None:
    with open_project(folder) as project:
        for n in range(5):
            _edit(project, f"text {n}")
        names = {row.array for row in list_embeddings(project.store)}
    with open_project(folder) as project:
        files = {file.name for file in (folder / "arrays").glob("*.edit.npy")}
        assert files == {f"{name}.edit.npy" for name in names}
        assert len(_vectors(project, "first")) == 3
        _apply(project, Undo(5))
    with open_project(folder):
        assert not list((folder / "arrays").glob("*.edit.npy"))


def test_an_edit_that_is_rolled_back_changes_nothing(
    project: Project, encoders: Encoders, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise UserError("no")

    monkeypatch.setattr("app.engine.edits.journal.record_edit", fail)
    with pytest.raises(UserError):
        _edit(project)
    assert _text(project) == TEXTS[1]
    assert _with_words(project, "house", "hous") == [[], [SENTENCE]]
    _check_vectors(project, encoders, TEXTS)


def test_a_search_finds_the_new_text_by_meaning(
    project: Project, encoders: Encoders
) -> None:
    session = SearchSession(project, device="cpu")
    encoder = encoders["first"]
    corpora = list_corpora(project.store)

    def best(text: str) -> float:
        scan = session.scan(session.query_of_text(text, encoder), encoder, corpora)
        return float(max(part.scores[1] for part in scan.parts["en"]))

    assert best(TEXTS[1]) == pytest.approx(1, abs=0.01)
    _edit(project)
    assert best(CORRECTED) == pytest.approx(1, abs=0.01)
    assert best(TEXTS[1]) < 0.95


def test_an_export_has_the_new_text_with_its_vector(
    project: Project, tmp_path: Path
) -> None:
    _edit(project)
    out = tmp_path / "out"
    params = ExportVectors(corpus="texts", out=out, encoder="first")
    export_vectors(project, params, Report())
    lines = (out / "texts.tsv").read_text(encoding="utf-8").splitlines()
    texts = [line.split("\t")[-1] for line in lines[1:]]
    assert texts == [TEXTS[0], CORRECTED, TEXTS[2]]
    unit, _, _ = map_embedding(project.folder, _embedding(project, "first"))
    np.testing.assert_array_equal(np.load(out / "texts.npy"), unit)


def test_a_sentence_is_skipped_by_an_encoder_that_is_not_there(
    project: Project, encoders: Encoders
) -> None:
    removed = encoders.pop("second")
    answer = _edit(project)
    assert answer.text == (
        f"The sentence is now “{CORRECTED}”. It has no vector by second now, so that "
        "searches by second skip it."
    )
    assert not _vectors(project, "second")[1].any()
    assert _embedding(project, "second").n_zero == 1
    assert _embedding(project, "first").n_zero == 0
    encoders["second"] = removed
    done = encode(project, Encode(corpora=("texts",), encoder="second"), Report())
    assert (done.encoded, done.zero_rows) == (1, 0)
    _check_vectors(project, encoders, [TEXTS[0], CORRECTED, TEXTS[2]])
    done = encode(project, Encode(corpora=("texts",), encoder="second"), Report())
    assert done.message == "texts: already encoded by second."


def test_undo_restores_a_vector_without_its_encoder(
    project: Project, encoders: Encoders
) -> None:
    removed = encoders.pop("second")
    _edit(project)
    _apply(project, Undo())
    assert _embedding(project, "second").n_zero == 0
    encoders["second"] = removed
    _check_vectors(project, encoders, TEXTS)


def test_a_zero_vector_is_not_reused_for_an_equal_text(
    project: Project, encoders: Encoders
) -> None:
    removed = encoders.pop("second")
    _edit(project)
    encoders["second"] = removed
    add_corpus(project, "new", "en", [CORRECTED])
    encode(project, Encode(corpora=("new",), encoder="second"), Report())
    (row,) = [row for row in list_embeddings(project.store) if row.corpus_id == 2]
    assert row.n_zero == 0


def test_an_interrupted_encoding_goes_on_after_an_edit(
    project: Project, encoders: Encoders
) -> None:
    encoder = encoders["third"] = WordEncoder(dim=4, name="third")
    key = EmbeddingKey(1, "third", encoder.fingerprint, 4, 3)
    row = begin_embedding(project.store, key, run=None)
    writer = open_embedding_writer(project.folder, row.array, (3, 4), 0)
    vectors = encoder.encode(TEXTS[:2])
    norms = np.linalg.norm(vectors, axis=1)
    unit = vectors / norms[:, None]
    writer.append(unit, unit.astype(np.float16), norms)
    writer.flush()
    writer.close()
    record_embedding_progress(project.store, row.id, 2, 0)
    _edit(project)
    last = EditSentence(sentence=SENTENCE + 1, text="the dog sleeps")
    _apply(project, last)
    encode(project, Encode(corpora=("texts",), encoder="third"), Report())
    _check_vectors(project, encoders, [TEXTS[0], CORRECTED, "the dog sleeps"])
    _apply(project, Undo(2))
    _check_vectors(project, encoders, TEXTS)


def test_encoding_that_starts_again_does_not_keep_edited_vectors(
    project: Project, encoders: Encoders
) -> None:
    encoder = encoders["third"] = WordEncoder(dim=4, name="third")
    key = EmbeddingKey(1, "third", encoder.fingerprint, 4, 3)
    row = begin_embedding(project.store, key, run=None)
    record_embedding_progress(project.store, row.id, 2, 0)  # without files
    _edit(project)
    encode(project, Encode(corpora=("texts",), encoder="third"), Report())
    _apply(project, Undo())
    _check_vectors(project, encoders, TEXTS)


def test_a_damaged_file_of_edited_vectors_is_encoded_again(
    project: Project, encoders: Encoders
) -> None:
    _edit(project)
    for file in (project.folder / "arrays").glob("*.edit.npy"):
        file.write_bytes(b"damaged")
    for name in encoders:
        encode(project, Encode(corpora=("texts",), encoder=name), Report())
    _check_vectors(project, encoders, [TEXTS[0], CORRECTED, TEXTS[2]])


def test_the_arrays_themselves_are_never_written(project: Project) -> None:
    files = embedding_files(project.folder, _embedding(project, "first").array)
    before = [file.read_bytes() for file in files]
    _edit(project)
    _vectors(project, "first")
    assert [file.read_bytes() for file in files] == before
    assert map_array(files[0]).shape == (3, 8)


def test_the_word_index_is_built_again(project: Project) -> None:
    (corpus,) = list_corpora(project.store)
    open_index(project, corpus, Report())
    session = SearchSession(project)
    cache = word_cache(session)
    index = cache.index(corpus)
    assert index is not None
    assert "hous" in index.forms.items(np.arange(len(index.forms)))
    _edit(project)
    assert known_index(project, corpus) is None
    index = cache.index(corpus)
    assert index is not None
    items = index.forms.items(np.arange(len(index.forms)))
    assert "house" in items
    assert "hous" not in items
    files = set((project.folder / "arrays").glob("words-*"))
    open_index(project, corpus, Report())
    left = set((project.folder / "arrays").glob("words-*"))
    assert files.isdisjoint(left)
    assert known_index(project, corpus) is not None


def test_words_of_the_source_move_and_undo_restores_them(project: Project) -> None:
    words: list[WordAnnotation] = [
        (0, 1, "a", "a", "DET"),
        (2, 6, "hous", "hous", "X"),
        (7, 9, "by", "by", "ADP"),
        (10, 13, "the", "the", "DET"),
        (14, 17, "sea", "sea", "NOUN"),
    ]
    with project.store.begin() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        write_analyses(raw, [(SENTENCE, words)])
    _edit(project)
    moved = [
        (0, 1, "a", "a", "DET"),
        (2, 7, "house", "", ""),
        (8, 10, "by", "by", "ADP"),
        (11, 14, "the", "the", "DET"),
        (15, 18, "sea", "sea", "NOUN"),
    ]
    assert read_analyses(project.store, 1, 0, 3) == {1: moved}
    _apply(project, Undo())
    assert read_analyses(project.store, 1, 0, 3) == {1: words}
    _apply(project, Redo())
    assert read_analyses(project.store, 1, 0, 3) == {1: moved}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CORRECTED, [(2, 7), (8, 10), (0, 18)]),
        ("one hous by the sea", [(4, 8), (9, 11), (0, 19)]),
        ("a hous at the sea", [(2, 6), (7, 9), (0, 17)]),
        ("sea", [(0, 0), (0, 0), (0, 3)]),
    ],
)
def test_saved_hits_move_with_the_text(
    project: Project, text: str, expected: list[tuple[int, int]]
) -> None:
    _apply(project, SaveHits(name="hits", text="x", sentences=(SENTENCE,) * 3))
    for index, (start, end) in enumerate([(2, 6), (7, 9), (0, 17)]):
        with project.store.begin() as connection:
            connection.execute(
                update(schema.hit)
                .where(schema.hit.c.place == index)
                .values(start=start, end=end)
            )
    _edit(project, text)
    hits = read_saved_hits(project.store, 1)
    assert hits.lines[:, 1:].tolist() == [list(span) for span in expected]
    assert hits.hashes.tolist() == text_hashes([text] * 3).tolist()


def test_an_empty_text_is_refused_and_the_same_text_changes_nothing(
    project: Project,
) -> None:
    with pytest.raises(UserError, match="can't be empty"):
        _edit(project, " \n\u200b".replace("\u200b", ""))
    answer = _edit(project, f" {TEXTS[1]} ")
    assert (answer.id, answer.can_undo) == (0, False)
    with pytest.raises(UserError, match="not in the project any more"):
        _apply(project, EditSentence(sentence=SENTENCE + 100, text="x"))


def test_an_edit_does_not_wait_for_a_training(project: Project) -> None:
    known = {command_name(one) for one in get_args(Params)}
    assert known.issuperset(TRAININGS)
    values = {"task": "train-grid", "params": "{}", "state": "running"}
    with project.store.begin() as connection:
        connection.execute(insert(schema.run).values(**values, started_at=0.0))
    _edit(project)
    assert _text(project) == CORRECTED


def test_an_edit_waits_until_a_task_has_finished(project: Project) -> None:
    values = {"task": "encode", "params": "{}", "state": "running", "started_at": 0.0}
    with project.store.begin() as connection:
        connection.execute(insert(schema.run).values(**values))
    with pytest.raises(UserError, match="A task is running"):
        _edit(project)
    with project.store.begin() as connection:
        connection.execute(update(schema.run).values(state="finished"))
    _edit(project)
    with project.store.connect() as connection:
        hashes = connection.scalars(select(schema.sentence.c.hash)).all()
    assert hashes[1] == int(text_hashes([CORRECTED])[0])
