"""Spaces of languages, with vectors that are known."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.project.project import create_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.store.runs import read_measurements
from app.engine.tasks import evaluate_similarity_of_spaces as module
from app.engine.tasks.evaluate_similarity_of_spaces import (
    EvaluateSimilarityOfSpacesResult,
    evaluate_similarity_of_spaces,
)
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.evaluation import EvaluateSimilarityOfSpaces
from app.results.measurements import SpaceMeasured
from tests.engine.tasks.test_evaluate_retrieval import Compass

ANGLES = np.random.default_rng(1).integers(0, 360, 60)


class Lame(Compass):
    """A compass that has no vector for `?`."""

    def encode(self, texts: list[str]) -> np.ndarray:
        vectors = super().encode([text.strip("?") or "0" for text in texts])
        vectors[[text == "?" for text in texts]] = 0
        return vectors


@pytest.fixture(autouse=True)
def compass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Lame())


def params_of(
    folder: Path, texts: dict[str, Any], **fields: Any
) -> EvaluateSimilarityOfSpaces:
    cells = zip(*texts.values(), strict=True)
    rows = ["\t".join(map(str, row)) for row in [tuple(texts), *cells]]
    (folder / "t.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    values = {"table": folder / "t.tsv", "columns": ["en"], "n_samples": 50, **fields}
    params: EvaluateSimilarityOfSpaces = build_params(
        EvaluateSimilarityOfSpaces, values
    )
    return params


def measure(
    folder: Path, texts: dict[str, Any], **fields: Any
) -> EvaluateSimilarityOfSpacesResult:
    params = params_of(folder, texts, **fields)
    return evaluate_similarity_of_spaces(None, params, Report())


def row_of(
    got: EvaluateSimilarityOfSpacesResult, name: str, first: str, second: str = ""
) -> SpaceMeasured:
    key = name, first, second
    (row,) = (r for r in got.results if (r.measure, r.first, r.second) == key)
    return row


def test_a_space_that_is_turned_is_alike_but_not_aligned(tmp_path: Path) -> None:
    got = measure(tmp_path, {"de": ANGLES + 90, "en": ANGLES})
    assert row_of(got, "eigen_similarity", "de", "en").value == pytest.approx(
        0, abs=1e-5
    )
    assert row_of(got, "alignment", "de", "en").value == pytest.approx(2)
    distance = row_of(got, "distance_of_translations", "de", "en")
    assert distance.value == pytest.approx(np.pi / 2, abs=1e-5)
    assert distance.value_interval == pytest.approx((np.pi / 2, np.pi / 2), abs=1e-5)
    random = row_of(got, "distance_of_random_pairs", "de", "en")
    assert random.value_interval is not None
    assert random.value_interval[0] < random.value < random.value_interval[1]
    for name in ("isotropy", "isoscore", "mean_cosine", "hubness", "uniformity"):
        one, other = row_of(got, name, "de"), row_of(got, name, "en")
        assert one.n == 60
        if name != "hubness":  # rounding orders what is equally near
            assert one.value == pytest.approx(other.value, abs=1e-4)
    assert not got.failures


def test_hubness_of_two_is_measured_both_ways(tmp_path: Path) -> None:
    columns = {"de": ANGLES, "en": ANGLES // 4}
    got = measure(tmp_path, columns, measures=["hubness"])
    keys = {(row.first, row.second) for row in got.results}
    assert keys == {("de", ""), ("en", ""), ("de", "en"), ("en", "de")}


def test_more_rows_than_wanted_are_drawn(tmp_path: Path) -> None:
    columns = {"de": ANGLES, "en": ANGLES}
    got = measure(tmp_path, columns, n_sentences=40)
    assert {row.n for row in got.results} == {40}
    assert got.notes == ("Of 60 rows, 40 were sampled (seed 1).",)
    assert got == measure(tmp_path, columns, n_sentences=40)


def test_what_cannot_be_measured_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    columns = {"de": [1, 2, 3], "en": [5, 50, 90], "fr": [7, 7, 7]}
    got = measure(tmp_path, columns)
    told = "\n".join(got.failures)
    assert "hubness of de: 3 sentences are too few for 10 nearest neighbours" in told
    assert "of de – en: 3 translations are fewer than the sample size of 10" in told
    assert "isotropy of fr: all 3 vectors are the same" in told
    assert row_of(got, "alignment", "de", "en").n == 3
    assert row_of(got, "isotropy", "de").value_interval is None  # too few rows
    with pytest.raises(UserError, match="too few for 10 nearest"):
        measure(tmp_path, columns, measures=["hubness"])


def test_sentences_without_a_vector_are_left_out_and_told(tmp_path: Path) -> None:
    got = measure(tmp_path, {"de": ["?", "?", *ANGLES[2:]], "en": ANGLES})
    assert row_of(got, "isotropy", "de").n == 58
    assert row_of(got, "isotropy", "en").n == 60
    assert row_of(got, "alignment", "de", "en").n == 58
    assert "de: 2 of 60 sentences have no vector" in got.notes[0]


def test_a_run_keeps_its_rows_in_the_project(tmp_path: Path) -> None:
    params = params_of(tmp_path, {"de": ANGLES, "en": ANGLES}, columns=[], matrix=True)
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, params)
        got = evaluate_similarity_of_spaces(project, params, Report(run=run))
        assert tuple(read_measurements(project.store, run)) == got.results


def test_cancel_ends_it(tmp_path: Path) -> None:
    report = Report()
    report.cancel()
    params = params_of(tmp_path, {"de": ANGLES, "en": ANGLES})
    with pytest.raises(Cancelled):
        evaluate_similarity_of_spaces(None, params, report)
