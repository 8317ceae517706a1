"""Write rows, or pairs, as a sheet of an Excel workbook.

XlsxWriter (constant memory) takes 53 s for 300,000 rows of 8 texts, this module 14 s,
and its close() compresses a second copy of the sheet in one call that can't be
cancelled. Every text is a text cell, so that it is never read as a formula.
"""

import re
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from string import ascii_uppercase
from typing import IO, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import (
    FileWriter,
    PairHeader,
    PairRecord,
    Value,
    column_names,
    record_values,
)
from app.engine.text.writers.tally import ExportTally
from app.errors import UserError

MAX_ROWS = 1_048_576
MAX_CELL = 32_767  # UTF-16 units, as counted by Excel
MAX_SHEET = 2**32 - 2**24  # bytes unpacked; Excel repairs ZIP64 archives
TOO_LONG = "a text is longer than an Excel cell can be (32,767 characters)"
SHEET = "xl/worksheets/sheet1.xml"
PLAIN, RIGHT, BOLD, LEFTWARD = range(4)  # cell styles, in the order of _STYLES

# In a cell, _x0041_ means the character U+0041, so such an underscore is escaped.
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XF = '<xf numFmtId="0" fontId="{font}" fillId="0" borderId="0" xfId="0"{rest}'
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/></font>'
    '<font><b/><sz val="11"/></font></fonts><fills count="2"><fill><patternFill '
    'patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border/></borders><cellStyleXfs count="1">'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="4">'
    + _XF.format(font=0, rest="/>")
    + _XF.format(
        font=0, rest=' applyAlignment="1"><alignment horizontal="right"/></xf>'
    )
    + _XF.format(font=1, rest=' applyFont="1"/>')
    + _XF.format(font=0, rest=' applyAlignment="1"><alignment readingOrder="2"/></xf>')
    + '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" '
    'builtinId="0"/></cellStyles></styleSheet>'
)
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
        f'<Override PartName="/{SHEET}" ContentType="{_TYPE}.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/styles.xml": _STYLES,
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship '
        f'Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
    ),
}


class SheetHeader(NamedTuple):
    """The header of a sheet.

    Attributes:
        name: name of the sheet and its rows: pairs or lines.
        columns: column names, in the frozen first row.
        advice: what to do if the rows exceed a sheet.
    """

    name: str
    columns: Sequence[str]
    advice: str


class Sheet:
    """Writes a workbook with one sheet, row by row."""

    def __init__(self, files: OutputFiles, out: Path, header: SheetHeader):
        """Write the column names."""
        self._name, self._advice = header.name, header.advice
        self._n_rows = self._n_bytes = 0
        self._letters = [column_letters(index) for index in range(len(header.columns))]
        stream = files.open(out)
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=4)
        self._open: list[zipfile.ZipFile | IO[bytes]] = [self._zip]
        try:
            self._begin()
            self.put_rows([header.columns])
        except OSError:
            self.close()  # the caller has no sheet to close yet
            raise

    def put_rows(
        self, rows: Sequence[Sequence[Value]], styles: Sequence[int] = ()
    ) -> None:
        """Write rows.

        Args:
            rows: values of each row, one per column.
            styles: styles of the first columns; LEFTWARD: right to left.

        Raises:
            UserError: more rows than a sheet can have.
        """
        self._n_rows += len(rows)
        if self._n_rows > MAX_ROWS:
            raise UserError(
                f"There are more than {MAX_ROWS - 1:,} {self._name}, the maximum of an "
                f"Excel sheet. {self._advice}."
            )
        first = self._n_rows - len(rows) + 1
        numbered = enumerate(rows, first)
        self._put("".join(self._row(number, row, styles) for number, row in numbered))

    def finish(self) -> None:
        """Close the sheet and the workbook."""
        self._put("</sheetData></worksheet>")
        self._sheet.close()
        self._zip.close()

    def close(self) -> None:
        """Close the open parts, before their stream is closed."""
        for open_part in reversed(self._open):
            with suppress(OSError, ValueError):
                open_part.close()

    def _begin(self) -> None:
        workbook = (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet '
            f'name={quoteattr(self._name)} sheetId="1" r:id="rId1"/></sheets>'
            "</workbook>"
        )
        for name, text in {**_PARTS, "xl/workbook.xml": workbook}.items():
            self._zip.writestr(name, _XML + text)
        self._sheet = self._zip.open(SHEET, "w")
        self._open.append(self._sheet)
        self._put(
            f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView '
            'workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/>'
            "</sheetView></sheetViews><sheetData>"
        )

    def _put(self, text: str) -> None:
        data = text.encode()
        self._n_bytes += len(data)
        if self._n_bytes > MAX_SHEET:
            raise UserError(
                f"The {self._name} exceed 4\u00a0GB, the maximum of an Excel sheet. "
                f"{self._advice}."
            )
        self._sheet.write(data)

    def _row(self, number: int, values: Sequence[Value], styles: Sequence[int]) -> str:
        padded = [*styles, *[PLAIN] * (len(values) - len(styles))]
        cells = "".join(
            _cell_xml(f"{letters}{number}", value, look)
            for letters, value, look in zip(self._letters, values, padded, strict=True)
        )
        return f'<row r="{number}">{cells}</row>\n'


def column_letters(index: int) -> str:
    """Return the letters of a column: 0 is A, 25 is Z, 26 is AA."""
    rest, last = divmod(index, len(ascii_uppercase))
    return (column_letters(rest - 1) if rest else "") + ascii_uppercase[last]


def is_too_long(value: Value) -> bool:
    """Return whether a text has more UTF-16 units than a cell can contain."""
    if not isinstance(value, str) or len(value) <= MAX_CELL // 2:
        return False
    return len(value.encode("utf-16-le")) // 2 > MAX_CELL


def _cell_xml(place: str, value: Value, look: int) -> str:
    if value is None or value == "":
        return ""
    style = f' s="{look}"' if look else ""
    if isinstance(value, int | float):
        return f'<c r="{place}"{style}><v>{value!r}</v></c>'
    text = escape(_ESCAPE.sub("_x005F_", value), {"\r": "&#13;"})
    text = f'<t xml:space="preserve">{text}</t>'
    return f'<c r="{place}"{style} t="inlineStr"><is>{text}</is></c>'


_ADVICE = "Set a threshold, or export as CSV or Parquet"


class XlsxWriter(FileWriter):
    """Writes a workbook of pairs with a frozen header."""

    def __init__(
        self, files: OutputFiles, out: Path, header: PairHeader, tally: ExportTally
    ):
        self._tally = tally
        self._header = header
        sheet = SheetHeader("pairs", column_names(header), _ADVICE)
        self._sheet = Sheet(files, out, sheet)
        self._parts = [self._sheet]

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs, without pairs with a text too long for a cell.

        Raises:
            UserError: more rows than a sheet can have.
        """
        values = (
            list(record_values(self._header, record).values()) for record in records
        )
        rows = [row for row in values if not any(map(is_too_long, row))]
        self._tally.take_back(TOO_LONG, len(records) - len(rows))
        self._sheet.put_rows(rows)
