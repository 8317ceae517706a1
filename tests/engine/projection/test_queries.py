"""Queries about maps: distinctive words of selections, changes between encoders."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.engine.process.queries import answer_query
from app.engine.project.project import Project
from app.engine.projection.stored_map import map_vectors, open_map
from app.engine.runtime.report import Report
from app.engine.search.session import SearchSession
from app.engine.store.corpora import first_sentence_id
from app.engine.tasks.project_map import project_map
from app.errors import UserError
from app.params import build_params
from app.params.projection import ProjectMap
from app.protocol.base import A, BaseQuery
from app.protocol.queries.maps import (
    CompareProjectionsQuery,
    SelectionQuery,
    SimilarityQuery,
)
from tests.engine.classify.barn import make_barn
from tests.engine.classify.word_encoder import TOPICS, WordEncoder
from tests.engine.projection.made import use_encoder
from tests.engine.search.made import WordEncoder as OtherEncoder


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with make_barn(tmp_path) as project:
        yield project


def make(project: Project, monkeypatch: pytest.MonkeyPatch, encoder: object) -> int:
    use_encoder(monkeypatch, encoder)
    fields = {"corpora": ["topics", "Neues"], "method": "pca", "n_clusters": 2}
    return project_map(project, build_params(ProjectMap, fields), Report()).map


def ask(project: Project, query: BaseQuery[A]) -> A:
    return answer_query(SearchSession(project, device="cpu"), query)


def test_what_marks_a_selection(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    map_id = make(project, monkeypatch, WordEncoder())
    sport = first_sentence_id(1) + np.arange(0, 60, 3)  # every third row is about sport
    gone = first_sentence_id(2) + 40  # of this one the encoder knows nothing
    query = SelectionQuery(projection=map_id, sentences=(*sport.tolist(), gone))
    answer = ask(project, query)
    assert answer.n == 20
    assert answer.languages == [("en", 20)]
    assert answer.corpora == [(1, 20)]
    assert answer.classes == [("sport", 20)]
    assert sum(n for _, n in answer.clusters) == 20
    assert {word.word for word in answer.words[:3]} == set(TOPICS["sport"])
    assert set(answer.typical) <= set(sport.tolist())
    file = tmp_path / "chosen.npy"
    np.save(file, sport[::-1])
    assert ask(project, SelectionQuery(projection=map_id, file=file)) == answer


def test_a_selection_of_nothing_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    map_id = make(project, monkeypatch, WordEncoder())
    with pytest.raises(UserError, match="None of the selected sentences"):
        ask(project, SelectionQuery(projection=map_id, sentences=(5,)))
    with pytest.raises(UserError, match="map is no longer in the project"):
        ask(project, SelectionQuery(projection=map_id + 1, sentences=(5,)))


def test_nothing_moves_between_maps_of_one_encoder(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = [make(project, monkeypatch, OtherEncoder(16)) for _ in range(2)]
    answer = ask(project, CompareProjectionsQuery(one=maps[0], other=maps[1], k=5))
    assert (answer.n, answer.n_shared, answer.mean, answer.k) == (100, 100, 1, 5)
    assert answer.n == answer.n_shared
    shares = np.load(project.folder / answer.shares_file)
    assert (shares.dtype, shares.tolist()) == (np.float32, [1.0] * 100)


def test_the_most_changed_sentences_come_first(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoders = OtherEncoder(16), OtherEncoder(8)
    maps = [make(project, monkeypatch, encoder) for encoder in encoders]
    answer = ask(project, CompareProjectionsQuery(one=maps[0], other=maps[1], k=5))
    ids = np.load(project.folder / answer.ids_file)
    shares = np.load(project.folder / answer.shares_file)
    assert (np.diff(shares) >= 0).all()
    assert answer.mean == pytest.approx(shares.mean())
    assert answer.low <= answer.mean <= answer.high < 1

    from app.engine.store.embeddings import find_embedding, map_embedding

    near = []
    for encoder in encoders:
        rows = [find_embedding(project.store, c, encoder.fingerprint) for c in (1, 2)]
        vectors = np.concatenate(
            [map_embedding(project.folder, row)[0] for row in rows if row]
        )[:100]  # of the last sentence nothing is known
        cosines = vectors @ vectors.T
        np.fill_diagonal(cosines, -np.inf)
        near.append(np.argsort(-cosines, axis=1, kind="stable")[:, :5])
    every = np.concatenate(
        [first_sentence_id(1) + np.arange(60), first_sentence_id(2) + np.arange(40)]
    )
    index = int(np.searchsorted(every, ids[0]))
    wanted = len(np.intersect1d(near[0][index], near[1][index])) / 5
    assert shares[0] == pytest.approx(wanted, abs=0.21)  # equal cosines may swap one


def test_nearness_to_a_sentence_is_the_cosine_of_the_vectors(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    map_id = make(project, monkeypatch, OtherEncoder(16))
    sentence = first_sentence_id(1) + 7
    answer = ask(project, SimilarityQuery(projection=map_id, sentence=sentence))
    values = np.load(project.folder / answer.file)
    shown = open_map(project, map_id)
    vectors = map_vectors(project, shown, shown.ids).numpy()
    own = vectors[np.searchsorted(shown.ids, sentence)]
    np.testing.assert_allclose(values, vectors @ own, atol=1e-6)
    with pytest.raises(UserError, match="not on the map"):
        ask(project, SimilarityQuery(projection=map_id, sentence=5))
