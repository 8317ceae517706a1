"""What evaluations measured, as tables: of one run, or of several side by side."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from app.measurements import Measurement

EMPTY = ("", None)
IDENTITY = (  # fields that say what was measured
    *("data", "classifier", "source", "target", "first", "second"),
    *("similarity", "measure", "metric", "probing", "downstream"),
)


def join_runs(rows_of: Mapping[int, Sequence[Measurement]]) -> list[Measurement]:
    """Put runs together: an encoder that two of them measured names its run.

    Args:
        rows_of: what each run measured, by its id.
    """
    seen: dict[tuple[object, ...], set[int]] = {}
    for run, rows in rows_of.items():
        for row in rows:
            seen.setdefault(_what(row), set()).add(run)
    twice = {what[1] for what, runs in seen.items() if len(runs) > 1}
    return [
        msgspec.structs.replace(row, encoder=f"{row.encoder} (run {run})")
        if row.encoder in twice
        else row
        for run, rows in rows_of.items()
        for row in rows
    ]


def _what(row: Measurement) -> tuple[object, ...]:
    """Tell what was measured: kind, encoder, and of what."""
    return (
        type(row),
        row.encoder,
        *(getattr(row, name, "") for name in IDENTITY),
    )


def flatten(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the cells of a row by column; intervals and mappings become columns."""
    for name, value in row.items():
        if isinstance(value, dict) and name.endswith("_interval"):
            for key, (low, high) in value.items():
                yield f"{name} {key} low", low
                yield f"{name} {key} high", high
        elif isinstance(value, dict):
            yield from ((f"{name} {key}", one) for key, one in value.items())
        elif name.endswith("_interval") and value is not None:
            yield f"{name} low", value[0]
            yield f"{name} high", value[1]
        elif not isinstance(value, list | tuple):
            yield name, value


def plain_row(row: Measurement) -> dict[str, Any]:
    """Give the fields of a row in their order; intervals as pairs."""
    fields = row.__struct_fields__
    return {name: msgspec.to_builtins(getattr(row, name)) for name in fields}


def value_table(rows: Sequence[Measurement]) -> tuple[list[str], list[list[str]]]:
    """Give the head and the rows of a table of all fields, figures as they are."""
    flat = [dict(flatten(plain_row(row))) for row in rows]
    used = {name for row in flat for name, value in row.items() if value not in EMPTY}
    head = [n for n in dict.fromkeys(n for row in flat for n in row) if n in used]
    cells = [[_cell(row.get(name)) for name in head] for row in flat]
    return [name.replace("_", " ") for name in head], cells


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


__all__ = ["flatten", "join_runs", "plain_row", "value_table"]
