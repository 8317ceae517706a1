"""Retrieval between two files, with an encoder whose vectors are known."""

import gzip
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from app.engine.project.project import create_project
from app.engine.project.runs import queue_run
from app.engine.runtime.report import Report
from app.engine.store.runs import read_measurements
from app.engine.tasks import evaluate_retrieval as module
from app.engine.tasks.evaluate_retrieval import (
    EvaluateRetrievalResult,
    evaluate_retrieval,
)
from app.engine.text.changed_facts import make_variants
from app.errors import Cancelled, UserError
from app.params import build_params
from app.params.evaluation import EvaluateRetrieval


class Compass:
    """An encoder that reads a direction: "30" is the unit vector at 30 degrees."""

    name, dim, fingerprint = "compass", 2, "0" * 64

    def encode(self, texts: list[str]) -> np.ndarray:
        angles = np.radians([float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@pytest.fixture(autouse=True)
def compass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Compass())


def evaluate(tmp_path: Path, source: str, target: str) -> tuple[int, float, float]:
    (tmp_path / "s").write_text(source, encoding="utf-8")
    (tmp_path / "t.gz").write_bytes(gzip.compress(target.encode()))
    params = EvaluateRetrieval(source=tmp_path / "s", target=tmp_path / "t.gz")
    result = evaluate_retrieval(None, params, Report())
    return result.n, result.error_source_to_target, result.error_target_to_source


@pytest.mark.parametrize(
    "first",
    [
        "The ferry is late today\tHeute kommt die Fähre",
        "Hello.\tHallo",
        "foo\t嵐のため、フェリーが出ません。",
    ],
)
def test_a_table_without_a_header_is_refused(tmp_path: Path, first: str) -> None:
    (tmp_path / "t.tsv").write_text(f"{first}\n0\t1\n20\t21\n", "utf-8")
    params = EvaluateRetrieval(table=tmp_path / "t.tsv")
    with pytest.raises(UserError, match=r"the first row is not a header.*Add a first"):
        evaluate_retrieval(None, params, Report())


def test_errors_of_both_directions_are_those_by_hand(tmp_path: Path) -> None:
    # sources find targets 0, 0, 2, 3; targets find sources 0, 2, 2, 3
    got = evaluate(tmp_path, "0\n20\n90\n180\n", "1\n60\n91\n170\n")
    assert got == (4, 0.25, 0.25)


def evaluate_table(tmp_path: Path, text: str, column: str = "") -> dict[str, float]:
    (tmp_path / "t.tsv").write_text(text, encoding="utf-8")
    columns = (column,) if column else ()
    params = EvaluateRetrieval(table=tmp_path / "t.tsv", columns=columns)
    result = evaluate_retrieval(None, params, Report())
    means = {
        name: (error.error_source_to_target + error.error_target_to_source) / 2
        for name, error in result.columns.items()
    }
    assert result.mean_error == pytest.approx(np.mean(list(means.values())))
    return means


def test_means_have_intervals_over_the_rows_of_all_columns(tmp_path: Path) -> None:
    # of 40 rows, fra is wrong in the last ten; deu in the same ten, or in ten others
    right = [f"{9 * row}" for row in range(40)]
    wrong = [*right[:30], *right[31:40], "350"]
    spread = {}
    for name, deu in (("same", wrong), ("others", [*wrong[30:], *right[10:]])):
        rows = zip(["deu", *deu], ["eng", *right], ["fra", *wrong], strict=True)
        (tmp_path / name).write_text("".join("\t".join(row) + "\n" for row in rows))
        values = {"table": tmp_path / name, "columns": ["eng"]}
        params = build_params(EvaluateRetrieval, values)
        got = evaluate_retrieval(None, params, Report())
        low, high = got.intervals["mean_error"]
        assert low < got.mean_error < high
        assert got.message.startswith("compass: mean retrieval error of ")
        assert (
            f"4 directions: {100 * got.mean_error:.1f}\u00a0% (95\u00a0% "
            in got.message
        )
        assert set(got.intervals) == {
            *("error_source_to_target", "error_target_to_source", "mean_error"),
            *("mean_error_margin", "error_margin_source_to_target"),
        }
        spread[name] = high - low
    assert spread["same"] > 1.2 * spread["others"]


def test_every_column_is_compared_with_the_chosen_one(tmp_path: Path) -> None:
    table = "deu\teng\tfra\n0\t1\t60\n20\t60\t1\n90\t91\t90\n180\t170\t180\n"
    assert evaluate_table(tmp_path, table, "eng") == {"deu": 0.25, "fra": 0.5}
    assert set(evaluate_table(tmp_path, table)) == {"eng", "fra"}


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("a\tb\n1\n", "line 2: expected 2 cells, found 1"),
        ("a\n1\n", "at least two different names"),
        ("a\ta\n1\t2\n", "two different names"),
        ("a\tb\n", r"too few rows \(0\)"),
        ("a\tb\nc\td\n", r"too few rows \(1\)"),
    ],
)
def test_table_that_is_none_is_refused(tmp_path: Path, table: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        evaluate_table(tmp_path, table)


def test_unknown_column_and_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column 'xyz'"):
        evaluate_table(tmp_path, "a\tb\n1\t2\n3\t4\n", "xyz")
    with pytest.raises(UserError, match="a table, or corpora"):
        evaluate_retrieval(None, EvaluateRetrieval(), Report())


def test_line_counts_must_be_equal(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"2 lines.*3"):
        evaluate(tmp_path, "1\n2\n", "1\n2\n3\n")


def test_empty_files_are_a_users_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="empty"):
        evaluate(tmp_path, "", "")


