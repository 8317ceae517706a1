"""kill -9 of the engine during import, encode and training: the run resumes.

What was committed is kept, and the result is the same as without the kill.
"""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

from app.engine.encoders.registry import load_encoder
from app.engine.numeric import normalise_rows
from app.engine.project.project import open_project, open_read_only
from app.engine.search.keyword_search import find_by_keywords
from app.engine.store import corpora, corpus_writes
from app.engine.store.arrays import map_array
from app.engine.store.embeddings import (
    embedding_files,
    list_embeddings,
    map_embedding,
)
from app.engine.store.sentences import read_sentences
from app.params.base import TaskParams
from app.params.corpora import ImportCorpus
from app.params.training.encoder import TrainEncoder
from app.params.vectors import Encode
from app.protocol import commands, events
from app.protocol.edits.corpora import EditSentence
from app.protocol.edits.general import DropRun, Undo
from tests.process.harness import EngineProcess

N_LINES = 120_000


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A TSV of lines that differ, with some empty and some repeated ones."""
    random.seed(5)
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]
    file = tmp_path_factory.mktemp("tables") / "böok.tsv"
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for i in range(N_LINES):
            line = " ".join(random.choices(words, k=6)) if i % 1000 else ""
            stream.write(f"{line if i % 501 else 'the same again'}\t{i}\n")
    return file


def kill_at(engine: EngineProcess, stage_part: str, done: int) -> int:
    """Kill the engine when a stage has done so much; give what it had shown."""
    while True:
        event = engine.wait_for(events.Progress)
        if stage_part in event.stage.lower() and event.done >= done:
            engine.process.kill()
            engine.close()
            return event.done


def finish(
    engine: EngineProcess, params: TaskParams, resume: int | None = None
) -> dict[str, Any]:
    """Run a task to its end."""
    engine.run(params, resume)
    while True:
        event = engine.next_event()
        engine.events.append(event)
        if isinstance(event, events.Failed):
            raise AssertionError(event.error.message + event.error.traceback)
        if isinstance(event, events.Finished):
            result: dict[str, Any] = event.result
            return result


def content_of(folder: Path) -> tuple[Any, ...]:
    """Everything an import leaves, but for times."""
    with open_read_only(folder) as project:
        (corpus,) = corpora.list_corpora(project.store)
        with project.store.connect() as connection:
            sentences = connection.execute(
                text("SELECT id, text, line, hash FROM sentence ORDER BY id")
            ).all()
            found = connection.execute(
                text(
                    "SELECT rowid FROM sentence_words "
                    "WHERE sentence_words MATCH 'same' ORDER BY rowid"
                )
            ).all()
        report = {k: v for k, v in corpus.report.items() if "elapsed" not in k}
        return corpus.n_sentences, report, sentences, found


def test_a_killed_import_resumes_to_the_same_corpus(
    tmp_path: Path, table: Path
) -> None:
    params = ImportCorpus(
        files=(table,), languages=("en",), columns=("1",), header="no", format="tsv"
    )
    killed, whole = tmp_path / "killed.isogloss", tmp_path / "whole.isogloss"
    with EngineProcess(tmp_path) as engine:
        engine.open(killed, "create")
        run = engine.run(params)
        kill_at(engine, "", N_LINES // 3)
    with open_read_only(killed) as project:
        assert corpora.list_corpora(project.store) == []  # hidden until its report
    with EngineProcess(tmp_path) as engine:
        assert engine.open(killed).interrupted == [run]
        finish(engine, params, resume=run)
        engine.open(whole, "create")
        finish(engine, params)
    assert content_of(killed) == content_of(whole)


def test_a_dropped_import_leaves_nothing(tmp_path: Path, table: Path) -> None:
    params = ImportCorpus(
        files=(table,), languages=("en",), columns=("1",), header="no", format="tsv"
    )
    folder = tmp_path / "dropped.isogloss"
    with EngineProcess(tmp_path) as engine:
        engine.open(folder, "create")
        run = engine.run(params)
        kill_at(engine, "", N_LINES // 3)
    with EngineProcess(tmp_path) as engine:
        engine.open(folder)
        engine.edit(DropRun(run))
    with open_project(folder) as project:
        assert corpora.list_corpora(project.store) == []
        corpus_writes.purge_removed_corpora(
            project.store
        )  # what a slow machine left for later
        with project.store.connect() as connection:
            for name in ("corpus", "sentence"):
                count = connection.scalar(text(f"SELECT count(*) FROM {name}"))
                assert (name, count) == (name, 0)


def test_a_killed_encode_resumes_at_its_last_shard(tmp_path: Path, table: Path) -> None:
    folder = tmp_path / "p.isogloss"
    importing = ImportCorpus(
        files=(table,), languages=("en",), columns=("1",), header="no", format="tsv"
    )
    with EngineProcess(tmp_path) as engine:
        engine.open(folder, "create")
        finish(engine, importing)
        corpus = _only_corpus(folder)
        run = engine.run(Encode(corpora=(str(corpus),)))
        kill_at(engine, "encoding ", 1)
    done_before = _n_done(folder)
    with EngineProcess(tmp_path) as engine:
        assert engine.open(folder).interrupted == [run]
        finish(engine, Encode(corpora=(str(corpus),)), resume=run)
        shown = [
            event.done
            for event in engine.events
            if isinstance(event, events.Progress)
            and event.stage.startswith("Encoding ")
        ]
    assert min(shown) >= done_before
    with open_read_only(folder) as project:
        (made,) = list_embeddings(project.store)
        assert made.n_done == made.n_rows > 0
        unit, scan, norm = (
            map_array(file) for file in embedding_files(folder, made.array)
        )
    lengths = np.linalg.norm(unit, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-5) | (lengths == 0))
    assert np.count_nonzero(norm == 0) == made.n_zero
    assert np.allclose(unit, scan.astype(np.float32), atol=1e-3)


def test_a_killed_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    pairs = tmp_path / "eng-xxx.tsv"
    random.seed(6)
    with pairs.open("w", encoding="utf-8", newline="\n") as stream:
        for _ in range(2_000):
            numbers = random.sample(range(120), 5)
            source = " ".join(f"word{n}a" for n in numbers)
            target = " ".join(f"mot{n}b" for n in numbers)
            stream.write(f"{source}\t{target}\ttest\n")
    params = TrainEncoder(
        name="small",
        pairs=(pairs,),
        n_pieces=400,
        n_bigrams=512,
        n_ngrams=0,
        dim=32,
        n_steps=3_000,
        batch_size=64,
        languages_per_batch=1,
        checkpoint_every_s=0.2,
    )
    folder = tmp_path / "p.isogloss"
    with EngineProcess(tmp_path) as engine:
        engine.open(folder, "create")
        run = engine.run(params)
        done = kill_at(engine, "training", 600)
    with EngineProcess(tmp_path) as engine:
        assert engine.open(folder).interrupted == [run]
        finish(engine, params, resume=run)
        shown = [
            event.done
            for event in engine.events
            if isinstance(event, events.Progress) and event.stage == "Training"
        ]
    assert done / 3 < min(shown) <= done
    assert (folder / "encoders" / "small").is_dir()


def _only_corpus(folder: Path) -> int:
    with open_read_only(folder) as project:
        (corpus,) = corpora.list_corpora(project.store)
    return corpus.id


def _n_done(folder: Path) -> int:
    with open_read_only(folder) as project:
        return sum(made.n_done for made in list_embeddings(project.store))


@pytest.mark.parametrize("moment", ["sent", "encoded", "answered"])
def test_a_killed_edit_of_a_sentence_is_made_whole_or_not_at_all(
    tmp_path: Path, moment: str
) -> None:
    folder, file = tmp_path / "p.isogloss", tmp_path / "lines.txt"
    old, new = "a hous by the sea", "a house by the sea"
    file.write_text(f"the cat sleeps\n{old}\nthe dog barks\n", encoding="utf-8")
    with EngineProcess(tmp_path) as engine:
        engine.open(folder, "create")
        finish(engine, ImportCorpus(files=(file,), languages=("en",)))
        finish(engine, Encode(corpora=(str(_only_corpus(folder)),)))
        sentence = corpora.first_sentence_id(_only_corpus(folder)) + 1
        ticket = engine.ticket()
        edit = EditSentence(sentence=sentence, text=new)
        engine.send(commands.Edit(ticket, edit, engine.project))
        while moment == "encoded" and not list(folder.glob("arrays/*.edit.npy")):
            pass  # the vector is written before the transaction ends
        if moment == "answered":
            engine.wait_for(events.Answer, ticket)
        engine.process.kill()
    with EngineProcess(tmp_path) as engine:
        engine.open(folder)
        is_made = _edited_text(folder, sentence) == new
        assert is_made or moment != "answered"
        _check_edited(folder, sentence, new if is_made else old)
        engine.edit(Undo() if is_made else edit)
        _check_edited(folder, sentence, old if is_made else new)


def _edited_text(folder: Path, sentence: int) -> str:
    with open_read_only(folder) as project:
        (row,) = read_sentences(project.store, [sentence])
    assert row is not None
    return row.text


def _check_edited(folder: Path, sentence: int, text: str) -> None:
    """Check that text, keyword index and vector of a sentence belong together."""
    with open_read_only(folder) as project:
        (row,) = read_sentences(project.store, [sentence])
        assert row is not None
        assert row.text == text
        word = text.split()[1]
        listed = corpora.list_corpora(project.store)
        assert find_by_keywords(project, word, listed, 9) == {"en": [sentence]}
        (made,) = list_embeddings(project.store)
        unit, _, _ = map_embedding(folder, made)
        encoder = load_encoder(made.encoder, folder)
        expected, _ = normalise_rows(encoder.encode([text]))
        position = corpora.position_of(sentence)
        np.testing.assert_allclose(unit[position], expected[0], atol=1e-5)
    files = {file.name for file in folder.glob("arrays/*.edit.npy")}
    assert files == ({f"{made.array}.edit.npy"} if "_" in made.array else set())
