"""Tables of the window as files."""

import json
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


def test_cells_that_begin_like_a_formula_get_an_apostrophe_in_tsv(
    qtbot: QtBot, tmp_path: Path
) -> None:
    write(qtbot, tmp_path / "t.tsv")
    assert (tmp_path / "t.tsv").read_text("utf-8").splitlines() == [
        "text\tscore",
        "'=HYPERLINK(1)\t-0.53",
        "'@a, b\t+1,250 %",
        "'-no break\t1e-5",
        "' +a\t'-1 b",
    ]


def test_json_lines_have_the_cells_as_they_are_under_their_headings(
    qtbot: QtBot, tmp_path: Path
) -> None:
    write(qtbot, tmp_path / "t.jsonl")
    lines = (tmp_path / "t.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"text": text, "score": score} for text, score in ROWS[1:]
    ]


def write(qtbot: QtBot, file: Path) -> None:
    exporter = TableExporter(file, iter(ROWS))
    with qtbot.waitSignal(exporter.finished):
        pass