def test_vectors_are_kept_in_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with create_project(tmp_path / "p") as project:
        (tmp_path / "s").write_text("10\n90\n", encoding="utf-8")
        (tmp_path / "t").write_text("12\n80\n", encoding="utf-8")
        params = EvaluateRetrieval(source=tmp_path / "s", target=tmp_path / "t")
        first = evaluate_retrieval(project, params, Report())
        monkeypatch.setattr(Compass, "encode", lambda *_: pytest.fail("encoded again"))
        assert evaluate_retrieval(project, params, Report()) == first


def test_one_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"contain 1 pair; retrieval needs at least 2"):
        evaluate(tmp_path, "0\n", "1\n")


def test_copies_of_the_source_are_told(tmp_path: Path) -> None:
    for name in "st":
        (tmp_path / name).write_text("0\n20\n", encoding="utf-8")
    params = EvaluateRetrieval(source=tmp_path / "s", target=tmp_path / "t")
    (note,) = evaluate_retrieval(None, params, Report()).notes
    assert note.startswith("s: 2 of 2 sentences equal their translation")
    (tmp_path / "t.tsv").write_text("a\tb\tc\n0\t0\t1\n20\t20\t21\n", "utf-8")
    of_table = EvaluateRetrieval(table=tmp_path / "t.tsv")
    (note,) = evaluate_retrieval(None, of_table, Report()).notes
    assert note.startswith("b: 2 of 2")


def test_a_table_beside_files_is_refused(tmp_path: Path) -> None:
    params = EvaluateRetrieval(
        source=tmp_path / "s", target=tmp_path / "t", table=tmp_path / "t.tsv"
    )
    with pytest.raises(UserError, match="a source and a target file, a table"):
        evaluate_retrieval(None, params, Report())


TABLE = "deu\teng\tfra\n0\t1\t60\n20\t60\t1\n90\t91\t90\n180\t170\t180\n"


def of_table(tmp_path: Path, **fields: Any) -> EvaluateRetrievalResult:
    (tmp_path / "t.tsv").write_text(TABLE, encoding="utf-8")
    values = {"table": tmp_path / "t.tsv", **fields}
    return evaluate_retrieval(None, build_params(EvaluateRetrieval, values), Report())


def test_a_matrix_compares_every_two_columns(tmp_path: Path) -> None:
    got = of_table(tmp_path, matrix=True)
    assert {row: set(cells) for row, cells in got.matrix.items()} == {
        "deu": {"eng", "fra"},
        "eng": {"deu", "fra"},
        "fra": {"deu", "eng"},
    }
    against_one = of_table(tmp_path, columns=["eng"])
    for name, error in against_one.columns.items():
        assert got.matrix[name]["eng"] == error.error_source_to_target
        assert got.matrix["eng"][name] == error.error_target_to_source
    mean = np.mean([cell for row in got.matrix.values() for cell in row.values()])
    assert got.mean_error == pytest.approx(mean)
    assert len(got.results) == 6
    row = got.columns["fra"]
    assert row.error_source_to_target == pytest.approx(
        (got.matrix["fra"]["deu"] + got.matrix["fra"]["eng"]) / 2
    )


def test_several_columns_are_compared_with_each_other(tmp_path: Path) -> None:
    got = of_table(tmp_path, columns=["fra", "eng"])
    assert set(got.matrix) == {"fra", "eng"}


