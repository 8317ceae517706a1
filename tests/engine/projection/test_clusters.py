"""Clusters: blobs are found, typical sentences are the nearest to the centroid."""

from pathlib import Path

import numpy as np
import pytest
import torch

from app.engine.mining.exact_search import ExactSide
from app.engine.project.project import create_project
from app.engine.projection import clusters as module
from app.engine.projection.clusters import (
    Clusters,
    auto_clusters,
    describe_clusters,
    find_clusters,
)
from app.engine.projection.points import CodedNames
from app.engine.runtime.report import Report
from app.engine.store.corpora import first_sentence_id
from tests.engine.projection.made import make_blobs
from tests.engine.search.made import add_corpus


@pytest.mark.parametrize("sample", [8, 1_000])
def test_blobs_are_clusters(sample: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE", sample)  # fewer than there are: two passes
    vectors = make_blobs(30, n_blobs=2)
    found = find_clusters(ExactSide(vectors), 2, seed=1, report=Report())
    blobs = np.arange(60) % 2
    agree = found.of_points == blobs
    assert agree.all() or not agree.any()
    assert found.sizes == [30, 30]
    means = np.stack([vectors[found.of_points == c].mean(axis=0) for c in range(2)])
    for cluster in range(2):
        scores = vectors @ (means[cluster] / np.linalg.norm(means[cluster]))
        scores[found.of_points != cluster] = -1
        assert found.typical[cluster].tolist() == np.argsort(-scores)[:10].tolist()


def test_the_same_seed_finds_the_same_clusters() -> None:
    side = ExactSide(make_blobs(50, spread=1.0))
    one, two = (find_clusters(side, 5, seed=3, report=Report()) for _ in range(2))
    assert np.array_equal(one.of_points, two.of_points)
    assert one.sizes == sorted(one.sizes, reverse=True)


def test_there_are_no_more_clusters_than_different_vectors() -> None:
    vectors = np.tile(make_blobs(1, n_blobs=2), (10, 1))
    found = find_clusters(ExactSide(vectors), 5, seed=1, report=Report())
    assert found.sizes == [10, 10]


def test_the_number_of_clusters_grows_with_the_root_up_to_forty() -> None:
    assert [auto_clusters(n) for n in (1, 8, 200, 10**6)] == [1, 2, 10, 40]


def test_a_cluster_is_named_in_its_most_frequent_language(tmp_path: Path) -> None:
    english = ["rain storm", "storm rain", "rain storm", "bread soup", "bread soup"]
    german = ["regen sturm", "regen sturm", "brot suppe", "suppe brot", "suppe brot"]
    with create_project(tmp_path / "p.isogloss") as project:
        for name, texts in (("en", english), ("de", german)):
            add_corpus(project, name, name, texts)
        ids = np.array([first_sentence_id(c) + n for c in (1, 2) for n in range(5)])
        of_points = np.array([0, 0, 0, 1, 1, 0, 0, 1, 1, 1], np.int32)
        found = Clusters(of_points, torch.zeros(2, 1), [np.array([0]), np.array([3])])
        languages = CodedNames(np.repeat([0, 1], 5).astype(np.int32), ["en", "de"])
        weather, food = describe_clusters(
            project.store, ids, found, languages, Report()
        )
    assert sorted(weather.words) == ["rain", "storm"]
    assert sorted(food.words) == ["brot", "suppe"]


def test_a_cluster_is_named_in_the_language_of_most_of_its_sentences(
    tmp_path: Path,
) -> None:
    english = ["cold rain", "long rain", "rain tomorrow", "old bread", "new bread"]
    german = ["regen sturm", "sturm regen", "brot suppe", "suppe brot"]
    with create_project(tmp_path / "p.isogloss") as project:
        for name, texts in (("en", english), ("de", german)):
            add_corpus(project, name, name, texts)
        counts = ((1, 5), (2, 4))
        ids = np.array(
            [first_sentence_id(c) + n for c, size in counts for n in range(size)]
        )
        of_points = np.array([0, 0, 0, 1, 1, 0, 0, 1, 1], np.int32)
        found = Clusters(of_points, torch.zeros(2, 1), [np.array([0]), np.array([3])])
        languages = CodedNames(np.repeat([0, 1], [5, 4]).astype(np.int32), ["en", "de"])
        rain, bread = describe_clusters(project.store, ids, found, languages, Report())
    assert rain.words == ["rain"]
    assert sorted(bread.words) == ["brot", "suppe"]  # no language has the majority


def test_a_cluster_without_enough_words_of_a_language_is_named_in_several(
    tmp_path: Path,
) -> None:
    english = ["cold rain", "long rain", "old bread", "new bread soup"]
    german = ["kalter regen", "langer regen", "altes brot", "neues brot"]
    with create_project(tmp_path / "p.isogloss") as project:
        for name, texts in (("en", english), ("de", german)):
            add_corpus(project, name, name, texts)
        ids = np.array([first_sentence_id(c) + n for c in (1, 2) for n in range(4)])
        of_points = np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int32)
        found = Clusters(of_points, torch.zeros(2, 1), [np.array([0]), np.array([2])])
        languages = CodedNames(np.repeat([0, 1], 4).astype(np.int32), ["en", "de"])
        reports = describe_clusters(project.store, ids, found, languages, Report())
    assert [one.words for one in reports] == [["rain", "regen"], ["bread", "brot"]]


def test_function_words_of_a_small_corpus_name_no_cluster(tmp_path: Path) -> None:
    english = [
        *("already near the ferry", "near the ferry already", "already near a harbour"),
        *("would you like soup", "you would like bread", "like bread without soup"),
    ]
    german = ["kaum noch regen", "noch kaum regen", "dann wieder sturm"]
    with create_project(tmp_path / "p.isogloss") as project:
        for name, texts in (("en", english), ("de", german)):
            add_corpus(project, name, name, texts)
        counts = ((1, 6), (2, 3))
        ids = np.array(
            [first_sentence_id(c) + n for c, size in counts for n in range(size)]
        )
        of_points = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3], np.int32)
        typical = [np.array([first]) for first in (0, 3, 6, 8)]
        found = Clusters(of_points, torch.zeros(4, 1), typical)
        languages = CodedNames(np.repeat([0, 1], [6, 3]).astype(np.int32), ["en", "de"])
        reports = describe_clusters(project.store, ids, found, languages, Report())
    assert [set(one.words) for one in reports] == [
        {"ferry"},
        {"bread", "soup"},
        {"regen"},
        {"sturm"},  # in one sentence: better than a number
    ]
