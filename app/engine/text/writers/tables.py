"""Write pairs as TSV, CSV, JSON lines or Parquet.

Every cell is quoted, which tells a reader that quotes are marks here and not
characters, so any text comes back as it was. A row is a line, as most programs have it:
tabs and line breaks in a text become spaces.
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
    """A table in UTF-8 without a mark at its beginning."""

    def __init__(
        self,
        files: OutputFiles,
        out: Path,
        head: PairHeader,
        tally: ExportTally,
        *,
        delimiter: str,
    ):
        self._tally = tally
        self._head = head
        self._delimiter = delimiter
        self._stream = files.open(out)
        self._write_rows([column_names(head)])

    def write(self, units: Sequence[PairRecord]) -> None:
        """Write pairs."""
        texts = (text for unit in units for text in (unit.source, unit.target))
        self._tally.n_formulas += sum(text.startswith(FORMULA_MARKS) for text in texts)
        rows = [
            [self._cell(value) for value in record.values()]
            for record in (record_values(self._head, unit) for unit in units)
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
    """A file of JSON objects, in which tags are a list."""

    def __init__(self, files: OutputFiles, out: Path, head: PairHeader):
        self._head = head
        self._stream = files.open(out)
        self._encoder = msgspec.json.Encoder()

    def write(self, units: Sequence[PairRecord]) -> None:
        """Write pairs."""
        records = [_record(self._head, unit) for unit in units]
        self._stream.write(self._encoder.encode_lines(records))


def _record(head: PairHeader, unit: PairRecord) -> dict[str, Any]:
    """Return the values of a pair, with its tags as a list."""
    tags = {"tags": unit.tags} if head.is_scored else {}
    return {**record_values(head, unit), **tags}


GROUP = 50_000  # rows that stand together, and in memory


class ParquetTableWriter:
    """A Parquet file, compressed by zstd."""

    def __init__(self, files: OutputFiles, out: Path, head: PairHeader):
        self._head = head
        self._arrow = load_pyarrow()
        self._schema = self._make_schema()
        parquet = load_pyarrow("pyarrow.parquet")
        self._writer: Any = parquet.ParquetWriter(
            files.open(out), self._schema, compression="zstd"
        )
        self._records: list[dict[str, Any]] = []

    def write(self, units: Sequence[PairRecord]) -> None:
        """Write pairs."""
        self._records += [_record(self._head, unit) for unit in units]
        if len(self._records) >= GROUP:
            self._flush()

    def finish(self) -> None:
        """Write the last group and the footer."""
        self._flush()
        self._writer.close()

    def close(self) -> None:
        """Close what is open, before its stream is closed."""
        with suppress(OSError, ValueError):
            self._writer.close()

    def _make_schema(self) -> Any:
        arrow = self._arrow
        kinds = {name: arrow.float64() for name in SCORE_COLUMNS}
        kinds |= {name: arrow.int64() for name in INTEGER_COLUMNS}
        kinds["tags"] = arrow.list_(arrow.string())
        names = column_names(self._head)
        return arrow.schema([(name, kinds.get(name, arrow.string())) for name in names])

    def _flush(self) -> None:
        if self._records:
            table = self._arrow.Table.from_pylist(self._records, schema=self._schema)
            self._writer.write_table(table)
        self._records = []
