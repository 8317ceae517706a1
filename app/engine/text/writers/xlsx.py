"""Write pairs as a sheet of an Excel workbook."""

from collections.abc import Sequence
from pathlib import Path

from app.engine.text.writers.output import OutputFiles
from app.engine.text.writers.records import column_names, make_record
from app.engine.text.writers.sheet import (
    MAX_CELL,
    MAX_ROWS,
    TOO_LONG,
    Sheet,
    SheetHead,
    is_too_long,
)
from app.engine.text.writers.tally import ExportTally
from app.engine.text.writers.unit import PairHead, PairUnit

_ADVICE = "take a threshold, or export as CSV or Parquet"


class XlsxWriter:
    """A workbook with a header that stays in sight."""

    def __init__(
        self, files: OutputFiles, out: Path, head: PairHead, tally: ExportTally
    ):
        self._tally = tally
        self._head = head
        sheet = SheetHead("pairs", column_names(head), _ADVICE)
        self._sheet = Sheet(files, out, sheet)

    def write(self, units: Sequence[PairUnit]) -> None:
        """Write pairs; those with a text too long for a cell are left out.

        Raises:
            UserError: there are more than a sheet may hold.
        """
        records = (list(make_record(self._head, unit).values()) for unit in units)
        rows = [row for row in records if not any(map(is_too_long, row))]
        self._tally.take_back(TOO_LONG, len(units) - len(rows))
        self._sheet.put_rows(rows)

    def finish(self) -> None:
        """Close the sheet and the workbook."""
        self._sheet.finish()

    def close(self) -> None:
        """Close what is open, before its stream is closed."""
        self._sheet.close()


__all__ = ["MAX_CELL", "MAX_ROWS", "TOO_LONG", "XlsxWriter"]
