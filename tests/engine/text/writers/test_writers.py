"""What single writers promise beside the round trip."""

import csv
import errno
import gc
import io
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from openpyxl import load_workbook

from app.engine.text.readers.dictionary import read_dictionary
from app.engine.text.writers import open_writer, xlsx
from app.engine.text.writers import xlsx as sheets
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.tally import ExportTally, protects_formulas, tally_notes
from app.engine.text.writers.xlsx import MAX_CELL, TOO_LONG
from app.errors import UserError
from app.params.base import FormulaChoice
from app.params.pairs import PairFormat, language_paths
from tests.engine.text.writers.made import HEAD, make_record, write_records

DIRTY = "a\x00b\ud800c\ufffe ]]> \u200f\u202e\r\n\td"
FORMATS: list[PairFormat] = ["tmx", "xliff-1.2", "xliff-2.0", "tei"]


@pytest.mark.parametrize("kind", FORMATS)
def test_xml_holds_no_character_that_xml_forbids(
    kind: PairFormat, tmp_path: Path
) -> None:
    files, tally = write_records(
        kind, tmp_path / "t.xml", [make_record(DIRTY, "clean")]
    )
    texts = [text for file in files for text in etree.parse(file).getroot().itertext()]
    assert "abc ]]> \u200f\u202e\r\n\td" in texts
    assert (tally.n_characters, tally.n_cleaned) == (3, 1)


