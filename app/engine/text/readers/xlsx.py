"""Read the rows of the first sheet of an Excel workbook."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from app.engine.text.files import ByteSource
from app.engine.text.readers.blocks import Block, Reading
from app.engine.text.readers.table import pick_columns
from app.engine.text.readers.table_layout import (
    N_SAMPLE,
    TableLayout,
    choose_columns,
    column_names,
    looks_like_header,
)
from app.errors import UserError
from app.params.corpora import ImportCorpus

_ROWS = 2_000
_MAX_UNPACKED = 2**30  # bytes of all parts together
_MAX_STRINGS = 200 * 2**20  # bytes of the shared strings, which are held in memory
# openpyxl checks little: what is broken in the parts comes out as any of these.
_DAMAGED = (
    *(InvalidFileException, zipfile.BadZipFile, zlib.error, struct.error),
    *(OSError, EOFError, SyntaxError, RuntimeError, ArithmeticError),
    *(LookupError, ValueError, TypeError, AttributeError),
)


def read_xlsx(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a workbook; see `readers.open_reading` (a limit changes nothing here)."""
    path = params.files[0]
    shape, rows, notes, total = xlsx_head(params)
    columns = choose_columns(shape, rows, params)
    source = ByteSource(path)
    place = [0]

    def blocks() -> Iterator[Block]:
        cells = _sheet_rows(path)
        first = 1
        if shape.has_header:
            next(cells, None)
            first = 2
        while part := list(islice(cells, _ROWS)):
            lines = list(range(first, first + len(part)))
            first += len(part)
            place[0] = first
            yield pick_columns(part, lines, columns, {})

    return Reading(
        languages=columns.languages,
        blocks=blocks(),
        fraction=lambda: min(1.0, place[0] / max(1, total)),
        check=source.check_unchanged,
        close=source.close,
        encoding="xlsx",
        notes=[*notes, *columns.notes],
        columns=tuple(shape.names[index] for index in columns.sides),
    )


def xlsx_head(
    params: ImportCorpus,
) -> tuple[TableLayout, list[list[str]], list[str], int]:
    """Read the shape, the first rows without the header, notes and number of rows."""
    path = params.files[0]
    _refuse_dangerous(path)
    with _workbook(path) as book:
        names = book.sheetnames
        n_rows = book.worksheets[0].max_row or 0
    rows = list(islice(_sheet_rows(path), N_SAMPLE))
    if not any(any(row) for row in rows):
        raise UserError(f"The first sheet of {path} is empty.")
    has_header = params.header == "yes" or (
        params.header == "auto" and looks_like_header(rows, params)
    )
    shape = TableLayout("", False, has_header, column_names(rows, has_header))
    notes = []
    if len(names) > 1:
        notes.append(f"Only the first of {len(names)} sheets, {names[0]!r}, was read.")
    return shape, rows[1:] if has_header else rows, notes, n_rows


def _sheet_rows(path: Path) -> Iterator[list[str]]:
    with _workbook(path) as book:
        for row in book.worksheets[0].iter_rows(values_only=True):
            # _x005F_ is how a cell writes an underscore that seems to begin an escape
            yield [
                "" if value is None else str(value).replace("_x005F_", "_")
                for value in row
            ]


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    """Open a workbook for a block, in which damage is raised as a UserError."""
    try:
        with path.open("rb") as stream:
            book = load_workbook(stream, read_only=True, data_only=True)
            try:
                yield book
            finally:
                book.close()
    except _DAMAGED as error:
        raise _damaged(path, error) from error


def _refuse_dangerous(path: Path) -> None:
    """Refuse what would fill the memory: document types (entities) and huge parts."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            for part in parts:
                if part.filename.endswith((".xml", ".rels")):
                    with archive.open(part) as stream:
                        head = stream.read(4096)
                    if b"<!" in head.replace(b"<!--", b""):
                        raise UserError(
                            f"{path} declares a document type in {part.filename}, "
                            "which is unsafe and not needed in Excel files."
                        )
    except _DAMAGED as error:
        raise _damaged(path, error) from error
    strings = sum(p.file_size for p in parts if p.filename.endswith("Strings.xml"))
    if sum(part.file_size for part in parts) > _MAX_UNPACKED or strings > _MAX_STRINGS:
        raise UserError(
            f"{path} is too large for the memory. Save it as CSV, then import that."
        )


def _damaged(path: Path, error: BaseException) -> UserError:
    return UserError(
        f"{path} is not an Excel workbook (.xlsx), or it is damaged ({error}). Open it "
        "in "
        "a spreadsheet program and save it again."
    )
