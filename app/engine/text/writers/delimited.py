"""Write rows of values as TSV or CSV, and named values as JSON Lines."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from app.errors import UserError
from app.params.base import FORMULA_MARKS
from app.paths import strip_compression

DELIMITERS = {".tsv": "\t", ".csv": ","}
JSON_LINES = ".jsonl"


def find_table_format(out: Path) -> str:
    """Return the suffix of a file to write, without a compression suffix.

    Raises:
        UserError: the suffix is not one of TSV, CSV and JSON Lines.
    """
    suffix = strip_compression(out).suffix.lower()
    if suffix not in (*DELIMITERS, JSON_LINES):
        raise UserError(
            f"{out.name} has no known format: end the name in .tsv, .csv or .jsonl."
        )
    return suffix


def format_json_lines(records: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the records as JSON Lines."""
    return msgspec.json.Encoder().encode_lines(records)


def format_rows(
    rows: Sequence[Sequence[Any]], suffix: str, *, protects_formulas: bool
) -> bytes:
    """Return rows in TSV or CSV.

    Args:
        rows: cells of each row.
        suffix: .tsv or .csv.
        protects_formulas: whether to put an apostrophe before formulas.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=DELIMITERS[suffix], lineterminator="\n")
    if protects_formulas:
        rows = [list(map(_protect, row)) for row in rows]
    writer.writerows(rows)
    return text.getvalue().encode()


def _protect(cell: Any) -> Any:
    is_formula = isinstance(cell, str) and cell.startswith(FORMULA_MARKS)
    return f"'{cell}" if is_formula else cell