class _FullDisk(io.BytesIO):
    def write(self, data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_workbook_that_could_not_be_begun_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, disk = OutputFiles(replace=False), _FullDisk()
    monkeypatch.setattr(files, "open", lambda _: disk)
    with pytest.raises(OSError, match="No space left"):
        xlsx.XlsxWriter(files, tmp_path / "t.xlsx", HEAD, ExportTally())
    disk.close()
    gc.collect()  # what the workbook still wrote would be an error of this test


def test_a_workbook_holds_texts_and_numbers_and_no_formula(tmp_path: Path) -> None:
    source = '=HYPERLINK("http://localhost")'
    write_records("xlsx", tmp_path / "t.xlsx", [make_record(source, "+1")])
    (sheet,) = load_workbook(tmp_path / "t.xlsx").worksheets
    titles, row = sheet.iter_rows()
    cells = {one.value: two for one, two in zip(titles, row, strict=True)}
    assert [cells[name].data_type for name in ("source", "target", "score")] == [
        "s",
        "s",
        "n",
    ]
    assert cells["source"].value == source
    assert (cells["score"].value, cells["run"].value) == (1.0625, 7)
    assert sheet.freeze_panes == "A2"


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("a" * MAX_CELL, True),
        ("a" * (MAX_CELL + 1), False),
        ("\U0001f600" * (MAX_CELL // 2), True),
        ("\U0001f600" * (MAX_CELL // 2 + 1), False),
    ],
)
def test_a_text_too_long_for_a_cell_is_left_out(
    text: str, is_kept: bool, tmp_path: Path
) -> None:
    records = [make_record(text, "one")._replace(note=""), make_record("two", "two")]
    _, tally = write_records("xlsx", tmp_path / "t.xlsx", records)
    (sheet,) = load_workbook(tmp_path / "t.xlsx").worksheets
    assert sheet.max_row == 2 + is_kept
    assert +tally.left_out == ({} if is_kept else {TOO_LONG: 1})


@pytest.mark.parametrize(("name", "limit"), [("MAX_ROWS", 3), ("MAX_SHEET", 2_500)])
def test_more_than_a_sheet_holds_is_refused(
    name: str, limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, name, limit)
    with pytest.raises(UserError, match="export as CSV or Parquet"):
        write_records("xlsx", tmp_path / "t.xlsx", [make_record("a", "b")] * 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("kind", "delimiter"), [("tsv", "\t"), ("csv", ",")])
def test_a_row_of_a_table_is_a_line(
    kind: PairFormat, delimiter: str, tmp_path: Path
) -> None:
    records = [make_record('say "a",\tb\nc', "=1+1"), make_record("plain", "-")]
    (file,), tally = write_records(kind, tmp_path / "t.x", records)
    lines = file.read_text("utf-8").splitlines()
    titles, first, _ = csv.reader(lines, delimiter=delimiter)
    assert titles[:4] == ["source", "target", "source_language", "target_language"]
    assert first[:2] == ['say "a", b c', "=1+1"]
    assert (len(lines), tally.n_breaks, tally.n_formulas) == (3, 1, 2)


def test_sentences_of_an_aligned_pair_stand_apart_in_tei(tmp_path: Path) -> None:
    record = make_record("Eins. Zwei.", "One and two.")
    record = record._replace(source_parts=("Eins.", "Zwei."), source_line=3)
    files, _ = write_records("tei", tmp_path / "t.xml", [record])
    sentences = list(etree.parse(files[0]).iter("{*}s"))
    assert [(one.text, one.get("n")) for one in sentences] == [
        ("Eins.", "3"),
        ("Zwei.", None),
    ]
    (link,) = etree.parse(files[2]).iter("{*}link")
    assert link.get("type") == "2-1"
    assert link.get("target", "").split() == [
        *("t.de.xml#s1", "t.de.xml#s2", "t.zh-Hans.xml#s1")
    ]


@pytest.mark.parametrize(
    ("out", "fields", "names"),
    [
        ("a", {}, ("a.de", "a.zh-Hans")),
        ("a.txt.gz", {}, ("a.de.txt.gz", "a.zh-Hans.txt.gz")),
        ("a", {"target_language": "DE"}, ("a.source", "a.target")),
        ("a", {"target_language": ""}, ("a.source", "a.target")),
        ("a", {"target_language": "../x"}, ("a.de", "a.-x")),
    ],
)
def test_names_hold_the_languages(
    out: str, fields: dict[str, Any], names: tuple[str, str]
) -> None:
    paths = language_paths(
        Path("folder") / out, HEAD._replace(**fields).languages, "paraconc"
    )
    assert paths == (Path("folder") / names[0], Path("folder") / names[1])


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_what_is_packed_is_read_again(suffix: str, tmp_path: Path) -> None:
    from app.engine.text.files import ByteSource

    path = tmp_path / f"t{suffix}"
    with OutputFiles(replace=False) as files:
        files.open(path).write(b"text\n" * 100_000)
        files.commit()
    with ByteSource(path) as source:
        assert source.read(1_000_000) == b"text\n" * 100_000
    assert path.stat().st_size < 10_000


def test_a_file_that_came_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    with OutputFiles(replace=False) as files:
        files.open(path).write(b"ours")
        path.write_bytes(b"theirs")
        with pytest.raises(UserError, match="already exists"):
            files.commit()
    assert [file.name for file in tmp_path.iterdir()] == ["t.txt"]
    assert path.read_bytes() == b"theirs"


def test_cells_that_begin_like_formulas_are_protected(tmp_path: Path) -> None:
    tally = ExportTally(protects_formulas=True)
    records = [
        make_record("=1+1", "-a"),
        make_record("@b", "+c"),
        make_record("d=e", "5-6"),
    ]
    with OutputFiles(replace=False) as files:
        writer = open_writer("csv", files, tmp_path / "t.csv", HEAD, tally)
        writer.write(records)
        writer.finish()
        files.commit()
    _, *rows = csv.reader((tmp_path / "t.csv").read_text("utf-8").splitlines())
    assert [row[:2] for row in rows] == [
        ["'=1+1", "'-a"],
        ["'@b", "'+c"],
        ["d=e", "5-6"],
    ]
    assert "An apostrophe was put before 4 texts" in tally_notes(tally)[0]


@pytest.mark.parametrize(
    ("choice", "kind", "is_protected"),
    [
        ("auto", "csv", True),
        ("auto", "tsv", False),
        ("keep", "csv", False),
        ("protect", "tsv", True),
    ],
)
def test_csv_is_protected_unless_the_user_decides_otherwise(
    choice: FormulaChoice, kind: str, is_protected: bool
) -> None:
    assert protects_formulas(choice, kind) == is_protected


@pytest.mark.parametrize("kind", ["tsv", "csv"])
def test_header_and_rows_of_a_table_are_quoted_and_read_as_a_dictionary(
    kind: PairFormat, tmp_path: Path
) -> None:
    records = [make_record("house", "Haus"), make_record('a "b"', "c, d")]
    (file,), _ = write_records(kind, tmp_path / f"t.{kind}", records)
    for line in file.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t" if kind == "tsv" else '","')
        assert kind == "csv" or all(c[0] == c[-1] == '"' for c in cells)
        assert line[0] == line[-1] == '"'
    found = read_dictionary(file, "en", "de")
    assert found.problems == []
    words = [(one.source, one.target) for one in found.entries]
    assert words == [("house", "Haus"), ('a "b"', "c, d")]
