"""Write TSV and CSV: a header, then a row a pair; RFC 4180's quotes where needed.

The header is quoted throughout, which tells a reader that quotes are marks here and not
characters, so any text comes back as it was. A row is a line, as most programs have it:
tabs and line breaks in a text become spaces.
"""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import Value, column_names, make_record
from app.engine.text.writers.tally import ExportTally
from app.engine.text.writers.unit import PairHead, PairUnit

FORMULA_MARKS = ("=", "+", "-", "@")


class TableWriter:
    """A table in UTF-8 without a mark at its beginning."""

    def __init__(
        self,
        files: OutputFiles,
        out: Path,
        head: PairHead,
        tally: ExportTally,
        *,
        delimiter: str,
    ):
        self._tally = tally
        self._head = head
        self._delimiter = delimiter
        self._stream = files.open(out)
        self._write_rows([column_names(head)], is_all_quoted=True)

    def write(self, units: Sequence[PairUnit]) -> None:
        """Write pairs."""
        texts = (text for unit in units for text in (unit.source, unit.target))
        self._tally.n_formulas += sum(text.startswith(FORMULA_MARKS) for text in texts)
        rows = [
            [self._cell(value) for value in record.values()]
            for record in (make_record(self._head, unit) for unit in units)
        ]
        self._write_rows(rows, is_all_quoted=False)

    def finish(self) -> None:
        """Nothing stands at the end."""

    def close(self) -> None:
        """Nothing is open but the streams."""

    def _cell(self, value: Value) -> str:
        return "" if value is None else self._tally.on_one_line(str(value))

    def _write_rows(
        self, rows: Sequence[Sequence[str]], *, is_all_quoted: bool
    ) -> None:
        text = io.StringIO(newline="")
        writer = csv.writer(
            text,
            delimiter=self._delimiter,
            lineterminator="\n",
            quoting=csv.QUOTE_ALL if is_all_quoted else csv.QUOTE_MINIMAL,
        )
        writer.writerows(rows)
        self._stream.write(text.getvalue().encode())


__all__ = ["TableWriter"]
