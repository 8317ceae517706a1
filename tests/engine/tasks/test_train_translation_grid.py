"""A sweep over translation models: measured one by one, and resumed after a cancel."""

from pathlib import Path
from typing import Any

import pytest

from app.engine.encoders.folder import read_config
from app.engine.project.project import Project, create_project
from app.engine.project.runs import find_interrupted, perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.store.runs import read_measurements
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.grid_cells import list_cells
from app.params.translation import TrainTranslationGrid
from app.results.charts import BarChart
from app.results.measurement_charts import draw_measurements
from app.results.measurements import GridMeasured
from tests.engine.probing.made import write_rows
from tests.engine.translation.made import SETTINGS, make_rows, write_table


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with create_project(tmp_path / "p.isogloss") as project:
        yield project


def _grid(folder: Path, vary: list[str], **values: Any) -> TrainTranslationGrid:
    table = folder / "table.tsv"
    if not table.exists():
        write_table(table)
    grid: TrainTranslationGrid = build_params(
        TrainTranslationGrid,
        {**SETTINGS, "name": "sweep", "table": table, "vary": vary, **values},
    )
    return grid


def _run(project: Project, params: Any, report: Report | None = None) -> int:
    run = queue_run(project, params, resume=find_interrupted(project, params))
    report = report or Report()
    report.run = run
    perform_run(project, params, report)
    return run


def _rows(project: Project, run: int) -> list[GridMeasured]:
    found = read_measurements(project.store, run)
    return [row for row in found if isinstance(row, GridMeasured)]


def test_each_number_of_heads_is_trained_and_measured(
    project: Project, tmp_path: Path
) -> None:
    texts = [row["eng"] for row in make_rows()[:64]]
    splits = ["te" if n % 4 == 0 else "va" if n % 4 == 1 else "tr" for n in range(64)]
    subjects = ["cat" if n < 32 else "dog" for n in range(64)]
    probing = write_rows(
        tmp_path / "en.subject.tsv", zip(splits, subjects, texts, strict=True)
    )
    pairs = [(str(n % 5), texts[n], texts[-n]) for n in range(20)]
    params = _grid(
        tmp_path,
        ["n_heads=1|3"],
        without=["deu-fra"],
        test=str(tmp_path / "table.tsv"),
        n_sentences=5,
        sts=[f"eng={write_rows(tmp_path / 'sts.tsv', pairs)}"],
        probing=[probing],
    )
    rows = _rows(project, _run(project, params))
    assert [list(row.varied.values()) for row in rows] == [["1"], ["3"]]
    names = {
        *("Development cross-entropy per piece", "BLEU, trained", "BLEU, zero-shot"),
        *("STS eng, r × 100", "Probing en.subject.tsv, %"),
    }
    for row, n_heads in zip(rows, (1, 3), strict=True):
        assert row.is_done
        assert set(row.scores) == names
        config = read_config(project.folder / "encoders" / row.encoder)
        assert config.n_heads == n_heads  # type: ignore[union-attr]
    rates, cross_entropy = draw_measurements(rows)
    assert isinstance(rates, BarChart)
    assert isinstance(cross_entropy, BarChart)
    assert rates.labels == cross_entropy.labels == ("1", "3")
    assert set(cross_entropy.series) == {"Development cross-entropy per piece"}
    assert {*rates.series, *cross_entropy.series} == names
    assert cross_entropy.unit == "cross-entropy"


class StopsInSecond(Report):
    """Cancels in the steps of the second training.

    Attributes:
        stages: all that were reported.
    """

    def __init__(self, *, is_stopping: bool = True) -> None:
        super().__init__()
        self.stages: set[str] = set()
        self._is_stopping = is_stopping

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        self.stages.add(stage)
        if self._is_stopping and done and stage.startswith("Training 2 of 2: Training"):
            self.cancel()
        super().step(stage, done, total, note)


def test_an_interrupted_sweep_goes_on_with_the_unfinished_model(
    project: Project, tmp_path: Path
) -> None:
    params = _grid(tmp_path, ["penalty=0|1"])
    with pytest.raises(Cancelled):
        _run(project, params, StopsInSecond())
    interrupted = find_interrupted(project, params)
    assert interrupted is not None
    before = _rows(project, interrupted)
    assert [row.is_done for row in before] == [True, False]
    again = StopsInSecond(is_stopping=False)
    assert _run(project, params, again) == interrupted
    assert not any(stage.startswith("Training 1 of 2") for stage in again.stages)
    after = _rows(project, interrupted)
    assert [row.is_done for row in after] == [True, True]
    assert after[0] == before[0]


def test_what_cannot_be_varied_or_read_is_named_first(
    project: Project, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="an option of train-translation, such as"):
        list_cells(_grid(tmp_path, ["pooling=max|mean"]))
    lines = tmp_path / "lines.txt"
    lines.write_text("A sentence.\n", encoding="utf-8")
    params = _grid(tmp_path, ["copies=no|yes"], test=str(lines))
    assert [cell.params.copies for cell in list_cells(params)] == [False, True]  # type: ignore[union-attr]
    with pytest.raises(UserError, match="is not a language code"):
        _run(project, params)
    assert not list((project.folder / "encoders").glob("*"))
