"""Write pairs as TSV, CSV, JSON lines or Parquet.

Every cell is quoted, so that a reader recognises quotes as delimiters and restores any
text exactly. Each row is one line, as most programs expect: tabs and line breaks in a
text become spaces.
"""

import csv
import io
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from app.engine.text.files import load_pyarrow
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import (
    INTEGER_COLUMNS,
    SCORE_COLUMNS,
    FileWriter,
    PairHeader,
    PairRecord,
    Value,
    column_names,
    record_values,
)
from app.engine.text.writers.tally import ExportTally
from app.params.base import FORMULA_MARKS


class TableWriter(FileWriter):
    """Writes a UTF-8 table without a byte order mark."""

    def __init__(
        self,
        files: OutputFiles,
        out: Path,
        header: PairHeader,
        tally: ExportTally,
        *,
        delimiter: str,
    ):
        self._tally = tally
        self._header = header
        self._delimiter = delimiter
        self._stream = files.open(out)
        self._write_rows([column_names(header)])

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs."""
        texts = (text for record in records for text in (record.source, record.target))
        self._tally.n_formulas += sum(text.startswith(FORMULA_MARKS) for text in texts)
        rows = [
            [self._cell(value) for value in row.values()]
            for row in (record_values(self._header, record) for record in records)
        ]
        self._write_rows(rows)

    def _cell(self, value: Value) -> str:
        if isinstance(value, str):
            return self._tally.cell(value)
        return "" if value is None else str(value)

    def _write_rows(self, rows: Sequence[Sequence[str]]) -> None:
        text = io.StringIO(newline="")
        writer = csv.writer(
            text,
            delimiter=self._delimiter,
            lineterminator="\n",
            quoting=csv.QUOTE_ALL,
        )
        writer.writerows(rows)
        self._stream.write(text.getvalue().encode())


class JsonLinesWriter(FileWriter):
    """Writes a file of JSON objects, in which tags are a list."""

    def __init__(self, files: OutputFiles, out: Path, header: PairHeader):
        self._header = header
        self._stream = files.open(out)
        self._encoder = msgspec.json.Encoder()

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs."""
        rows = [_make_row(self._header, record) for record in records]
        self._stream.write(self._encoder.encode_lines(rows))


def _make_row(header: PairHeader, record: PairRecord) -> dict[str, Any]:
    """Return the values of a pair, with its tags as a list."""
    tags = {"tags": record.tags} if header.is_scored else {}
    return {**record_values(header, record), **tags}


GROUP = 50_000  # rows of a group, which stays in memory until it is written


class ParquetTableWriter:
    """Writes a Parquet file, compressed with zstd."""

    def __init__(self, files: OutputFiles, out: Path, header: PairHeader):
        self._header = header
        self._arrow = load_pyarrow()
        self._schema = self._make_schema()
        parquet = load_pyarrow("pyarrow.parquet")
        self._writer: Any = parquet.ParquetWriter(
            files.open(out), self._schema, compression="zstd"
        )
        self._records: list[dict[str, Any]] = []

    def write(self, records: Sequence[PairRecord]) -> None:
        """Write pairs."""
        self._records += [_make_row(self._header, record) for record in records]
        if len(self._records) >= GROUP:
            self._flush()

    def finish(self) -> None:
        """Write the last group and the footer."""
        self._flush()
        self._writer.close()

    def close(self) -> None:
        """Close the Parquet writer before its stream is closed."""
        with suppress(OSError, ValueError):
            self._writer.close()

    def _make_schema(self) -> Any:
        arrow = self._arrow
        kinds = {name: arrow.float64() for name in SCORE_COLUMNS}
        kinds |= {name: arrow.int64() for name in INTEGER_COLUMNS}
        kinds["tags"] = arrow.list_(arrow.string())
        names = column_names(self._header)
        return arrow.schema([(name, kinds.get(name, arrow.string())) for name in names])

    def _flush(self) -> None:
        if self._records:
            table = self._arrow.Table.from_pylist(self._records, schema=self._schema)
            self._writer.write_table(table)
        self._records = []
