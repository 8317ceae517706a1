"""Write concordance lines as TSV or XLSX, and choose a writer by file suffix."""

import csv
import io
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from app.engine.text.writers.concordance_lines import (
    HIT,
    LEFT,
    RIGHT,
    LineHeader,
    LineRecord,
    LineWriter,
    line_columns,
    line_row,
)
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import FileWriter, Value
from app.engine.text.writers.tally import ExportTally
from app.engine.text.writers.xlsx import (
    BOLD,
    LEFTWARD,
    PLAIN,
    TOO_LONG,
    Sheet,
    SheetHeader,
    is_too_long,
)
from app.engine.text.writers.xlsx import RIGHT as TO_THE_RIGHT
from app.errors import UserError
from app.params.base import FORMULA_MARKS

_ADVICE = "take fewer (--top), or write a .tsv"


class LineTableWriter(FileWriter):
    """Writes a UTF-8 table: a header and a row per line, quoted like pairs."""

    def __init__(
        self, files: OutputFiles, out: Path, head: LineHeader, tally: ExportTally
    ):
        self._head, self._tally = head, tally
        self._stream = files.open(out)
        self._put([line_columns(head)])

    def write(self, units: Sequence[LineRecord]) -> None:
        """Write lines; line breaks and tabs within texts become spaces."""
        rows = [[self._cell(value) for value in line_row(self._head, u)] for u in units]
        texts = (cell for row in rows for cell in row)
        self._tally.n_formulas += sum(text.startswith(FORMULA_MARKS) for text in texts)
        self._tally.n_written += len(rows)
        self._put(rows)

    def _cell(self, value: Value) -> str:
        if value is None or not isinstance(value, str):
            return "" if value is None else str(value)
        return self._tally.on_one_line(self._tally.clean(value))

    def _put(self, rows: Sequence[Sequence[str]]) -> None:
        text = io.StringIO(newline="")
        writer = csv.writer(
            text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_ALL
        )
        writer.writerows(rows)
        self._stream.write(text.getvalue().encode())


class LineSheetWriter(FileWriter):
    """Writes a workbook with bold hits and right-aligned left contexts."""

    def __init__(
        self, files: OutputFiles, out: Path, head: LineHeader, tally: ExportTally
    ):
        self._head, self._tally = head, tally
        columns = line_columns(head)
        looks = {LEFT: TO_THE_RIGHT, HIT: BOLD}
        self._looks = [looks.get(name, PLAIN) for name in columns]
        looks = {LEFT: PLAIN, HIT: BOLD, RIGHT: LEFTWARD}
        self._leftward = [looks.get(name, PLAIN) for name in columns]
        self._sheet = Sheet(files, out, SheetHeader("lines", columns, _ADVICE))
        self._parts = [self._sheet]

    def write(self, units: Sequence[LineRecord]) -> None:
        """Write lines, without lines with a text too long for a cell.

        Raises:
            UserError: there are more lines than a sheet may contain.
        """
        for is_leftward, group in groupby(units, key=lambda unit: unit.is_leftward):
            rows = [self._clean(line_row(self._head, unit)) for unit in group]
            fitting = [row for row in rows if not any(map(is_too_long, row))]
            self._tally.n_written += len(rows)
            self._tally.take_back(TOO_LONG, len(rows) - len(fitting))
            looks = self._leftward if is_leftward else self._looks
            self._sheet.put_rows(fitting, looks)

    def _clean(self, row: Sequence[Value]) -> list[Value]:
        clean = self._tally.clean
        return [clean(value) if isinstance(value, str) else value for value in row]


SUFFIXES = (".tsv", ".xlsx", ".docx")


def check_line_format(out: Path) -> None:
    """Check that a file name has the suffix of a line format.

    Raises:
        UserError: the suffix is unknown.
    """
    if out.suffix.lower() not in SUFFIXES:
        raise UserError(
            f"The name {out.name} does not show the format. Use a name that ends in "
            f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}."
        )


def open_line_writer(
    files: OutputFiles, out: Path, head: LineHeader, tally: ExportTally
) -> LineWriter:
    """Open the writer for the suffix of a file name.

    Raises:
        UserError: the file already exists, or its folder does not exist.
    """
    if out.suffix.lower() == ".docx":
        from app.engine.text.writers.docx import LineDocumentWriter

        return LineDocumentWriter(files, out, head, tally)

    is_sheet = out.suffix.lower() == ".xlsx"
    return (LineSheetWriter if is_sheet else LineTableWriter)(files, out, head, tally)
