"""Maps of corpora: what is kept, and what bad vectors are told."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.engine.project.project import Project, open_project
from app.engine.runtime.report import Report, SilentSink
from app.engine.store.corpora import first_sentence_id
from app.engine.store.embeddings import embedding_files, find_embedding
from app.engine.store.projections import projection_file, read_projections
from app.engine.tasks.project_map import ProjectMapResult, project_map
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.projection import ProjectMap
from tests.engine.classify.barn import make_barn
from tests.engine.classify.word_encoder import TOPICS, WordEncoder
from tests.engine.projection.made import use_encoder
from tests.engine.search.made import add_corpus


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_encoder(monkeypatch, WordEncoder())
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
    wanted = [first_sentence_id(1) + i for i in range(60)] + [
        first_sentence_id(2) + i for i in range(40)
    ]
    assert found["ids"].tolist() == wanted
    assert (found["xy"].shape, found["xy"].dtype) == ((100, 2), np.float32)
    assert found["clusters"].dtype == np.int32
    (row,) = read_projections(project.store)
    assert (row.id, row.n_points, row.method) == (result.map, 100, "pca")
    assert row.name == "PCA: topics, Neues"
    told = msgspec.json.decode(row.report)["clusters"]
    assert [one["n"] for one in told] == np.bincount(found["clusters"]).tolist()
    for index, one in enumerate(told):  # typical sentences are of their cluster
        rows = np.searchsorted(found["ids"], one["sentences"])
        assert set(found["clusters"][rows]) == {index}


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
    add_corpus(project, "strange", "de", ["???", "!!!"])
    with pytest.raises(UserError, match="has no vectors for the sentences of strange"):
        make(project, corpora=["strange"])


class StoppingSink(SilentSink):
    """Cancels at a step of a stage."""

    def __init__(self, stage: str, n_steps: int = 1):
        self.report = Report(self)
        self._stage, self._left = stage, n_steps

    def progress(self, stage: str, done: int, total: int, note: str) -> None:
        self._left -= stage == self._stage
        if not self._left:
            self.report.cancel()


STAGES = (
    "Loading the encoder",
    "Encoding topics",
    "Reading vectors",
    "Computing principal components",
    "Projecting sentences",
    "Comparing sentences",
    "Weighting neighbours",
    "Computing the layout",
    "Finding clusters",
    "Measuring the map",
    "Describing clusters",
)


def test_every_stage_can_be_cancelled_and_the_map_is_the_same(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Report, "INTERVAL_S", 0)
    fields = {**PARAMS, "method": "umap", "n_epochs": 20}
    params = build_params(ProjectMap, fields)
    for stage in STAGES:
        with pytest.raises(Cancelled):
            project_map(project, params, StoppingSink(stage).report)
        assert read_projections(project.store) == []
    project_map(project, params, Report())
    resumed = arrays(project)
    shutil.rmtree(project.folder / "arrays" / "maps")
    result = project_map(project, params, Report())
    again = arrays(project)
    assert all(np.array_equal(resumed[part], again[part]) for part in resumed)
    assert result.kept_neighbours is not None
    assert 0.2 < result.kept_neighbours <= 1
    assert re.fullmatch(r"The map .+ of [\d,]+ sentences is ready\.", result.message)
    (row,) = read_projections(project.store)[:1]
    report = msgspec.json.decode(row.report)
    assert report["kept_neighbours"] == result.kept_neighbours
    assert (report["k"], report["n_measured"]) == (15, result.n)
    assert not list(project.folder.glob("arrays/maps/*/layout-*"))


def test_the_report_tells_words_and_languages_of_clusters(project: Project) -> None:
    make(project, corpora=["topics"], n_clusters=3)
    (row,) = read_projections(project.store)
    clusters = msgspec.json.decode(row.report)["clusters"]
    for one in clusters:
        assert one["languages"] == {"en": one["n"]}
        topics = [set(one["words"][:2]) <= set(words) for words in TOPICS.values()]
        assert any(topics), one["words"]


@pytest.mark.parametrize("method", ["umap", "tsne"])
def test_very_few_sentences_have_their_components(
    project: Project, method: str
) -> None:
    if method == "tsne":
        pytest.importorskip("openTSNE")
    add_corpus(project, "two", "en", ["rain snow", "ball"])
    result = make(project, corpora=["two"], method=method)
    assert (result.n, result.kept_neighbours) == (2, None)
    assert result.note == (
        f"2 sentences are too few for {method}. The map shows principal components "
        "instead."
    )


def test_equal_vectors_are_told(project: Project) -> None:
    add_corpus(project, "same", "en", ["rain"] * 20)
    result = make(project, corpora=["same"], method="umap", n_clusters=None)
    assert result.clusters == 1
    assert result.note.startswith("All vectors are equal")
    assert np.isfinite(arrays(project)["xy"]).all()


def test_fewer_sentences_than_neighbours_are_told(project: Project) -> None:
    add_corpus(project, "few", "en", ["rain snow", "ball", "tax law", "wind", "goal"])
    result = make(project, corpora=["few"], method="umap")
    assert result.note == "Each sentence has only 4 neighbours."
