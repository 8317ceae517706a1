"""Read the rows of the first sheet of an Excel workbook."""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, cast

from openpyxl import load_workbook
from openpyxl.packaging.manifest import Manifest
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.xml.constants import ARC_CONTENT_TYPES, SHARED_STRINGS
from openpyxl.xml.functions import fromstring

from app.engine.runtime.budget import count_bytes
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
_MAX_STRINGS = 200 * 2**20  # bytes of the shared strings, which stay in memory
_MAX_CELL = 4 * 2**20  # bytes; Excel's own limit is 32,767 characters
_MAX_PARTS = 20_000
_CHUNK = 256 * 1024
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([^"']*)""")
_ENCODINGS = (b"UTF-8", b"UTF-16", b"US-ASCII", b"ISO-8859-1")
# openpyxl checks little: damaged parts raise any of these.
_DAMAGED = (
    *(InvalidFileException, zipfile.BadZipFile, zlib.error, struct.error),
    *(OSError, EOFError, SyntaxError, RuntimeError, ArithmeticError),
    *(LookupError, ValueError, TypeError, AttributeError),
)


def read_xlsx(params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a workbook; see `readers.open_reading` (which ignores a limit)."""
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
            # _x005F_ represents an underscore that would otherwise start an escape
            yield [
                "" if value is None else str(value).replace("_x005F_", "_")
                for value in row
            ]


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    """Open a workbook as a context manager that raises damage as a UserError."""
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
    """Refuse document types (entities) and huge parts, which would fill the memory."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            if (
                len(parts) > _MAX_PARTS
                or sum(p.file_size for p in parts) > _MAX_UNPACKED
            ):
                raise _too_large(path)
            package = _read_manifest(archive)
            strings = package.find(SHARED_STRINGS) if package else None
            size = archive.getinfo(strings.PartName[1:]).file_size if strings else 0
            if package is None or size > _MAX_STRINGS:
                raise _too_large(path)
            listed = {one.PartName[1:] for one in package.Override}
            for part in parts:
                name = part.filename
                if name in listed or name.endswith((".xml", ".rels")):
                    _check_part(path, archive, part)
    except _DAMAGED as error:
        raise _damaged(path, error) from error


def _read_manifest(archive: zipfile.ZipFile) -> Any:
    """Read the list of parts: any of them may contain the shared strings."""
    part = archive.getinfo(ARC_CONTENT_TYPES)
    if part.file_size > _MAX_CELL:
        return None
    return Manifest.from_tree(cast("Any", fromstring(archive.read(part))))


def _check_part(path: Path, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Check an XML part: encoding, no document type, no huge text."""
    tail, n_text = b"", 0
    with archive.open(part) as stream:
        while chunk := stream.read(_CHUNK):
            count_bytes(len(chunk))
            data = tail + chunk.replace(b"\0", b"")
            declared = _ENCODING.search(data) if not tail else None
            is_odd = declared and declared[1].upper() not in _ENCODINGS
            is_typed = b"<!DOCTYPE" in data or b"<!ENTITY" in data
            if is_odd or is_typed:
                what = "a document type" if is_typed else "an unusual encoding"
                raise UserError(
                    f"{path} declares {what} in {part.filename}, which is unsafe and "
                    "not needed in Excel files."
                )
            tail = data[-16:]
            n_text = _longest_text(chunk, n_text)
            if n_text > _MAX_CELL:
                raise _too_large(path)


def _longest_text(chunk: bytes, n_before: int) -> int:
    """Return the size in bytes of the text at the end of a chunk, or of a huge text."""
    first, last = chunk.find(b"<"), chunk.rfind(b"<")
    if first < 0:
        return n_before + len(chunk)
    return max(
        n_before + first if n_before + first > _MAX_CELL else 0, len(chunk) - last
    )


def _too_large(path: Path) -> UserError:
    return UserError(
        f"{path} is too large for the memory. Save it as CSV, then import that."
    )


def _damaged(path: Path, error: BaseException) -> UserError:
    return UserError(
        f"{path} is not an Excel workbook (.xlsx), or it is damaged ({error}). Open it "
        "in "
        "a spreadsheet program and save it again."
    )
