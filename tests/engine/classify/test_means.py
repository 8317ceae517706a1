"""The mean over languages and the gap: values, and intervals by rows drawn together."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.engine.classify.labelled_rows import LabelledRows, read_labelled
from app.engine.classify.measures import (
    LanguageRows,
    bootstrap_intervals,
    confusion_matrix,
    measure_means,
    rows_of_development,
    sums_of_classes,
    sums_of_scores,
)
from app.engine.classify.overlap import connected_components, find_shared_rows
from app.engine.heads.relatedness import pearson
from app.engine.project.project import create_project
from tests.engine.classify.barn import add_labelled
from tests.engine.classify.test_excluded_translations import ENGLISH, GERMAN, link

LEVELS = (0.8, 0.6, 0.5)
RNG = np.random.default_rng(7)


def language(
    right: Sequence[bool] | np.ndarray, shared: np.ndarray, *, is_home: bool = False
) -> LanguageRows:
    gold = np.zeros(len(right), np.int64)
    predicted = np.where(right, 0, 1)
    return LanguageRows(is_home, shared, sums_of_classes(gold, predicted))


def test_the_mean_of_one_language_has_its_own_interval() -> None:
    right = np.arange(200) < 140
    others = measure_means([language(right, np.arange(200))]).others
    assert others is not None
    own, _ = bootstrap_intervals(
        confusion_matrix(np.zeros(200, np.int64), np.where(right, 0, 1), 2)
    )
    assert others.value == 0.7
    assert others[1:] == pytest.approx(own[1:], abs=0.015)


def test_a_gap_between_equal_answers_to_the_same_rows_is_certain() -> None:
    right, rows = RNG.random(90) < 0.7, np.arange(90)
    home = language(right, rows, is_home=True)
    apart = measure_means([home, language(right, rows + 90)]).gap
    assert apart is not None
    assert apart.value == 0
    assert apart.low < -0.1
    assert apart.high > 0.1
    assert measure_means([home, language(right, rows)]).gap == (0, 0, 0)


def test_rows_drawn_together_are_those_of_a_plain_loop() -> None:
    """Three languages, two of which share half of what they say."""
    hard = RNG.random(120)
    indices = (np.arange(80), np.arange(40, 120), np.arange(200, 260))
    rights = [hard[at % 120] < level for at, level in zip(indices, LEVELS, strict=True)]
    rows = [
        language(right, at, is_home=index == 0)
        for index, (right, at) in enumerate(zip(rights, indices, strict=True))
    ]
    found = measure_means(rows).gap
    generator = np.random.default_rng(5)
    gaps = []
    for _ in range(1000):
        together, alone = generator.integers(0, 120, 120), generator.integers(0, 60, 60)
        both = [
            right[together[np.isin(together, at)] - at[0]]
            for right, at in zip(rights[:2], indices[:2], strict=True)
        ]
        means = [part.mean() for part in (*both, rights[2][alone])]
        gaps.append(means[0] - (means[1] + means[2]) / 2)
    assert found is not None
    wanted = [rights[0].mean() - (rights[1].mean() + rights[2].mean()) / 2]
    wanted += np.quantile(gaps, [0.025, 0.975]).tolist()
    assert found == pytest.approx(wanted, abs=0.015)


def test_correlations_are_drawn_too() -> None:
    gold = RNG.random(150).astype(np.float32)
    found = (gold + RNG.normal(0, 0.3, 150)).astype(np.float32)
    one = LanguageRows(False, np.arange(150), sums_of_scores(gold, found))
    others = measure_means([one]).others
    assert others is not None
    assert others.value == pytest.approx(pearson(found, gold), abs=1e-6)
    assert others.low < others.value < others.high < 1


def test_the_development_set_stands_in_for_the_training_language() -> None:
    rows = [language(np.arange(50) < 30, np.arange(50)), rows_of_development(0.8, 40)]
    gap = measure_means(rows).gap
    assert gap is not None
    assert gap.value == pytest.approx(0.2)
    assert measure_means(rows[1:]) == (None, None)


def test_what_edges_lead_to_has_one_number() -> None:
    edges = np.array([[5, 4], [4, 3], [3, 2], [7, 6], [1, 1]])
    assert connected_components(8, edges).tolist() == [0, 1, 2, 2, 2, 2, 6, 6]
    assert connected_components(2, edges[:0]).tolist() == [0, 1]


def test_files_with_the_same_labels_are_parallel() -> None:
    def rows(*labels: str) -> LabelledRows:
        indices = np.arange(len(labels))[:, None]
        return LabelledRows("f", ([""] * len(labels),), list(labels), indices)

    tests = {"en": rows("a", "b"), "fi": rows("b", "a"), "de": rows("a", "b")}
    numbers = find_shared_rows(tests)
    assert numbers["en"].tolist() == numbers["de"].tolist()
    assert set(numbers["en"].tolist()).isdisjoint(numbers["fi"].tolist())


def test_links_say_which_rows_of_corpora_say_the_same(tmp_path: Path) -> None:
    with create_project(tmp_path / "p.isogloss") as project:
        add_labelled(project, "English", "en", ENGLISH)
        add_labelled(project, "Deutsch", "de", GERMAN)
        link(project, (0, 1), (1, 0))
        tests = {name: read_labelled(project, name) for name in ("English", "Deutsch")}
        tests["again"] = tests["Deutsch"]
        numbers = find_shared_rows(tests, project.store)
    english, german = numbers["English"].tolist(), numbers["Deutsch"].tolist()
    assert (english[0], english[1]) == (german[1], german[0])
    assert len({*english, *german}) == 5
    assert numbers["again"].tolist() == german
