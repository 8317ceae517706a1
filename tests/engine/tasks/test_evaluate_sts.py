"""Textual similarity against scores of people, with vectors that are known."""

import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats

from app.arrays import FloatArray
from app.engine.project.project import create_project
from app.engine.project.runs import perform_run, queue_run
from app.engine.runtime.report import Report
from app.engine.store.runs import read_measurements
from app.engine.tasks import evaluate_sts as module
from app.engine.tasks.evaluate_sts import (
    EvaluateStsResult,
    average_groups,
    evaluate_sts,
)
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.evaluation import EvaluateSts
from app.results.charts import BarChart
from app.results.measurement_charts import draw_measurements
from app.results.measurements import Correlated
from app.results.tables import cells_of, value_table
from tests.engine.tasks.test_evaluate_retrieval import Compass

# angles between the texts: 0, 60, 90, 180 degrees
ROWS = "5\t10\t10\n4\t0\t60\n2\t20\t110\n0\t0\t180\n"


@pytest.fixture(autouse=True)
def compass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Compass())


def params_of(folder: Path, files: dict[str, str], **fields: Any) -> EvaluateSts:
    named = []
    for name, text in files.items():
        (folder / f"{name}.xz").write_bytes(lzma.compress(text.encode()))
        named.append(f"{name}={folder / name}.xz")
    params: EvaluateSts = build_params(EvaluateSts, {"data": named, **fields})
    return params


def evaluate(folder: Path, files: dict[str, str], **fields: Any) -> EvaluateStsResult:
    return evaluate_sts(None, params_of(folder, files, **fields), Report())


