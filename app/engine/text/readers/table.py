"""Read TSV and CSV tables."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.engine.text.encoding import EncodingGuess, find_encoding
from app.engine.text.files import ByteSource
from app.engine.text.lines import LineBlock, read_lines
from app.engine.text.readers.blocks import Block, Reading
from app.engine.text.readers.table_layout import (
    N_SAMPLE,
    TableColumns,
    TableLayout,
    choose_columns,
    detect_layout,
    split_sample,
)
from app.errors import UserError
from app.params.corpora import ImportCorpus

_HEAD = 256 * 1024
_ROWS = 2_000
MAX_SHOWN = 200  # characters of a rejected row
TOO_FEW = "the row has too few columns"


def read_table(kind: str, params: ImportCorpus, limit: int | None = None) -> Reading:
    """Open a table; see `readers.open_reading`."""
    path = params.files[0]
    encoding = table_encoding(params, is_preview=limit is not None)
    shape, rows = table_head(kind, params, encoding.name)
    columns = choose_columns(shape, rows, params)
    source = ByteSource(path, limit=limit)
    blocks = read_lines(source, encoding.name)
    rows_of = _quoted_blocks if shape.is_quoted else _simple_blocks
    return Reading(
        columns.languages,
        rows_of(blocks, shape, columns, path),
        *source.functions,
        encoding=encoding.name,
        encoding_confidence=encoding.confidence,
        notes=list(columns.notes),
        columns=tuple(shape.names[index] for index in columns.sides),
    )


def table_encoding(params: ImportCorpus, *, is_preview: bool) -> EncodingGuess:
    """Find the encoding of a table."""
    language = params.languages[0] if params.languages else ""
    return find_encoding(
        params.files[0],
        wanted=params.encoding,
        language=language,
        is_preview=is_preview,
    )


def table_head(
    kind: str, params: ImportCorpus, encoding: str
) -> tuple[TableLayout, list[list[str]]]:
    """Detect the layout of a table, and read its first rows without the header."""
    lines: list[str] = []
    with ByteSource(params.files[0], limit=_HEAD) as source:
        for block in read_lines(source, encoding):
            lines += block.texts
            if len(lines) >= N_SAMPLE:
                break
        if not lines and source.is_cut:
            raise UserError(
                f"The first line of {params.files[0]} is longer than 256\u00a0KB, so "
                "it is not a table of sentences. Choose another format, or split it "
                "into lines."
            )
    shape = detect_layout(lines[:N_SAMPLE], params, kind)
    rows = split_sample(lines, shape.delimiter, is_quoted=shape.is_quoted)
    return shape, rows[1:] if shape.has_header else rows


def _simple_blocks(
    blocks: Iterator[LineBlock], shape: TableLayout, columns: TableColumns, path: Path
) -> Iterator[Block]:
    """Read a table without quotes: a line is a row."""
    last = columns.last_of_all
    skip_header = shape.has_header
    for block in blocks:
        rows = [text.split(shape.delimiter, last + 1) for text in block.texts]
        lines = list(range(block.first, block.first + len(rows)))
        if skip_header and any(block.texts):
            after = 1 + next(i for i, text in enumerate(block.texts) if text)
            rows, lines, skip_header = rows[after:], lines[after:], False
        yield pick_columns(rows, lines, columns, block.refused)


def _quoted_blocks(
    blocks: Iterator[LineBlock], shape: TableLayout, columns: TableColumns, path: Path
) -> Iterator[Block]:
    """Read a table whose cells may be quoted and may contain line feeds."""
    refused: dict[int, str] = {}
    begun: list[str] = []  # lines of the current row
    restored = _restored_lines(blocks, refused, begun)
    reader = csv.reader(restored, delimiter=shape.delimiter)
    rows: list[list[str]] = []
    lines: list[int] = []
    skip_header = shape.has_header
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
            if len(begun) > 1:
                _check_closed(begun, shape.delimiter)
            begun.clear()
        except csv.Error as error:
            raise UserError(
                f"The row at line {line:,} of {path} can't be read ({error}): a quote "
                "may be opened but never closed. Set quoting to “none” if quotes are "
                "normal characters."
            ) from error
        if row is None or len(rows) >= _ROWS:
            yield pick_columns(rows, lines, columns, refused)
            rows, lines, refused_now = [], [], dict(refused)
            for number in refused_now:
                del refused[number]
        if row is None:
            return
        if skip_header:
            skip_header = not any(row)
            continue
        rows.append(row)
        lines.append(line)


def _check_closed(lines: list[str], delimiter: str) -> None:
    """Raise csv.Error if the file ended within quotes, which may include many rows."""
    try:
        list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        if "end of data" in str(error):
            raise


def _restored_lines(
    blocks: Iterator[LineBlock], refused: dict[int, str], begun: list[str]
) -> Iterator[str]:
    for block in blocks:
        refused.update(block.refused)
        for text in block.texts:
            begun.append(f"{text}\n")
            yield begun[-1]


def pick_columns(
    rows: Sequence[Sequence[str]],
    lines: list[int],
    columns: TableColumns,
    refused: dict[int, str],
) -> Block:
    """Select the columns of rows; rows that are too short are refused."""
    last = columns.last
    out: list[tuple[int, str]] = sorted(refused.items())
    texts: dict[int, str] = {}
    if refused or min(map(len, rows), default=0) <= last:
        kept = []
        for index, (line, row) in enumerate(zip(lines, rows, strict=True)):
            if line in refused:
                continue
            if len(row) > last or not any(row):
                kept.append(index)
            else:
                out.append((line, TOO_FEW))
                texts[line] = " | ".join(row)[:MAX_SHOWN]
        blank = [""] * (last + 1)
        rows = [rows[i] if len(rows[i]) > last else blank for i in kept]
        lines = [lines[i] for i in kept]
    sides = [[row[index] for row in rows] for index in columns.sides]
    labels, languages = (
        [] if index is None else [row[index] for row in rows]
        for index in (columns.label, columns.language)
    )
    marks = [columns.mark(row) for row in rows] if columns.has_documents else ()
    block = Block(lines, sides, labels, out, {}, languages, marks)
    return block._replace(refused_texts=texts)
