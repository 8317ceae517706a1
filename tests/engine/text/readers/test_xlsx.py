import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.errors import UserError
from tests.engine.text.readers.reading import read_units


def write(tmp_path: Path, rows: list[list[object]]) -> Path:
    path = tmp_path / "t.xlsx"
    book = Workbook()
    sheet = book.worksheets[0]
    for row in rows:
        sheet.append(row)
    book.create_sheet("notes")
    book.save(path)
    return path


def test_rows_of_the_first_sheet_are_read(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "text"], [1, "Ein Satz."], [2, None], [3, 7.5]]

    units = read_units(write(tmp_path, rows), languages=["de"])

    assert units.sides == [["Ein Satz.", "", "7.5"]]
    assert units.lines == [2, 3, 4]
    assert units.reading.notes == ["Only the first of 2 sheets, 'Sheet', was read."]


def test_damaged_workbook_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, [["a"], ["b"]])
    path.write_bytes(path.read_bytes()[:3000])

    with pytest.raises(UserError, match=r"t\.xlsx is not an Excel workbook"):
        read_units(path, languages=["de"])


def test_workbook_with_entities_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, [["a"], ["b"]])
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><sst>&a;</sst>'
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/evil.xml", bomb)

    with pytest.raises(UserError, match=r"declares a document type in xl/evil\.xml"):
        read_units(path, languages=["de"])


def test_empty_sheet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"first sheet of .*t\.xlsx is empty"):
        read_units(write(tmp_path, []), languages=["de"])
