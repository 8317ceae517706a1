"""Pages of the curves of a run, and their lowest points."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from app.engine.project.project import Project, create_project
from app.engine.project.runs import queue_run
from app.engine.store import schema
from app.engine.store.runs import (
    MetricRow,
    list_runs,
    read_lowest_metric,
    read_metric_page,
)
from app.params.projects import SaveCopy
from app.params.training.encoder import TrainEncoder

POINTS = [
    (1, 10, "loss", 2.0),
    (1, 10, "dev.error", 0.5),
    (1, 20, "loss", None),
    (1, 30, "dev.error", 0.25),
    (1, 40, "dev.error", 0.25),
    (2, 10, "dev.error", 0.125),
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with create_project(tmp_path / "p.isogloss") as project:
        for params in (
            TrainEncoder(name="a"),
            TrainEncoder(name="b"),
            SaveCopy(out=tmp_path),
        ):
            queue_run(project, params)
        rows = [
            dict(zip(("run_id", "step", "name", "value"), point, strict=True))
            for point in POINTS
        ]
        with project.store.begin() as connection:
            connection.execute(insert(schema.metric), rows)
        yield project


def test_pages_follow_each_other_and_end(project: Project) -> None:
    pages: list[list[MetricRow]] = [read_metric_page(project.store, 1, n=2)]
    while pages[-1]:
        pages.append(read_metric_page(project.store, 1, pages[-1][-1], n=2))
    assert [len(page) for page in pages] == [2, 2, 1, 0]
    points = [row for page in pages for row in page]
    assert points == sorted(
        (MetricRow(*p[1:]) for p in POINTS[:5]), key=lambda r: r[:2]
    )


def test_the_lowest_point_is_the_first_of_equal_ones(project: Project) -> None:
    assert read_lowest_metric(project.store, 1, "dev.error") == (30, "dev.error", 0.25)
    assert read_lowest_metric(project.store, 2, "loss") is None


def test_runs_of_one_task_are_listed_with_their_versions(project: Project) -> None:
    runs = list_runs(project.store, task="train-encoder")
    assert [run.id for run in runs] == [2, 1]
    assert '"isogloss"' in runs[0].versions
