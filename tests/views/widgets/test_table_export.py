"""Tables of the window as files."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.views.widgets.table_export import TableExporter

ROWS = [["text", "score"], ["=HYPERLINK(1)", "-0.53"], ["@a, b", "+1,250 %"]]
ROWS += [["-no\nbreak", "1e-5"], [" +a", "-1 b"]]


@pytest.mark.parametrize("name", ["t.csv", "T.CSV"])
def test_cells_that_begin_like_a_formula_get_an_apostrophe_in_csv(
    qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    write(qtbot, tmp_path / name)
    assert (tmp_path / name).read_text("utf-8").splitlines() == [
        "text,score",
        "'=HYPERLINK(1),-0.53",
        '"\'@a, b","+1,250 %"',
        "'-no break,1e-5",
        "' +a,'-1 b",
    ]


def test_cells_that_begin_like_a_formula_stay_exact_in_tsv(
    qtbot: QtBot, tmp_path: Path
) -> None:
    write(qtbot, tmp_path / "t.tsv")
    assert (tmp_path / "t.tsv").read_text("utf-8").splitlines() == [
        "text\tscore",
        "=HYPERLINK(1)\t-0.53",
        "@a, b\t+1,250 %",
        "-no break\t1e-5",
        " +a\t-1 b",
    ]


def test_json_lines_have_the_cells_as_they_are_under_their_headings(
    qtbot: QtBot, tmp_path: Path
) -> None:
    write(qtbot, tmp_path / "t.jsonl")
    lines = (tmp_path / "t.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"text": text, "score": score} for text, score in ROWS[1:]
    ]


def test_latex_is_a_booktabs_table_with_escaped_text_and_rounded_figures(
    qtbot: QtBot, tmp_path: Path
) -> None:
    table = [
        ["Name_1", "Error, %", "Cosine", "n"],
        ["50 % & {x}\\~^#$", "13.3\u00a0(6.9\u00a0–\u00a024.2)", "0.123456", "1,204"],
        ["a\tb", "−0.5", "-12.345678", "7"],
    ]
    write(qtbot, tmp_path / "t.tex", table)
    assert (tmp_path / "t.tex").read_text("utf-8").splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"Name\_1 & Error, \% & Cosine & n \\",
        r"\midrule",
        r"50 \% \& \{x\}\textbackslash{}\textasciitilde{}\textasciicircum{}\#\$"
        r" & 13.3~(6.9~–~24.2) & 0.123 & 1,204 \\",
        r"a b & $-$0.5 & -12.346 & 7 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_an_empty_latex_table_has_its_header(qtbot: QtBot, tmp_path: Path) -> None:
    write(qtbot, tmp_path / "t.tex", [["a", "b"]])
    lines = (tmp_path / "t.tex").read_text("utf-8").splitlines()
    assert lines[1:4] == [r"\begin{tabular}{ll}", r"\toprule", r"a & b \\"]
    assert lines[-1] == r"\end{tabular}"


def write(qtbot: QtBot, file: Path, table: Sequence[Sequence[str]] = ROWS) -> None:
    exporter = TableExporter(file, iter(table))
    with qtbot.waitSignal(exporter.finished):
        pass