def test_a_pool_makes_it_harder(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("0\n300\n", encoding="utf-8")
    got = of_table(tmp_path, columns=["eng"], pools=[tmp_path / "p"])
    plain = of_table(tmp_path, columns=["eng"])
    forward, backward = got.results[0], got.results[1]
    assert (forward.n, forward.n_pool, backward.n_pool) == (4, 6, 4)
    # 0° finds the pool's 0° now, and not the 1° of its translation
    assert forward.error == plain.results[0].error + 0.25
    assert backward.error == plain.results[1].error
    assert forward.precision_at["5"] == 1


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("0\n", encoding="utf-8")
    with pytest.raises(UserError, match="Remove either the matrix or the pool"):
        of_table(tmp_path, matrix=True, pools=[tmp_path / "p"])
    with pytest.raises(UserError, match="listed twice"):
        of_table(tmp_path, columns=["eng", "eng"])
    with pytest.raises(UserError, match="at least two columns"):
        of_table(tmp_path, matrix=True, columns=["eng"])
    files = EvaluateRetrieval(source=tmp_path / "p", target=tmp_path / "p", matrix=True)
    with pytest.raises(UserError, match="need a table"):
        evaluate_retrieval(None, files, Report())
    files = EvaluateRetrieval(source=tmp_path / "p", target=tmp_path / "p")
    with pytest.raises(UserError, match="1 pair"):
        evaluate_retrieval(None, files, Report())


def test_sentences_that_stand_twice_are_told(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a\tb\n0\t1\n0\t2\n90\t91\n", encoding="utf-8")
    got = evaluate_retrieval(
        None, EvaluateRetrieval(table=tmp_path / "t.tsv"), Report()
    )
    (note,) = got.notes
    assert note.startswith(
        "a: 1 of 3 sentences are duplicates. b → a: of 1 error, 1 found another copy"
    )
    left_out = EvaluateRetrieval(table=tmp_path / "t.tsv", drop_duplicates=True)
    got = evaluate_retrieval(None, left_out, Report())
    assert got.notes == ("1 row with duplicate sentences left out.",)
    assert (got.n, got.mean_error) == (2, 0.0)
    (tmp_path / "t.tsv").write_text("a\tb\n0\t1\n0\t2\n", encoding="utf-8")
    with pytest.raises(UserError, match="too few rows are left"):
        evaluate_retrieval(None, left_out, Report())


def test_a_run_keeps_its_rows_in_the_project(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(TABLE, encoding="utf-8")
    params = EvaluateRetrieval(table=tmp_path / "t.tsv", matrix=True)
    with create_project(tmp_path / "p") as project:
        run = queue_run(project, params)
        got = evaluate_retrieval(project, params, Report(run=run))
        assert tuple(read_measurements(project.store, run)) == got.results


def test_cancel_ends_it(tmp_path: Path) -> None:
    report = Report()
    report.cancel()
    (tmp_path / "t.tsv").write_text(TABLE, encoding="utf-8")
    with pytest.raises(Cancelled):
        evaluate_retrieval(None, EvaluateRetrieval(table=tmp_path / "t.tsv"), report)


class Blind(Compass):
    """A compass that shows north everywhere, and nothing for 0."""

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([[float(text != "0"), 0] for text in texts], np.float32)


def test_vectors_that_tell_nothing_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Blind())
    (tmp_path / "t.tsv").write_text("a\tb\n1\t0\n2\t3\n", encoding="utf-8")
    params = EvaluateRetrieval(table=tmp_path / "t.tsv")
    same, zero = evaluate_retrieval(None, params, Report()).notes
    assert same.startswith("a: all 2 vectors are the same")
    assert zero.startswith("b: 1 of 2 sentences have no vector")


def test_random_candidates_are_asked_for_by_their_number(tmp_path: Path) -> None:
    text = "".join(f"{angle}\n" for angle in range(0, 360, 30))
    (tmp_path / "s").write_text(text, encoding="utf-8")
    (tmp_path / "t").write_text(text.replace("30", "31"), encoding="utf-8")
    files = {"source": tmp_path / "s", "target": tmp_path / "t"}
    params = build_params(EvaluateRetrieval, {**files, "n_random": 5})
    result = evaluate_retrieval(None, params, Report())
    (forward, _) = result.results
    assert forward.n_pool == 6
    assert forward.precision_at == {"1": 1.0, "3": 1.0, "10": 1.0}
    assert forward.error_margin is None
    assert result.mean_error_margin is None
    many = build_params(EvaluateRetrieval, {**files, "n_random": 999})
    notes = evaluate_retrieval(None, many, Report()).notes
    assert any("There are only 11 other sentences to draw 999" in one for one in notes)


def test_variants_of_the_target_sentences_are_candidates(tmp_path: Path) -> None:
    # The variants of "10" and "80" have two digits. A source in the direction of its
    # target finds it; one between two targets can find a variant.
    for name, text in (("s", "10\n80\n"), ("t", "10\n80\n"), ("far", "27\n80\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    values = {"target": tmp_path / "t", "variants": ("numbers",)}
    params: EvaluateRetrieval = build_params(
        EvaluateRetrieval, {"source": tmp_path / "s", **values}
    )
    result = evaluate_retrieval(None, params, Report())
    assert result.error_source_to_target == 0
    (note,) = [note for note in result.notes if "search pool" in note]
    n_variants = int(note.split()[0])
    assert result.results[0].n_pool == 2 + n_variants
    variants = make_variants(["10", "80"], ["numbers"])
    assert len(variants) == n_variants
    nearest = min(["10", "80", *variants], key=lambda text: abs(float(text) - 27))
    far = msgspec.structs.replace(params, source=tmp_path / "far")
    found = evaluate_retrieval(None, far, Report()).error_source_to_target
    assert found == (0 if nearest == "10" else 0.5)
    assert nearest != "10"


def test_variants_need_sentences_that_can_be_changed(tmp_path: Path) -> None:
    for name in "st":
        (tmp_path / name).write_text("10\n80\n", encoding="utf-8")
    values = {"source": tmp_path / "s", "target": tmp_path / "t"}
    params: EvaluateRetrieval = build_params(
        EvaluateRetrieval, {**values, "variants": ("causality",)}
    )
    with pytest.raises(UserError, match="need English sentences"):
        evaluate_retrieval(None, params, Report())
