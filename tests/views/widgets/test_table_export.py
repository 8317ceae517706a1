"""Tables of the window as files."""

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


def test_cells_of_tsv_are_written_as_they_are(qtbot: QtBot, tmp_path: Path) -> None:
    write(qtbot, tmp_path / "t.tsv")
    lines = (tmp_path / "t.tsv").read_text("utf-8").splitlines()
    assert lines[1:3] == ["=HYPERLINK(1)\t-0.53", "@a, b\t+1,250 %"]


def write(qtbot: QtBot, file: Path) -> None:
    exporter = TableExporter(file, iter(ROWS))
    with qtbot.waitSignal(exporter.finished):
        pass
