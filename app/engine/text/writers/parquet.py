"""Write Parquet: a table with typed columns, in groups of rows."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.engine.text.parquet import load_arrow
from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import (
    INTEGER_COLUMNS,
    SCORE_COLUMNS,
    column_names,
    make_record,
)
from app.engine.text.writers.unit import PairHead, PairUnit

GROUP = 50_000  # rows that stand together, and in memory


class ParquetTableWriter:
    """A Parquet file, compressed by zstd."""

    def __init__(self, files: OutputFiles, out: Path, head: PairHead):
        self._head = head
        self._arrow = load_arrow()
        self._schema = self._make_schema()
        parquet = load_arrow("pyarrow.parquet")
        self._writer: Any = parquet.ParquetWriter(
            files.open(out), self._schema, compression="zstd"
        )
        self._records: list[dict[str, Any]] = []

    def write(self, units: Sequence[PairUnit]) -> None:
        """Write pairs."""
        for unit in units:
            record: dict[str, Any] = {**make_record(self._head, unit)}
            if self._head.is_scored:
                record["tags"] = unit.tags
            self._records.append(record)
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


__all__ = ["ParquetTableWriter"]
