"""Two encoders of which it is known what they do to each other's neighbours."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert

from app.arrays import FloatArray
from app.engine.encoders.configs import CONFIG_FILE
from app.engine.project.project import Project, create_project
from app.engine.runtime.report import Report
from app.engine.store import schema
from app.engine.store.corpora import first_sentence_id
from app.engine.store.runs import list_measured_runs, read_measurements
from app.engine.tasks.make_report import make_report
from app.errors import UserError
from app.params import build_params
from app.params.projects import MakeReport
from app.params.quality import CompareEncoders
from app.results.measurement_charts import draw_measurements
from app.results.measurements import Retrieved, SpaceMeasured
from tests.engine.quality.made import run_task, use_encoders
from tests.engine.search.made import add_corpus

N = 6


class AngleEncoder:
    """Puts the text "en 3" at an angle: translations beside each other, or not."""

    dim = 2

    def __init__(self, name: str, swapped: Sequence[int] = ()):
        self.name, self.fingerprint = name, name * 8
        self._swapped = list(swapped)

    def encode(self, texts: Sequence[str]) -> FloatArray:
        angles = []
        for text in texts:
            language, number = text.split()
            index = int(number)
            if language == "de" and index in self._swapped:
                index = self._swapped[self._swapped.index(index) - 1]
            angles.append(
                0.4 * index + 0.01 * index * index + 0.05 * (language == "de")
            )
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    use_encoders(monkeypatch, AngleEncoder("plain"), AngleEncoder("swapped", [1, 4]))
    with create_project(tmp_path / "p.isogloss") as project:
        for language in ("en", "de"):
            add_corpus(
                project, language, language, [f"{language} {i}" for i in range(N)]
            )
        for name in ("plain", "swapped"):
            folder = project.folder / "encoders" / name
            folder.mkdir(parents=True)
            (folder / CONFIG_FILE).write_text("{}", encoding="utf-8")
        yield project


def compare(project: Project, **fields: object):  # type: ignore[no-untyped-def]  # what run_task gives
    fields = {"encoders": ["plain", "swapped"], "k": 1, **fields}
    return run_task(project, CompareEncoders, **fields)


def link(project: Project) -> None:
    rows = [
        {
            "source_id": first_sentence_id(1) + i,
            "target_id": first_sentence_id(2) + i,
            "kind": "imported",
        }
        for i in range(N)
    ]
    with project.store.begin() as connection:
        connection.execute(insert(schema.link), rows)


def test_pairs_that_are_lost_are_named_by_links(project: Project) -> None:
    link(project)
    result, found = compare(project)
    lost = [(one.sentence_id, one.other_id) for one in found if one.kind == "lost"]
    assert lost == [
        (first_sentence_id(1) + i, first_sentence_id(2) + i) for i in (1, 4)
    ]
    assert (result["gained"], result["lost"], result["by"]) == (0, 2, "links")
    errors = {
        (row["encoder"], row["source"]): row["error"]
        for row in result["measured"]
        if row["kind"] == "retrieval"
    }
    assert errors["plain", "en"] == 0
    assert errors["swapped", "en"] == pytest.approx(2 / N, abs=1e-6)
    assert "linked pair" in next(one.detail for one in found if one.kind == "lost")


def test_without_links_pairs_are_the_nearest_of_each_other(project: Project) -> None:
    result, found = compare(project)
    assert (result["gained"], result["lost"], result["by"]) == (2, 2, "neighbours")
    gained = [(one.sentence_id, one.other_id) for one in found if one.kind == "gained"]
    assert gained == [
        (first_sentence_id(1) + 1, first_sentence_id(2) + 4),
        (first_sentence_id(1) + 4, first_sentence_id(2) + 1),
    ]
    (kept,) = (row for row in result["measured"] if row.get("measure") == "kept_pairs")
    assert (kept["n"], kept["value"]) == (N, pytest.approx(4 / N, abs=1e-6))


def test_sentences_whose_neighbours_changed_are_told_with_both(
    project: Project,
) -> None:
    result, found = compare(project)
    changed = [one for one in found if one.kind == "changed"]
    assert [one.sentence_id for one in changed] == [
        first_sentence_id(corpus) + i for corpus in (1, 2) for i in (1, 4)
    ]
    assert changed[0].other_id == first_sentence_id(2) + 4
    assert changed[0].detail == (
        "Same nearest neighbours: 0 of 1.\nplain: “de 1”.\nswapped: “de 4”."
    )
    assert result["kept"] == pytest.approx(8 / 12, abs=1e-6)
    low, high = result["kept_interval"]
    assert low < result["kept"] < high


def test_rows_are_kept_as_measurements(project: Project) -> None:
    link(project)
    compare(project)
    (run,) = list_measured_runs(project.store)
    rows = read_measurements(project.store, run.id)
    kept = [row for row in rows if isinstance(row, SpaceMeasured)]
    assert {row.first for row in kept} == {"de", "en"}
    assert all(row.encoder == "plain → swapped" for row in kept)
    assert sum(isinstance(row, Retrieved) for row in rows) == 4


def test_the_comparison_becomes_pictures_and_a_report(
    project: Project, tmp_path: Path
) -> None:
    link(project)
    compare(project)
    (run,) = list_measured_runs(project.store)
    titles = [
        chart.title
        for chart in draw_measurements(read_measurements(project.store, run.id))
    ]
    assert any("ept neighbours" in title for title in titles)
    params = build_params(MakeReport, {"runs": [run.id], "out": tmp_path / "r.html"})
    make_report(project, params, Report())
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Two encoders were compared on the same sentences" in page
    assert "plain → swapped" in page


def test_an_encoder_is_not_compared_with_itself(project: Project) -> None:
    with pytest.raises(UserError, match="plain can't be compared with itself"):
        compare(project, encoders=["plain", "plain"])
