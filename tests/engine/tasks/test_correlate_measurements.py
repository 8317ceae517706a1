"""Probing against downstream scores over the encoders of a project."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.engine.project.project import Project, create_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.store.runs import read_measurements, write_measurements
from app.engine.tasks.correlate_measurements import (
    CorrelateMeasurementsResult,
    correlate_measurements,
)
from app.errors import UserError
from app.params import build_params
from app.params.evaluation import CorrelateMeasurements
from app.params.vectors import Search
from app.results.measurements import (
    Correlated,
    Measurement,
    Probed,
    Retrieved,
    Transferred,
)

WIDE = (0.0, 1.0)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p") as made:
        yield made


def keep(project: Project, *rows: Measurement) -> None:
    run = queue_run(project, Search(text="x"))
    write_measurements(project.store, run, rows)


def probed(encoder: str, accuracy: float, task: str = "SentLen") -> Probed:
    return Probed(
        encoder=encoder,
        data="f",
        task=task,
        language="en",
        classifier="logistic",
        n=9,
        n_train=9,
        n_classes=2,
        accuracy=accuracy,
        accuracy_interval=WIDE,
    )


def transferred(encoder: str, score: float) -> Transferred:
    return Transferred(
        encoder=encoder,
        data="MR",
        protocol="nested",
        metric="accuracy",
        n=9,
        score=score,
        score_interval=WIDE,
        development=score,
        n_development=9,
    )


def correlated(encoder: str, pearson: float, similarity: str = "cosine") -> Correlated:
    return Correlated(
        encoder=encoder,
        first="en",
        second="en",
        similarity=similarity,
        n=9,
        pearson=pearson,
        pearson_interval=WIDE,
        spearman=pearson,
        spearman_interval=WIDE,
    )


def run(project: Project, **fields: Any) -> CorrelateMeasurementsResult:
    params = build_params(CorrelateMeasurements, fields)
    return correlate_measurements(project, params, Report())


def test_the_matrix_is_that_by_hand(project: Project) -> None:
    for index, encoder in enumerate("abcd"):
        keep(
            project,
            probed(encoder, (0.1, 0.2, 0.3, 0.4)[index]),
            probed(encoder, (0.4, 0.2, 0.3, 0.1)[index], "WC"),
            probed(encoder, 0.5, "Tense"),
            transferred(encoder, (0.6, 0.7, 0.9, 0.8)[index]),
            correlated(encoder, (0.4, 0.3, 0.2, 0.1)[index]),
            correlated(encoder, 0.9, "arccos"),
        )
    got = run(project)
    cells = {(cell.probing.split(",")[0], cell.downstream): cell for cell in got.cells}
    # ranks 1 2 3 4 against 1 2 4 3: 1 − 6 · 2 / 60; p: 8 of 24 orders
    length = cells["SentLen", "MR, accuracy"]
    assert length.spearman == pytest.approx(0.8)
    assert length.p == pytest.approx(8 / 24, abs=1e-6)
    assert cells["SentLen", "similarity en"].spearman == -1
    assert cells["SentLen", "similarity en"].p == pytest.approx(2 / 24, abs=1e-6)
    tense = cells["Tense", "MR, accuracy"]
    assert (tense.n, tense.spearman, tense.p, tense.p_corrected) == (
        4,
        None,
        None,
        None,
    )
    assert got.n_tests == 4
    # Holm: the smallest of four times four
    assert cells["SentLen", "similarity en"].p_corrected == pytest.approx(
        1 / 3, abs=1e-5
    )
    assert got.encoders == ("a", "b", "c", "d")
    assert "2 of 6 cells are empty" in got.notes[0]
    assert "With 4 encoders" in got.notes[1]


def test_a_run_keeps_its_cells_which_no_later_one_correlates(project: Project) -> None:
    for index, encoder in enumerate("abcdefghi"):  # more than have exact orders
        keep(project, probed(encoder, index % 5), transferred(encoder, index))
    for _ in range(2):
        params = CorrelateMeasurements()
        run_id = queue_run(project, params)
        got = correlate_measurements(project, params, Report(run=run_id))
        assert tuple(read_measurements(project.store, run_id)) == got.cells
    assert [cell.encoder for cell in got.cells] == ["9 encoders"]


def test_the_other_correction_is_less_strict(project: Project) -> None:
    for index, encoder in enumerate("abcdef"):
        keep(project, probed(encoder, index / 9), transferred(encoder, index / 7))
        keep(project, probed(encoder, index % 3 / 9, "WC"))
    strict, mild = (
        {cell.probing: cell.p_corrected or 0.0 for cell in run(project, **one).cells}
        for one in ({}, {"correction": "benjamini-hochberg"})
    )
    assert all(mild[name] <= strict[name] for name in strict)


def test_of_two_measurements_the_newest_counts(project: Project) -> None:
    for index, encoder in enumerate("abcd"):
        keep(project, probed(encoder, -index), transferred(encoder, index))
    for index, encoder in enumerate("abcd"):
        keep(project, probed(encoder, index))
    (cell,) = run(project).cells
    assert cell.spearman == 1


def test_retrieval_is_taken_in_where_it_is_asked_for(project: Project) -> None:
    for index, encoder in enumerate("abcd"):
        row = Retrieved(
            encoder=encoder,
            source="de",
            target="en",
            n=9,
            n_pool=9,
            error=index / 9,
            error_interval=WIDE,
        )
        keep(project, probed(encoder, index / 9), row, transferred(encoder, 0.1))
    (cell,) = run(project, against=["retrieval"]).cells
    assert (cell.downstream, cell.spearman) == ("retrieval de → en", -1)


def test_too_few_encoders_are_named(project: Project) -> None:
    for encoder in "abc":
        keep(project, probed(encoder, 0.5), transferred(encoder, 0.5))
    keep(project, probed("d", 0.5))
    with pytest.raises(UserError, match=r"3 encoders of this project \(a, b, c\)"):
        run(project)
