"""Maps of corpora: what is kept, and what bad vectors are told."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.engine.project import Project, open_project
from app.engine.report import Report
from app.engine.store.arrays import embedding_files
from app.engine.store.embedding_writes import find_embedding
from app.engine.store.projection_rows import projection_file, read_projections
from app.engine.store.rows import first_id
from app.engine.tasks import encode as encode_module
from app.engine.tasks import project_map as module
from app.engine.tasks.project_map import ProjectMapResult, project_map
from app.errors import UserError
from app.params import build_params
from app.params.projection import ProjectMap
from tests.engine.classify.barn import make_barn
from tests.engine.classify.word_encoder import WordEncoder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    for one in (module, encode_module):
        monkeypatch.setattr(one, "load_encoder", lambda *_, **__: WordEncoder())
    with make_barn(tmp_path) as project:
        yield project


PARAMS = {"corpora": ["topics", "Neues"], "method": "pca", "n_clusters": 3}


def make(project: Project, **fields: Any) -> ProjectMapResult:
    params = build_params(ProjectMap, {**PARAMS, **fields})
    return project_map(project, params, Report())


def arrays(project: Project) -> dict[str, np.ndarray[Any, Any]]:
    row = read_projections(project.store)[0]
    return {
        part: np.load(projection_file(project.folder, row, part))
        for part in ("xy", "ids", "clusters")
    }


def test_a_map_of_two_corpora_is_kept(project: Project) -> None:
    result = make(project)
    assert (result.n, result.n_unknown, result.clusters) == (100, 1, 3)
    found = arrays(project)
    wanted = [first_id(1) + i for i in range(60)] + [first_id(2) + i for i in range(40)]
    assert found["ids"].tolist() == wanted
    assert (found["xy"].shape, found["xy"].dtype) == ((100, 2), np.float32)
    assert found["clusters"].dtype == np.int32
    (row,) = read_projections(project.store)
    assert (row.id, row.n_points, row.method) == (result.map, 100, "pca")
    assert row.name == "PCA: topics, Neues"
    told = msgspec.json.decode(row.report)["clusters"]
    assert [one["n"] for one in told] == np.bincount(found["clusters"]).tolist()
    for place, one in enumerate(told):  # typical sentences are of their cluster
        rows = np.searchsorted(found["ids"], one["sentences"])
        assert set(found["clusters"][rows]) == {place}


def test_a_map_lives_on_when_the_project_is_opened_again(project: Project) -> None:
    make(project)
    before = arrays(project)
    project.close()
    with open_project(project.folder) as again:
        after = arrays(again)
    assert all(np.array_equal(before[part], after[part]) for part in before)


def test_a_vector_that_is_no_number_is_named(project: Project) -> None:
    make(project)
    row = find_embedding(project.store, 2, WordEncoder.fingerprint)
    assert row is not None
    file = embedding_files(project.folder, row.array)[0]
    vectors = np.load(file)
    vectors[7] = np.nan
    np.save(file, vectors)
    with pytest.raises(UserError, match=r"sentence 8 of Neues .* not a number"):
        make(project, corpora=["Neues"])


def test_a_corpus_of_which_nothing_is_known_is_told(project: Project) -> None:
    from tests.engine.search.made import add_corpus

    add_corpus(project, "strange", "de", ["???", "!!!"])
    with pytest.raises(UserError, match="knows no piece of any sentence of strange"):
        make(project, corpora=["strange"])
