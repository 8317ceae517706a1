"""The measure of similar texts, and which two of a project it finds."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import insert, update

from app.engine.alignment.similar_texts import (
    N_BLOCKS,
    average_blocks,
    find_similar_texts,
    measure_similarity,
)
from app.engine.numeric import normalise_rows
from app.engine.project.project import Project, create_project
from app.engine.store import schema
from app.engine.store.arrays import write_array
from app.engine.store.corpora import first_sentence_id
from app.engine.store.embeddings import EmbeddingKey, embedding_files, record_embedding
from app.engine.store.pairs.sets import NewPairSet, insert_pair_set
from app.protocol.answers.pairs import SimilarTexts
from app.protocol.queries.pairs import SimilarTextsQuery
from tests.engine.search.made import add_corpus

DIM = 128
Vectors = NDArray[np.float32]


def noise(n: int, seed: int) -> Vectors:
    random = np.random.default_rng(seed)
    return random.normal(size=(n, DIM)).astype(np.float32)


def unit(vectors: Vectors) -> Vectors:
    return normalise_rows(vectors)[0]


def similarity(source: Vectors, target: Vectors) -> float:
    return measure_similarity(average_blocks(source), average_blocks(target))


def test_blocks_are_the_means_of_their_middle_without_the_mean_of_the_text() -> None:
    text = unit(noise(N_BLOCKS * 100, 1))  # blocks of 100, of which 64 are read
    means = text.reshape(N_BLOCKS, 100, DIM)[:, 18:82].mean(axis=1)
    means -= means.mean(axis=0)
    expected = means / np.linalg.norm(means, axis=1, keepdims=True)
    assert average_blocks(text) == pytest.approx(expected, abs=1e-5)


def test_a_short_text_repeats_its_sentences() -> None:
    blocks = average_blocks(unit(noise(10, 2)))
    assert blocks.shape == (N_BLOCKS, DIM)
    indices = [10 * i // 64 for i in range(64)]
    same = np.array(indices)[:, None] == np.array(indices)
    assert np.all((blocks @ blocks.T > 0.999) == same)


@pytest.mark.parametrize("n", [10, 64, 300, 9_000])
def test_a_translation_with_other_lines_is_similar_and_nothing_else(n: int) -> None:
    meaning, accent = noise(n, 3), 2 * noise(1, 4)
    source = unit(meaning)
    kept = np.random.default_rng(5).random(n) > 0.05
    translation = unit(meaning + 0.7 * noise(n, 6) + accent)[kept]
    assert similarity(source, translation) > 0.3
    shuffled = np.random.default_rng(7).permutation(translation)
    assert similarity(source, unit(noise(n, 8) + accent)) < 0.15
    assert similarity(source, shuffled) < 0.15


def test_a_text_of_equal_sentences_is_similar_to_none() -> None:
    same = np.repeat(unit(noise(1, 1)), 30, axis=0)
    assert similarity(same, unit(noise(30, 2))) == pytest.approx(0, abs=0.1)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return create_project(tmp_path / "q.isogloss")


def add_text(
    project: Project, name: str, language: str, vectors: Vectors, encoder: str = "e"
) -> int:
    """Add a corpus with these vectors."""
    corpus = add_corpus(project, name, language, [f"{name} {i}." for i in range(3)])
    stem = f"{corpus}-{encoder}"
    n = len(vectors)
    files = embedding_files(project.folder, stem)
    write_array(files[0], vectors)
    write_array(files[1], vectors.astype(np.float16))
    write_array(files[2], np.ones(n, np.float32))
    key = EmbeddingKey(corpus, "x", encoder, DIM, n)
    record_embedding(project.store, key, stem, n_zero=0, run=None)
    return corpus


def ask(project: Project, corpora: Sequence[int]) -> SimilarTexts:
    query = SimilarTextsQuery(corpora=tuple(corpora), fingerprint="e")
    return find_similar_texts(project, query)


def test_of_several_texts_the_two_most_similar_are_found(project: Project) -> None:
    meaning = noise(200, 1)
    english = add_text(project, "english", "en", unit(meaning))
    copy = add_text(project, "copy", "en", unit(meaning))
    german = add_text(project, "german", "de", unit(meaning + 0.5 * noise(200, 2)))
    free = add_text(project, "free", "fr", unit(meaning + noise(200, 3)))
    other = add_text(project, "other", "de", unit(noise(200, 4)))
    assert ask(project, [other, free, german, english]) == SimilarTexts(german, english)
    assert ask(project, [english, copy]) == SimilarTexts(), "one language"
    assert ask(project, [english, other]) == SimilarTexts()
    assert ask(project, [english, 99, free]) == SimilarTexts(english, free)
    project.close()


def test_texts_that_are_linked_or_aligned_or_not_encoded_are_not_found(
    project: Project,
) -> None:
    meaning = noise(200, 1)
    ids = [
        add_text(project, language, language, unit(meaning + share * noise(200, n)))
        for n, (language, share) in enumerate(
            {"en": 0.0, "de": 0.3, "fr": 0.6, "es": 0.9, "it": 1.2}.items(), 2
        )
    ]
    english, german, french, spanish, _ = ids
    assert ask(project, ids) == SimilarTexts(english, german)
    ends = [first_sentence_id(id_) for id_ in (german, english)]
    values = {"source_id": ends[0], "target_id": ends[1], "kind": "imported"}
    with project.store.begin() as connection:
        connection.execute(insert(schema.link).values(**values))
    assert ask(project, ids) == SimilarTexts(english, french)
    aligned = NewPairSet("a", "aligned", french, english, "fr", "en", "x", "e")
    with project.store.begin() as connection:
        alignment = insert_pair_set(connection, aligned, None, state="ready")
    assert ask(project, ids) == SimilarTexts(german, french)
    is_it = schema.mining.c.id == alignment
    with project.store.begin() as connection:
        connection.execute(update(schema.mining).where(is_it).values(state="deleted"))
    assert ask(project, ids) == SimilarTexts(english, french)
    is_of_it = schema.embedding.c.corpus_id == french
    with project.store.begin() as connection:
        connection.execute(update(schema.embedding).where(is_of_it).values(n_done=100))
    assert ask(project, ids) == SimilarTexts(english, spanish)
    project.close()
