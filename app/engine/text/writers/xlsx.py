"""Write an Excel workbook (Office Open XML, ECMA-376): one sheet, streamed.

Our own, because openpyxl keeps a second copy of the sheet and packs it in one go, which
nothing can cancel. Every text is a cell of text, so none is taken for a formula.
"""

import re
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from string import ascii_uppercase
from typing import IO
from xml.sax.saxutils import escape

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import Value, column_names, make_record
from app.engine.text.writers.tally import ExportTally
from app.engine.text.writers.unit import PairHead, PairUnit
from app.errors import UserError

MAX_ROWS = 1_048_576
MAX_CELL = 32_767  # characters, as Excel counts them: UTF-16 units
MAX_SHEET = 2**32 - 2**24  # bytes unpacked; Excel mends what is packed as ZIP64
TOO_LONG = "a text is longer than an Excel cell holds (32,767 characters)"
SHEET = "xl/worksheets/sheet1.xml"

# In a cell _x0041_ means the character 0041: such an underscore is written so too.
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/{SHEET}" ContentType="{_TYPE}.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="pairs" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


class XlsxWriter:
    """A workbook with a header that stays in sight."""

    def __init__(
        self, files: OutputFiles, out: Path, head: PairHead, tally: ExportTally
    ):
        self._tally = tally
        self._head = head
        self._n_rows = self._n_bytes = 0
        stream = files.open(out)
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=4)
        self._open: list[zipfile.ZipFile | IO[bytes]] = [self._zip]
        try:
            self._begin()
        except OSError:
            self.close()  # nobody has the writer yet, to close it
            raise

    def write(self, units: Sequence[PairUnit]) -> None:
        """Write pairs; those with a text too long for a cell are left out.

        Raises:
            UserError: there are more than a sheet may hold.
        """
        records = (list(make_record(self._head, unit).values()) for unit in units)
        rows = [row for row in records if not any(map(_is_too_long, row))]
        self._tally.take_back(TOO_LONG, len(units) - len(rows))
        self._put_rows(rows)

    def finish(self) -> None:
        """Close the sheet and the workbook."""
        self._put("</sheetData></worksheet>")
        self._sheet.close()
        self._zip.close()

    def close(self) -> None:
        """Close what is open, before its stream is closed."""
        for open_part in reversed(self._open):
            with suppress(OSError, ValueError):
                open_part.close()

    def _begin(self) -> None:
        for name, text in _PARTS.items():
            self._zip.writestr(name, _XML + text)
        self._sheet = self._zip.open(SHEET, "w")
        self._open.append(self._sheet)
        self._put(
            f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView '
            'workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/>'
            "</sheetView></sheetViews><sheetData>"
        )
        self._put_rows([list(column_names(self._head))])

    def _put_rows(self, rows: Sequence[Sequence[Value]]) -> None:
        self._n_rows += len(rows)
        if self._n_rows > MAX_ROWS:
            raise UserError(
                f"An Excel sheet holds {MAX_ROWS - 1:,} pairs and there are more: "
                "take a threshold, or export as CSV or Parquet."
            )
        first = self._n_rows - len(rows) + 1
        numbered = enumerate(rows, first)
        self._put("".join(_row(number, row) for number, row in numbered))

    def _put(self, text: str) -> None:
        data = text.encode()
        self._n_bytes += len(data)
        if self._n_bytes > MAX_SHEET:
            raise UserError(
                "The pairs fill more than 4 GB of an Excel sheet, which it can't hold: "
                "take a threshold, or export as CSV or Parquet."
            )
        self._sheet.write(data)


def _row(number: int, values: Sequence[Value]) -> str:
    columns = zip(ascii_uppercase, values, strict=False)  # there are fewer than 26
    cells = "".join(_cell(f"{column}{number}", value) for column, value in columns)
    return f'<row r="{number}">{cells}</row>\n'


def _cell(place: str, value: Value) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    text = escape(_ESCAPE.sub("_x005F_", value), {"\r": "&#13;"})
    text = f'<t xml:space="preserve">{text}</t>'
    return f'<c r="{place}" t="inlineStr"><is>{text}</is></c>'


def _is_too_long(value: Value) -> bool:
    """Tell whether a text has more UTF-16 units than a cell holds."""
    if not isinstance(value, str) or len(value) <= MAX_CELL // 2:
        return False
    return len(value.encode("utf-16-le")) // 2 > MAX_CELL


__all__ = ["MAX_CELL", "MAX_ROWS", "TOO_LONG", "XlsxWriter"]
