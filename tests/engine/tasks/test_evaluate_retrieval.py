"""Retrieval between two files, with an encoder whose vectors are known."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from app.engine.project import create_project
from app.engine.report import Report
from app.engine.tasks import evaluate_retrieval as module
from app.engine.tasks.evaluate_retrieval import evaluate_retrieval
from app.errors import UserError
from app.params.evaluation import EvaluateRetrieval


class Compass:
    """An encoder that reads a direction: "30" is the unit vector at 30 degrees."""

    name, dim, fingerprint = "compass", 2, "0" * 64

    def encode(self, texts: list[str]) -> np.ndarray:
        angles = np.radians([float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def unknown_share(self, texts: list[str]) -> float:
        return 0.0


@pytest.fixture(autouse=True)
def compass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_encoder", lambda *_, **__: Compass())


def evaluate(tmp_path: Path, source: str, target: str) -> tuple[int, float, float]:
    (tmp_path / "s").write_text(source, encoding="utf-8")
    (tmp_path / "t.gz").write_bytes(gzip.compress(target.encode()))
    params = EvaluateRetrieval(source=tmp_path / "s", target=tmp_path / "t.gz")
    result = evaluate_retrieval(None, params, Report())
    return result.n, result.error_source_to_target, result.error_target_to_source


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


def test_every_column_is_compared_with_the_chosen_one(tmp_path: Path) -> None:
    table = "deu\teng\tfra\n0\t1\t60\n20\t60\t1\n90\t91\t90\n180\t170\t180\n"
    assert evaluate_table(tmp_path, table, "eng") == {"deu": 0.25, "fra": 0.5}
    assert set(evaluate_table(tmp_path, table)) == {"eng", "fra"}


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("a\tb\n1\n", "line 2: there are 1 cells, but 2 columns"),
        ("a\n1\n", "at least two names"),
        ("a\ta\n1\t2\n", "all different"),
        ("a\tb\n", "there are 0 rows"),
        ("a\tb\nc\td\n", "there are 1 rows"),
    ],
)
def test_table_that_is_none_is_refused(tmp_path: Path, table: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        evaluate_table(tmp_path, table)


def test_unknown_column_and_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column 'xyz'"):
        evaluate_table(tmp_path, "a\tb\n1\t2\n3\t4\n", "xyz")
    with pytest.raises(UserError, match="or a table"):
        evaluate_retrieval(None, EvaluateRetrieval(), Report())


def test_line_counts_must_be_equal(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"2 lines.*3:"):
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
    with pytest.raises(UserError, match=r"hold 1 pair: it takes at least 2"):
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
    with pytest.raises(UserError, match="a source and a target file, or a table"):
        evaluate_retrieval(None, params, Report())