def test_common_directions_are_removed_if_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors that vary most in a direction of no meaning, and languages far apart."""
    random = np.random.default_rng(1)
    n = 200
    grades = random.uniform(0, 5, n)
    angles = np.arccos(grades / 2.5 - 1)
    noise = random.normal(0, 2, (2, n))

    class Skewed(Compass):
        dim = 4

        def encode(self, texts: Sequence[str]) -> FloatArray:
            rows = []
            for text in texts:
                language, index, side = (int(part) for part in text.split())
                angle = angles[index] * side
                meaning = (np.cos(angle), np.sin(angle))
                rows.append((*meaning, noise[side, index], 2 * language))
            return np.array(rows, np.float32)

    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Skewed())
    files = {
        name: "".join(
            f"{grade:.3f}\t{language} {i} 0\t{language} {i} 1\n"
            for i, grade in enumerate(grades)
        )
        for language, name in enumerate(("en", "de"))
    }
    plain = evaluate(tmp_path, files, across=True)
    got = evaluate(tmp_path, files, across=True, centred=True)
    assert plain.across is not None
    assert plain.across.pearson_centred is None
    assert got.across is not None
    assert got.across.pearson_centred is not None
    assert got.across.pearson_cosine == plain.across.pearson_cosine < 0.4
    assert got.across.pearson_centred > 0.55
    assert row_of(got, "en", "de", "centred cosine").pearson > 0.55
    assert {row.similarity for row in got.results} == {
        *("cosine", "arccos"),
        *("centred cosine", "centred arccos"),
    }


def row_of(got: EvaluateStsResult, *key: str) -> Correlated:
    (row,) = (r for r in got.results if (r.first, r.second, r.similarity) == key)
    return row


def test_the_figures_are_those_by_hand(tmp_path: Path) -> None:
    got = evaluate(tmp_path, {"en": ROWS})
    scores, angles = np.array([5, 4, 2, 0]), np.array([0, 60, 90, 180])
    for similarity, values in (
        ("cosine", np.cos(np.radians(angles))),
        ("arccos", -angles),
    ):
        row = row_of(got, "en", "en", similarity)
        assert row.n == 4
        assert row.pearson == pytest.approx(stats.pearsonr(values, scores)[0], abs=1e-5)
        assert row.spearman == 1
        assert row.pearson_interval is not None
        assert row.pearson_interval[0] <= row.pearson <= row.pearson_interval[1]
    # by hand: −arccos 0, −60, −90, −180 against 5, 4, 2, 0
    angle_sum, score_sum = 16_875, 14.75  # Σ(a − ā)², Σ(s − s̄)²
    products = 0 * 5 - 60 * 4 - 90 * 2 - 0 + 82.5 * 11
    by_hand = products / np.sqrt(angle_sum * score_sum)
    arccos = row_of(got, "en", "en", "arccos").pearson
    assert arccos == pytest.approx(by_hand, abs=1e-5)
    assert got.within.pearson_arccos == arccos
    assert got.across is None


def test_across_takes_the_first_text_of_one_and_the_second_of_another(
    tmp_path: Path,
) -> None:
    # de's second texts: the angles from en's first ones are 0, 90, 60, 180
    other = "5\t1\t10\n4\t2\t90\n2\t3\t80\n0\t4\t180\n"
    got = evaluate(tmp_path, {"en": ROWS, "de": other}, across=True)
    assert {(r.first, r.second) for r in got.results} == {
        *(("en", "en"), ("en", "de"), ("de", "en"), ("de", "de"))
    }
    across = row_of(got, "en", "de", "arccos")
    wanted = stats.pearsonr([0, -90, -60, -180], [5, 4, 2, 0])[0]
    assert across.pearson == pytest.approx(wanted, abs=1e-5)
    assert across.spearman == pytest.approx(0.8)
    assert got.across is not None
    assert (got.within.n_pairs, got.across.n_pairs) == (2, 2)
    assert got.across.pearson_cosine_interval is not None
    low, high = got.across.pearson_cosine_interval
    assert low <= got.across.pearson_cosine <= high
    assert got.across.pearson_centred_interval is None
    others = "".join(f"{4 - i}\t{i}\t{60 * i}\n" for i in range(4))
    apart = evaluate(tmp_path, {"en": ROWS, "fr": others})  # no rows in common
    assert apart.within.pearson_cosine_interval is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("5\t1\t1\nnan\t1\t2\n3\t1\t3\n", "line 2: 'nan' is not a score between 0"),
        ("5\t1\t1\n7\t1\t2\n3\t1\t3\n", r"line 2: '7' is not a score"),
        ("a\tb\t5\na\tb\t4\nc\td\t3\n", r"line 1: the score is in the last column"),
        ("5\t1\n4\t2\n", r"line 1: the row has one text"),
        ("5\t1\t1\n4\t1\n", r"line 2: the row has one text, but the first has two"),
        ("3\t1\t1\n3\t1\t2\n3\t1\t3\n", r"all 3 scores are 3"),
        ("3\t1\t1\n1\t1\t2\n", r"contains 2 scored pairs"),
        ("3\t0\t0\n1\t7\t7\n2\t31\t31\n", r"all 3 cosines are 1.000"),
    ],
)
def test_what_cannot_be_correlated_is_told_and_the_rest_goes_on(
    tmp_path: Path, text: str, why: str
) -> None:
    with pytest.raises(UserError, match=why):
        evaluate(tmp_path, {"bad": text})
    got = evaluate(tmp_path, {"bad": text, "en": ROWS})
    assert {row.first for row in got.results} == {"en"}
    (failure,) = got.failures
    assert "bad" in failure


def test_a_header_says_in_which_column_the_score_is(tmp_path: Path) -> None:
    moved = "sentence1\tsentence2\tscore\n"
    for line in ROWS.splitlines():
        score, *texts = line.split("\t")
        moved += "\t".join([*texts, score]) + "\n"
    assert evaluate(tmp_path, {"en": moved}).results == (
        evaluate(tmp_path, {"en": ROWS}).results
    )


def test_files_that_are_not_aligned_are_refused_across_languages(
    tmp_path: Path,
) -> None:
    other = ROWS.replace("4\t0", "3\t0")
    with pytest.raises(UserError, match=r"line 2 has the score 3, .* line 2 has 4"):
        evaluate(tmp_path, {"en": ROWS, "de": other}, across=True)
    short = "".join(ROWS.splitlines(keepends=True)[:3])
    with pytest.raises(UserError, match=r"has 3 scored pairs, but .* has 4"):
        evaluate(tmp_path, {"en": ROWS, "de": short}, across=True)
    assert len(evaluate(tmp_path, {"en": ROWS, "de": other}).results) == 4


def test_what_the_literature_reached_stands_beside_arccos(tmp_path: Path) -> None:
    rows = "".join(f"{n % 6}\t{n % 6}\t{n % 100}\n" for n in range(250))
    params = params_of(tmp_path, {"sts17": rows}, across=True)
    (tmp_path / "sts17.xz").rename(tmp_path / "sts17-es.xz")
    data = (f"es={tmp_path / 'sts17-es.xz'}", f"en={tmp_path / 'sts17-es.xz'}")
    got = evaluate_sts(None, msgspec.structs.replace(params, data=data), Report())
    row = row_of(got, "es", "es", "arccos")
    system = "Multi-task (full), en-es (Chidambaram et al. 2019)"
    assert row.published[system] == 0.827
    assert got.differences["es"][system] == pytest.approx(row.pearson - 0.827)
    assert [one for one in got.results if one.published] == [row]


def test_bounds_and_names_are_checked(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="5, is not below the highest score, 5"):
        evaluate(tmp_path, {"en": ROWS}, lowest=5)
    with pytest.raises(UserError, match="have the same name, en"):
        evaluate_sts(None, EvaluateSts(data=("en=a", "en=b")), Report())
    with pytest.raises(UserError, match="have the form LANGUAGE=FILE"):
        evaluate_sts(None, EvaluateSts(data=("=a",)), Report())


def test_rows_left_out_are_told(tmp_path: Path) -> None:
    got = evaluate(tmp_path, {"en": ROWS + "\ta\tb\n3\t\t1\n"})
    assert "1 row without a score and 1 row without a text" in got.notes[0]


def test_a_run_keeps_its_rows_in_the_project(tmp_path: Path) -> None:
    params = params_of(tmp_path, {"en": ROWS})
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, params)
        got = evaluate_sts(project, params, Report(run=run))
        assert tuple(read_measurements(project.store, run)) == got.results


def test_the_json_is_plain_and_the_same_twice(tmp_path: Path) -> None:
    first, second = (evaluate(tmp_path, {"en": ROWS}) for _ in range(2))
    assert first == second
    (row, _) = msgspec.json.decode(msgspec.json.encode(first))["results"]
    assert row["kind"] == "sts"
    assert row["encoder"] == "compass"


def test_cancel_ends_it(tmp_path: Path) -> None:
    report = Report()
    report.cancel()
    with pytest.raises(Cancelled):
        evaluate_sts(None, params_of(tmp_path, {"en": ROWS}), report)


def test_sets_of_a_year_are_averaged_plainly_and_by_pairs() -> None:
    def row(name: str, n: int, r: float, rho: float, similarity: str) -> Correlated:
        ends = (r, r)
        return Correlated(
            encoder="x",
            first=name,
            second=name,
            similarity=similarity,
            n=n,
            pearson=r,
            pearson_interval=ends,
            spearman=rho,
            spearman_interval=ends,
        )

    rows = [
        row("STS14/images", 750, 0.8, 0.7, "cosine"),
        row("STS14/images", 750, 0.1, 0.7, "arccos"),
        row("STS14/deft-news", 250, 0.4, 0.5, "cosine"),
        row("STS13/FNWN", 189, 0.3, 0.2, "cosine"),
        row("en", 100, 0.9, 0.9, "cosine"),
    ]
    means = {row.first: row for row in average_groups(rows)}
    assert list(means) == [
        f"{year} ({kind})"
        for year in ("STS14", "STS13")
        for kind in ("mean", "weighted mean")
    ]
    plain, weighted = means["STS14 (mean)"], means["STS14 (weighted mean)"]
    for one in (plain, weighted):
        assert (one.n_sets, one.n, one.similarity) == (2, 1_000, "cosine")
        assert one.pearson_interval is None
    assert plain.pearson == pytest.approx((0.8 + 0.4) / 2)
    assert weighted.pearson == pytest.approx(0.75 * 0.8 + 0.25 * 0.4)
    assert plain.spearman == pytest.approx((0.7 + 0.5) / 2)
    assert weighted.spearman == pytest.approx(0.75 * 0.7 + 0.25 * 0.5)
    assert means["STS13 (weighted mean)"].pearson == pytest.approx(0.3)


def test_means_are_rows_that_are_recorded_shown_drawn_and_exported(
    tmp_path: Path,
) -> None:
    (tmp_path / "STS12").mkdir()
    data = {"STS12/a": ROWS, "STS12/b": ROWS * 2, "en": ROWS}
    with create_project(tmp_path / "p.isogloss") as project:
        params = params_of(tmp_path, data)
        run = queue_run(project, params)
        perform_run(project, params, Report(run=run))
        rows = read_measurements(project.store, run)
    assert [row.first for row in rows if isinstance(row, Correlated)][-2:] == [
        "STS12 (mean)",
        "STS12 (weighted mean)",
    ]
    cells = dict(cells_of(rows[-1]))
    assert cells["Sets"].text == "2"
    assert cells["n"].text == "12"
    last = rows[-1]
    assert isinstance(last, Correlated)
    shown = cells["Pearson’s r × 100"].text  # as in the charts, without an interval
    assert shown == f"{100 * last.pearson:.1f}"
    head, exported = value_table(rows)
    assert exported[-1][head.index("first")] == "STS12 (weighted mean)"
    labels = {
        label
        for chart in draw_measurements(rows)
        if isinstance(chart, BarChart) and "cosine" in chart.title
        for label in chart.labels
    }
    assert {"STS12/a", "STS12 (mean)", "STS12 (weighted mean)"} <= labels
